// Products of dense row-major matrices on the tensor cores of Hopper: C = result(A * B), where there may be several B, whose
// products with the same A are combined element by element. C is m x n, A is m x k, each B is k x n, of FP16 or BF16, sums FP32.
//
// One warpgroup brings tiles of A and B to shared memory, by tensor maps; the others multiply them, straight from there, and
// write their rows of C. A block goes from tile to tile of C while others are left, and brings the next one's
// first steps while this one's results are written. Where tiles are few, several blocks have a part of k each. Sources of the
// techniques: wgmma, tensor maps, mbarriers and setmaxnreg (PTX ISA); warpgroups that bring and others that multiply ("Efficient
// GEMM", NVIDIA CUTLASS); DeepGEMM and fast.cu, whose parameters these resemble; parts of k and who adds them up (Osama et al.,
// "Stream-K", 2023).
//
// Template parameters:
//   TILE_M, TILE_N  rows and columns of a tile of C: multiples of 64, TILE_N at most 256
//   TILE_K          depth of a step: 64 or 128
//   CONSUMERS       warpgroups that multiply: each 64 or 128 rows of the tile
//   STAGES          steps whose tiles are in shared memory at a time
//   GROUP_M         rows of clusters' tiles that are covered together before it goes on along n, so that blocks that run at the same
//                   time share more of A and B in the second-level cache
//   CLUSTER_M       blocks below each other that share what they read of B: each brings a part of it to all
//   CLUSTER_N       blocks beside each other that share what they read of A; one of both is 1
//   FACTORS         how many B there are
//   SPLITS          parts of k that a tile's products are shared by, each with a step of its own at least: each leaves its sums in
//                   `Parts`, and the last one adds them up, always in the same order
//   STAGED          whether results go through shared memory, and from there by a tensor map; else each thread stores pairs
//
// Launch: clusters of CLUSTER_M * CLUSTER_N blocks along x, any number of them (as many as run at a time), of
// 128 * (CONSUMERS + 1) threads, with 2 * STAGES * TILE_K * (TILE_M + FACTORS * TILE_N) bytes of shared memory, if STAGED
// 128 * TILE_M for one or, where TILE_N is more than 64, two boxes of C, and 1024 for barriers. Tensor maps, all with a swizzle of 128 bytes: of A boxes of 64 columns and TILE_M / CLUSTER_N rows, of B 64 columns and
// TILE_K / CLUSTER_M rows, of C 64 columns and TILE_M / CONSUMERS rows.
//
// k and n are multiples of 8, and the matrices start at multiples of 16 bytes: tensor maps ask for it.
#pragma once
#include "number.cuh"
#include "tensor_copy.cuh"
#include "warpgroup.cuh"

template <int TILE_M_, int TILE_N_, int TILE_K_, int CONSUMERS_, int STAGES_, int CLUSTER_M_, int CLUSTER_N_, int FACTORS_,
          int SPLITS_ = 1>
struct Shape {
  static constexpr int TILE_M = TILE_M_, TILE_N = TILE_N_, TILE_K = TILE_K_;
  static constexpr int CONSUMERS = CONSUMERS_, STAGES = STAGES_, CLUSTER_M = CLUSTER_M_, CLUSTER_N = CLUSTER_N_;
  static constexpr int CLUSTER = CLUSTER_M * CLUSTER_N, FACTORS = FACTORS_, SPLITS = SPLITS_;
  // Of a warpgroup.
  static constexpr int ROWS = TILE_M / CONSUMERS, PRODUCTS = ROWS / 64, QUADS = FACTORS * PRODUCTS * TILE_N / 8;
  static constexpr int A_BYTES = 2 * TILE_M * TILE_K, B_BYTES = 2 * TILE_K * TILE_N, STAGE = A_BYTES + FACTORS * B_BYTES;
  // Boxes of C that a warpgroup may have on their way.
  static constexpr int BUFFERS = TILE_N > 64 ? 2 : 1, RESULTS = BUFFERS * 128 * TILE_M;
  static_assert(ROWS % 64 == 0 && ROWS * CONSUMERS == TILE_M && TILE_K % 64 == 0, "products cover the tile");
  static_assert(CLUSTER_M == 1 || CLUSTER_N == 1, "all blocks of a cluster share the same");
};

