// What threads and blocks do at the same time.

// Blocks wait for each other's turn, and add without an atomic while they have it.
extern "C" __global__ void in_turns(float *y, unsigned *lock)
{
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(lock, 0u, 1u) != 0) {
    }
    __threadfence();
    *y += 1;
    __threadfence();
    atomicExch(lock, 0u);
}

// Each block says how many came before it; and what static shared memory held.
extern "C" __global__ void order(unsigned *place, unsigned *count, unsigned *held)
{
    __shared__ unsigned tile[16];
    if (threadIdx.x == 0) {
        held[blockIdx.x] = tile[3];
        place[blockIdx.x] = atomicAdd(count, 1u);
        tile[3] = 1;
    }
}

// Each block keeps a number of its own in static shared memory, whoever runs in between.
extern "C" __global__ void kept(unsigned *y, unsigned *everybodys)
{
    __shared__ unsigned own;
    if (threadIdx.x == 0)
        own = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 1)
        *everybodys += 1;
    __syncthreads();
    if (threadIdx.x == 2)
        y[blockIdx.x] = own;
}

template <typename T> __device__ T sum_of_warp(T x)
{
    for (int mask = 16; mask > 0; mask >>= 1)
        x += __shfl_xor_sync(0xffffffff, x, mask, 32);
    return x;
}

template <typename T> __device__ T sum_of_block(T x)
{
    x = sum_of_warp(x);
    if (blockDim.x > 32) {
        __shared__ T sums[32];
        if (threadIdx.x % 32 == 0)
            sums[threadIdx.x / 32] = x;
        __syncthreads();
        x = sum_of_warp(sums[threadIdx.x % 32]);
    }
    return x;
}

// Every warp adds the sums of 32, however many there are.
extern "C" __global__ void too_many_sums(float *y)
{
    float sum = sum_of_block<float>(1);
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum;
}

// What a lane gets that is not there; `threads` is less than a warp.
extern "C" __global__ void absent_lanes(float *y)
{
    y[threadIdx.x] = __shfl_xor_sync(0xffffffff, 1.0f, 16, 32);
}
