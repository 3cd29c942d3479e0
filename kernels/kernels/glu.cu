// y = (x W) * act(x V) in FP32, all row-major and dense: x is m x k, W and V are k x n, y is m x n.
//
// The gated linear unit of transformers (Shazeer, "GLU Variants Improve Transformer", 2020) in one kernel: a
// block computes the same tile of both products, so that x is read once for both, the products never go
// to memory, and the activation is applied to what the registers hold anyway.
//
// Each product is the tiled one of CUDA cores (NVIDIA, "CUTLASS: Fast Linear Algebra in CUDA C++", 2017): tiles
// of block, warp and thread. Along k the tiles come through a ring of STAGES pieces of shared memory, filled by
// asynchronous copies (CUDA C++ Programming Guide, "Asynchronous Data Copies"): STAGES - 1 are under way
// while one is worked on. Where m is small, few threads cover a tile, and SLICES groups of warps share the depth
// of each piece among them; their sums are added at the end.
//
// Template parameters:
//   BLOCK_M   rows of a block's tile of y
//   BLOCK_N   its columns
//   BLOCK_K   depth of a piece; a multiple of 4 SLICES
//   THREAD_M  rows of a thread's tile: each is one of every 32 / LANES_N
//   THREAD_N  its columns: 4 neighbouring ones of every 4 LANES_N
//   LANES_N   lanes of a warp along n; the 32 / LANES_N others lie along m
//   SLICES    groups of warps along k: 1, 2, 4
//   STAGES    pieces of shared memory; 2 and more
//   RESIDENT  blocks of a multiprocessor at a time that the compiler keeps registers for, at least
//   GROUP_M   rows of tiles through which blocks go column by column (glu.cuh)
//   THREADS   of a block: SLICES * BLOCK_M * BLOCK_N / (THREAD_M * THREAD_N)
// Macro: ACT, one of sigmoid, silu, gelu.
//
// Shared memory, per stage: BLOCK_M rows of x of BLOCK_K + 4 floats each, and BLOCK_K rows of BLOCK_N floats of W
// and of V. Bank conflicts: of a row of W or V half of a warp reads 8 pieces of 16 bytes, next to each other. Of x it
// reads 2 rows that follow each other, 16 bytes of each at the same place: in units of 16 bytes row i begins at
// i * (BLOCK_K / 4 + 1), an odd multiple of i, so that up to 8 rows lie in different banks. That half of a warp is
// served at once, not as two quarters, takes more: all lanes must ask for the same as the lane at distance 1, or all
// for the same as that at distance 2 (NVIDIA's forum, "Unexpected shared memory bank conflict"; CUTLASS orders lanes
// likewise). So bit 0 of a lane's number is bit 0 of its row, and the next ones are its column: lanes at distance 1
// read the same of W and V, those at distance 2 the same of x.
//
// Launch: ceil(m / BLOCK_M) * ceil(n / BLOCK_N) blocks, in one dimension, of THREADS threads each. Dynamic
// shared memory: 4 * STAGES * (BLOCK_M * (BLOCK_K + 4) + 2 * BLOCK_K * BLOCK_N) bytes, and at least 2 * SLICES * BLOCK_M * BLOCK_N where SLICES is 2 or more. Any m, n, k. Rows that
// are multiples of 16 bytes long, and begin at such, are read 16 bytes at a time, others element by element: a
// test that all threads answer alike.
//
// What no config may exceed on any GPU; `cargo bico compile` holds it:
// NVRTC 12.9 spills a word of some configs for sm_100, and nothing else.
// limits: registers <= 255, block_registers <= 65536, spill_bytes <= 16, local_bytes <= 16
#include "async_copy.cuh"
#include "glu.cuh"

// Starts copying ROWS x COLUMNS elements, of which `rows` x `columns` are there and the others become zero, by
// all THREADS of the block. Rows are `length` elements apart in memory and PITCH in shared memory.
template <int ROWS, int COLUMNS, int PITCH, int THREADS>
static __device__ __forceinline__ void copy_tile(float *to, const float *from, unsigned length, unsigned rows,
                                                 unsigned columns, bool aligned) {
  if (aligned) {
    constexpr int vectors = COLUMNS / 4;
#pragma unroll
    for (int first = 0; first < ROWS * vectors; first += THREADS) {
      const unsigned i = first + threadIdx.x;
      const unsigned row = i / vectors;
      const unsigned column = i % vectors * 4;
      if (first + THREADS <= ROWS * vectors || row < ROWS)
        async_copy<16>(to + row * PITCH + column, from + (size_t)row * length + column,
                       row < rows && column < columns);
    }
  } else {
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < ROWS * COLUMNS; i += THREADS) {
      const unsigned row = i / COLUMNS;
      const unsigned column = i % COLUMNS;
      async_copy<4>(to + row * PITCH + column, from + (size_t)row * length + column, row < rows && column < columns);
    }
  }
}

