/* y = x / sqrt(mean of x^2 + eps) * w for each row of x, in LANES running sums. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

void rms_norm(T *y, const T *x, const T *w, uint32_t rows, uint32_t columns, float eps)
{
    for (uint32_t row = 0; row < rows; row++, x += columns, y += columns) {
        T sum[LANES] = {0};
        for (uint32_t i = 0; i < columns; i += LANES)
            for (uint32_t j = i; j < columns && j < i + LANES; j++)
                sum[j - i] += x[j] * x[j];
        for (uint32_t lane = 1; lane < LANES; lane++)
            sum[0] += sum[lane];
        T scale = (T)(1 / sqrt((double)sum[0] / columns + eps));
        for (uint32_t i = 0; i < columns; i++)
            y[i] = x[i] * scale * w[i];
    }
}

void rms_norm_reference(T *y, const T *x, const T *w, uint32_t rows, uint32_t columns, float eps)
{
    for (uint32_t row = 0; row < rows; row++) {
        long double sum = 0;
        for (uint32_t i = 0; i < columns; i++)
            sum += (long double)x[(size_t)row * columns + i] * x[(size_t)row * columns + i];
        for (uint32_t i = 0; i < columns; i++)
            y[(size_t)row * columns + i] = x[(size_t)row * columns + i] * (T)(1 / sqrtl(sum / columns + eps)) * w[i];
    }
}
