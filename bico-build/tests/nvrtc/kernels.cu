// Kernels of this crate's tests. The cubins in src/compile/cuda/fixtures are made from this file.
#include "shapes/pair.h"

// A template with static shared memory, and parameters of all widths.
template <int M, int N>
__global__ void tiled(float *c, const float *a, int m, unsigned char f, Pair p, long long q) {
    __shared__ float tile[M * N];
    tile[threadIdx.x] = a[threadIdx.x] * p.scale;
    __syncthreads();
    if (m > 3) c[blockIdx.x * q] = tile[(threadIdx.x + f) % (M * N)] + p.offset;
}

namespace inner {
template <typename T>
__global__ void copy(T *to, const T *from, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}
}

extern "C" __global__ void plain(float *x) {
    extern __shared__ float dynamic[];
    dynamic[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = dynamic[threadIdx.x ^ 1];
}

extern "C" __global__ void nothing() {}

// An array that is indexed by what is only known when it runs: it lies on the stack.
extern "C" __global__ void stack(const int *x, int *y, int i) {
    int t[64];
    for (int k = 0; k < 64; k++) t[(k * i) & 63] = x[k];
    y[0] = t[x[1] & 63];
}

// 128 values alive at once where 64 registers are all that a block of 1024 threads leaves.
extern "C" __global__ void __launch_bounds__(1024) crowded(const float *x, float *y) {
    float v[128];
#pragma unroll
    for (int k = 0; k < 128; k++) v[k] = x[k * 1024 + threadIdx.x];
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 128; k++) sum += v[k] * v[(k * 37 + 11) % 128];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 128; k++) y[k * 1024 + threadIdx.x] = v[127 - k] + sum;
}
