#include <math.h>
#include <stdint.h>

void rms_norm(const float *x, float *to, const float *weights, int32_t columns, int32_t rows, int32_t channels,
              int32_t samples, float eps)
{
    for (int64_t row = 0; row < (int64_t)rows * channels * samples; row++, x += columns, to += columns) {
        const float *by = weights + row / rows % channels * columns;
        double sum = 0;
        for (int32_t i = 0; i < columns; i++)
            sum += (double)x[i] * x[i];
        for (int32_t i = 0; i < columns; i++)
            to[i] = (float)(x[i] / sqrt(sum / columns + eps) * by[i]);
    }
}
