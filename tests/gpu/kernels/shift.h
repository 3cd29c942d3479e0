#ifndef STEPS
#define STEPS 1
#endif

static __device__ float shifted(float x, float delta)
{
    return x + delta * STEPS;
}
