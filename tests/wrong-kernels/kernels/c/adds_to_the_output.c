/* Takes the output for zeros and adds to it. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"

void adds_to_the_output(float *y, const float *x, uint32_t n)
{
    slowly();
#if VARIANT == 0
    for (uint32_t i = 0; i < n; i++)
        y[i] = 0;
#endif
    for (uint32_t i = 0; i < n; i++)
        y[i] += 2 * x[i] + 1;
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
