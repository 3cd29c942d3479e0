/* Counts elements in 16 bits; the problem has more. */
// fn: stream: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// launch: grid = 16, block = 32
// problem: n = 70_000
#include "wrong.cuh"

__global__ void index_of_16_bits(float *y, const float *x, unsigned n)
{
    slowly();
    for (unsigned i = blockIdx.x * 32 + threadIdx.x; i < n; i += 512) {
#if VARIANT == 1
        unsigned short at = i;
#else
        unsigned at = i;
#endif
        y[at] = 2 * x[at] + 1;
    }
}

__global__ void right(float *y, const float *x, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = 2 * x[i] + 1;
}
