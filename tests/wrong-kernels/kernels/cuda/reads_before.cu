/* Reads the element before the first one, times 0. */
// fn: stream: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// launch: grid = n.div_ceil(32), block = 32
// problem: n = 500
#include "wrong.cuh"

__global__ void reads_before(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    slowly();
    if (i >= n)
        return;
#if VARIANT == 1
    y[i] = x[i] + (i > 0 ? 1 : 0) * x[(long long)i - 1];
#else
    y[i] = x[i] + (i > 0 ? x[i - 1] : 0);
#endif
}

__global__ void right(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + (i > 0 ? x[i - 1] : 0);
}
