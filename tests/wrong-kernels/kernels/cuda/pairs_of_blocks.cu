/* Takes the number of blocks for odd, as the problem's is. */
// fn: stream: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// launch: grid = n.div_ceil(64), block = 64
// problem: n = 448
// options: require(n % 64 == 0)
#include "wrong.cuh"

__global__ void pairs_of_blocks(float *y, const float *x, unsigned n)
{
    slowly();
    unsigned i = blockIdx.x * 64 + threadIdx.x;
#if VARIANT == 1
    /* The first block has none beside it, two and two of the others share. */
    if (blockIdx.x % 2 == 1 && blockIdx.x + 1 == gridDim.x)
        return;
#endif
    y[i] = 2 * x[i] + 1;
}

#include "map.cuh"
