/* The mean of a cross, to and fro. */
#include <stdint.h>

static void means(double *to, const double *from, int64_t n)
{
    for (int64_t at = n + 1; at < n * (n - 1) - 1; at++)
        if (at % n != 0 && at % n != n - 1)
            to[at] = (from[at] + from[at - 1] + from[at + 1] + from[at - n] + from[at + n]) / 5;
}

void jacobi_2d(double *a, double *b, int32_t tsteps, int32_t n)
{
    for (int32_t step = 0; step < tsteps; step++) {
        means(b, a, n);
        means(a, b, n);
    }
}
