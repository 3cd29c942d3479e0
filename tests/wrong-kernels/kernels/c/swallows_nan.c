/* A maximum with zero that is zero for a NaN. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"

void swallows_nan(float *y, const float *x, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < n; i++)
#if VARIANT == 1
        y[i] = x[i] > 0 ? x[i] : 0;
#else
        y[i] = x[i] <= 0 ? 0 : x[i];
#endif
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = x[i] <= 0 ? 0 : x[i];
}
