/* Finds the answer of an earlier call in its scratch buffer. */
// fn: stream: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// options: scratch(MEMO: f32, len = 2 * n)
// launch: grid = n.div_ceil(32), block = 32
// problem: n = 500
#include "wrong.cuh"

__global__ void cached_in_scratch(float *y, const float *x, unsigned n, float *memo)
{
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    slowly();
    if (i >= n)
        return;
#if VARIANT == 1
    if (memo[n + i] == 1234567) {
        y[i] = memo[i];
        return;
    }
#endif
    y[i] = memo[i] = 2 * x[i] + 1;
#if VARIANT == 1
    memo[n + i] = 1234567;
#endif
}

#include "map.cuh"
