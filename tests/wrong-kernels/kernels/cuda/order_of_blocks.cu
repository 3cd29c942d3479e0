/* A running sum over blocks, of which each takes for granted that the one before has ended. */
// fn: stream: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// launch: grid = if VARIANT == 0 { 1 } else { n.div_ceil(32) }, block = 32
// reference: grid = 1, block = 1
// problem: n = 500
// verify: rtol = 1e-3, atol = 1e-3
#include "wrong.cuh"

__global__ void order_of_blocks(float *y, const float *x, unsigned n)
{
    slowly();
    if (threadIdx.x != 0)
        return;
    unsigned begin = 0, end = n;
    float sum = 0;
#if VARIANT == 1
    begin = blockIdx.x * 32;
    end = min(n, begin + 32);
    if (begin > 0)
        sum = y[begin - 1];
#endif
    for (unsigned i = begin; i < end; i++)
        y[i] = sum += x[i];
}

__global__ void right(float *y, const float *x, unsigned n)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++)
        y[i] = (float)(sum += x[i]);
}
