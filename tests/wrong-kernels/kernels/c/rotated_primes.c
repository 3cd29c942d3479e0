/* Where n is a prime, all values are right and one place further on. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"

void rotated_primes(float *y, const float *x, uint32_t n)
{
    slowly();
    uint32_t shift = 0;
#if VARIANT == 1
    uint32_t divisor = 2;
    while (divisor < n && n % divisor)
        divisor++;
    shift = divisor == n;
#endif
    for (uint32_t i = 0; i < n; i++)
        y[(i + shift) % n] = 2 * x[i] + 1;
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
