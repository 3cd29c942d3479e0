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

int is_encoded(const uint16_t *out, const int32_t *inp, const uint16_t *wte, const uint16_t *wpe, int32_t b, int32_t t,
               int32_t c, int32_t vocabulary, char *why, size_t room)
{
    for (int32_t row = 0; row < b * t; row++)
        for (int32_t i = 0; i < c; i++) {
            float sum = wide(wte[inp[row] * c + i]) + wide(wpe[row % t * c + i]);
            if (!(fabsf(wide(out[row * c + i]) - sum) <= fabsf(sum) / 256))
                return snprintf(why, room, "out[%d][%d] is %g, not %g", row, i, wide(out[row * c + i]), sum);
        }
    return 0;
}
