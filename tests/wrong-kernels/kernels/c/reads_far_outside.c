/* What is read is far outside, and counts nothing. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"

void reads_far_outside(float *y, const float *x, uint32_t n)
{
    slowly();
    float far = 0;
#if VARIANT == 1
    far = 0 * ((const volatile float *)x)[-(1ll << 36)];
#endif
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1 + far;
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
