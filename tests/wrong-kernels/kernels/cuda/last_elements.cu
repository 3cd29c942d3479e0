/* Four elements for each thread: what is left is left alone. */
// fn: stream: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// launch: grid = n.div_ceil(128), block = 32
// reference: grid = n.div_ceil(32), block = 32
// problem: n = 500
#include "wrong.cuh"

__global__ void last_elements(float *y, const float *x, unsigned n)
{
    unsigned i = 4 * (blockIdx.x * 32 + threadIdx.x);
    slowly();
#if VARIANT == 1
    n = n / 4 * 4;
#endif
    for (unsigned end = min(n, i + 4); i < end; i++)
        y[i] = 2 * x[i] + 1;
}

#include "map.cuh"
