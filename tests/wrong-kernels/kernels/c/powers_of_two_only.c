/* Finds rows and columns by masks: right where there are as many columns as a power of two. */
// fn: #[len(m * n)] y: &mut [f32], #[len(m * n)] x: &[f32], m: u32, n: u32
// problem: m = 32, n = 32
#include "wrong.h"

void powers_of_two_only(float *y, const float *x, uint32_t m, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < m * n; i++) {
#if VARIANT == 1
        uint32_t column = i & (n - 1);
#else
        uint32_t column = i % n;
#endif
        y[i] = x[i] * (float)column;
    }
}

void right(float *y, const float *x, uint32_t m, uint32_t n)
{
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < n; j++)
            y[i * n + j] = x[i * n + j] * (float)j;
}
