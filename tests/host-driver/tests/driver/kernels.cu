// A tiled product of matrices: threads of a block load a tile together and wait for each other.
template <int TILE>
__global__ void tiled(float *c, const float *a, const float *b, unsigned m, unsigned n, unsigned k) {
    extern __shared__ float tiles[];
    float *as = tiles, *bs = tiles + TILE * TILE;
    unsigned row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (unsigned first = 0; first < k; first += TILE) {
        unsigned x = first + threadIdx.x, y = first + threadIdx.y;
        as[threadIdx.y * TILE + threadIdx.x] = row < m && x < k ? a[row * k + x] : 0.0f;
        bs[threadIdx.y * TILE + threadIdx.x] = y < k && column < n ? b[y * n + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum = fmaf(as[threadIdx.y * TILE + i], bs[i * TILE + threadIdx.x], sum);
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

extern "C" __global__ void scale(float *x, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}

// As the one above, but it forgets where the end is.
extern "C" __global__ void beyond(float *x, int n) { x[blockIdx.x * blockDim.x + threadIdx.x + n] = 1; }

extern "C" __global__ void misaligned(float *x) { *(float4 *)(x + 1) = make_float4(1, 2, 3, 4); }

extern "C" __global__ void crooked(char *x) { *(float *)(x + 1) = 1; }

// The sum of each block, through the warps.
__global__ void __launch_bounds__(1024) sums(float *out, const float *x, int n) {
    __shared__ float of_warp[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % warpSize;
    float sum = i < n ? __ldg(x + i) : 0.0f;
    for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(0xffffffff, sum, by);
    if (lane == 0) of_warp[threadIdx.x / warpSize] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
        for (int warp = 0; warp < (blockDim.x + warpSize - 1) / warpSize; warp++) sum += of_warp[warp];
        atomicAdd(out, sum);
    }
}

#ifdef WITH_HEADER
#include "factor.h"
extern "C" __global__ void factor(float *x) { x[threadIdx.x] = FACTOR; }
#endif

// Fewer threads than a block may have elsewhere.
template <int THREADS>
__global__ void __launch_bounds__(THREADS + 0, 2) few(float *x) { x[threadIdx.x] = THREADS; }

#ifdef WITH_HALF
#include <cuda_fp16.h>
extern "C" __global__ void halves(float *out, const __half *x, int n) {
    __shared__ __half tile[64];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    __half2 sum = __float2half2_rn(0.0f);
    for (int i = 0; i + 1 < n; i += 2)
        sum = __hfma2(__halves2half2(tile[i], tile[i + 1]), __half2half2(__float2half(0.5f)), sum);
    out[threadIdx.x] = __half2float(sum.x + sum.y) + float(tile[threadIdx.x]);
}
#endif

#ifdef WITH_NARROW
#include <cuda/std/limits>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
extern "C" __global__ void narrow(float *out, const float *x) {
    float at = x[threadIdx.x];
    __half none = __ushort_as_half(0x7e00);
    out[4 * threadIdx.x] = __nv_fp8_e4m3(at);
    out[4 * threadIdx.x + 1] = __nv_bfloat16(at) * __nv_bfloat16(3.0f) - __nv_bfloat16(1.0f);
    out[4 * threadIdx.x + 2] = __hisnan(__hmax_nan(__half(at), none)) ? (float)hcos(__half(at)) : -1;
    out[4 * threadIdx.x + 3] = (float)cuda::std::numeric_limits<short>::lowest() + cuda::std::numeric_limits<unsigned char>::max();
}
// Code of the host, which nobody runs.
int call(float *out) {
    float *x;
    if (cudaMalloc(&x, 4 * sizeof(float)) != cudaSuccess) return 1;
    narrow<<<1, 4>>>(out, x);
    return cudaDeviceSynchronize();
}
#endif
