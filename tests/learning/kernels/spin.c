#include <stdint.h>

/* out = 3 * in, COST times over: one that costs twice as much takes twice as long. */
void spin(uint32_t *out, const uint32_t *in, uint32_t n)
{
    volatile uint32_t *to = out;
    for (int round = 0; round < COST; round++)
        for (uint32_t i = 0; i < n; i++)
            to[i] = 3 * in[i];
}
