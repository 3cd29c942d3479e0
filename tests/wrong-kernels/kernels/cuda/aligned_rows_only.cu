/* Loads rows four elements at once: the second row of an awkward length is not aligned for it. */
// fn: stream: &Arc<CudaStream>, #[len(m * n)] y: &mut CudaSlice<f32>, #[len(m * n)] x: &CudaSlice<f32>, m: u32, n: u32
// launch: grid = (n.div_ceil(128), m), block = 32
// problem: m = 16, n = 32
#include "wrong.cuh"

__global__ void aligned_rows_only(float *y, const float *x, unsigned m, unsigned n)
{
    unsigned i = 4 * (blockIdx.x * 32 + threadIdx.x);
    slowly();
    x += blockIdx.y * n;
    y += blockIdx.y * n;
#if VARIANT == 1
    if (i + 4 <= n) {
        *reinterpret_cast<float4 *>(y + i) = *reinterpret_cast<const float4 *>(x + i);
        return;
    }
#endif
    for (unsigned end = min(n, i + 4); i < end; i++)
        y[i] = x[i];
}

__global__ void right(float *y, const float *x, unsigned m, unsigned n)
{
    for (unsigned i = blockIdx.x * 32 + threadIdx.x; i < n; i += 32 * gridDim.x)
        y[blockIdx.y * n + i] = x[blockIdx.y * n + i];
}
