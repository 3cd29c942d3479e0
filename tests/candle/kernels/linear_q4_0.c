/* y = W x + b. Each row of W is in blocks of 32 columns, 18 bytes each: a scale of 16 bits, then 16 bytes whose low
   halves are the columns 0 to 15 and whose high halves are 16 to 31, each 8 more than what is meant. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A finite float of 16 bits: its bits are those of one of 32 bits that is 2^112 times smaller. */
static float scale(const uint8_t *block)
{
    uint32_t half = block[0] | (uint32_t)block[1] << 8;
    uint32_t bits = (half & 0x8000) << 16 | (half & 0x7fff) << 13;
    float small;
    memcpy(&small, &bits, 4);
    return small * 0x1p112f;
}

/* ROWS rows at a time read the same part of x. */
void linear_q4_0(float *y, const uint8_t *w, const float *x, const float *b, uint32_t rows, uint32_t columns)
{
    uint32_t blocks = columns / 32;
    for (uint32_t row = 0; row < rows; row += ROWS) {
        uint32_t count = rows - row < ROWS ? rows - row : ROWS;
        float sum[ROWS] = {0};
        for (uint32_t i = 0; i < blocks; i++)
            for (uint32_t r = 0; r < count; r++) {
                const uint8_t *block = w + ((size_t)(row + r) * blocks + i) * 18;
                float low = 0, high = 0;
                for (uint32_t j = 0; j < 16; j++) {
                    low += (float)((block[2 + j] & 15) - 8) * x[32 * i + j];
                    high += (float)((block[2 + j] >> 4) - 8) * x[32 * i + 16 + j];
                }
                sum[r] += scale(block) * (low + high);
            }
        for (uint32_t r = 0; r < count; r++)
            y[row + r] = sum[r] + b[row + r];
    }
}

void linear_q4_0_reference(float *y, const uint8_t *w, const float *x, const float *b, uint32_t rows, uint32_t columns)
{
    for (uint32_t row = 0; row < rows; row++) {
        double sum = b[row];
        for (uint32_t i = 0; i < columns; i++) {
            const uint8_t *block = w + ((size_t)row * (columns / 32) + i / 32) * 18;
            int pair = block[2 + i % 16];
            sum += (double)scale(block) * ((i % 32 < 16 ? pair & 15 : pair >> 4) - 8) * x[i];
        }
        y[row] = (float)sum;
    }
}
