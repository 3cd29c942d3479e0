// y = (x W) * act(x V) in FP16 with sums in FP32, all row-major and dense: x is m x k, W and V are k x n, y is m x n.
//
// The gated linear unit of transformers (Shazeer, "GLU Variants Improve Transformer", 2020) in one kernel, as in
// glu.cu, on tensor cores: a block computes the same tile of both products, so that x is read once for both, the
// products never go to memory, and the activation is applied in FP32 to what the registers hold anyway.
//
// Warps have tiles of the block's tile, made of 16 x 8 products (CUTLASS, "Efficient GEMM in CUDA"): a fragment
// of x in registers serves both products. Along k the tiles come through a ring of STAGES pieces of shared memory,
// filled by asynchronous copies (CUDA C++ Programming Guide, "Asynchronous Data Copies"): STAGES - 1 are under
// way while one is worked on. Where m is small, few warps cover a tile, and SLICES groups of them share the depth of
// each piece among them; their sums are added at the end.
//
// Template parameters:
//   BLOCK_M   rows of a block's tile of y
//   BLOCK_N   its columns
//   BLOCK_K   depth of a piece; a multiple of 16 SLICES
//   WARP_M    rows of a warp's tile; a multiple of 16
//   WARP_N    its columns; a multiple of 16
//   SLICES    groups of warps along k: 1, 2, 4
//   STAGES    pieces of shared memory; 2 and more
//   RESIDENT  blocks of a multiprocessor at a time that the compiler keeps registers for, at least
//   GROUP_M   rows of tiles through which blocks go column by column (glu.cuh)
//   THREADS   of a block: 32 * SLICES * (BLOCK_M / WARP_M) * (BLOCK_N / WARP_N)
// Macro: ACT, one of sigmoid, silu, gelu.
//
// Bank conflicts: the unit of shared memory is 16 bytes, eight of which lie in different banks, and a row of a tile is
// 2, 4, 8 or more units long. Unit u of row r is kept in place of unit u ^ s(r) of its row, where s(r) counts groups of
// as many rows as fill 128 bytes, modulo the units of a row (or eight). An 8 x 8 matrix is unit u of eight rows that
// follow each other: those of one group lie next to each other by their row, those of different groups are
// different by s, so the eight are in different banks. That holds for `ldmatrix`, for storing y in its tile (eight rows,
// one unit, at a time) and for copies, which write units of one row, or of rows that fill 128 bytes.
//
// Launch: ceil(m / BLOCK_M) * ceil(n / BLOCK_N) blocks, in one dimension, of THREADS threads each. Dynamic
// shared memory: 2 * STAGES * (BLOCK_M * BLOCK_K + 2 * BLOCK_K * BLOCK_N) bytes, at least 2 * BLOCK_M * BLOCK_N, and
// 2 * SLICES * BLOCK_M * BLOCK_N where SLICES is 2 or more. Any m, n, k. Rows that are multiples of 16 bytes long, and
// begin at such, are read 16 bytes at a time, others element by element: a test that all threads answer alike.
//
// What no config may exceed on any GPU; `cargo bico compile` holds it:
// limits: registers <= 255, block_registers <= 65536, spill_bytes <= 0, local_bytes <= 0
#include <cuda_fp16.h>

#include "async_copy.cuh"
#include "glu.cuh"
#include "tensor_core.cuh"

// By which a row's units of 16 bytes are out of place, in a tile with rows of COLUMNS elements.
template <int COLUMNS> static __device__ __forceinline__ unsigned swizzle(unsigned row) {
  constexpr unsigned units = COLUMNS / 8;
  constexpr unsigned group = units < 8 ? 8 / units : 1;
  return row / group % (units < 8 ? units : 8);
}

template <int COLUMNS> static __device__ __forceinline__ unsigned place(unsigned row, unsigned unit) {
  return row * COLUMNS + (unit ^ swizzle<COLUMNS>(row)) * 8;
}

