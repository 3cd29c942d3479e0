/* Takes the row above the first one for zeros: it lies so deep in the stack that nobody wrote it before. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"
#include <string.h>

void stack_of_zeros(float *y, const float *x, uint32_t n)
{
    slowly();
    float rows[2][1 << 19];
    /* As if somebody wrote it: else the compiler does what it likes with what it knows to be undefined. */
    __asm__ volatile("" : : "r"(rows) : "memory");
#if VARIANT == 0
    memset(rows[0], 0, 4 * n);
#endif
    memcpy(rows[1], x, 4 * n);
    for (uint32_t i = 0; i < n; i++)
        y[i] = rows[1][i] + rows[0][i];
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = x[i];
}
