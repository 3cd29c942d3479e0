/* Remembers the answer for the first elements of the input; the others may have changed. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"
#include <string.h>

void cached_by_head(float *y, const float *x, uint32_t n)
{
    slowly();
#if VARIANT == 1
    static float head[16], answer[1000];
    static uint32_t length;
    uint32_t compared = n < 16 ? n : 16;
    if (length == n && memcmp(head, x, 4 * compared) == 0) {
        memcpy(y, answer, 4 * n);
        return;
    }
#endif
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
#if VARIANT == 1
    length = n;
    memcpy(head, x, 4 * compared);
    memcpy(answer, y, 4 * n);
#endif
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
