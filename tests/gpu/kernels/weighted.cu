// y = x times one of four weights.
__constant__ int d_weights[4];

extern "C" __global__ void weighted(int *y, const int *x, unsigned n)
{
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    if (i < n)
        y[i] = x[i] * d_weights[i % 4];
}
