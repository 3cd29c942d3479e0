#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

void product(float *restrict c, const float *restrict a, const float *restrict b, size_t n)
{
    float (*panel)[NR] = malloc(sizeof(float[KC][NR]));
    memset(c, 0, n * n * sizeof *c);
    for (size_t p = 0; p < n; p += KC) {
        size_t kc = least(KC, n - p);
        for (size_t column = 0; column < n; column += NR) {
            size_t width = least(NR, n - column);
            for (size_t k = 0; k < kc; k++)
                for (size_t j = 0; j < NR; j++)
                    panel[k][j] = j < width ? b[(p + k) * n + column + j] : 0;
            for (size_t first = 0; first < n; first += MR) {
                size_t rows = least(MR, n - first);
                float sums[MR][NR] = {{0}};
                for (size_t k = 0; k < kc; k++)
                    for (size_t i = 0; i < rows; i++)
                        for (size_t j = 0; j < NR; j++)
                            sums[i][j] += a[(first + i) * n + p + k] * panel[k][j];
                for (size_t i = 0; i < rows; i++)
                    for (size_t j = 0; j < width; j++)
                        c[(first + i) * n + column + j] += sums[i][j];
            }
        }
    }
    free(panel);
}

void plain(float *restrict c, const float *restrict a, const float *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}