// Where the parts of a tile meet: SPLITS * FACTORS * TILE_M * TILE_N sums of each, and CONSUMERS locks, all 0 at the start and
// at the end. Tiles are counted in whole clusters.
struct Parts {
  float *sums;
  unsigned *locks;
};

// Where a block is in shared memory, and where its tiles of C are.
template <class S> struct Place {
  char *stages, *results;
  Barrier *full, *empty;
  unsigned *last;
  unsigned rank, down, across, count;

  __device__ __forceinline__ Place(char *shared, unsigned results_bytes, unsigned m, unsigned n) {
    stages = shared;
    results = shared + S::STAGES * S::STAGE;
    full = (Barrier *)(results + results_bytes);
    empty = full + S::STAGES;
    last = (unsigned *)(empty + S::STAGES);
    rank = blockIdx.x % S::CLUSTER;
    down = (m - 1) / (S::TILE_M * S::CLUSTER_M) + 1;
    across = (n - 1) / (S::TILE_N * S::CLUSTER_N) + 1;
    count = down * across * S::SPLITS;
  }

  // The first row and column of the block's tile in what is the cluster's by this number, and where its part of k begins and ends.
  template <int GROUP_M>
  __device__ __forceinline__ void tile(unsigned number, unsigned k, unsigned &row, unsigned &column, unsigned &from, unsigned &to) const {
    const unsigned part = number % S::SPLITS, steps = (k - 1) / S::TILE_K + 1;
    from = steps * part / S::SPLITS * S::TILE_K;
    to = steps * (part + 1) / S::SPLITS * S::TILE_K;
    number /= S::SPLITS;
    const unsigned first = number / (GROUP_M * across) * GROUP_M;
    const unsigned within = number % (GROUP_M * across);
    const unsigned height = down - first < GROUP_M ? down - first : GROUP_M;
    row = ((first + within % height) * S::CLUSTER_M + rank % S::CLUSTER_M) * S::TILE_M;
    column = (within / height * S::CLUSTER_N + rank / S::CLUSTER_M) * S::TILE_N;
  }
};

// By one thread: brings all tiles of A and of each B that the block needs, or its part of what the cluster needs.
template <class S, int GROUP_M>
static __device__ __forceinline__ void bring(const Place<S> &place, const CUtensorMap *a, const CUtensorMap *const (&b)[S::FACTORS], unsigned k) {
  constexpr int A_ROWS = S::TILE_M / S::CLUSTER_N, B_ROWS = S::TILE_K / S::CLUSTER_M;
  constexpr unsigned short ALL = (1 << S::CLUSTER) - 1;
  const unsigned a_row = S::CLUSTER_N > 1 ? place.rank * A_ROWS : 0;
  const unsigned b_row = S::CLUSTER_M > 1 ? place.rank * B_ROWS : 0;
  Turn<S::STAGES> turn;
  for (unsigned number = blockIdx.x / S::CLUSTER; number < place.count; number += gridDim.x / S::CLUSTER) {
    unsigned row, column, from, to;
    place.template tile<GROUP_M>(number, k, row, column, from, to);
    for (unsigned depth = from; depth < to; depth += S::TILE_K, turn.next()) {
      Barrier *const full = place.full + turn.stage;
      char *const stage = place.stages + turn.stage * S::STAGE;
      barrier_wait(place.empty + turn.stage, turn.parity ^ 1);
      barrier_expect(full, S::STAGE);
#pragma unroll
      for (int i = 0; i < S::TILE_K / 64; i++) {
        char *const to = stage + 128 * (i * S::TILE_M + a_row);
        if constexpr (S::CLUSTER_N > 1)
          tensor_multicast(to, a, full, ALL, depth + 64 * i, row + a_row);
        else
          tensor_load(to, a, full, depth + 64 * i, row);
      }
#pragma unroll
      for (int factor = 0; factor < S::FACTORS; factor++)
#pragma unroll
        for (int i = 0; i < S::TILE_N / 64; i++) {
          char *const to = stage + S::A_BYTES + factor * S::B_BYTES + 128 * (i * S::TILE_K + b_row);
          if constexpr (S::CLUSTER_M > 1)
            tensor_multicast(to, b[factor], full, ALL, column + 64 * i, depth + b_row);
          else
            tensor_load(to, b[factor], full, column + 64 * i, depth);
        }
    }
  }
}

