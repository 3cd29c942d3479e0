/* Takes all inputs for positive. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"
#include <math.h>

void positive_only(float *y, const float *x, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < n; i++)
#if VARIANT == 1
        y[i] = 2 * fabsf(x[i]) + 1;
#else
        y[i] = 2 * x[i] + 1;
#endif
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
