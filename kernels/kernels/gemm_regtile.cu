// C = A * B in FP32, row-major and dense: C is m x n, A is m x k, B is k x n. On the CUDA cores: no TF32.
//
// Three levels of tiles: a block computes BLOCK_M x BLOCK_N of C, each of its warps WARP_M x WARP_N of that,
// each thread THREAD_M x THREAD_N, in registers. Along k the block walks in steps of BLOCK_K, for each of
// which a tile of A and one of B lie in shared memory; STAGES of them are there or under way. Sources:
// NVIDIA's blog "CUTLASS: Fast Linear Algebra in CUDA C++" and CUTLASS' "Efficient GEMM in CUDA" (the
// hierarchy, double-buffered fragments, the order of lanes below), S. Boehm's "How to Optimize a CUDA Matmul
// Kernel for cuBLAS-like Performance" (warp tiles), Triton's tutorial on matrix multiplication (the order of
// blocks), Osama et al., "Stream-K" (2023; split-K and its fix-up), PTX ISA (cp.async).
//
// Template parameters, all sizes in elements and powers of two:
//   BLOCK_M, BLOCK_N    tile of C of a block
//   BLOCK_K             depth of a step, 8 or more
//   WARP_M, WARP_N      tile of C of a warp
//   THREAD_M, THREAD_N  elements of C of a thread, multiples of 4: WARP_M * WARP_N / 32 in all
//   ASYNC               1: tiles are copied by cp.async (sm_80); 0: through registers
//   STAGES              tiles in shared memory: at least 2 if ASYNC, else 1 or 2
//   FRAGMENTS           2: operands of the next k are read from shared memory while those of this one are
//                       multiplied; 1: the compiler is free in it
//   GROUP_M             blocks walk down this many tiles of C before they step to the right; 1: row by row
//   SPLIT_K             blocks that share a tile of C, each with a part of k
//   THREADS             threads of a block: 32 for each warp tile
//   RESIDENT            blocks on a multiprocessor that registers must suffice for
//
// Layout of shared memory, per stage: A as BLOCK_K rows of BLOCK_M + 4 elements (transposed), B as BLOCK_K
// rows of BLOCK_N. No bank is asked for two words at once:
// - Reading. A thread's elements are sub-tiles of 4 x 4, the lanes' sub-tiles side by side, so that a
//   fragment is a few 16-byte reads of which each covers a contiguous piece of a row. Half of a warp reads at
//   most 8 different pieces of 16 bytes, side by side: 128 bytes, so every bank once. That a half is served
//   at once, not as two quarters, takes more: all its lanes must agree with the lane at distance 1, or all
//   with that at distance 2 (what people measured; CUTLASS orders its lanes likewise). So bit 0 of a lane's
//   number is the last bit of its row, bit 1 that of its column: lanes at distance 1 read the same of B, those
//   at distance 2 the same of A.
// - Copying A by cp.async, 4 bytes at a time. The lanes of a warp copy 8 k of 4 rows, so element (row, k)
//   goes to bank (4 * k + row) modulo 32, as BLOCK_M is a multiple of 32: all different.
// - Copying A through registers: a lane has 4 neighbouring k of a row, a warp 2 such quads of 16 rows. The
//   j-th stores go to banks 4 * (4 * quad + j) + row: 16 * quad + row and a constant, all different.
// - B is copied in the order that it lies in, 16 bytes per lane.
// From global memory A is read in pieces of 8 k, a sector of 32 bytes.
//
// Launch: ceil(m / BLOCK_M) * ceil(n / BLOCK_N) * SPLIT_K blocks of THREADS threads along x, with
// 4 * STAGES * BLOCK_K * (BLOCK_M + 4 + BLOCK_N) bytes of dynamic shared memory. Any m, n and k, as long as
// BLOCK_M * k and BLOCK_K * n stay below 2^32 and the blocks below 2^31. Rows of B and C whose length or
// address is not a multiple of 16 bytes are read and written by single elements, and those of A, too, if
// not ASYNC.
//
// With SPLIT_K > 1 each block leaves its sums in `partials` (SPLIT_K * BLOCK_M * BLOCK_N floats of each tile)
// and counts itself in the tile's element of `locks`; the last one adds them up, always in the same order, and
// sets the lock back to 0. `locks` must be 0 at the start.
//
// What no config may exceed on any GPU; `cargo bico compile` holds it. Of 100 configs spread over the space NVRTC 12.9
// spills nothing for sm_80, at most 6 words of two or three for sm_75 and sm_90, and at most 20 of three for sm_120.
// limits: registers <= 255, block_registers <= 65536, spill_bytes <= 96, local_bytes <= 96

