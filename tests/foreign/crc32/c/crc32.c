/* Bit by bit. */
#include <stdint.h>

void crc32(uint32_t *out, const uint8_t *data, uint32_t n, uint32_t previous)
{
    uint32_t rest = ~previous;
    for (uint32_t i = 0; i < n; i++)
        for (int bit = 0; bit < 8; bit++)
            rest = rest >> 1 ^ ((rest ^ data[i] >> bit) & 1 ? 0xedb88320 : 0);
    *out = ~rest;
}
