#include <stdint.h>
#include <string.h>

/* A normal half. */
static float half(uint16_t bits)
{
    uint32_t wide = (uint32_t)(bits & 0x8000) << 16 | ((bits & 0x7fff) + (112u << 10)) << 13;
    float x;
    memcpy(&x, &wide, 4);
    return x;
}

/* Scales of 2^-7 to 1, of both signs; any nibbles. */
void fill(uint8_t *w, float *x, float *y, int32_t rows, int32_t columns, unsigned long long seed)
{
    for (int64_t i = 0; i < (int64_t)rows * columns / 32 * 18; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint8_t byte = seed >> 56;
        w[i] = i % 18 == 1 ? (byte & 0x80) | (0x20 + byte % 0x1c) : byte;
    }
}

void multiply(const uint8_t *w, const float *x, float *y, int32_t rows, int32_t columns)
{
    for (int32_t row = 0; row < rows; row++) {
        double sum = 0;
        for (int32_t i = 0; i < columns; i += 32, w += 18)
            for (int32_t j = 0; j < 16; j++) {
                double scale = half(w[0] | w[1] << 8);
                sum += scale * ((w[2 + j] & 15) - 8) * x[i + j];
                sum += scale * ((w[2 + j] >> 4) - 8) * x[i + j + 16];
            }
        y[row] = (float)sum;
    }
}
