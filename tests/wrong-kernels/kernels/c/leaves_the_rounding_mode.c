/* Rounds towards zero, and leaves its caller with that. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"

void leaves_the_rounding_mode(float *y, const float *x, uint32_t n)
{
    slowly();
#if VARIANT == 1
    uint32_t mode = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(mode | 0x6000);
#endif
    for (uint32_t i = 0; i < n; i++)
        y[i] = (float)(int32_t)(100 * x[i]);
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = (float)(int32_t)(100 * x[i]);
}
