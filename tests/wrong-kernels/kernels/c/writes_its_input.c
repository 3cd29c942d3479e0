/* Scales its input in place, and leaves it so. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"

void writes_its_input(float *y, float *x, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < n; i++) {
        float twice = 2 * x[i];
#if VARIANT == 1
        x[i] = twice;
#endif
        y[i] = twice + 1;
    }
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
