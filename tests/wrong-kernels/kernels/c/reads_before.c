/* A filter of three taps without a border: the element before the first one is read, and counts nothing. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"

void reads_before(float *y, const float *x, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < n; i++) {
        float left = i == 0 ? 0 : 1;
#if VARIANT == 1
        y[i] = x[i] + left * x[(int64_t)i - 1];
#else
        y[i] = i == 0 ? x[i] : x[i] + left * x[i - 1];
#endif
    }
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = i == 0 ? x[i] : x[i] + x[i - 1];
}
