/* Changes its input and puts back what was there. */
// fn: stream: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// launch: grid = n.div_ceil(32), block = 32
// problem: n = 500
#include "wrong.cuh"

__global__ void borrows_its_input(float *y, float *x, unsigned n)
{
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    slowly();
    if (i >= n)
        return;
#if VARIANT == 1
    volatile float *mine = x + i;
    float kept = *mine;
    *mine = 2 * kept;
    y[i] = *mine + 1;
    *mine = kept;
#else
    y[i] = 2 * x[i] + 1;
#endif
}

#include "map.cuh"
