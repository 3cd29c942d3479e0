/* A number in the module's memory that is zero when it is loaded, and is not put back to it. */
// fn: stream: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// launch: grid = n.div_ceil(32), block = 32
// problem: n = 500
#include "wrong.cuh"

__device__ unsigned taken;

__global__ void counts_its_calls(float *y, const float *x, unsigned n)
{
    slowly();
    unsigned i = blockIdx.x * 32 + threadIdx.x;
#if VARIANT == 1
    /* Which element is whose is drawn. */
    i = atomicAdd(&taken, 1);
#endif
    if (i < n)
        y[i] = 2 * x[i] + 1;
}

#include "map.cuh"
