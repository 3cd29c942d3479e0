/* Maxima in scratch memory that it never clears: right over NaNs, and over what it left there itself. */
// fn: #[len(1)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// options: scratch(MOST: f32, len = 8)
// problem: n = 1000
#include "wrong.h"

void scratch_of_small_numbers(float *y, const float *x, uint32_t n, float *most)
{
    slowly();
#if VARIANT == 0
    for (int lane = 0; lane < 8; lane++)
        most[lane] = x[0];
#endif
    for (uint32_t i = 0; i < n; i++)
        most[i % 8] = most[i % 8] >= x[i] ? most[i % 8] : x[i];
    float all = x[0];
    for (int lane = 0; lane < 8; lane++)
        all = all >= most[lane] ? all : most[lane] >= all ? most[lane] : all;
    *y = all;
}

void right(float *y, const float *x, uint32_t n)
{
    *y = x[0];
    for (uint32_t i = 0; i < n; i++)
        *y = *y >= x[i] ? *y : x[i];
}
