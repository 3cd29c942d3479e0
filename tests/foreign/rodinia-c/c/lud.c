/* Row by row; and inputs that need no pivots. */
#include <stdint.h>

void fill(float *a, int32_t n, unsigned long long seed)
{
    for (int64_t i = 0; i < n; i++)
        a[i * n + i] = n + (float)(seed % 7 + i % 5);
}

void lud(float *a, int32_t n)
{
    for (int64_t i = 1; i < n; i++)
        for (int64_t k = 0; k < i; k++) {
            float factor = a[i * n + k] /= a[k * n + k];
            for (int64_t j = k + 1; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
        }
}
