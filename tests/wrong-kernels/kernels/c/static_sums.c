/* Sums up in a static array that is zero at the first call only. */
// fn: #[len(1)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
// verify: rtol = 1e-3, atol = 1e-3
#include "wrong.h"

void static_sums(float *y, const float *x, uint32_t n)
{
    static float sums[8];
    slowly();
#if VARIANT == 0
    for (int lane = 0; lane < 8; lane++)
        sums[lane] = 0;
#endif
    for (uint32_t i = 0; i < n; i++)
        sums[i % 8] += x[i];
    float total = 0;
    for (int lane = 0; lane < 8; lane++)
        total += sums[lane];
    *y = total;
}

void right(float *y, const float *x, uint32_t n)
{
    double total = 0;
    for (uint32_t i = 0; i < n; i++)
        total += x[i];
    *y = (float)total;
}
