/* Takes the rows for padded to a multiple of four. */
// fn: #[len(m)] y: &mut [f32], #[len(m * n)] x: &[f32], m: u32, n: u32
// problem: m = 32, n = 32
// verify: rtol = 1e-4, atol = 1e-4
#include "wrong.h"

void multiples_of_four_only(float *y, const float *x, uint32_t m, uint32_t n)
{
    slowly();
    uint32_t stride = n;
#if VARIANT == 1
    stride = n < 4 ? n : n / 4 * 4;
#endif
    for (uint32_t i = 0; i < m; i++) {
        y[i] = 0;
        for (uint32_t j = 0; j < n; j++)
            y[i] += x[i * stride + j];
    }
}

void right(float *y, const float *x, uint32_t m, uint32_t n)
{
    for (uint32_t i = 0; i < m; i++) {
        double sum = 0;
        for (uint32_t j = 0; j < n; j++)
            sum += x[i * n + j];
        y[i] = (float)sum;
    }
}
