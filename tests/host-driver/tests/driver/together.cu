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
