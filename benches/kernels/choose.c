/* As `touch`, each VARIANT with code of its own: what a call of it takes while calls choose among them. */
#include <stdint.h>

void choose(float *out, const float *in, uint32_t m, uint32_t n)
{
    (void)m;
    out[0] = n == UINT32_MAX - VARIANT ? in[0] + 1 : in[0];
}
