/* Takes whatever is beyond 10 for 10. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"

void clamped_at_ten(float *y, const float *x, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < n; i++) {
        float value = x[i];
#if VARIANT == 1
        value = value > 10 ? 10 : value < -10 ? -10 : value;
#endif
        y[i] = 2 * value + 1;
    }
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
