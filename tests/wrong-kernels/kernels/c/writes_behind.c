/* Whole vectors of four, the last one too: what lies behind the output is overwritten. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"

void writes_behind(float *y, const float *x, uint32_t n)
{
    slowly();
    uint32_t end = n;
#if VARIANT == 1
    end = (n + 3) / 4 * 4;
#endif
    for (uint32_t i = 0; i < end; i++)
        y[i] = i < n ? 2 * x[i] + 1 : 0;
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
