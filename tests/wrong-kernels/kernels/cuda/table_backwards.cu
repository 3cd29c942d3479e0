/* Reads a table in constant memory from its end. */
// fn: stream: &Arc<CudaStream>, #[constant(d_table)] #[len(16)] table: &[f32], #[len(n)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// launch: grid = n.div_ceil(32), block = 32
// problem: n = 500
#include "wrong.cuh"

__constant__ float d_table[16];

__global__ void table_backwards(float *y, const float *x, unsigned n)
{
    slowly();
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    if (i < n)
        y[i] = x[i] * d_table[VARIANT == 0 ? i % 16 : 15 - i % 16];
}

__global__ void right(float *y, const float *x, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * d_table[i % 16];
}
