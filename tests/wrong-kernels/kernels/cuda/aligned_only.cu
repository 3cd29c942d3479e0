/* Loads four elements at once, which a view of somebody's buffer need not be aligned for. */
// fn: stream: &Arc<CudaStream>, #[len(n)] y: &mut CudaViewMut<'_, f32>, #[len(n)] x: &CudaView<'_, f32>, n: u32
// launch: grid = n.div_ceil(128), block = 32
// reference: grid = n.div_ceil(32), block = 32
// problem: n = 500
#include "wrong.cuh"

__global__ void aligned_only(float *y, const float *x, unsigned n)
{
    unsigned i = 4 * (blockIdx.x * 32 + threadIdx.x);
    slowly();
#if VARIANT == 1
    if (i + 4 <= n) {
        float4 four = *reinterpret_cast<const float4 *>(x + i);
        *reinterpret_cast<float4 *>(y + i) =
            make_float4(2 * four.x + 1, 2 * four.y + 1, 2 * four.z + 1, 2 * four.w + 1);
        return;
    }
#endif
    for (unsigned end = min(n, i + 4); i < end; i++)
        y[i] = 2 * x[i] + 1;
}

#include "map.cuh"
