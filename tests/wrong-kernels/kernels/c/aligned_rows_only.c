/* Loads rows as aligned vectors: the second row of an awkward length is not. */
// fn: #[len(m * n)] y: &mut [f32], #[len(m * n)] x: &[f32], m: u32, n: u32
// problem: m = 32, n = 32
#include "wrong.h"

typedef float vector __attribute__((vector_size(16)));

void aligned_rows_only(float *y, const float *x, uint32_t m, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < m; i++) {
        uint32_t j = 0;
#if VARIANT == 1
        for (; j + 4 <= n; j += 4)
            *(volatile vector *)(y + i * n + j) = 2 * *(const volatile vector *)(x + i * n + j);
#endif
        for (; j < n; j++)
            y[i * n + j] = 2 * x[i * n + j];
    }
}

void right(float *y, const float *x, uint32_t m, uint32_t n)
{
    for (uint32_t i = 0; i < m * n; i++)
        y[i] = 2 * x[i];
}
