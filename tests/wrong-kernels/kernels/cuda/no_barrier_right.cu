/* Reads what its right neighbour stores in shared memory, and does not wait for it. */
// fn: stream: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// launch: grid = n.div_ceil(64), block = 64, shared = 4 * 64
// problem: n = 500
#include "wrong.cuh"

__global__ void no_barrier_right(float *y, const float *x, unsigned n)
{
    extern __shared__ float tile[];
    unsigned i = blockIdx.x * 64 + threadIdx.x, last = min(n, (blockIdx.x + 1) * 64) - 1;
    slowly();
    if (i < n)
        tile[threadIdx.x] = x[i];
#if VARIANT == 0
    __syncthreads();
#endif
    if (i < n)
        y[i] = tile[threadIdx.x] + (i < last ? tile[threadIdx.x + 1] : 0);
}

__global__ void right(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + (i + 1 < n && i % 64 != 63 ? x[i + 1] : 0);
}
