// y = x + 1, and what goes wrong in kernels, by MODE:
// 0 nothing, 1 an address that nobody has, 2 an address between two numbers, 3 an endless loop, 4 a trap,
// 5 a wrong result, 6 a result behind the buffer, 7 a result left out, 8 an input changed.

#ifndef MODE
#define MODE 0
#endif

extern "C" __global__ void increase_reference(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + 1.0f;
}

extern "C" __global__ void increase(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float result = x[i] + 1.0f;
#if MODE == 1
    *(volatile float *)((size_t)1 << 44) = result;
#elif MODE == 2
    *(volatile float *)((char *)y + 1) = result;
#elif MODE == 3
    // Runs until x is infinite, which the compiler cannot rule out.
    volatile const float *again = x;
    while (again[i] < 1e30f)
        ;
#elif MODE == 4
    __trap();
#elif MODE == 5
    result = x[i] + 2.0f;
#elif MODE == 6
    y[n] = result;
#elif MODE == 7
    if (i == n - 1)
        return;
#elif MODE == 8
    ((float *)x)[i] = result;
#endif
    y[i] = result;
}
