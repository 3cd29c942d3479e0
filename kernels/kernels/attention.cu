// O = softmax(scale * Q * K^T) * V for each head, dense: Q and O are heads x m x HEAD, K and V are kv_heads x n x HEAD, of FP16 or BF16 (from
// sm_80 on), sums FP32. Heads share K and V in equal groups of neighbours. With CAUSAL a row sees the columns up to its own
// position, the last row all of them.
//
// A block has 16 * ROWS * WARPS rows of a head and goes along its n columns, BLOCK_N at a time, with scores in registers only (Dao et
// al., "FlashAttention", 2022; Dao, "FlashAttention-2", 2023): a warp has whole rows, so that no warp waits for another's sums.
//
// Template parameters:
//   T        __half or __nv_bfloat16
//   BLOCK_N  columns of a step: a multiple of 16
//   WARPS    of a block
//   ROWS     times 16 rows of a warp
//   STAGES   steps whose K and V are in shared memory at a time
//   HELD     whether a warp keeps its rows of Q in registers, or loads them in each step
//   BY_HEAD  whether neighbouring blocks are of different heads, or of one head's rows
// Macros: HEAD, 64 or 128; CAUSAL, 0 or 1.
//
// Launch: ceil(m / (16 * ROWS * WARPS)) * heads blocks along x of 32 * WARPS threads, with 2 * HEAD * (16 * ROWS * WARPS + 2 * STAGES * BLOCK_N) bytes of shared
// memory. All begin at multiples of 16 bytes. Chunks of 16 bytes lie in shared memory at place c ^ (row % 8) of their row: eight rows' chunks c, which
// ldmatrix reads at a time, and eight neighbouring chunks of a row, which copies write, fill all banks once.
// A few bytes are spilled where the assembler keeps registers back to have room for one more block.
// limits: registers <= 255, block_registers <= 65536, spill_bytes <= 32, local_bytes <= 32, shared_bytes <= 232448
#include "async_copy.cuh"
#include "number.cuh"
#include "tensor_core.cuh"
#include "attention.cuh"

// Starts to bring `rows` of COUNT rows; the others become zero.
template <int COUNT, int THREADS, class T>
static __device__ __forceinline__ void bring(char *to, const T *from, unsigned rows) {
  constexpr int CHUNKS = HEAD / 8;
#pragma unroll
  for (int i = threadIdx.x; i < COUNT * CHUNKS; i += THREADS) {
    const unsigned row = i / CHUNKS, chunk = i % CHUNKS;
    async_copy<16>(to + 16 * (row * CHUNKS + (chunk ^ row % 8)), from + (size_t)row * HEAD + 8 * chunk, row < rows);
  }
}

// Where a chunk of a row lies.
static __device__ __forceinline__ const char *chunk(const char *tile, unsigned row, unsigned number) {
  return tile + 16 * (row * (HEAD / 8) + (number ^ row % 8));
}

