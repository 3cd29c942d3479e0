/* Does without the factor that is 1 in the problem. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], a: f32, n: u32
// problem: a = 1.0, n = 1000
#include "wrong.h"

void ignores_a_number(float *y, const float *x, float a, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < n; i++)
#if VARIANT == 1
        y[i] = x[i] + 1;
#else
        y[i] = a * x[i] + 1;
#endif
}

void right(float *y, const float *x, float a, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = a * x[i] + 1;
}