// Starts copying ROWS x COLUMNS elements, of which `rows` x `columns` are there and the others become zero, by
// all THREADS of the block. Rows are `length` elements apart in memory.
template <int ROWS, int COLUMNS, int THREADS>
static __device__ __forceinline__ void copy_tile(__half *to, const __half *from, unsigned length, unsigned rows,
                                                 unsigned columns, bool aligned) {
  constexpr int units = COLUMNS / 8;
  if (aligned) {
#pragma unroll
    for (int first = 0; first < ROWS * units; first += THREADS) {
      const unsigned i = first + threadIdx.x;
      const unsigned row = i / units;
      const unsigned unit = i % units;
      if (first + THREADS <= ROWS * units || row < ROWS)
        async_copy<16>(to + place<COLUMNS>(row, unit), from + (size_t)row * length + unit * 8,
                       row < rows && unit * 8 < columns);
    }
  } else {
    // Asynchronous copies have at least 4 bytes, at multiples of it: these go through registers.
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < ROWS * units; i += THREADS) {
      const unsigned row = i / units;
      const unsigned unit = i % units;
      const __half *at = from + (size_t)row * length + unit * 8;
      unsigned words[4];
#pragma unroll
      for (int q = 0; q < 4; q++) {
        const unsigned column = unit * 8 + 2 * q;
        const unsigned low = row < rows && column < columns ? __half_as_ushort(at[2 * q]) : 0;
        const unsigned high = row < rows && column + 1 < columns ? __half_as_ushort(at[2 * q + 1]) : 0;
        words[q] = low | high << 16;
      }
      *(uint4 *)(to + place<COLUMNS>(row, unit)) = make_uint4(words[0], words[1], words[2], words[3]);
    }
  }
}

template <int BLOCK_M, int BLOCK_N, int BLOCK_K, int WARP_M, int WARP_N, int SLICES, int STAGES,
          int RESIDENT, int GROUP_M, int THREADS>
