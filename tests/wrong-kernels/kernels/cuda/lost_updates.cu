/* Blocks add to one number without an atomic. */
// fn: stream: &Arc<CudaStream>, #[len(1)] #[init(zeros)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// launch: grid = n.div_ceil(32), block = 32
// problem: n = 500
// verify: rtol = 1e-3, atol = 1e-3
#include "wrong.cuh"

__global__ void lost_updates(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    slowly();
    if (i < n)
#if VARIANT == 1
        *y += x[i];
#else
        atomicAdd(y, x[i]);
#endif
}

#include "sum.cuh"