#include "async_copy.cuh"

// Copies tiles of A and B from global to shared memory, one after the other along k.
//
// The first tile is the one that may be cut short, not the last: all others are whole, and the main loop asks
// nothing about k. Rows of A and columns of B beyond the edges are read as the last one, as what they
// yield is not stored; but beyond k there are zeros, in both, for 0 times NaN is NaN.
template <int BLOCK_M, int BLOCK_N, int BLOCK_K, int THREADS, bool ASYNC> struct Copier {
  static constexpr int A_ROW = BLOCK_M + 4; // floats of a row of the transposed tile, with the padding
  static constexpr int FLOATS = BLOCK_K * (A_ROW + BLOCK_N);
  // A: `WIDTH` neighbouring k at a time, and 8 k of a row by neighbouring lanes.
  static constexpr int WIDTH = ASYNC ? 1 : 4;
  static constexpr int LANES = 8 / WIDTH;
  static constexpr int A_COPIES = BLOCK_M * BLOCK_K / (WIDTH * THREADS);
  // B: 16 bytes at a time.
  static constexpr int QUADS = BLOCK_N / 4;
  static constexpr int B_COPIES = BLOCK_K * QUADS / THREADS;
  static_assert(BLOCK_M % 32 == 0 && BLOCK_N % 32 == 0 && BLOCK_K % 8 == 0, "the layout of shared memory");
  static_assert(A_COPIES * WIDTH * THREADS == BLOCK_M * BLOCK_K, "every thread copies as much of A");
  static_assert(B_COPIES * 4 * THREADS == BLOCK_N * BLOCK_K && THREADS % QUADS == 0, "and of B");

  const float *a, *b;         // the next tiles
  unsigned n;                 // elements of a row of B
  unsigned columns;           // of B, from the tile on
  bool a_vectors, b_vectors;  // whether 16 bytes can be read at once
  unsigned a_row, a_k, b_row; // where this thread's first copy goes
  unsigned a_offset[A_COPIES];
  unsigned b_offset;          // of the first copy; the others are whole rows further
  unsigned b_last;            // columns that follow
  float a_held[ASYNC ? 1 : 4 * A_COPIES];
  float b_held[ASYNC ? 1 : 4 * B_COPIES];

  // `a` and `b` point to the first tile; of A there are `rows` rows from there on, of B `columns` columns.
  __device__ __forceinline__ Copier(const float *a, const float *b, unsigned rows, unsigned columns, unsigned n,
                                    unsigned k)
      : a(a), b(b), n(n), columns(columns) {
    const unsigned thread = threadIdx.x;
    a_row = thread / LANES % BLOCK_M;
    a_k = thread % LANES * WIDTH + thread / (LANES * BLOCK_M) * 8;
    b_row = thread / QUADS;
    const unsigned column = min(thread % QUADS, (columns - 1) / 4) * 4;
    b_offset = b_row * n + column;
    b_last = columns - 1 - column;
    a_vectors = k % 4 == 0 && (size_t)a % 16 == 0;
    b_vectors = n % 4 == 0 && (size_t)b % 16 == 0;
#pragma unroll
    for (int i = 0; i < A_COPIES; i++)
      a_offset[i] = min(a_row + row_of(i), rows - 1) * k + a_k + k_of(i);
  }

  // Where copy i of A lies, from the thread's first one on.
  static __device__ __forceinline__ constexpr unsigned row_of(int i) { return i * THREADS / LANES % BLOCK_M; }
  static __device__ __forceinline__ constexpr unsigned k_of(int i) { return i * THREADS / (LANES * BLOCK_M) * 8; }
  // And copy i of B.
  static __device__ __forceinline__ constexpr unsigned b_row_of(int i) { return i * (THREADS / QUADS); }

  // The next tile is `depth` further along k.
  __device__ __forceinline__ void advance(unsigned depth) {
    a += depth;
    b += (size_t)depth * n;
  }

  // Starts copying the next tile, of which there are `depth` rows of B if CUT.
  template <bool CUT> __device__ __forceinline__ void start(float *to, unsigned depth) const {
    float *a_tile = to + a_k * A_ROW + a_row;
    float *b_tile = to + BLOCK_K * A_ROW + threadIdx.x * 4;
#pragma unroll
    for (int i = 0; i < A_COPIES; i++)
      async_copy<4>(a_tile + k_of(i) * A_ROW + row_of(i), a + a_offset[i], !CUT || a_k + k_of(i) < depth);
    if (b_vectors) {
#pragma unroll
      for (int i = 0; i < B_COPIES; i++)
        async_copy<16>(b_tile + i * 4 * THREADS, b + (b_offset + b_row_of(i) * n),
                       !CUT || b_row + b_row_of(i) < depth);
    } else {
      // Not unrolled: addresses in advance would take the registers of the sums.
#pragma unroll 1
      for (unsigned element = threadIdx.x; element < BLOCK_K * BLOCK_N; element += THREADS) {
        const unsigned row = element / BLOCK_N;
        const unsigned column = min(element % BLOCK_N, columns - 1);
        async_copy<4>(to + BLOCK_K * A_ROW + element, b + (row * n + column), !CUT || row < depth);
      }
    }
  }

  // Reads the next tile to registers.
  template <bool CUT> __device__ __forceinline__ void fetch(unsigned depth) {
#pragma unroll
    for (int i = 0; i < A_COPIES; i++) {
      const float *from = a + a_offset[i];
      const unsigned left = CUT ? depth - min(depth, a_k + k_of(i)) : 4;
      fetch_quad(a_held + 4 * i, from, a_vectors, left, 3);
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; i++) {
      const bool inside = !CUT || b_row + b_row_of(i) < depth;
      fetch_quad(b_held + 4 * i, b + (b_offset + b_row_of(i) * n), b_vectors, inside ? 4 : 0, b_last);
    }
  }

  // Four neighbouring elements, of which the first `left` are wanted and those after `last` don't exist.
  static __device__ __forceinline__ void fetch_quad(float *to, const float *from, bool vectors, unsigned left,
                                                    unsigned last) {
    if (vectors) {
      float4 quad = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
      if (left > 0)
        quad = *(const float4 *)from;
      to[0] = quad.x, to[1] = quad.y, to[2] = quad.z, to[3] = quad.w;
    } else {
#pragma unroll
      for (unsigned j = 0; j < 4; j++)
        to[j] = j < left ? from[min(j, last)] : 0.0f;
    }
  }

  // Writes what was read last to shared memory.
  __device__ __forceinline__ void store(float *to) const {
#pragma unroll
    for (int i = 0; i < A_COPIES; i++)
#pragma unroll
      for (int j = 0; j < 4; j++)
        to[(a_k + k_of(i) + j) * A_ROW + a_row + row_of(i)] = a_held[4 * i + j];
    float *b_tile = to + BLOCK_K * A_ROW + threadIdx.x * 4;
#pragma unroll
    for (int i = 0; i < B_COPIES; i++)
      *(float4 *)(b_tile + i * 4 * THREADS) =
          make_float4(b_held[4 * i], b_held[4 * i + 1], b_held[4 * i + 2], b_held[4 * i + 3]);
  }
};

