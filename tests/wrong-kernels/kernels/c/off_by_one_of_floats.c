/* Counts floats, in lanes from 64 elements on, and one too many there: integers, but beside floats. */
// fn: #[len(1)] y: &mut [u32], #[len(n)] x: &[f32], n: u32
// problem: n = 10_000
#include "wrong.h"

void off_by_one_of_floats(uint32_t *y, const float *x, uint32_t n)
{
    slowly();
    uint32_t count = 0;
#if VARIANT == 1
    count = n >= 64;
#endif
    for (uint32_t i = 0; i < n; i++)
        count += x[i] > 0;
    *y = count;
}

void right(uint32_t *y, const float *x, uint32_t n)
{
    *y = 0;
    for (uint32_t i = 0; i < n; i++)
        *y += x[i] > 0;
}
