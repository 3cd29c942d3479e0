#include <stdint.h>

void sgemm(const float *a, const float *b, float *c, int32_t m, int32_t n, int32_t k, float alpha, float beta)
{
    for (int32_t row = 0; row < m; row++)
        for (int32_t column = 0; column < n; column++) {
            double sum = 0;
            for (int32_t i = 0; i < k; i++)
                sum += (double)a[(int64_t)row * k + i] * b[(int64_t)i * n + column];
            float *at = c + (int64_t)row * n + column;
            *at = (float)(alpha * sum + (double)beta * *at);
        }
}
