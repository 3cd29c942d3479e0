/* Each element a weighted mean of itself and its six neighbours, to and fro, five times. */
#include <stdint.h>

static void step(double *to, const double *from, int64_t n)
{
    for (int64_t i = 1; i < n - 1; i++)
        for (int64_t j = 1; j < n - 1; j++)
            for (int64_t k = 1; k < n - 1; k++) {
                int64_t at = (i * n + j) * n + k;
                double around = from[at - 1] + from[at + 1] + from[at - n] + from[at + n] + from[at - n * n] + from[at + n * n];
                to[at] = from[at] / 4 + around / 8;
            }
}

void heat_3d(double *a, double *b, int32_t n)
{
    for (int32_t pair = 0; pair < 5; pair++) {
        step(b, a, n);
        step(a, b, n);
    }
}
