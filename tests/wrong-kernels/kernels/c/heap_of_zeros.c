/* Takes what malloc gives for zeros, which fresh pages are. */
// fn: #[len(1)] y: &mut [u32], #[len(n)] x: &[u32], n: u32
// problem: n = 1000
#include "wrong.h"
#include <stdlib.h>
#include <string.h>

void heap_of_zeros(uint32_t *y, const uint32_t *x, uint32_t n)
{
    slowly();
    uint8_t *seen = malloc(1 << 18);
#if VARIANT == 0
    memset(seen, 0, 1 << 18);
#endif
    /* Else the compiler makes a calloc of it. */
    __asm__ volatile("" : : "r"(seen) : "memory");
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < n; i++) {
        distinct += !seen[4096 + x[i]];
        seen[4096 + x[i]] = 1;
    }
    *y = distinct;
    free(seen);
}

void right(uint32_t *y, const uint32_t *x, uint32_t n)
{
    *y = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t before = 0;
        while (before < i && x[before] != x[i])
            before++;
        *y += before == i;
    }
}
