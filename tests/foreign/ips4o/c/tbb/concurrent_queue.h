/* What the scheduler, which nobody starts here, is declared with. */
#pragma once
#include <queue>

namespace tbb {
template <class T> struct concurrent_queue : std::queue<T> {
    bool try_pop(T &);
};
}
