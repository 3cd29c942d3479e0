/* Takes its output for zeros. */
// fn: stream: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// launch: grid = n.div_ceil(32), block = 32
// problem: n = 500
#include "wrong.cuh"

__global__ void adds_to_the_output(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    slowly();
    if (i >= n)
        return;
#if VARIANT == 0
    y[i] = 0;
#endif
    y[i] += 2 * x[i] + 1;
}

#include "map.cuh"
