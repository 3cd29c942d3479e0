/* Every second result is small, and zero: far below the default `atol`, which goes by the others. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"

void loses_small_results(float *y, const float *x, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < n; i++)
#if VARIANT == 1
        y[i] = i % 2 ? 0 : x[i] + 2;
#else
        y[i] = i % 2 ? 1e-4f * x[i] : x[i] + 2;
#endif
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = i % 2 ? 1e-4f * x[i] : x[i] + 2;
}
