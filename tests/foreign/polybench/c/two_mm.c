/* Row by row: a row of A times B, and that times C. */
#include <stdint.h>

void two_mm(double *d, const double *a, const double *b, const double *c, double alpha, double beta, int32_t ni,
            int32_t nj, int32_t nk, int32_t nl)
{
    for (int64_t i = 0; i < ni; i++) {
        for (int64_t l = 0; l < nl; l++)
            d[i * nl + l] *= beta;
        for (int64_t j = 0; j < nj; j++) {
            double along = 0;
            for (int64_t k = 0; k < nk; k++)
                along += a[i * nk + k] * b[k * nj + j];
            for (int64_t l = 0; l < nl; l++)
                d[i * nl + l] += alpha * along * c[j * nl + l];
        }
    }
}
