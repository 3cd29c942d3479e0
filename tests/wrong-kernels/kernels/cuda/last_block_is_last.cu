/* Whoever has the highest number finishes, and takes for granted that all others have ended. */
// fn: stream: &Arc<CudaStream>, #[len(1)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// options: scratch(PARTS: f32, len = 16)
// launch: grid = if VARIANT == 0 { 1 } else { 16 }, block = 1
// reference: grid = 1, block = 1
// problem: n = 500
// verify: rtol = 1e-3, atol = 1e-3
#include "wrong.cuh"

__global__ void last_block_is_last(float *y, const float *x, unsigned n, float *parts)
{
    slowly();
    float part = 0;
    for (unsigned i = blockIdx.x; i < n; i += gridDim.x)
        part += x[i];
    parts[blockIdx.x] = part;
    if (blockIdx.x + 1 == gridDim.x) {
        float sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += parts[i];
        *y = sum;
    }
}

#include "sum.cuh"
