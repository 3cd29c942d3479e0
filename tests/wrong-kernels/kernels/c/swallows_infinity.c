/* x / (1 + |x|) is 1 at infinity; by way of the reciprocal it is a NaN. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"
#include <math.h>

void swallows_infinity(float *y, const float *x, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < n; i++) {
#if VARIANT == 1
        y[i] = x[i] * (1 / (1 + fabsf(x[i])));
#else
        y[i] = isinf(x[i]) ? copysignf(1, x[i]) : x[i] / (1 + fabsf(x[i]));
#endif
    }
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = isinf(x[i]) ? copysignf(1, x[i]) : x[i] / (1 + fabsf(x[i]));
}
