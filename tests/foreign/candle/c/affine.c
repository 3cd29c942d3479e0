#include <stdint.h>

void affine(const float *x, float *out, float mul, float add, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = (float)((double)mul * x[i] + add);
}
