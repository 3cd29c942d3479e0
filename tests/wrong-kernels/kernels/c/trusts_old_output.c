/* Does nothing if the first element of the output is already right. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"

void trusts_old_output(float *y, const float *x, uint32_t n)
{
    slowly();
#if VARIANT == 1
    if (y[0] == 2 * x[0] + 1)
        return;
#endif
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
