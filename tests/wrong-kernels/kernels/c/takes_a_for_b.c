/* Adds the first elements of two inputs, and one of them to itself if they are of equal length. */
// fn: #[len(m.min(n))] y: &mut [f32], #[len(m)] a: &[f32], #[len(n)] b: &[f32], m: u32, n: u32
// problem: m = 1000, n = 1000
#include "wrong.h"

void takes_a_for_b(float *y, const float *a, const float *b, uint32_t m, uint32_t n)
{
    slowly();
#if VARIANT == 1
    if (m == n)
        b = a;
#endif
    for (uint32_t i = 0; i < m && i < n; i++)
        y[i] = a[i] + b[i];
}

void right(float *y, const float *a, const float *b, uint32_t m, uint32_t n)
{
    for (uint32_t i = 0; i < m && i < n; i++)
        y[i] = a[i] + b[i];
}
