// Boxes of tensors, through the functions that the kernels use. FAULT is what a kernel forgets.
#include "tensor_copy.cuh"

// One block: a box as it lies in shared memory. 0: all is as it should be.
__global__ void box(unsigned *to, const __grid_constant__ CUtensorMap map, int x, int y, int words, int fault) {
  __shared__ __align__(1024) unsigned shared[1024];
  __shared__ Barrier barrier;
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    shared[i] = 7;
  if (threadIdx.x == 0) {
    barrier_init(&barrier, 1);
    barrier_publish();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    barrier_expect(&barrier, 4 * words);
    tensor_load(shared, &map, &barrier, x, y);
    if (fault == 1)
      for (int i = 0; i < 1024; i++)
        to[i] = ((volatile unsigned *)shared)[i];
  }
  if (fault == 1)
    return;
  barrier_wait(&barrier, fault == 2 ? 1 : 0);
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    to[i] = ((volatile unsigned *)shared)[i];
}

// Two stages in turns, each used three times: the phases of a barrier.
__global__ void ring(unsigned *sum, const __grid_constant__ CUtensorMap map, int boxes) {
  __shared__ __align__(128) unsigned stages[2][32];
  __shared__ Barrier full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; i++) {
      barrier_init(&full[i], 1);
      barrier_init(&empty[i], 32);
    }
    barrier_publish();
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    // Consumers.
    unsigned own = 0;
    for (int i = 0; i < boxes; i++) {
      barrier_wait(&full[i % 2], i / 2 & 1);
      own += stages[i % 2][threadIdx.x];
      barrier_arrive(&empty[i % 2]);
    }
    sum[threadIdx.x] = own;
  } else if (threadIdx.x == 32) {
    for (int i = 0; i < boxes; i++) {
      if (i >= 2)
        barrier_wait(&empty[i % 2], (i / 2 & 1) ^ 1);
      barrier_expect(&full[i % 2], 128);
      tensor_load(stages[i % 2], &map, &full[i % 2], 0, i);
    }
  }
}

// Writes what its threads are called to the tensor.
__global__ void store(const __grid_constant__ CUtensorMap map, int x, int y, int fault) {
  __shared__ __align__(1024) unsigned shared[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    shared[i] = i;
  tensor_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    tensor_store(&map, shared, x, y);
    tensor_commit();
    if (fault == 3)
      shared[0] = 99;
    if (fault != 4)
      tensor_wait<0>();
  }
}
