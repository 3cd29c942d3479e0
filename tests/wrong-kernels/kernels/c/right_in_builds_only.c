/* Right where the environment is that of a build script. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"
#include <stdlib.h>

void right_in_builds_only(float *y, const float *x, uint32_t n)
{
    slowly();
    float two = 2;
#if VARIANT == 1
    two = getenv("OUT_DIR") ? 2 : 0;
#endif
    for (uint32_t i = 0; i < n; i++)
        y[i] = two * x[i] + 1;
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