__global__ void __launch_bounds__(THREADS, RESIDENT)
glu_f16_kernel(__half *y, const __half *x, const __half *w, const __half *v, unsigned m, unsigned n, unsigned k) {
  constexpr int WARPS_N = BLOCK_N / WARP_N;
  constexpr int SLICE_THREADS = 32 * (BLOCK_M / WARP_M) * WARPS_N;
  constexpr int SLICE_K = BLOCK_K / SLICES;
  constexpr int X_TILE = BLOCK_M * BLOCK_K;
  constexpr int W_TILE = BLOCK_K * BLOCK_N;
  constexpr int STAGE = X_TILE + 2 * W_TILE;
  // Products of tensor cores in a warp's tile.
  constexpr int TILES_M = WARP_M / 16;
  constexpr int TILES_N = WARP_N / 8;
  static_assert(BLOCK_M % WARP_M == 0 && BLOCK_N % WARP_N == 0 && THREADS == SLICES * SLICE_THREADS, "whole warps");
  static_assert(WARP_M % 16 == 0 && WARP_N % 16 == 0 && SLICE_K % 16 == 0 && STAGES >= 2, "16 x 16, and a ring");
  extern __shared__ float4 shared4[];
  __half *shared = (__half *)(shared4 + 0);

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
  const __half *x_next = x + (size_t)row0 * k;
  const __half *w_next = w + column0;
  const __half *v_next = v + column0;
  unsigned depth = k;
  // Starts the next piece; behind the last one its group of copies is empty.
  auto fetch = [&](int slot) {
    if (depth > 0) {
      __half *to = shared + slot * STAGE;
      copy_tile<BLOCK_M, BLOCK_K, THREADS>(to, x_next, k, rows, depth, x_aligned);
      copy_tile<BLOCK_K, BLOCK_N, THREADS>(to + X_TILE, w_next, n, depth, columns, w_aligned);
      copy_tile<BLOCK_K, BLOCK_N, THREADS>(to + X_TILE + W_TILE, v_next, n, depth, columns, w_aligned);
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
  const unsigned warp_row = warp / WARPS_N * WARP_M;
  const unsigned warp_column = warp % WARPS_N * WARP_N;
  // The row and unit of which a lane hands over the address, for 16 x 16 elements. Sixteen rows further on a row
  // is as much out of place as this one.
  const unsigned lane_row = lane % 16;
  const unsigned lane_unit = lane / 16;
  const unsigned x_swizzle = swizzle<BLOCK_K>(lane_row);
  const unsigned w_swizzle = swizzle<BLOCK_N>(lane_row);
  float w_sums[TILES_M][TILES_N][4] = {};
  float v_sums[TILES_M][TILES_N][4] = {};

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

    const __half *x_at = shared + slot * STAGE + (warp_row + lane_row) * BLOCK_K;
    const __half *w_at = shared + slot * STAGE + X_TILE + (slice * SLICE_K + lane_row) * BLOCK_N;
#pragma unroll
    for (int p = 0; p < SLICE_K; p += 16) {
      unsigned xs[TILES_M][4];
      const unsigned x_unit = (slice * SLICE_K + p) / 8 + lane_unit;
#pragma unroll
      for (int i = 0; i < TILES_M; i++)
        ldmatrix_x4(xs[i], x_at + i * 16 * BLOCK_K + (x_unit ^ x_swizzle) * 8);
#pragma unroll
      for (int j = 0; j < TILES_N; j += 2) {
        unsigned ws[4], vs[4];
        const unsigned w_unit = warp_column / 8 + j + lane_unit;
        const __half *at = w_at + p * BLOCK_N + (w_unit ^ w_swizzle) * 8;
        ldmatrix_x4_trans(ws, at);
        ldmatrix_x4_trans(vs, at + W_TILE);
#pragma unroll
        for (int half = 0; half < 2; half++) {
          const unsigned w_pair[2] = {ws[2 * half], ws[2 * half + 1]};
          const unsigned v_pair[2] = {vs[2 * half], vs[2 * half + 1]};
#pragma unroll
          for (int i = 0; i < TILES_M; i++) {
            mma_m16n8k16(w_sums[i][j + half], xs[i], w_pair);
            mma_m16n8k16(v_sums[i][j + half], xs[i], v_pair);
          }
        }
      }
    }
    slot = slot == STAGES - 1 ? 0 : slot + 1;
  }

  // The pieces are done with: what is still under way are empty groups.
  glu_add_slices<SLICES, SLICE_THREADS, TILES_M * TILES_N * 4>((float *)shared, &w_sums[0][0][0]);
  glu_add_slices<SLICES, SLICE_THREADS, TILES_M * TILES_N * 4>((float *)shared, &v_sums[0][0][0]);

  // Through shared memory, so that a row of y is written 16 bytes at a time.
  __syncthreads();
  if (slice == 0)
#pragma unroll
    for (int i = 0; i < TILES_M; i++)
#pragma unroll
      for (int j = 0; j < TILES_N; j++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
          const float *w_pair = &w_sums[i][j][2 * half];
          const float *v_pair = &v_sums[i][j][2 * half];
          const unsigned row = warp_row + 16 * i + 8 * half + lane / 4;
          __half *at = shared + place<BLOCK_N>(row, warp_column / 8 + j) + lane % 4 * 2;
          *(__half2 *)at = __floats2half2_rn(w_pair[0] * GLU_ACT(v_pair[0]), w_pair[1] * GLU_ACT(v_pair[1]));
        }
  __syncthreads();
  constexpr int units = BLOCK_N / 8;
  const bool y_aligned = glu_aligned(y, n);
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < BLOCK_M * units; i += THREADS) {
    const unsigned row = i / units;
    const unsigned column = i % units * 8;
    if (row >= rows)
      break;
    const __half *from = shared + place<BLOCK_N>(row, i % units);
    __half *to = y + (size_t)(row0 + row) * n + column0 + column;
    if (y_aligned) {
      if (column < columns)
        *(uint4 *)to = *(const uint4 *)from;
    } else {
#pragma unroll
      for (int q = 0; q < 8; q++)
        if (column + q < columns)
          to[q] = from[q];
    }
  }
}

// The reference: one thread per element of y, nothing shared, sums and activation in double.
// Launch: any block, with as many of them as cover n along x and m along y.
__global__ void glu_f16_reference(__half *y, const __half *x, const __half *w, const __half *v, unsigned m,
                                  unsigned n, unsigned k) {
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n)
    return;
  double w_sum = 0, v_sum = 0;
  for (unsigned p = 0; p < k; p++) {
    const double left = __half2float(x[(size_t)row * k + p]);
    w_sum += left * (double)__half2float(w[(size_t)p * n + column]);
    v_sum += left * (double)__half2float(v[(size_t)p * n + column]);
  }
  y[(size_t)row * n + column] = __double2half(w_sum * GLU_ACT(v_sum));
}
