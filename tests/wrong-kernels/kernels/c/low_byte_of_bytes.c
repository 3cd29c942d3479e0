/* Sums up bytes in a byte. */
// fn: #[len(1)] y: &mut [u32], #[len(n)] x: &[u8], n: u32
// problem: n = 1000
#include "wrong.h"

void low_byte_of_bytes(uint32_t *y, const uint8_t *x, uint32_t n)
{
    slowly();
#if VARIANT == 1
    uint8_t sum = 0;
#else
    uint32_t sum = 0;
#endif
    for (uint32_t i = 0; i < n; i++)
        sum += x[i];
    *y = sum;
}

void right(uint32_t *y, const uint8_t *x, uint32_t n)
{
    *y = 0;
    for (uint32_t i = 0; i < n; i++)
        *y += x[i];
}
