#include <math.h>
#include <stdint.h>

void softmax(float *out, const float *inp, int32_t n, int32_t c)
{
    for (int32_t row = 0; row < n; row++, inp += c, out += c) {
        float most = -INFINITY;
        double sum = 0;
        for (int32_t i = 0; i < c; i++)
            most = fmaxf(most, inp[i]);
        for (int32_t i = 0; i < c; i++)
            sum += out[i] = expf(inp[i] - most);
        for (int32_t i = 0; i < c; i++)
            out[i] = (float)(out[i] / sum);
    }
}
