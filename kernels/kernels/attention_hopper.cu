// O = softmax(scale * Q * K^T) * V on the tensor cores of Hopper (sm_90a): see attention.cu for what is computed.
//
// One warpgroup brings K and V by tensor maps, each other one has 64 rows of a head: scores are products of tiles in shared memory, and their
// weights the left operand of the second product from registers, without leaving them. With AHEAD the next step's scores are begun
// before this one's second product, which then runs while the softmax is taken (Shah et al., "FlashAttention-3", 2024).
//
// Template parameters:
//   T          __half or __nv_bfloat16
//   BLOCK_N    columns of a step: a multiple of 32 from 64 to 256
//   CONSUMERS  warpgroups that multiply: 64 rows each
//   STAGES     steps whose K and V are in shared memory at a time
//   AHEAD      whether scores are begun one step ahead
//   BY_HEAD    whether neighbouring blocks are of different heads, or of one head's rows
// Macros: HEAD, 64 or 128; CAUSAL, 0 or 1.
//
// Launch: ceil(m / (64 * CONSUMERS)) * heads blocks along x of 128 * (CONSUMERS + 1) threads, with 2 * HEAD * (64 * CONSUMERS + 2 * STAGES * BLOCK_N) bytes of
// shared memory and 1024 for barriers. Tensor maps with a swizzle of 128 bytes: of Q boxes of 64 numbers, 64 rows and one head, of
// K and V of 64 numbers, BLOCK_N rows and one head.
// limits: registers <= 255, block_registers <= 65536, spill_bytes <= 0, local_bytes <= 0, shared_bytes <= 232448
#include "number.cuh"
#include "tensor_copy.cuh"
#include "warpgroup.cuh"
#include "attention.cuh"

// Boxes of 64 numbers, so many as a head has.
template <int ROWS>
static __device__ __forceinline__ void bring(char *to, const CUtensorMap *map, Barrier *full, unsigned row, unsigned head) {
#pragma unroll
  for (int i = 0; i < HEAD / 64; i++)
    tensor_load(to + i * 128 * ROWS, map, full, 64 * i, row, head);
}

