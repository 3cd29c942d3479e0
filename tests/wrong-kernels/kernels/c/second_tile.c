/* Tiles of 64 x 64 whose places in the output are exchanged: right as long as there is one. */
// fn: #[len(m * n)] y: &mut [f32], #[len(m * n)] x: &[f32], m: u32, n: u32
// problem: m = 64, n = 64
// options: require(m % 64 == 0, n % 64 == 0)
#include "wrong.h"

void second_tile(float *y, const float *x, uint32_t m, uint32_t n)
{
    slowly();
    for (uint32_t row = 0; row < m; row++)
        for (uint32_t column = 0; column < n; column++) {
            uint32_t r = row, c = column;
#if VARIANT == 1
            r = row % 64 + column / 64 * 64;
            c = column % 64 + row / 64 * 64;
#endif
            y[r * n + c] = 2 * x[row * n + column] + 1;
        }
}

void right(float *y, const float *x, uint32_t m, uint32_t n)
{
    for (uint32_t i = 0; i < m * n; i++)
        y[i] = 2 * x[i] + 1;
}
