#include "touch.c"

void touch_scratch(float *out, const float *in, uint32_t m, uint32_t n, float *packed)
{
    (void)packed;
    touch(out, in, m, n);
}
