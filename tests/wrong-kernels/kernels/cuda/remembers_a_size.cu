/* A number in the module's memory that the first call of all sets, for all sizes. */
// fn: stream: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// launch: grid = n.div_ceil(32), block = 32
// problem: n = 500
#include "wrong.cuh"

__device__ unsigned first;

__global__ void remembers_a_size(float *y, const float *x, unsigned n)
{
    slowly();
    unsigned i = blockIdx.x * 32 + threadIdx.x, end = n;
#if VARIANT == 1
    atomicCAS(&first, 0u, n);
    end = min(n, first);
#endif
    if (i < end)
        y[i] = 2 * x[i] + 1;
}

#include "map.cuh"