static __device__ __forceinline__ void load4(float *to, const float *from) {
  const float4 four = *(const float4 *)from;
  to[0] = four.x;
  to[1] = four.y;
  to[2] = four.z;
  to[3] = four.w;
}

template <int BLOCK_M, int BLOCK_N, int BLOCK_K, int THREAD_M, int THREAD_N, int LANES_N, int SLICES, int STAGES,
          int RESIDENT, int GROUP_M, int THREADS>
__global__ void __launch_bounds__(THREADS, RESIDENT)
glu_kernel(float *y, const float *x, const float *w, const float *v, unsigned m, unsigned n, unsigned k) {
  constexpr int LANES_M = 32 / LANES_N;
  constexpr int WARPS_M = BLOCK_M / (LANES_M * THREAD_M);
  constexpr int WARPS_N = BLOCK_N / (LANES_N * THREAD_N);
  constexpr int SLICE_THREADS = 32 * WARPS_M * WARPS_N;
  constexpr int SLICE_K = BLOCK_K / SLICES;
  constexpr int PITCH = BLOCK_K + 4;
  constexpr int X_TILE = BLOCK_M * PITCH;
  constexpr int W_TILE = BLOCK_K * BLOCK_N;
  constexpr int STAGE = X_TILE + 2 * W_TILE;
  static_assert(WARPS_M * LANES_M * THREAD_M == BLOCK_M && WARPS_N * LANES_N * THREAD_N == BLOCK_N, "whole warps");
  static_assert(THREADS == SLICES * SLICE_THREADS, "a thread per element of each slice's tile of threads");
  static_assert(THREAD_N % 4 == 0 && SLICE_K % 4 == 0 && STAGES >= 2, "16 bytes at a time, and a ring");
  extern __shared__ float4 shared4[];
  float *shared = (float *)(shared4 + 0);

  const unsigned block_columns = n / BLOCK_N + (n % BLOCK_N != 0);
  const unsigned block_rows = m / BLOCK_M + (m % BLOCK_M != 0);
  const glu_tile tile = glu_tile_of<GROUP_M>(blockIdx.x, block_rows, block_columns);
  const unsigned row0 = tile.row * BLOCK_M;
  const unsigned column0 = tile.column * BLOCK_N;
  // What is left of the matrices from the tile's first element on. Differences do not overflow where sums would.
  const unsigned rows = m - row0;
  const unsigned columns = n - column0;

  const bool x_aligned = glu_aligned(x, k);
  const bool w_aligned = glu_aligned(w, n) && glu_aligned(v, n);
  const float *x_next = x + (size_t)row0 * k;
  const float *w_next = w + column0;
  const float *v_next = v + column0;
  unsigned depth = k;
  // Starts the next piece; behind the last one its group of copies is empty.
  auto fetch = [&](int slot) {
    if (depth > 0) {
      float *to = shared + slot * STAGE;
      copy_tile<BLOCK_M, BLOCK_K, PITCH, THREADS>(to, x_next, k, rows, depth, x_aligned);
      copy_tile<BLOCK_K, BLOCK_N, BLOCK_N, THREADS>(to + X_TILE, w_next, n, depth, columns, w_aligned);
      copy_tile<BLOCK_K, BLOCK_N, BLOCK_N, THREADS>(to + X_TILE + W_TILE, v_next, n, depth, columns, w_aligned);
      x_next += BLOCK_K;
      w_next += (size_t)BLOCK_K * n;
      v_next += (size_t)BLOCK_K * n;
      depth -= depth < BLOCK_K ? depth : BLOCK_K;
    }
    async_commit();
  };

  const unsigned lane = threadIdx.x % 32;
  const unsigned slice = threadIdx.x / SLICE_THREADS;
  const unsigned warp = threadIdx.x % SLICE_THREADS / 32;
  // The lane's place: see the bank conflicts above.
  const unsigned lane_m = lane % 2 + lane / (2 * LANES_N) * 2;
  const unsigned lane_n = lane / 2 % LANES_N;
  const unsigned row = warp / WARPS_N * (LANES_M * THREAD_M) + lane_m;
  const unsigned column = warp % WARPS_N * (LANES_N * THREAD_N) + lane_n * 4;
  float w_sums[THREAD_M][THREAD_N] = {};
  float v_sums[THREAD_M][THREAD_N] = {};

#pragma unroll
  for (int stage = 0; stage < STAGES - 1; stage++)
    fetch(stage);
  int slot = 0;
  const unsigned pieces = k / BLOCK_K + (k % BLOCK_K != 0);
  for (unsigned piece = 0; piece < pieces; piece++) {
    async_wait<STAGES - 2>();
    // The piece is there for all, and nobody reads the one before any more, whose place is filled next.
    __syncthreads();
    fetch(slot == 0 ? STAGES - 1 : slot - 1);

    const float *x_at = shared + slot * STAGE + row * PITCH + slice * SLICE_K;
    const float *w_at = shared + slot * STAGE + X_TILE + slice * SLICE_K * BLOCK_N + column;
    // So much in one piece that loads and multiplications overlap, and so little that the code stays in its cache.
    constexpr int UNROLL = THREAD_M * THREAD_N >= 64 ? 2 : 4;
#pragma unroll UNROLL
    for (int p = 0; p < SLICE_K; p += 4) {
      float xs[THREAD_M][4];
#pragma unroll
      for (int i = 0; i < THREAD_M; i++)
        load4(xs[i], x_at + i * LANES_M * PITCH + p);
#pragma unroll
      for (int q = 0; q < 4; q++) {
        float ws[THREAD_N], vs[THREAD_N];
#pragma unroll
        for (int j = 0; j < THREAD_N; j += 4) {
          load4(ws + j, w_at + (p + q) * BLOCK_N + j * LANES_N);
          load4(vs + j, w_at + W_TILE + (p + q) * BLOCK_N + j * LANES_N);
        }
#pragma unroll
        for (int i = 0; i < THREAD_M; i++)
#pragma unroll
          for (int j = 0; j < THREAD_N; j++) {
            w_sums[i][j] += xs[i][q] * ws[j];
            v_sums[i][j] += xs[i][q] * vs[j];
          }
      }
    }
    slot = slot == STAGES - 1 ? 0 : slot + 1;
  }

  // The pieces are done with: what is still under way are empty groups.
  glu_add_slices<SLICES, SLICE_THREADS, THREAD_M * THREAD_N>(shared, &w_sums[0][0]);
  glu_add_slices<SLICES, SLICE_THREADS, THREAD_M * THREAD_N>(shared, &v_sums[0][0]);
  if (slice > 0)
    return;

  const bool y_aligned = glu_aligned(y, n);
#pragma unroll
  for (int i = 0; i < THREAD_M; i++) {
    if (row + i * LANES_M >= rows)
      break;
    float *y_row = y + (size_t)(row0 + row + i * LANES_M) * n + column0;
#pragma unroll
    for (int j = 0; j < THREAD_N; j += 4) {
      const unsigned at = column + j * LANES_N;
      float out[4];
#pragma unroll
      for (int q = 0; q < 4; q++)
        out[q] = w_sums[i][j + q] * GLU_ACT(v_sums[i][j + q]);
      if (y_aligned) {
        if (at < columns)
          *(float4 *)(y_row + at) = make_float4(out[0], out[1], out[2], out[3]);
      } else {
#pragma unroll
        for (int q = 0; q < 4; q++)
          if (at + q < columns)
            y_row[at + q] = out[q];
      }
    }
  }
}

// The reference: one thread per element of y, nothing shared, sums and activation in double.
// Launch: any block, with as many of them as cover n along x and m along y.
__global__ void glu_reference(float *y, const float *x, const float *w, const float *v, unsigned m, unsigned n,
                              unsigned k) {
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n)
    return;
  double w_sum = 0, v_sum = 0;
  for (unsigned p = 0; p < k; p++) {
    const double left = x[(size_t)row * k + p];
    w_sum += left * w[(size_t)p * n + column];
    v_sum += left * v[(size_t)p * n + column];
  }
  y[(size_t)row * n + column] = (float)(w_sum * GLU_ACT(v_sum));
}
