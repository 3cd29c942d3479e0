// Instructions without a name in C++, through the functions that the kernels use.
#include "async_copy.cuh"
#include "tensor_core.cuh"

// Four matrices of 8 x 8 from `from`; `rows` says which 16 bytes each lane names.
__global__ void load(unsigned *to, const unsigned short *from, const unsigned *rows, int transposed) {
  __shared__ __align__(16) unsigned short matrices[4 * 64];
  const unsigned lane = threadIdx.x;
  for (unsigned i = lane; i < 4 * 64; i += 32)
    matrices[i] = from[i];
  __syncwarp();
  unsigned registers[4];
  if (transposed)
    ldmatrix_x4_trans(registers, matrices + 8 * rows[lane]);
  else
    ldmatrix_x4(registers, matrices + 8 * rows[lane]);
  for (int i = 0; i < 4; i++)
    to[4 * lane + i] = registers[i];
}

// Registers as they come: 4 of A, 2 of B and 4 of D for each thread.
__global__ void multiply(float *d, const unsigned *a, const unsigned *b) {
  const unsigned thread = threadIdx.x;
  float sums[4];
  unsigned left[4], right[2];
  for (int i = 0; i < 4; i++) {
    sums[i] = d[4 * thread + i];
    left[i] = a[4 * thread + i];
  }
  for (int i = 0; i < 2; i++)
    right[i] = b[2 * thread + i];
  mma_m16n8k16(sums, left, right);
  for (int i = 0; i < 4; i++)
    d[4 * thread + i] = sums[i];
}

// One thread; what its shared memory holds between the steps, 8 words each time.
template <int BYTES> __global__ void copy(unsigned *to, const unsigned *from) {
  __shared__ __align__(16) unsigned words[8];
  constexpr int WORDS = BYTES / 4;
  int step = 0;
  auto look = [&] {
    for (int i = 0; i < 8; i++)
      to[8 * step + i] = ((volatile unsigned *)words)[i];
    step++;
  };
  for (int i = 0; i < 8; i++)
    words[i] = 7;
  async_copy<BYTES>(words, from);
  look(); // 0: under way, in no group
  async_wait<0>();
  look(); // 1: still in no group
  async_commit();
  async_copy<BYTES>(words + 4, from + 4, false);
  async_commit();
  look(); // 2: two groups
  async_wait<1>();
  look(); // 3: the first is there
  async_commit();
  async_wait<1>();
  look(); // 4: the third is empty, so the second is there
  async_copy<BYTES>(words, from + WORDS);
  async_commit();
  async_wait<0>();
  look(); // 5
}

// Each thread waits for its own: the first starts a copy, the second waits.
__global__ void others(unsigned *to, const unsigned *from) {
  __shared__ __align__(16) unsigned words[4];
  if (threadIdx.x == 0)
    async_copy<16>(words, from);
  async_commit();
  if (threadIdx.x == 1)
    async_wait<0>();
  __syncthreads();
  if (threadIdx.x == 1)
    to[0] = *(volatile unsigned *)words;
  __syncthreads();
  if (threadIdx.x == 0)
    async_wait<0>();
  __syncthreads();
  if (threadIdx.x == 1)
    to[1] = *(volatile unsigned *)words;
}

// A block that ends with copies under way leaves none to the next.
__global__ void forgotten(unsigned *to, const unsigned *from) {
  __shared__ __align__(16) unsigned words[4];
  for (int i = 0; i < 4; i++)
    words[i] = 7;
  if (blockIdx.x == 0)
    async_copy<16>(words, from);
  async_commit();
  if (blockIdx.x == 1)
    async_wait<0>();
  to[blockIdx.x] = *(volatile unsigned *)words;
}

template <int BYTES, int FROM, int TO> __global__ void crooked(unsigned *to, const unsigned char *from) {
  __shared__ __align__(16) unsigned char bytes[64];
  async_copy<BYTES>(bytes + TO, from + FROM);
  async_commit();
  async_wait<0>();
  to[0] = bytes[TO];
}

// Only the last lane's address is not a multiple of 16.
__global__ void crooked_rows(unsigned *to) {
  __shared__ __align__(16) unsigned char bytes[32 * 16 + 16];
  for (unsigned i = threadIdx.x; i < sizeof bytes; i += 32)
    bytes[i] = i;
  __syncwarp();
  unsigned registers[4];
  ldmatrix_x4(registers, bytes + 16 * threadIdx.x + (threadIdx.x == 31 ? 8 : 0));
  to[threadIdx.x] = registers[0] + registers[3];
}
