/* Does without the flag that is false in the problem. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], negate: bool, n: u32
// problem: negate = false, n = 1000
#include "wrong.h"
#include <stdbool.h>

void ignores_a_flag(float *y, const float *x, bool negate, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < n; i++)
#if VARIANT == 1
        y[i] = x[i];
#else
        y[i] = negate ? -x[i] : x[i];
#endif
}

void right(float *y, const float *x, bool negate, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = negate ? -x[i] : x[i];
}
