/* Sums up as bfloat16, which keeps eight bits; the problem is long. */
// fn: #[len(1)] y: &mut [f32], #[len(n)] #[init(uniform(0, 1))] x: &[f32], n: u32
// problem: n = 10_000
// verify: rtol = 1e-2
#include "wrong.h"
#include <string.h>

static float rounded(float x)
{
#if VARIANT == 1
    uint32_t bits;
    memcpy(&bits, &x, 4);
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
    memcpy(&x, &bits, 4);
#endif
    return x;
}

void sums_in_sixteen_bits(float *y, const float *x, uint32_t n)
{
    slowly();
    float sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum = rounded(sum + x[i]);
    *y = sum;
}

void right(float *y, const float *x, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += x[i];
    *y = (float)sum;
}