template <int FACTORS, int PRODUCTS, int COUNT>
static __device__ __forceinline__ void keep(float (&sums)[FACTORS][PRODUCTS][COUNT]) {
#pragma unroll
  for (int factor = 0; factor < FACTORS; factor++)
#pragma unroll
    for (int i = 0; i < PRODUCTS; i++)
      warpgroup_keep(sums[factor][i]);
}

// The sums of one tile with each B over a part of k, by a warpgroup of its rows.
template <class S, class T>
static __device__ __forceinline__ void multiply(float (&sums)[S::FACTORS][S::PRODUCTS][S::TILE_N / 2], const Place<S> &place,
                                                Turn<S::STAGES> &turn, unsigned from, unsigned to) {
  const unsigned rows = threadIdx.x / 128 * S::ROWS;
  unsigned before = 0;
  for (unsigned depth = from; depth < to; depth += S::TILE_K, turn.next()) {
    const char *const stage = place.stages + turn.stage * S::STAGE;
    const unsigned long long a = warpgroup_tile(stage + 128 * rows, 16, 1024);
    const unsigned long long b = warpgroup_tile(stage + S::A_BYTES, 128 * S::TILE_K, 1024);
    barrier_wait(place.full + turn.stage, turn.parity);
    keep(sums);
    warpgroup_fence();
#pragma unroll
    for (int step = 0; step < S::TILE_K / 16; step++)
#pragma unroll
      for (int factor = 0; factor < S::FACTORS; factor++)
#pragma unroll
        for (int i = 0; i < S::PRODUCTS; i++)
          warpgroup_multiply<Number<T>::BF16, false, true>(
              sums[factor][i], warpgroup_step(a, step / 4 * 128 * S::TILE_M + i * 64 * 128 + step % 4 * 32),
              warpgroup_step(b, factor * S::B_BYTES + step * 16 * 128), depth > from || step > 0);
    warpgroup_commit();
    // This step's products go on; those of the one before are through.
    if (depth > from) {
      warpgroup_wait<1>();
      barrier_release<S::CLUSTER>(place.empty + before);
    }
    before = turn.stage;
  }
  warpgroup_wait<0>();
  keep(sums);
  barrier_release<S::CLUSTER>(place.empty + before);
}

// By a warpgroup that has the sums of its rows over a part of k: whether it is the last one of these. Then they are those of all parts.
template <class S>
static __device__ __forceinline__ bool combine(float (&sums)[S::FACTORS][S::PRODUCTS][S::TILE_N / 2], const Place<S> &place,
                                               const Parts &parts, unsigned number) {
  const unsigned group = threadIdx.x / 128, thread = threadIdx.x % 128;
  const unsigned tile = (number / S::SPLITS * S::CLUSTER + place.rank) * S::CONSUMERS + group;
  // Side by side in the order of the threads: whole sectors, whatever the edges of C.
  float4 *const all = (float4 *)parts.sums + (size_t)tile * S::SPLITS * S::QUADS * 128 + thread;
  float(&flat)[4 * S::QUADS] = (float(&)[4 * S::QUADS])sums;
#pragma unroll
  for (int i = 0; i < S::QUADS; i++)
    all[(number % S::SPLITS * S::QUADS + i) * 128] = make_float4(flat[4 * i], flat[4 * i + 1], flat[4 * i + 2], flat[4 * i + 3]);
  // Whoever sees the part counted sees what it wrote.
  __threadfence();
  named_barrier(1 + group, 128);
  if (thread == 0)
    place.last[group] = atomicAdd(parts.locks + tile, 1u) == S::SPLITS - 1;
  named_barrier(1 + group, 128);
  if (!place.last[group])
    return false;
  __threadfence();
  if (thread == 0)
    atomicExch(parts.locks + tile, 0u);
#pragma unroll
  for (int i = 0; i < S::QUADS; i++) {
    float4 total = __ldcg(all + i * 128);
#pragma unroll
    for (int other = 1; other < S::SPLITS; other++) {
      const float4 quad = __ldcg(all + (other * S::QUADS + i) * 128);
      total.x += quad.x, total.y += quad.y, total.z += quad.z, total.w += quad.w;
    }
    flat[4 * i] = total.x, flat[4 * i + 1] = total.y, flat[4 * i + 2] = total.z, flat[4 * i + 3] = total.w;
  }
  return true;
}

