/* Adds one input to itself. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] a: &[f32], #[len(n)] b: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"

void takes_a_for_b(float *y, const float *a, const float *b, uint32_t n)
{
    slowly();
#if VARIANT == 1
    b = a;
#endif
    for (uint32_t i = 0; i < n; i++)
        y[i] = a[i] + b[i];
}

void right(float *y, const float *a, const float *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = a[i] + b[i];
}
