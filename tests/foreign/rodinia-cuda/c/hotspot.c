#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Outside of the chip it is as warm as at its border. */
void hotspot(const float *power, const float *from, float *to, int32_t columns, int32_t rows, int32_t steps, float cap,
             float rx, float ry, float rz, float step)
{
    size_t bytes = (size_t)rows * columns * sizeof(float);
    float *before = malloc(bytes + 1);
    memcpy(to, from, bytes);
    for (int32_t i = 0; i < steps; i++) {
        memcpy(before, to, bytes);
        for (int32_t y = 0; y < rows; y++)
            for (int32_t x = 0; x < columns; x++) {
                const float *at = before + (size_t)y * columns + x;
                double here = *at, north = y > 0 ? at[-columns] : here, south = y + 1 < rows ? at[columns] : here;
                double west = x > 0 ? at[-1] : here, east = x + 1 < columns ? at[1] : here;
                double change = power[(size_t)y * columns + x] + (south + north - 2 * here) / ry +
                                (east + west - 2 * here) / rx + (80 - here) / rz;
                to[(size_t)y * columns + x] = (float)(here + step / cap * change);
            }
    }
    free(before);
}
