/* y = x / sqrt(mean of x^2 + eps) * w for each row of x, a block per row. Sums have 32 bits, whatever REAL is. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void rms_norm(REAL *y, const REAL *x, const REAL *w, unsigned rows, unsigned columns, float eps)
{
    extern __shared__ float kept[]; // the row, if KEEP
    __shared__ float part[BLOCK];
    size_t first = (size_t)blockIdx.x * columns;
    float sum = 0;
    for (unsigned i = threadIdx.x; i < columns; i += BLOCK) {
        float value = (float)x[first + i];
        if (KEEP)
            kept[i] = value;
        sum += value * value;
    }
    part[threadIdx.x] = sum;
    for (unsigned step = BLOCK / 2; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
    }
    __syncthreads();
    float scale = 1 / sqrtf(part[0] / columns + eps);
    for (unsigned i = threadIdx.x; i < columns; i += BLOCK)
        y[first + i] = (REAL)((KEEP ? kept[i] : (float)x[first + i]) * scale * (float)w[i]);
}

__global__ void rms_norm_reference(REAL *y, const REAL *x, const REAL *w, unsigned rows, unsigned columns, float eps)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    double sum = 0;
    for (unsigned i = 0; i < columns; i++)
        sum += (double)(float)x[(size_t)row * columns + i] * (double)(float)x[(size_t)row * columns + i];
    float scale = (float)(1 / sqrt(sum / columns + eps));
    for (unsigned i = 0; i < columns; i++)
        y[(size_t)row * columns + i] = (REAL)((float)x[(size_t)row * columns + i] * scale * (float)w[i]);
}
