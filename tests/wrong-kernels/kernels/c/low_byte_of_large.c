/* Multiplies the low bytes only, where the author says that integers are large. */
// fn: #[len(n)] y: &mut [u32], #[len(n)] #[init(uniform(0, 100_000))] x: &[u32], n: u32
// problem: n = 1000
#include "wrong.h"

void low_byte_of_large(uint32_t *y, const uint32_t *x, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < n; i++)
#if VARIANT == 1
        y[i] = 3 * (x[i] & 255);
#else
        y[i] = 3 * x[i];
#endif
}

void right(uint32_t *y, const uint32_t *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 3 * x[i];
}
