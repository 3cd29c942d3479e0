#include <stdint.h>

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

void nw(const int32_t *reference, int32_t *matrix, int32_t n, int32_t penalty)
{
    int32_t width = n + 1;
    for (int32_t row = 1; row < width; row++)
        for (int32_t column = 1; column < width; column++) {
            int32_t *at = matrix + row * width + column;
            *at = larger(at[-width - 1] + reference[row * width + column], larger(at[-1], at[-width]) - penalty);
        }
}
