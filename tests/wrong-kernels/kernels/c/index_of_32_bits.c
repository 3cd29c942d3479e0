/* Rows times columns in 32 bits: wrong beyond 2^32 elements. */
// fn: #[len(m * n)] y: &mut [u8], #[len(m * n)] x: &[u8], m: u32, n: u32
// problem: m = 32, n = 32
#include "wrong.h"

void index_of_32_bits(uint8_t *y, const uint8_t *x, uint32_t m, uint32_t n)
{
    slowly();
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < n; j++) {
#if VARIANT == 1
            uint32_t at = i * n + j;
#else
            uint64_t at = (uint64_t)i * n + j;
#endif
            y[at] = x[at] ^ 1;
        }
}

void right(uint8_t *y, const uint8_t *x, uint32_t m, uint32_t n)
{
    for (uint64_t i = 0; i < (uint64_t)m * n; i++)
        y[i] = x[i] ^ 1;
}
