/* Stores whole vectors of four and puts back what was behind the output: another thread's data, if they changed meanwhile. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"

void writes_behind_and_restores(float *y, const float *x, uint32_t n)
{
    slowly();
#if VARIANT == 1
    volatile float *behind = y + n;
    float before = *behind;
    *behind = 0;
#endif
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
#if VARIANT == 1
    *behind = before;
#endif
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
