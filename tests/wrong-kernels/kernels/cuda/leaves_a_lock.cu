/* Does not leave its zeroed scratch buffer so. */
// fn: stream: &Arc<CudaStream>, #[len(1)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// options: scratch(DONE: u32, len = 1, zeroed)
// options: scratch(PARTS: f32, len = 16)
// launch: grid = 16, block = 1
// reference: grid = 1, block = 1
// problem: n = 500
// verify: rtol = 1e-3, atol = 1e-3
#include "wrong.cuh"

__global__ void leaves_a_lock(float *y, const float *x, unsigned n, unsigned *done, float *parts)
{
    slowly();
    float part = 0;
    for (unsigned i = blockIdx.x; i < n; i += gridDim.x)
        part += x[i];
    parts[blockIdx.x] = part;
    __threadfence();
    if (atomicAdd(done, 1) + 1 == gridDim.x) {
        float sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += parts[i];
        *y = sum;
#if VARIANT == 0
        *done = 0;
#endif
    }
}

#include "sum.cuh"
