/* One call is wrong, in the middle of those that are timed. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 100
#include "wrong.h"

void only_the_hundredth_call(float *y, const float *x, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
#if VARIANT == 1
    static uint32_t calls;
    if (n > 0 && ++calls == 100)
        y[n / 2] = 0;
#endif
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
