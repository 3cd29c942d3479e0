/* Takes dynamic shared memory for zeros. */
// fn: stream: &Arc<CudaStream>, #[len(1)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32
// launch: grid = 1, block = 32, shared = 4 * 32
// problem: n = 500
// verify: rtol = 1e-3, atol = 1e-3
#include "wrong.cuh"

__global__ void shared_of_zeros(float *y, const float *x, unsigned n)
{
    extern __shared__ float sums[];
    slowly();
#if VARIANT == 0
    sums[threadIdx.x] = 0;
#endif
    for (unsigned i = threadIdx.x; i < n; i += 32)
        sums[threadIdx.x] += x[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        *y = 0;
        for (int i = 0; i < 32; i++)
            *y += sums[i];
    }
}

#include "sum.cuh"
