// Products of warpgroups and clusters, through the functions that the kernels use.
#include "tensor_copy.cuh"
#include "warpgroup.cuh"

// What tiles are called: at 2048 bytes, with their strides.
__global__ void describe(unsigned long long *to) {
  extern __shared__ __align__(1024) unsigned char memory[];
  if (threadIdx.x == 0) {
    to[0] = warpgroup_tile(memory + 2048, 16, 1024);
    to[1] = warpgroup_tile(memory + 1024, 8192, 1024);
    to[2] = warpgroup_step(to[0], 96);
  }
}

// One product of 64 x 16 elements of A and 16 x N of B: tiles of 64 elements along k or of 64 rows of k come by tensor maps, and
// SLICE says which 16 along k are multiplied. Sums as the lanes have them; they begin as `first`, or as nothing.
template <bool BF16, int N, bool A_ACROSS, bool B_ACROSS, bool REGISTERS>
__global__ void product(float *to, const unsigned short *a, const __grid_constant__ CUtensorMap a_map,
                        const __grid_constant__ CUtensorMap b_map, int slice, float first, int fault) {
  extern __shared__ __align__(1024) unsigned char memory[];
  unsigned char *const left = memory + 0, *const right = memory + 8192;
  Barrier *const full = (Barrier *)(memory + 8192 + 128 * N);
  if (threadIdx.x == 0) {
    barrier_init(full, 1);
    barrier_publish();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    barrier_expect(full, 8192 + 128 * N);
    tensor_load(left, &a_map, full, 0, 0);
    // Rows along n: 64 columns and 64 rows in each box. Rows along k: all of N.
    if (B_ACROSS)
      for (int i = 0; i < N / 64; i++)
        tensor_load(right + 8192 * i, &b_map, full, 64 * i, 0);
    else
      tensor_load(right, &b_map, full, 0, 0);
  }
  barrier_wait(full, 0);
  float sums[N / 2];
  for (int i = 0; i < N / 2; i++)
    sums[i] = first;
  const unsigned long long of_a = warpgroup_step(warpgroup_tile(left, 8192, 1024), (A_ACROSS ? 2048 : 32) * slice);
  const unsigned long long of_b = warpgroup_step(warpgroup_tile(right, 8192, 1024), (B_ACROSS ? 2048 : 32) * slice);
  unsigned parts[4];
  const unsigned lane = threadIdx.x % 32, group = lane / 4, member = lane % 4;
  for (int i = 0; i < 4; i++)
    parts[i] = *(const unsigned *)(a + 64 * (threadIdx.x / 32 * 16 + group + i % 2 * 8) + 16 * slice + 2 * member + i / 2 * 8);
  if (fault != 1)
    warpgroup_fence();
  if (REGISTERS)
    warpgroup_multiply<BF16, B_ACROSS>(sums, parts, of_b, first != 0);
  else
    warpgroup_multiply<BF16, A_ACROSS, B_ACROSS>(sums, of_a, of_b, first != 0);
  warpgroup_commit();
  if (fault == 3)
    left[threadIdx.x] = 0;
  if (fault != 2)
    warpgroup_wait<0>();
  warpgroup_keep(sums);
  for (int i = 0; i < N / 2; i++)
    to[N / 2 * threadIdx.x + i] = sums[i];
}

// Blocks of a cluster of four tell each other who they are: each arrives at a barrier of every other one and leaves a
// box of its own there.
__global__ void neighbours(unsigned *to, const __grid_constant__ CUtensorMap map, int fault) {
  extern __shared__ __align__(1024) unsigned char memory[];
  unsigned *const boxes = (unsigned *)(memory + 0);
  Barrier *const full = (Barrier *)(memory + 1024), *const told = full + 1;
  const unsigned rank = blockIdx.x % 4;
  if (threadIdx.x == 0) {
    barrier_init(full, 1);
    barrier_init(told, 4);
    barrier_publish();
  }
  if (fault != 1)
    cluster_sync();
  if (threadIdx.x == 0) {
    barrier_expect(full, 4 * 128);
    tensor_multicast(boxes + 32 * rank, &map, full, 15, 0, blockIdx.x);
    for (unsigned other = 0; other < 4; other++)
      barrier_arrive_at(told, other);
  }
  barrier_wait(told, 0);
  barrier_wait(full, 0);
  to[128 * blockIdx.x + threadIdx.x] = boxes[threadIdx.x];
  cluster_sync();
}
