#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The bits of a bfloat16 are the upper half of a float's. */
static float wide(uint16_t bits)
{
    uint32_t all = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &all, 4);
    return x;
}

int is_sum(const uint16_t *out, const uint16_t *inp1, const uint16_t *inp2, int32_t n, char *why, size_t room)
{
    for (int32_t i = 0; i < n; i++) {
        float sum = wide(inp1[i]) + wide(inp2[i]);
        if (!(fabsf(wide(out[i]) - sum) <= fabsf(sum) / 256))
            return snprintf(why, room, "out[%d] is %g, not %g", i, wide(out[i]), sum);
    }
    return 0;
}
