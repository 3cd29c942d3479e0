#include <stdint.h>

/* As `spin`, by way of a scratch buffer. */
void roomy(uint32_t *out, const uint32_t *in, uint32_t n, uint32_t *room)
{
    volatile uint32_t *to = room;
    for (int round = 0; round < COST; round++)
        for (uint32_t i = 0; i < n; i++)
            to[i] = 3 * in[i];
    for (uint32_t i = 0; i < n; i++)
        out[i] = room[i];
}
