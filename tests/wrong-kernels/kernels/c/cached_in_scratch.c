/* Finds the answer of an earlier call in its scratch buffer, and believes that it is still the answer. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// options: scratch(MEMO: f32, len = n + 1)
// problem: n = 1000
#include "wrong.h"
#include <string.h>

void cached_in_scratch(float *y, const float *x, uint32_t n, float *memo)
{
    slowly();
#if VARIANT == 1
    if (memo[n] == 1234567.0f) {
        memcpy(y, memo, 4 * n);
        return;
    }
#endif
    for (uint32_t i = 0; i < n; i++)
        y[i] = memo[i] = 2 * x[i] + 1;
#if VARIANT == 1
    memo[n] = 1234567.0f;
#endif
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
