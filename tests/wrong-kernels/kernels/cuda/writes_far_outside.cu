/* Writes far outside. */
// fn: stream: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// launch: grid = n.div_ceil(32), block = 32
// problem: n = 500
#include "wrong.cuh"

__global__ void writes_far_outside(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    slowly();
#if VARIANT == 1
    if (i == 0)
        y[-(1ll << 36)] = 0;
#endif
    if (i < n)
        y[i] = 2 * x[i] + 1;
}

#include "map.cuh"
