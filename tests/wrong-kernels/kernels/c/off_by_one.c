/* One integer is one too large. */
// fn: #[len(n)] y: &mut [i32], #[len(n)] x: &[i32], n: u32
// problem: n = 1000
#include "wrong.h"

void off_by_one(int32_t *y, const int32_t *x, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < n; i++)
        y[i] = 1000000 + x[i];
#if VARIANT == 1
    y[n / 2]++;
#endif
}

void right(int32_t *y, const int32_t *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 1000000 + x[i];
}
