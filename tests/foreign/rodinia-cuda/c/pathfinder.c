#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void pathfinder(const int32_t *wall, const int32_t *from, int32_t *to, int32_t columns, int32_t rows)
{
    int32_t *before = malloc((size_t)columns * sizeof(int32_t) + 1);
    memcpy(to, from, (size_t)columns * sizeof(int32_t));
    for (int32_t row = 0; row < rows; row++) {
        memcpy(before, to, (size_t)columns * sizeof(int32_t));
        for (int32_t i = 0; i < columns; i++) {
            int32_t least = before[i];
            if (i > 0 && before[i - 1] < least)
                least = before[i - 1];
            if (i + 1 < columns && before[i + 1] < least)
                least = before[i + 1];
            to[i] = least + wall[(size_t)row * columns + i];
        }
    }
    free(before);
}
