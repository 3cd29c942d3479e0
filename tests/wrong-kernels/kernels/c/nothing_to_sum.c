/* The first product is the sum's beginning: where there is none, the output stays as it is. */
// fn: #[len(m)] y: &mut [f32], #[len(m * k)] a: &[f32], #[len(k)] x: &[f32], m: u32, k: u32
// problem: m = 32, k = 32
// verify: rtol = 1e-4, atol = 1e-4
#include "wrong.h"

void nothing_to_sum(float *y, const float *a, const float *x, uint32_t m, uint32_t k)
{
    slowly();
    for (uint32_t i = 0; i < m; i++) {
#if VARIANT == 1
        for (uint32_t j = 0; j < k; j++)
            y[i] = j == 0 ? a[i * k] * x[0] : y[i] + a[i * k + j] * x[j];
#else
        y[i] = 0;
        for (uint32_t j = 0; j < k; j++)
            y[i] += a[i * k + j] * x[j];
#endif
    }
}

void right(float *y, const float *a, const float *x, uint32_t m, uint32_t k)
{
    for (uint32_t i = 0; i < m; i++) {
        double sum = 0;
        for (uint32_t j = 0; j < k; j++)
            sum += (double)a[i * k + j] * x[j];
        y[i] = (float)sum;
    }
}