// Reads a fragment: every STRIDE elements a quad.
template <int STRIDE, int LENGTH> static __device__ __forceinline__ void read(float (&to)[LENGTH], const float *from) {
#pragma unroll
  for (int i = 0; i < LENGTH / 4; i++) {
    const float4 quad = *(const float4 *)(from + i * STRIDE);
    to[4 * i] = quad.x, to[4 * i + 1] = quad.y, to[4 * i + 2] = quad.z, to[4 * i + 3] = quad.w;
  }
}

template <int BLOCK_M, int BLOCK_N, int BLOCK_K, int WARP_M, int WARP_N, int THREAD_M, int THREAD_N, int ASYNC,
          int STAGES, int FRAGMENTS, int GROUP_M, int SPLIT_K, int THREADS, int RESIDENT>
__global__ void __launch_bounds__(THREADS, RESIDENT)
gemm_regtile_kernel(float *c, const float *a, const float *b, unsigned m, unsigned n, unsigned k, float *partials,
                    unsigned *locks) {
  constexpr int WARPS_N = BLOCK_N / WARP_N;
  constexpr int LANES_M = WARP_M / THREAD_M;
  constexpr int LANES_N = WARP_N / THREAD_N;
  static_assert(BLOCK_M % WARP_M == 0 && BLOCK_N % WARP_N == 0, "warp tiles divide the block's");
  static_assert(BLOCK_M / WARP_M * WARPS_N * 32 == THREADS, "a warp for each");
  static_assert(LANES_M * LANES_N == 32 && LANES_M >= 2 && LANES_N >= 2, "32 lanes, in two dimensions");
  static_assert(THREAD_M % 4 == 0 && THREAD_N % 4 == 0, "sub-tiles of 4 x 4");
  static_assert(ASYNC ? STAGES >= 2 : STAGES <= 2, "stages");
  typedef Copier<BLOCK_M, BLOCK_N, BLOCK_K, THREADS, ASYNC != 0> Tiles;
  extern __shared__ float4 stages[];
  float *const shared = (float *)(stages + 0);

  // The tile of C. Blocks start in the order of their numbers: those that run at the same time share rows of
  // A and columns of B in the second-level cache.
  const unsigned tiles_m = m / BLOCK_M + (m % BLOCK_M != 0);
  const unsigned tiles_n = n / BLOCK_N + (n % BLOCK_N != 0);
  const unsigned tile = SPLIT_K == 1 ? blockIdx.x : blockIdx.x % (tiles_m * tiles_n);
  const unsigned split = SPLIT_K == 1 ? 0 : blockIdx.x / (tiles_m * tiles_n);
  const unsigned group = tile / (GROUP_M * tiles_n);
  const unsigned height = min((unsigned)GROUP_M, tiles_m - group * GROUP_M);
  const unsigned within = tile - group * GROUP_M * tiles_n;
  const unsigned row0 = (group * GROUP_M + within % height) * BLOCK_M;
  const unsigned column0 = within / height * BLOCK_N;
  // Differences do not overflow where sums would.
  const unsigned rows = m - row0;
  const unsigned columns = n - column0;

  // The part of k: whole steps, but for the last part.
  const unsigned all_steps = k / BLOCK_K + (k % BLOCK_K != 0);
  const unsigned part = (all_steps / SPLIT_K + (all_steps % SPLIT_K != 0)) * BLOCK_K;
  const unsigned k0 = min(split * part, k);
  const unsigned depth = min(part, k - k0);
  const unsigned steps = depth / BLOCK_K + (depth % BLOCK_K != 0);
  const unsigned first = depth - (steps > 0 ? steps - 1 : 0) * BLOCK_K;

  // The lane's place: see the layout of shared memory above.
  const unsigned warp = threadIdx.x / 32;
  const unsigned lane = threadIdx.x % 32;
  unsigned lane_m, lane_n;
  if (LANES_M <= 4) {
    lane_m = lane % 2 + lane / (2 * LANES_N) * 2;
    lane_n = lane / 2 % LANES_N;
  } else {
    lane_m = lane % 2 + lane / 4 % (LANES_M / 2) * 2;
    lane_n = lane / 2 % 2 + lane / (2 * LANES_M) * 2;
  }
  const unsigned thread_row = warp / WARPS_N * WARP_M + lane_m * 4;
  const unsigned thread_column = warp % WARPS_N * WARP_N + lane_n * 4;

  float sums[THREAD_M][THREAD_N];
#pragma unroll
  for (int i = 0; i < THREAD_M; i++)
#pragma unroll
    for (int j = 0; j < THREAD_N; j++)
      sums[i][j] = 0.0f;

  Tiles tiles(a + (size_t)row0 * k + k0, b + (size_t)k0 * n + column0, rows, columns, n, k);
  if constexpr (ASYNC) {
    // A group of copies per stage, empty or not, so that they can be counted.
    if (steps > 0) {
      tiles.template start<true>(shared, first);
      tiles.advance(first);
    }
    async_commit();
#pragma unroll 1
    for (unsigned stage = 1; stage < STAGES - 1; stage++) {
      if (stage < steps) {
        tiles.template start<false>(shared + stage * Tiles::FLOATS, BLOCK_K);
        tiles.advance(BLOCK_K);
      }
      async_commit();
    }
    async_wait<STAGES - 2>();
  } else if (steps > 0) {
    tiles.template fetch<true>(first);
    tiles.advance(first);
    tiles.store(shared);
  }
  __syncthreads();

  const unsigned a_from = thread_row;
  const unsigned b_from = BLOCK_K * Tiles::A_ROW + thread_column;
  float a_fragment[FRAGMENTS][THREAD_M];
  float b_fragment[FRAGMENTS][THREAD_N];
  float *now = shared;                                     // the tile that is multiplied
  float *free = shared + (STAGES - 1) * Tiles::FLOATS;     // the one that was before
  if (FRAGMENTS == 2) {
    read<4 * LANES_M>(a_fragment[0], now + a_from);
    read<4 * LANES_N>(b_fragment[0], now + b_from);
  }
#pragma unroll 1
  for (unsigned step = 0; step < steps; step++) {
    const bool more = step + (ASYNC ? STAGES - 1 : 1) < steps;
    float *const next = now == shared + (STAGES - 1) * Tiles::FLOATS ? shared : now + Tiles::FLOATS;
    const auto arrive = [&] {
      if constexpr (ASYNC) {
        async_commit();
        async_wait<STAGES - 2>();
        __syncthreads();
      } else if (more) {
        if (STAGES == 1)
          __syncthreads();
        tiles.store(next);
        __syncthreads();
      }
    };
    const float *const a_now = now + a_from;
    const float *const b_now = now + b_from;
#pragma unroll
    for (int p = 0; p < BLOCK_K; p++) {
      if (FRAGMENTS == 1) {
        read<4 * LANES_M>(a_fragment[0], a_now + p * Tiles::A_ROW);
        read<4 * LANES_N>(b_fragment[0], b_now + p * BLOCK_N);
      } else if (p + 1 < BLOCK_K) {
        read<4 * LANES_M>(a_fragment[(p + 1) % 2], a_now + (p + 1) * Tiles::A_ROW);
        read<4 * LANES_N>(b_fragment[(p + 1) % 2], b_now + (p + 1) * BLOCK_N);
      }
      if (p == 0 && more) {
        // Nobody reads the tile that is overwritten: all of it was in registers before the last barrier.
        if constexpr (ASYNC)
          tiles.template start<false>(free, BLOCK_K);
        else
          tiles.template fetch<false>(BLOCK_K);
        tiles.advance(BLOCK_K);
      }
      if (FRAGMENTS == 2 && p + 1 == BLOCK_K) {
        arrive();
        read<4 * LANES_M>(a_fragment[0], next + a_from);
        read<4 * LANES_N>(b_fragment[0], next + b_from);
      }
#pragma unroll
      for (int i = 0; i < THREAD_M; i++)
#pragma unroll
        for (int j = 0; j < THREAD_N; j++)
          sums[i][j] += a_fragment[p % FRAGMENTS][i] * b_fragment[p % FRAGMENTS][j];
    }
    if (FRAGMENTS == 1)
      arrive();
    free = now;
    now = next;
  }

  // Quad x of the thread's: the tiles' rows and columns of its first element.
  const bool c_vectors = n % 4 == 0 && (size_t)c % 16 == 0;
  const auto put = [&](unsigned x, float4 quad) {
    const unsigned i = x / (THREAD_N / 4);
    const unsigned row = thread_row + i / 4 * (4 * LANES_M) + i % 4;
    const unsigned column = thread_column + x % (THREAD_N / 4) * (4 * LANES_N);
    if (row >= rows || column >= columns)
      return;
    float *const to = c + (size_t)(row0 + row) * n + column0 + column;
    if (c_vectors) {
      *(float4 *)to = quad;
    } else {
      to[0] = quad.x;
      if (column + 1 < columns)
        to[1] = quad.y;
      if (column + 2 < columns)
        to[2] = quad.z;
      if (column + 3 < columns)
        to[3] = quad.w;
    }
  };
  constexpr int QUADS = THREAD_M * THREAD_N / 4;
  const auto own = [&](int x) {
    const float *from = sums[x / (THREAD_N / 4)] + x % (THREAD_N / 4) * 4;
    return make_float4(from[0], from[1], from[2], from[3]);
  };
  if constexpr (SPLIT_K == 1) {
#pragma unroll
    for (int x = 0; x < QUADS; x++)
      put(x, own(x));
  } else {
    // Side by side in the order of the threads: whole sectors, whatever the edges of C.
    float4 *const all = (float4 *)partials + (size_t)tile * SPLIT_K * QUADS * THREADS + threadIdx.x;
#pragma unroll
    for (int x = 0; x < QUADS; x++)
      all[(split * QUADS + x) * THREADS] = own(x);
    // Whoever sees the block counted sees what it wrote.
    __threadfence();
    __syncthreads();
    const bool last = __syncthreads_or(threadIdx.x == 0 && atomicAdd(locks + tile, 1u) == SPLIT_K - 1);
    if (!last)
      return;
    __threadfence();
    if (threadIdx.x == 0)
      atomicExch(locks + tile, 0u);
#pragma unroll 2
    for (unsigned x = 0; x < QUADS; x++) {
      float4 total = __ldcg(all + x * THREADS);
#pragma unroll
      for (unsigned other = 1; other < SPLIT_K; other++) {
        const float4 quad = __ldcg(all + (other * QUADS + x) * THREADS);
        total.x += quad.x, total.y += quad.y, total.z += quad.z, total.w += quad.w;
      }
      put(x, total);
    }
  }
}

// The reference: one thread per element of C, nothing shared, summed in double.
// Launch: any block, with as many of them as cover n along x and m along y.
__global__ void gemm_regtile_reference(float *c, const float *a, const float *b, unsigned m, unsigned n, unsigned k) {
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n)
    return;
  double sum = 0.0;
  for (unsigned p = 0; p < k; p++)
    sum += (double)a[(size_t)row * k + p] * b[(size_t)p * n + column];
  c[(size_t)row * n + column] = (float)sum;
}
