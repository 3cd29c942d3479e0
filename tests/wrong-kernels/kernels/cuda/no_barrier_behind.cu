/* Stores the next tile while others still read the one before. */
// fn: stream: &Arc<CudaStream>, #[len(1)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// launch: grid = 1, block = 32, shared = 4 * 32
// problem: n = 500
// verify: rtol = 1e-3, atol = 1e-3
#include "wrong.cuh"

__global__ void no_barrier_behind(float *y, const float *x, unsigned n)
{
    extern __shared__ float tile[];
    float sum = 0;
    slowly();
    for (unsigned at = 0; at < n; at += 32) {
        tile[threadIdx.x] = at + threadIdx.x < n ? x[at + threadIdx.x] : 0;
        __syncthreads();
        if (threadIdx.x == 31)
            for (int i = 0; i < 32; i++)
                sum += tile[i];
#if VARIANT == 0
        __syncthreads();
#endif
    }
    if (threadIdx.x == 31)
        *y = sum;
}

#include "sum.cuh"
