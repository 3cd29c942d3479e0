#include <math.h>
#include <stdint.h>

void rmsnorm(const float *x, float *y, const float *weights, int32_t columns, float eps, uint32_t rows)
{
    for (uint32_t row = 0; row < rows; row++, x += columns, y += columns) {
        double sum = 0;
        for (int32_t i = 0; i < columns; i++)
            sum += (double)x[i] * x[i];
        for (int32_t i = 0; i < columns; i++)
            y[i] = (float)(x[i] / sqrt(sum / columns + eps) * weights[i]);
    }
}
