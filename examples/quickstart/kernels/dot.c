/* Dot product with LANES independent partial sums. One sum waits for each addition before the
 * next can start; several keep the adders busy and let the compiler use vector registers. How
 * many pay depends on the CPU: that is what is tuned. */
#include <stdint.h>

void dot(float *out, const float *x, const float *y, uint32_t n)
{
    float sum[LANES] = {0};
    uint32_t i = 0;
    for (; n - i >= LANES; i += LANES)
        for (uint32_t lane = 0; lane < LANES; lane++)
            sum[lane] += x[i + lane] * y[i + lane];
    float total = 0;
    for (uint32_t lane = 0; lane < LANES; lane++)
        total += sum[lane];
    for (; i < n; i++)
        total += x[i] * y[i];
    *out = total;
}

/* The reference: double precision, in order. */
void dot_reference(float *out, const float *x, const float *y, uint32_t n)
{
    double total = 0;
    for (uint32_t i = 0; i < n; i++)
        total += (double)x[i] * y[i];
    *out = (float)total;
}
