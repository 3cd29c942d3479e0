static __device__ float lowest() { return __int_as_float((int)0xff800000); } // -inf

/* y = softmax of each row of x, ROWS rows per block, LANES threads for each. */
__global__ void softmax(float *y, const float *x, unsigned rows, unsigned columns)
{
    __shared__ float part[ROWS][LANES];
    unsigned row = blockIdx.x * ROWS + threadIdx.y, lane = threadIdx.x;
    bool inside = row < rows;
    size_t first = (size_t)row * columns;
    float most = lowest();
    for (unsigned i = lane; inside && i < columns; i += LANES)
        most = fmaxf(most, x[first + i]);
    part[threadIdx.y][lane] = most;
    for (unsigned step = LANES / 2; step > 0; step /= 2) {
        __syncthreads();
        if (lane < step)
            part[threadIdx.y][lane] = fmaxf(part[threadIdx.y][lane], part[threadIdx.y][lane + step]);
    }
    __syncthreads();
    most = part[threadIdx.y][0];
    __syncthreads();
    float sum = 0;
    for (unsigned i = lane; inside && i < columns; i += LANES)
        sum += expf(x[first + i] - most);
    part[threadIdx.y][lane] = sum;
    for (unsigned step = LANES / 2; step > 0; step /= 2) {
        __syncthreads();
        if (lane < step)
            part[threadIdx.y][lane] += part[threadIdx.y][lane + step];
    }
    __syncthreads();
    float scale = 1 / part[threadIdx.y][0];
    for (unsigned i = lane; inside && i < columns; i += LANES)
        y[first + i] = expf(x[first + i] - most) * scale;
}

__global__ void softmax_reference(float *y, const float *x, unsigned rows, unsigned columns)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *from = x + (size_t)row * columns;
    float most = lowest();
    for (unsigned i = 0; i < columns; i++)
        most = fmaxf(most, from[i]);
    double sum = 0;
    for (unsigned i = 0; i < columns; i++)
        sum += exp((double)from[i] - most);
    for (unsigned i = 0; i < columns; i++)
        y[(size_t)row * columns + i] = (float)(exp((double)from[i] - most) / sum);
}
