/* Row by row, as a sum of rows. */
#include <stdint.h>

void atax(double *y, const double *a, const double *x, int32_t m, int32_t n)
{
    for (int32_t j = 0; j < n; j++)
        y[j] = 0;
    for (int32_t i = 0; i < m; i++) {
        double along = 0;
        for (int32_t j = 0; j < n; j++)
            along += a[(int64_t)i * n + j] * x[j];
        for (int32_t j = 0; j < n; j++)
            y[j] += along * a[(int64_t)i * n + j];
    }
}