template <class T, int BLOCK_N, int CONSUMERS, int STAGES, bool AHEAD, bool BY_HEAD>
__global__ void __launch_bounds__(128 * (CONSUMERS + 1), 1)
attention_hopper_kernel(const __grid_constant__ CUtensorMap q_map, const __grid_constant__ CUtensorMap k_map,
                        const __grid_constant__ CUtensorMap v_map, T *o, unsigned heads, unsigned kv_heads, unsigned m, unsigned n,
                        float scale) {
  constexpr bool BF16 = Number<T>::BF16;
  constexpr int HEIGHT = 64 * CONSUMERS, QUERY = 2 * 64 * HEAD, TILE = 2 * BLOCK_N * HEAD;
  extern __shared__ __align__(1024) unsigned char memory[];
  char *const queries = (char *)(memory + 0), *const keys = queries + CONSUMERS * QUERY;
  char *const values = keys + STAGES * TILE;
  Barrier *const asked = (Barrier *)(values + STAGES * TILE);
  Barrier *const full_k = asked + 1, *const full_v = full_k + STAGES;
  Barrier *const empty_k = full_v + STAGES, *const empty_v = empty_k + STAGES;
  if (threadIdx.x == 0) {
    barrier_init(asked, 1);
    for (int i = 0; i < STAGES; i++) {
      barrier_init(full_k + i, 1);
      barrier_init(full_v + i, 1);
      barrier_init(empty_k + i, 4 * CONSUMERS);
      barrier_init(empty_v + i, 4 * CONSUMERS);
    }
    barrier_publish();
  }
  __syncthreads();

  const Part own_part = part<HEIGHT, BLOCK_N, CAUSAL, BY_HEAD>(heads, m, n);
  const unsigned head = own_part.head, first = own_part.first, count = own_part.count;
  const long long ahead = own_part.ahead;

  const unsigned group = threadIdx.x / 128;
  if (group == CONSUMERS) {
    warpgroup_brings<CONSUMERS>();
    if (threadIdx.x == 128 * CONSUMERS && count > 0) {
      const unsigned kv_head = head / (heads / kv_heads);
      barrier_expect(asked, CONSUMERS * QUERY);
#pragma unroll
      for (int i = 0; i < CONSUMERS; i++)
        bring<64>(queries + i * QUERY, &q_map, asked, first + 64 * i, head);
      Turn<STAGES> turn;
      for (unsigned step = 0; step < count; step++, turn.next()) {
        barrier_wait(empty_k + turn.stage, turn.parity ^ 1);
        barrier_expect(full_k + turn.stage, TILE);
        bring<BLOCK_N>(keys + turn.stage * TILE, &k_map, full_k + turn.stage, step * BLOCK_N, kv_head);
        barrier_wait(empty_v + turn.stage, turn.parity ^ 1);
        barrier_expect(full_v + turn.stage, TILE);
        bring<BLOCK_N>(values + turn.stage * TILE, &v_map, full_v + turn.stage, step * BLOCK_N, kv_head);
      }
    }
    return;
  }
  warpgroup_multiplies<CONSUMERS>();
  scale *= LOG2_E;
  const unsigned lane = threadIdx.x % 32;
  const unsigned row = first + 64 * group + threadIdx.x % 128 / 32 * 16 + lane / 4;
  Row rows[2];
  float results[HEAD / 2] = {}, scores[BLOCK_N / 2], factors[2];
  unsigned weights[BLOCK_N / 16][4];

  // Scores of a step, and results of its weights: both go on until they are waited for.
  auto begin_scores = [&](unsigned stage) {
    const unsigned long long left = warpgroup_tile(queries + group * QUERY, 16, 1024);
    const unsigned long long right = warpgroup_tile(keys + stage * TILE, 16, 1024);
    warpgroup_fence();
#pragma unroll
    for (int d = 0; d < HEAD / 16; d++)
      warpgroup_multiply<BF16, false, false>(scores, warpgroup_step(left, d / 4 * 128 * 64 + d % 4 * 32),
                                             warpgroup_step(right, d / 4 * 128 * BLOCK_N + d % 4 * 32), d > 0);
    warpgroup_commit();
  };
  auto begin_results = [&](unsigned stage) {
    const unsigned long long right = warpgroup_tile(values + stage * TILE, 128 * BLOCK_N, 1024);
    warpgroup_fence();
#pragma unroll
    for (int j = 0; j < BLOCK_N / 16; j++)
      warpgroup_multiply<BF16, true>(results, weights[j], warpgroup_step(right, j * 16 * 128), true);
    warpgroup_commit();
  };
  auto weigh_scores = [&](unsigned step) {
    const unsigned column = step * BLOCK_N;
    if (column + BLOCK_N > n || (CAUSAL && column + BLOCK_N - 1 > first + ahead))
      mask<CAUSAL>(scores, row, column, n, ahead);
    weigh(scores, rows, factors, scale);
  };
  auto take_weights = [&] {
#pragma unroll
    for (int j = 0; j < BLOCK_N / 16; j++)
      operand<T>(weights[j], scores, j);
  };

  if (count > 0) {
    barrier_wait(asked, 0);
    barrier_wait(full_k, 0);
    begin_scores(0);
    warpgroup_wait<0>();
    warpgroup_keep(scores);
    barrier_release<1>(empty_k);
    weigh_scores(0);
    take_weights();
    Turn<STAGES> before, turn;
    turn.next();
    for (unsigned step = 1; step < count; step++, before.next(), turn.next()) {
      warpgroup_keep(results);
      if constexpr (AHEAD) {
        barrier_wait(full_k + turn.stage, turn.parity);
        begin_scores(turn.stage);
        barrier_wait(full_v + before.stage, before.parity);
        begin_results(before.stage);
        warpgroup_wait<1>();
        warpgroup_keep(scores);
        barrier_release<1>(empty_k + turn.stage);
        weigh_scores(step);
        warpgroup_wait<0>();
        warpgroup_keep(results);
        barrier_release<1>(empty_v + before.stage);
      } else {
        barrier_wait(full_v + before.stage, before.parity);
        begin_results(before.stage);
        warpgroup_wait<0>();
        warpgroup_keep(results);
        barrier_release<1>(empty_v + before.stage);
        barrier_wait(full_k + turn.stage, turn.parity);
        begin_scores(turn.stage);
        warpgroup_wait<0>();
        warpgroup_keep(scores);
        barrier_release<1>(empty_k + turn.stage);
        weigh_scores(step);
      }
      multiply_rows(results, factors);
      take_weights();
    }
    barrier_wait(full_v + before.stage, before.parity);
    begin_results(before.stage);
    warpgroup_wait<0>();
    warpgroup_keep(results);
  }
  write_rows<T>(o + (size_t)head * m * HEAD, results, rows, row, m);
}
