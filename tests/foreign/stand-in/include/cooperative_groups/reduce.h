#pragma once
#include <cooperative_groups.h>
namespace cooperative_groups {
template <class T> struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class GROUP, class T, class F> static inline T reduce(const GROUP &group, T value, F op) {
  for (unsigned by = group.size() / 2; by > 0; by /= 2)
    value = op(value, group.shfl_xor(value, by));
  return value;
}
}