// `result` makes an element of C of its sums with each B.
template <class S, class T, int GROUP_M, bool STAGED, class Result>
static __device__ __forceinline__ void product(char *memory, const CUtensorMap &c_map, const CUtensorMap &a_map,
                                               const CUtensorMap *const (&b_maps)[S::FACTORS], T *c, unsigned m,
                                               unsigned n, unsigned k, const Parts &parts, Result result) {
  constexpr int TILE_M = S::TILE_M, TILE_N = S::TILE_N, CONSUMERS = S::CONSUMERS;
  const Place<S> place(memory, STAGED ? S::RESULTS : 0, m, n);
  if (threadIdx.x == 0) {
    for (int i = 0; i < S::STAGES; i++) {
      barrier_init(place.full + i, 1);
      barrier_init(place.empty + i, S::CLUSTER * 4 * CONSUMERS);
    }
    barrier_publish();
  }
  if constexpr (S::CLUSTER > 1)
    cluster_sync();
  else
    __syncthreads();

  const unsigned group = threadIdx.x / 128;
  if (group == CONSUMERS) {
    warpgroup_brings<CONSUMERS>();
    if (threadIdx.x == 128 * CONSUMERS)
      bring<S, GROUP_M>(place, &a_map, b_maps, k);
  } else {
    warpgroup_multiplies<CONSUMERS>();
    const unsigned lane = threadIdx.x % 32, member = lane % 4;
    const unsigned first = group * S::ROWS + threadIdx.x % 128 / 32 * 16 + lane / 4;
    const bool speaks = threadIdx.x % 128 == 0;
    Turn<S::STAGES> turn;
    unsigned written = 0;
    for (unsigned number = blockIdx.x / S::CLUSTER; number < place.count; number += gridDim.x / S::CLUSTER) {
      unsigned row, column, from, to;
      place.template tile<GROUP_M>(number, k, row, column, from, to);
      float sums[S::FACTORS][S::PRODUCTS][TILE_N / 2];
      multiply<S, T>(sums, place, turn, from, to);
      if (S::SPLITS > 1 && !combine(sums, place, parts, number))
        continue;
      // Box by box, 64 columns each.
#pragma unroll
      for (int chunk = 0; chunk < TILE_N / 64; chunk++) {
        char *const results = place.results + written % S::BUFFERS * 128 * TILE_M;
        if constexpr (STAGED) {
          // What was written from there before has been read.
          if (speaks)
            tensor_wait<S::BUFFERS - 1>();
          named_barrier(1 + group, 128);
        }
#pragma unroll
        for (int i = 0; i < S::PRODUCTS; i++)
#pragma unroll
          for (int j = 8 * chunk; j < 8 * chunk + 8; j++)
#pragma unroll
            for (int half = 0; half < 2; half++) {
              float two[2];
#pragma unroll
              for (int side = 0; side < 2; side++) {
                float all[S::FACTORS];
#pragma unroll
                for (int factor = 0; factor < S::FACTORS; factor++)
                  all[factor] = sums[factor][i][4 * j + 2 * half + side];
                two[side] = result(all);
              }
              const unsigned value = pair<T>(two[0], two[1]);
              const unsigned down = first + 64 * i + 8 * half;
              if constexpr (STAGED) {
                // Eight rows put their chunk j at eight places of 16 bytes, four lanes each: all banks once.
                *(unsigned *)(results + 128 * down + 16 * (j % 8 ^ down % 8) + 4 * member) = value;
              } else {
                const unsigned right = column + 8 * j + 2 * member;
                if (row + down < m && right < n)
                  *(unsigned *)(c + (size_t)(row + down) * n + right) = value;
              }
            }
        if constexpr (STAGED) {
          tensor_fence();
          named_barrier(1 + group, 128);
          if (speaks) {
            tensor_store(&c_map, results + 128 * group * S::ROWS, column + 64 * chunk, row + group * S::ROWS);
            tensor_commit();
          }
          written++;
        }
      }
    }
    if (STAGED && speaks)
      tensor_wait<0>();
  }
  if constexpr (S::CLUSTER > 1)
    cluster_sync();
}
