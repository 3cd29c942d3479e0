/* The grid ends at 65,535 blocks, and each block does one tile; the problem has fewer. */
// fn: stream: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// launch: grid = n.div_ceil(32).min(if VARIANT == 0 { 1_000_000_000 } else { 65_535 }), block = 32
// reference: grid = n.div_ceil(32), block = 32
// problem: n = 500
#include "wrong.cuh"

__global__ void capped_grid_unseen(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    slowly();
    if (i < n)
        y[i] = 2 * x[i] + 1;
}

#include "map.cuh"
