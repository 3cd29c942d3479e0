/* Takes the margin of a tile in static shared memory for zeros. */
// fn: stream: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// launch: grid = n.div_ceil(64), block = 64
// problem: n = 500
#include "wrong.cuh"

__global__ void static_shared_of_zeros(float *y, const float *x, unsigned n)
{
    __shared__ float tile[65];
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    slowly();
#if VARIANT == 0
    tile[0] = 0;
#endif
    tile[1 + threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n)
        y[i] = tile[1 + threadIdx.x] + tile[threadIdx.x];
}

__global__ void right(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + (i % 64 > 0 ? x[i - 1] : 0);
}
