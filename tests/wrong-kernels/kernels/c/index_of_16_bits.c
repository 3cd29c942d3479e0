/* Counts elements in 16 bits; the problem has more. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 70_000
#include "wrong.h"

void index_of_16_bits(float *y, const float *x, uint32_t n)
{
    slowly();
    slowly();
    for (uint32_t i = 0; i < n; i++) {
#if VARIANT == 1
        uint16_t at = (uint16_t)i;
#else
        uint32_t at = i;
#endif
        y[at] = 2 * x[at] + 1;
    }
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
