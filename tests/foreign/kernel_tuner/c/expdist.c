#include <math.h>

void expdist(double *distance, const double *a, const double *b, const double *scale_a, const double *scale_b,
             int m, int n)
{
    *distance = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double x = a[i] - b[j], y = a[m + i] - b[n + j];
            *distance += exp(-(x * x + y * y) / (scale_a[i] + scale_b[j]));
        }
}
