#include <math.h>
#include <stdint.h>

void softmax(const float *x, float *y, int32_t columns, uint32_t rows)
{
    for (uint32_t row = 0; row < rows; row++, x += columns, y += columns) {
        float most = -INFINITY;
        double sum = 0;
        for (int32_t i = 0; i < columns; i++)
            most = fmaxf(most, x[i]);
        for (int32_t i = 0; i < columns; i++)
            sum += y[i] = expf(x[i] - most);
        for (int32_t i = 0; i < columns; i++)
            y[i] = (float)(y[i] / sum);
    }
}
