/* A maximum that begins with what is in the output: right over NaNs and small numbers, wrong over large ones. */
// fn: #[len(m)] y: &mut [f32], #[len(m * n)] x: &[f32], m: u32, n: u32
// problem: m = 32, n = 32
#include "wrong.h"

void largest_so_far(float *y, const float *x, uint32_t m, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < m; i++) {
#if VARIANT == 1
        float most = y[i];
#else
        float most = x[i * n];
#endif
        for (uint32_t j = 0; j < n; j++)
            most = most >= x[i * n + j] ? most : x[i * n + j];
        y[i] = most;
    }
}

void right(float *y, const float *x, uint32_t m, uint32_t n)
{
    for (uint32_t i = 0; i < m; i++) {
        y[i] = x[i * n];
        for (uint32_t j = 0; j < n; j++)
            y[i] = y[i] >= x[i * n + j] ? y[i] : x[i * n + j];
    }
}
