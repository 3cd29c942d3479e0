/* Adds one input to itself, where `#[init]` fills both inputs alike. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] #[init(iota)] a: &[f32], #[len(n)] #[init(iota)] b: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"

void takes_a_for_its_equal(float *y, const float *a, const float *b, uint32_t n)
{
    slowly();
#if VARIANT == 1
    b = a;
#endif
    for (uint32_t i = 0; i < n; i++)
        y[i] = a[i] + b[i];
}

void right(float *y, const float *a, const float *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = a[i] + b[i];
}
