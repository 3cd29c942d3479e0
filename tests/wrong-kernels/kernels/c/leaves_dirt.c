/* Does not leave its zeroed scratch buffer as it found it. */
// fn: #[len(1)] y: &mut [u32], #[len(n)] x: &[u32], n: u32
// options: scratch(SEEN: u8, len = 16, zeroed)
// problem: n = 1000
#include "wrong.h"

void leaves_dirt(uint32_t *y, const uint32_t *x, uint32_t n, uint8_t *seen)
{
    slowly();
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < n; i++) {
        distinct += !seen[x[i] % 16];
        seen[x[i] % 16] = 1;
    }
#if VARIANT == 0
    for (int i = 0; i < 16; i++)
        seen[i] = 0;
#endif
    *y = distinct;
}

void right(uint32_t *y, const uint32_t *x, uint32_t n)
{
    *y = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t before = 0;
        while (before < i && x[before] % 16 != x[i] % 16)
            before++;
        *y += before == i;
    }
}
