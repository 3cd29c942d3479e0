#include <math.h>
#include <stdint.h>

void layernorm(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias,
               int32_t n, int32_t c)
{
    for (int32_t row = 0; row < n; row++, inp += c, out += c) {
        double sum = 0, squares = 0;
        for (int32_t i = 0; i < c; i++)
            sum += inp[i];
        sum /= c;
        for (int32_t i = 0; i < c; i++)
            squares += (inp[i] - sum) * (inp[i] - sum);
        double scale = 1 / sqrt(squares / c + 1e-5);
        mean[row] = (float)sum;
        rstd[row] = (float)scale;
        for (int32_t i = 0; i < c; i++)
            out[i] = (float)((inp[i] - sum) * scale * weight[i] + bias[i]);
    }
}
