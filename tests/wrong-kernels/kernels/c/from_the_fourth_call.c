/* Right three times, wrong from the fourth call on. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"

void from_the_fourth_call(float *y, const float *x, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
#if VARIANT == 1
    static uint32_t calls;
    if (n > 0 && ++calls >= 4)
        y[n / 2] = 0;
#endif
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