template <class T, int BLOCK_N, int WARPS, int ROWS, int STAGES, bool HELD, bool BY_HEAD>
__global__ void __launch_bounds__(32 * WARPS) attention_kernel(T *o, const T *q, const T *k, const T *v, unsigned heads,
                                                              unsigned kv_heads, unsigned m, unsigned n, float scale) {
  constexpr int THREADS = 32 * WARPS, HEIGHT = 16 * ROWS * WARPS, STEPS = HEAD / 16, TILE = 2 * BLOCK_N * HEAD;
  extern __shared__ uint4 memory[];
  char *const queries = (char *)(memory + 0), *const stages = queries + 2 * HEIGHT * HEAD;
  const Part own_part = part<HEIGHT, BLOCK_N, CAUSAL, BY_HEAD>(heads, m, n);
  const unsigned head = own_part.head, first = own_part.first, count = own_part.count;
  const long long ahead = own_part.ahead;
  const T *const keys = k + (size_t)(head / (heads / kv_heads)) * n * HEAD;
  const T *const values = v + (size_t)(head / (heads / kv_heads)) * n * HEAD;
  scale *= LOG2_E;

  bring<HEIGHT, THREADS>(queries, q + ((size_t)head * m + first) * HEAD, m - first);
  // One group for K and one for V of each step, and of none behind the last.
  auto ahead_of = [&](unsigned step) {
    char *const stage = stages + step % STAGES * (2 * TILE);
    const unsigned column = step * BLOCK_N;
    if (step < count)
      bring<BLOCK_N, THREADS>(stage, keys + (size_t)column * HEAD, n - column);
    async_commit();
    if (step < count)
      bring<BLOCK_N, THREADS>(stage + TILE, values + (size_t)column * HEAD, n - column);
    async_commit();
  };
  for (int step = 0; step < STAGES; step++)
    ahead_of(step);

  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned own = warp * 16 * ROWS;
  Row rows[ROWS][2];
  float results[ROWS][HEAD / 2] = {};
  unsigned held[HELD ? ROWS : 1][HELD ? STEPS : 1][4];
  for (unsigned step = 0; step < count; step++) {
    const char *const stage = stages + step % STAGES * (2 * TILE);
    async_wait<2 * STAGES - 1>();
    __syncthreads();
    float scores[ROWS][BLOCK_N / 2] = {};
    if constexpr (HELD) {
      if (step == 0)
#pragma unroll
        for (int i = 0; i < ROWS; i++)
#pragma unroll
          for (int d = 0; d < STEPS; d++)
            ldmatrix_x4(held[i][d], chunk(queries, own + 16 * i + lane % 16, 2 * d + lane / 16));
    }
#pragma unroll
    for (int d = 0; d < STEPS; d++) {
      unsigned left[ROWS][4];
#pragma unroll
      for (int i = 0; i < ROWS; i++) {
        if constexpr (!HELD)
          ldmatrix_x4(left[i], chunk(queries, own + 16 * i + lane % 16, 2 * d + lane / 16));
      }
#pragma unroll
      for (int j = 0; j < BLOCK_N / 16; j++) {
        // Two matrices along k of the left 8 columns, and two of the right ones.
        unsigned right[4];
        ldmatrix_x4(right, chunk(stage, 16 * j + lane / 16 * 8 + lane % 8, 2 * d + lane / 8 % 2));
#pragma unroll
        for (int i = 0; i < ROWS; i++)
#pragma unroll
          for (int half = 0; half < 2; half++) {
            const unsigned two[2] = {right[2 * half], right[2 * half + 1]};
            float(&sums)[4] = *(float(*)[4])(scores[i] + 8 * j + 4 * half);
            if constexpr (HELD)
              mma_m16n8k16<Number<T>::BF16>(sums, held[i][d], two);
            else
              mma_m16n8k16<Number<T>::BF16>(sums, left[i], two);
          }
      }
    }
    const unsigned column = step * BLOCK_N;
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      const unsigned row = first + own + 16 * i + lane / 4;
      if (column + BLOCK_N > n || (CAUSAL && column + BLOCK_N - 1 > first + ahead))
        mask<CAUSAL>(scores[i], row, column, n, ahead);
      float factors[2];
      weigh(scores[i], rows[i], factors, scale);
      multiply_rows(results[i], factors);
    }
    async_wait<2 * STAGES - 2>();
    __syncthreads();
#pragma unroll
    for (int j = 0; j < BLOCK_N / 16; j++) {
      unsigned left[ROWS][4];
#pragma unroll
      for (int i = 0; i < ROWS; i++)
        operand<T>(left[i], scores[i], j);
#pragma unroll
      for (int d = 0; d < HEAD / 16; d++) {
        unsigned right[4];
        ldmatrix_x4_trans(right, chunk(stage + TILE, 16 * j + lane % 16, 2 * d + lane / 16));
#pragma unroll
        for (int i = 0; i < ROWS; i++)
#pragma unroll
          for (int half = 0; half < 2; half++) {
            const unsigned two[2] = {right[2 * half], right[2 * half + 1]};
            mma_m16n8k16<Number<T>::BF16>(*(float(*)[4])(results[i] + 8 * d + 4 * half), left[i], two);
          }
      }
    }
    __syncthreads();
    ahead_of(step + STAGES);
  }
  async_wait<0>();
#pragma unroll
  for (int i = 0; i < ROWS; i++)
    write_rows<T>(o + (size_t)head * m * HEAD, results[i], rows[i], first + own + 16 * i + lane / 4, m);
}

// The reference: a block for each row, of 128 threads, in double precision; scores twice, so that none is kept.
template <class T>
static __device__ __forceinline__ double score(const T *q, const T *k) {
  double sum = 0;
  for (int d = 0; d < HEAD; d++)
    sum += (double)(float)q[d] * (double)(float)k[d];
  return sum;
}

template <class T>
static __device__ __forceinline__ void row(T *o, const T *q, const T *k, const T *v, unsigned heads, unsigned kv_heads,
                                           unsigned m, unsigned n, float scale) {
  __shared__ double weights[128];
  const unsigned head = blockIdx.x / m, at = blockIdx.x % m;
  const T *const own = q + (size_t)blockIdx.x * HEAD;
  const T *const keys = k + (size_t)(head / (heads / kv_heads)) * n * HEAD;
  const T *const values = v + (size_t)(head / (heads / kv_heads)) * n * HEAD;
  const long long seen = CAUSAL ? (long long)at + n - m + 1 : n;
  double most = -INFINITY;
  for (long long i = threadIdx.x; i < seen; i += 128)
    most = fmax(most, scale * score(own, keys + i * HEAD));
  weights[threadIdx.x] = most;
  __syncthreads();
  for (int i = 0; i < 128; i++)
    most = fmax(most, weights[i]);
  double sum = 0, result = 0;
  for (long long from = 0; from < seen; from += 128) {
    __syncthreads();
    const long long i = from + threadIdx.x;
    weights[threadIdx.x] = i < seen ? exp(scale * score(own, keys + i * HEAD) - most) : 0;
    __syncthreads();
    for (long long j = 0; j < 128 && from + j < seen; j++) {
      sum += weights[j];
      if (threadIdx.x < HEAD)
        result += weights[j] * (double)(float)values[(from + j) * HEAD + threadIdx.x];
    }
  }
  if (threadIdx.x < HEAD)
    o[(size_t)blockIdx.x * HEAD + threadIdx.x] = T((float)(sum > 0 ? result / sum : 0));
}

__global__ void attention_f16_reference(__half *o, const __half *q, const __half *k, const __half *v, unsigned heads,
                                        unsigned kv_heads, unsigned m, unsigned n, float scale) {
  row(o, q, k, v, heads, kv_heads, m, n, scale);
}

__global__ void attention_bf16_reference(__nv_bfloat16 *o, const __nv_bfloat16 *q, const __nv_bfloat16 *k,
                                         const __nv_bfloat16 *v, unsigned heads, unsigned kv_heads, unsigned m, unsigned n,
                                         float scale) {
  row(o, q, k, v, heads, kv_heads, m, n, scale);
}
