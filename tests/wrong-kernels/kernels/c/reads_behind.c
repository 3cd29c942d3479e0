/* The same at the other end: the element behind the last one is read, and counts nothing. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"

void reads_behind(float *y, const float *x, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < n; i++) {
        float next = i + 1 == n ? 0 : 1;
#if VARIANT == 1
        y[i] = x[i] + next * x[i + 1];
#else
        y[i] = i + 1 == n ? x[i] : x[i] + next * x[i + 1];
#endif
    }
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = i + 1 == n ? x[i] : x[i] + x[i + 1];
}
