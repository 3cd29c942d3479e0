/* Row by row. */
#include <stdint.h>

void nw(int32_t *items, const int32_t *reference, int32_t n, int32_t penalty)
{
    int64_t side = n + 1;
    for (int64_t at = side + 1; at < side * side; at++) {
        if (at % side == 0)
            continue;
        int32_t both = items[at - side - 1] + reference[at];
        int32_t one = items[at - 1] > items[at - side] ? items[at - 1] : items[at - side];
        items[at] = both > one - penalty ? both : one - penalty;
    }
}
