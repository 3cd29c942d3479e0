/* y = W x + b. Each row of W is in blocks of 32 columns, 18 bytes each: a scale of 16 bits, then 16 bytes whose low
   halves are the columns 0 to 15 and whose high halves are 16 to 31, each 8 more than what is meant. */
#include <cuda_fp16.h>

static __device__ float dot(const unsigned char *block, const float *x)
{
    float sum = 0;
    for (int i = 0; i < 16; i++) {
        int pair = block[2 + i];
        sum += ((pair & 15) - 8) * x[i] + ((pair >> 4) - 8) * x[i + 16];
    }
    return __half2float(*(const __half *)block) * sum;
}

/* A block of threads takes ROWS rows, LANES threads take the blocks of one in turns. */
__global__ void linear_q4_0(float *y, const unsigned char *w, const float *x, const float *b, unsigned rows, unsigned columns)
{
    __shared__ float part[ROWS][LANES];
    unsigned row = blockIdx.x * ROWS + threadIdx.y, lane = threadIdx.x, blocks = columns / 32;
    float sum = 0;
    for (unsigned i = lane; row < rows && i < blocks; i += LANES)
        sum += dot(w + ((size_t)row * blocks + i) * 18, x + 32 * i);
    part[threadIdx.y][lane] = sum;
    for (unsigned step = LANES / 2; step > 0; step /= 2) {
        __syncthreads();
        if (lane < step)
            part[threadIdx.y][lane] += part[threadIdx.y][lane + step];
    }
    if (lane == 0 && row < rows)
        y[row] = part[threadIdx.y][0] + b[row];
}

__global__ void linear_q4_0_reference(float *y, const unsigned char *w, const float *x, const float *b, unsigned rows,
                                      unsigned columns)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    double sum = b[row];
    for (unsigned i = 0; i < columns; i++) {
        const unsigned char *block = w + ((size_t)row * (columns / 32) + i / 32) * 18;
        int pair = block[2 + i % 16];
        int value = (i % 32 < 16 ? pair & 15 : pair >> 4) - 8;
        sum += (double)__half2float(*(const __half *)block) * value * x[i];
    }
    y[row] = (float)sum;
}
