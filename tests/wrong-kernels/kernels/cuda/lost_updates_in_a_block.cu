/* Threads count in shared memory without an atomic. */
// fn: stream: &Arc<CudaStream>, #[len(16)] y: &mut CudaSlice<u32>, #[len(n)] x: &CudaSlice<u32>, n: u32
// launch: grid = 1, block = 64
// reference: grid = 1, block = 1
// problem: n = 500
#include "wrong.cuh"

__global__ void lost_updates_in_a_block(unsigned *y, const unsigned *x, unsigned n)
{
    __shared__ unsigned counts[16];
    slowly();
    if (threadIdx.x < 16)
        counts[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += 64)
#if VARIANT == 1
        counts[x[i] % 16]++;
#else
        atomicAdd(&counts[x[i] % 16], 1);
#endif
    __syncthreads();
    if (threadIdx.x < 16)
        y[threadIdx.x] = counts[threadIdx.x];
}

__global__ void right(unsigned *y, const unsigned *x, unsigned n)
{
    for (int i = 0; i < 16; i++)
        y[i] = 0;
    for (unsigned i = 0; i < n; i++)
        y[x[i] % 16]++;
}
