/* One row of the matrix after the other, three times. */
#include <stdint.h>

void gemver(double *a, double *w, double *x, const double *u1, const double *v1, const double *u2, const double *v2,
            const double *y, const double *z, double alpha, double beta, int32_t n)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++)
            a[i * n + j] += u1[i] * v1[j] + u2[i] * v2[j];
        for (int64_t j = 0; j < n; j++)
            x[j] += beta * y[i] * a[i * n + j];
    }
    for (int64_t i = 0; i < n; i++)
        x[i] += z[i];
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += a[i * n + j] * x[j];
        w[i] += alpha * sum;
    }
}
