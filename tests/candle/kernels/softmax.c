/* y = softmax of each row of x, in LANES maxima and LANES running sums. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

void softmax(float *y, const float *x, uint32_t rows, uint32_t columns)
{
    for (uint32_t row = 0; row < rows; row++, x += columns, y += columns) {
        float most[LANES], sum[LANES] = {0};
        for (uint32_t lane = 0; lane < LANES; lane++)
            most[lane] = -INFINITY;
        for (uint32_t i = 0; i < columns; i += LANES)
            for (uint32_t j = i; j < columns && j < i + LANES; j++)
                most[j - i] = x[j] > most[j - i] ? x[j] : most[j - i];
        for (uint32_t lane = 1; lane < LANES; lane++)
            most[0] = most[lane] > most[0] ? most[lane] : most[0];
        for (uint32_t i = 0; i < columns; i += LANES)
            for (uint32_t j = i; j < columns && j < i + LANES; j++)
                sum[j - i] += y[j] = expf(x[j] - most[0]);
        for (uint32_t lane = 1; lane < LANES; lane++)
            sum[0] += sum[lane];
        for (uint32_t i = 0; i < columns; i++)
            y[i] /= sum[0];
    }
}

void softmax_reference(float *y, const float *x, uint32_t rows, uint32_t columns)
{
    for (uint32_t row = 0; row < rows; row++) {
        const float *from = x + (size_t)row * columns;
        double most = -INFINITY, sum = 0;
        for (uint32_t i = 0; i < columns; i++)
            most = fmax(most, from[i]);
        for (uint32_t i = 0; i < columns; i++)
            sum += exp(from[i] - most);
        for (uint32_t i = 0; i < columns; i++)
            y[(size_t)row * columns + i] = (float)(exp(from[i] - most) / sum);
    }
}
