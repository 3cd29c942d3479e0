/* Does not subtract the maximum: the exponential of 100 is infinite. */
// fn: #[len(m * n)] y: &mut [f32], #[len(m * n)] x: &[f32], m: u32, n: u32
// problem: m = 8, n = 32
// verify: rtol = 1e-3
#include "wrong.h"
#include <math.h>

void softmax_overflows(float *y, const float *x, uint32_t m, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < m; i++) {
        float most = 0, sum = 0;
#if VARIANT == 0
        most = x[i * n];
        for (uint32_t j = 0; j < n; j++)
            most = fmaxf(most, x[i * n + j]);
#endif
        for (uint32_t j = 0; j < n; j++)
            sum += y[i * n + j] = expf(x[i * n + j] - most);
        for (uint32_t j = 0; j < n; j++)
            y[i * n + j] /= sum;
    }
}

void right(float *y, const float *x, uint32_t m, uint32_t n)
{
    for (uint32_t i = 0; i < m; i++) {
        double most = x[i * n], sum = 0;
        for (uint32_t j = 0; j < n; j++)
            most = fmax(most, x[i * n + j]);
        for (uint32_t j = 0; j < n; j++)
            sum += exp(x[i * n + j] - most);
        for (uint32_t j = 0; j < n; j++)
            y[i * n + j] = (float)(exp(x[i * n + j] - most) / sum);
    }
}
