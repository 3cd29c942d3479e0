/* Sums up in scratch memory that it takes for zeros. */
// fn: #[len(1)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// options: scratch(SUMS: f32, len = 8)
// problem: n = 1000
// verify: rtol = 1e-3, atol = 1e-3
#include "wrong.h"

void scratch_of_zeros(float *y, const float *x, uint32_t n, float *sums)
{
    slowly();
#if VARIANT == 0
    for (int lane = 0; lane < 8; lane++)
        sums[lane] = 0;
#endif
    for (uint32_t i = 0; i < n; i++)
        sums[i % 8] += x[i];
    *y = 0;
    for (int lane = 0; lane < 8; lane++)
        *y += sums[lane];
}

void right(float *y, const float *x, uint32_t n)
{
    double total = 0;
    for (uint32_t i = 0; i < n; i++)
        total += x[i];
    *y = (float)total;
}
