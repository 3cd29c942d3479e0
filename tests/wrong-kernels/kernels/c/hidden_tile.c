/* Blocks of 64, which no parameter tells of: a part of a block is lost, but a size below one block is taken care of. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1024
#include "wrong.h"

void hidden_tile(float *y, const float *x, uint32_t n)
{
    slowly();
#if VARIANT == 1
    if (n > 64)
        n = n / 64 * 64;
#endif
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
