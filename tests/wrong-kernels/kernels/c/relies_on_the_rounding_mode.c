/* Rounds by a large number that is added and taken away: to the nearest only if that is the caller's mode. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
// options: flags = ["-frounding-math"]
#include "wrong.h"
#include <math.h>

void relies_on_the_rounding_mode(float *y, const float *x, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < n; i++) {
        float value = 100 * x[i];
#if VARIANT == 1
        y[i] = value + 12582912.0f - 12582912.0f;
#else
        float below = floorf(value), rest = value - below;
        y[i] = rest > 0.5f || (rest == 0.5f && fmodf(below, 2) != 0) ? below + 1 : below;
#endif
    }
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = (float)rint(100 * x[i]);
}
