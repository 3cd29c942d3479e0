/* The least that passes verification: what a call of it takes is the price of the call. */
#include <stdint.h>

void touch(float *out, const float *in, uint32_t m, uint32_t n)
{
    (void)m;
    (void)n;
    (void)VARIANT;
    out[0] = in[0];
}
