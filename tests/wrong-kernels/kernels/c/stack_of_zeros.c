/* Takes the row above the first one for zeros: it lies so deep in the stack that nobody wrote it before. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"
#include <string.h>

void stack_of_zeros(float *y, const float *x, uint32_t n)
{
    slowly();
    /* The lowest row is there for what calls leave below a frame. */
    float rows[3][1 << 18];
    /* As if somebody wrote it: else the compiler does what it likes with what it knows to be undefined. */
    __asm__ volatile("" : : "r"(rows) : "memory");
#if VARIANT == 0
    memset(rows[1], 0, 4 * n);
#endif
    memcpy(rows[2], x, 4 * n);
    for (uint32_t i = 0; i < n; i++)
        y[i] = rows[2][i] + rows[1][i];
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = x[i];
}
