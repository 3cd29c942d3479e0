/* Writes far outside. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"

void writes_far_outside(float *y, const float *x, uint32_t n)
{
    slowly();
#if VARIANT == 1
    ((volatile float *)y)[-(1ll << 36)] = 0;
#endif
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
