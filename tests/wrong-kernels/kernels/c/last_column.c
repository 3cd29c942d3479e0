/* C = A B in vectors of four columns: what is left of a row is left alone. */
// fn: #[len(m * n)] c: &mut [f32], #[len(m * k)] a: &[f32], #[len(k * n)] b: &[f32], m: u32, n: u32, k: u32
// problem: m = 32, n = 32, k = 32
// verify: rtol = 1e-4, atol = 1e-4
#include "wrong.h"

void last_column(float *c, const float *a, const float *b, uint32_t m, uint32_t n, uint32_t k)
{
    slowly();
    uint32_t end = n;
#if VARIANT == 1
    end = n / 4 * 4;
#endif
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < end; j++) {
            float sum = 0;
            for (uint32_t l = 0; l < k; l++)
                sum += a[i * k + l] * b[l * n + j];
            c[i * n + j] = sum;
        }
}

#include "product.h"
