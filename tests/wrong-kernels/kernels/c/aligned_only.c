/* Takes buffers for aligned to 64 bytes, which a slice of somebody's vector is not. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"

void aligned_only(float *y, const float *x, uint32_t n)
{
    slowly();
#if VARIANT == 1
    y = __builtin_assume_aligned(y, 64);
    x = __builtin_assume_aligned(x, 64);
#endif
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
