/* The same with integers, of which none is a NaN. */
// fn: #[len(16)] y: &mut [u32], #[len(n)] x: &[u32], n: u32
// problem: n = 1000
#include "wrong.h"

void adds_to_integers(uint32_t *y, const uint32_t *x, uint32_t n)
{
    slowly();
#if VARIANT == 0
    for (uint32_t i = 0; i < 16; i++)
        y[i] = 0;
#endif
    for (uint32_t i = 0; i < n; i++)
        y[x[i] % 16]++;
}

void right(uint32_t *y, const uint32_t *x, uint32_t n)
{
    for (uint32_t i = 0; i < 16; i++)
        y[i] = 0;
    for (uint32_t i = 0; i < n; i++)
        y[x[i] % 16]++;
}
