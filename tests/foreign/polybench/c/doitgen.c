/* Each row through a copy of its own. */
#include <stdint.h>
#include <string.h>

void doitgen(double *a, const double *c4, int32_t nr, int32_t nq, int32_t np)
{
    for (int64_t row = 0; row < (int64_t)nr * nq; row++) {
        double before[np + 1];
        memcpy(before, a + row * np, np * sizeof *before);
        for (int32_t p = 0; p < np; p++) {
            double sum = 0;
            for (int32_t s = 0; s < np; s++)
                sum += before[s] * c4[(int64_t)s * np + p];
            a[row * np + p] = sum;
        }
    }
}
