/* Remembers the answer for the buffers' addresses, whatever is in them by now. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"
#include <string.h>

void cached_by_pointer(float *y, const float *x, uint32_t n)
{
    slowly();
#if VARIANT == 1
    static const float *seen;
    static uint32_t length;
    static float answer[1000];
    if (seen == x && length == n) {
        memcpy(y, answer, 4 * n);
        return;
    }
#endif
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
#if VARIANT == 1
    seen = x;
    length = n;
    memcpy(answer, y, 4 * n);
#endif
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
