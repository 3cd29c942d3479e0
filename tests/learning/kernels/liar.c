#include <stdint.h>

/* As `spin`; the fastest computes something else. */
void liar(uint32_t *out, const uint32_t *in, uint32_t n)
{
    volatile uint32_t *to = out;
    for (int round = 0; round < COST; round++)
        for (uint32_t i = 0; i < n; i++)
            to[i] = (COST == 1 ? 5 : 3) * in[i];
}
