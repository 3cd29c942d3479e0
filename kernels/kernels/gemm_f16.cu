// C = A * B on tensor cores, row-major and dense: C is m x n, A is m x k, B is k x n. A and B are FP16 or BF16 (from sm_80 on),
// sums FP32, C is what they are (gemm_16_kernel), or FP32 of FP16 (gemm_f16_f32_kernel).
//
// A block computes a TILE_M x TILE_N tile of C, a warp WARP_M x WARP_N of it, walking along k in steps of
// TILE_K. Sources of the techniques: the hierarchy of tiles and the pipeline of shared memory and registers
// ("Efficient GEMM in CUDA", NVIDIA CUTLASS); ldmatrix and mma, the layouts of their registers (PTX ISA, "Warp
// Level Matrix Instructions"); the order of blocks (Triton's tutorial "Matrix Multiplication", "L2 Cache
// Optimizations").
//
// Template parameters:
//   T               __half or __nv_bfloat16
//   TILE_M, TILE_N  rows and columns of a block's tile of C; TILE_N is a power of two
//   TILE_K          depth of a step: 32, 64 or 128
//   WARP_M, WARP_N  rows and columns of a warp's part of the tile: multiples of 16, and a power of two from 32 on
//   STAGES          steps whose tiles are in shared memory at a time: one is computed with, the others are on
//                   their way (cp.async). Below sm_80 it is 2, and the way leads through registers.
//   GROUP_M         rows of tiles that blocks cover together before they go on along n, so that blocks that run
//                   at the same time share more of A and B in the second-level cache; 1 is row by row
//   WIDE            whether lanes exchange results to store 16 bytes each, in place of the 4 (16 bits) or 8 (FP32)
//                   neighbouring ones that they hold
//
// Launch: ceil(m / TILE_M) * ceil(n / TILE_N) blocks along x, of (TILE_M / WARP_M) * (TILE_N / WARP_N) warps
// along x, with 2 * STAGES * TILE_K * (TILE_M + TILE_N) bytes of dynamic shared memory.
//
// Any m, n, k. Where k and n are multiples of 8 and the matrices start at multiples of 16 bytes, copies have 16
// bytes; else a second loop copies element by element, much slower.
//
// Shared memory without conflicts of banks. Tiles consist of chunks of 16 bytes, of which 8 fill the 32 banks
// once, a line. Hardware serves 8 lanes at a time, so it needs their 8 chunks in 8 different places of a line.
// Chunk c of row r, with C chunks in a row, lies at place c ^ s(r) of its row:
//   C >= 8: s(r) = r % 8. The 8 rows of an 8 x 8 matrix (ldmatrix) have 8 different s, at the same c: 8 places
//     c ^ s. Lanes that store have 8 neighbouring c from a multiple of 8 on, and the same r: 8 places.
//   C = 4: a line holds 2 rows, and s(r) = r / 2 % 4. Of 8 rows 4 are even and lie in the first half of their
//     lines, the others in the second; in each half all four s occur. Lanes that store have all 4 chunks of an
//     even row and of the next, with the same s: 8 places.
//
// A few bytes are spilled where the assembler keeps a register back to have room for one more block.
// limits: registers <= 255, spill_bytes <= 16, local_bytes <= 16
// limits: block_registers <= 65536, shared_bytes <= 232448
#include "async_copy.cuh"
#include "number.cuh"
#include "tensor_core.cuh"

// What the numbers of the chunks of a row are combined with.
template <int CHUNKS> static __device__ __forceinline__ constexpr unsigned swizzle(unsigned row) {
  return CHUNKS < 8 ? row / (8 / CHUNKS) % CHUNKS : row % 8;
}

// What a thread copies of each tile of a matrix: a chunk in every STEP-th row.
template <class T, int ROWS, int CHUNKS, int THREADS> struct Share {
  static constexpr int STEP = THREADS / CHUNKS;
  static constexpr int COUNT = ROWS / STEP;
  static_assert(THREADS % CHUNKS == 0 && ROWS % STEP == 0, "the threads share a tile equally");

  const T *from; // its first chunk in the matrix
  size_t step;        // elements from one of its chunks to the next
  unsigned row, column;
  unsigned to; // bytes from the tile's start

  __device__ __forceinline__ Share(const T *tile, unsigned width) {
    const unsigned chunk = threadIdx.x % CHUNKS;
    row = threadIdx.x / CHUNKS;
    column = 8 * chunk;
    from = tile + (size_t)row * width + column;
    step = (size_t)STEP * width;
    to = 16 * (row * CHUNKS + (chunk ^ swizzle<CHUNKS>(row)));
  }

  // Where chunk i goes. `row` is below STEP: if that is a power of two, the sum of both has the bits of both.
  __device__ __forceinline__ uint4 *place(char *tile, int i) const {
    if constexpr ((STEP & (STEP - 1)) == 0)
      return (uint4 *)(tile + 16 * i * THREADS + (to ^ 16 * swizzle<CHUNKS>(i * STEP)));
    const unsigned moved = swizzle<CHUNKS>(row) ^ swizzle<CHUNKS>(row + i * STEP);
    return (uint4 *)(tile + 16 * i * THREADS + (to ^ 16 * moved));
  }

  // Starts the copy of chunk i of a tile of which only so many rows and columns are inside of the matrix.
  __device__ __forceinline__ void start(char *tile, int i, unsigned rows, unsigned columns) const {
    async_copy<16>(place(tile, i), from + i * step, row + i * STEP < rows && column < columns);
  }

  // Chunk i itself, zero where it is outside.
  template <bool VECTOR> __device__ __forceinline__ uint4 get(int i, unsigned rows, unsigned columns) const {
    uint4 chunk = make_uint4(0, 0, 0, 0);
    if (row + i * STEP >= rows || column >= columns)
      return chunk;
    if constexpr (VECTOR)
      return *(const uint4 *)(from + i * step);
    const unsigned short *at = (const unsigned short *)(from + i * step);
    const unsigned inside = columns - column;
    unsigned words[4];
#pragma unroll
    for (int word = 0; word < 4; word++) {
      words[word] = 2 * word < inside ? at[2 * word] : 0;
      words[word] |= 2 * word + 1 < inside ? (unsigned)at[2 * word + 1] << 16 : 0;
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
  }
};

template <int TILE_M_, int TILE_N_, int TILE_K_, int WARP_M_, int WARP_N_, int STAGES_> struct Shape {
  static constexpr int TILE_M = TILE_M_, TILE_N = TILE_N_, TILE_K = TILE_K_;
  static constexpr int WARP_M = WARP_M_, WARP_N = WARP_N_, STAGES = STAGES_;
  static constexpr int WARPS_N = TILE_N / WARP_N;
  static constexpr int THREADS = 32 * (TILE_M / WARP_M) * WARPS_N;
  // Products of 16 x 8 along a warp's rows and columns.
  static constexpr int ROWS = WARP_M / 16, COLUMNS = WARP_N / 8;
  static constexpr int A_CHUNKS = TILE_K / 8, B_CHUNKS = TILE_N / 8;
  static constexpr int A_BYTES = 2 * TILE_M * TILE_K, B_BYTES = 2 * TILE_K * TILE_N;
  static constexpr int STAGE = A_BYTES + B_BYTES;
  static_assert(TILE_M % WARP_M == 0 && TILE_N % WARP_N == 0, "warps cover the tile");
  static_assert(WARP_M % 16 == 0 && WARP_N >= 32 && (WARP_N & (WARP_N - 1)) == 0, "products cover a warp's part");
  static_assert(TILE_K >= 32 && (TILE_K & (TILE_K - 1)) == 0 && (TILE_N & (TILE_N - 1)) == 0, "powers of two");
  static_assert(STAGES >= 2 && (ASYNC_COPY || STAGES == 2), "no GPU before sm_80 copies ahead");
};

// Adds the products of a block's rows of A (from `a` on) and columns of B (from `b` on) to the warps' sums.
template <class S, bool VECTOR, class T>
static __device__ __forceinline__ void multiply(float (&sums)[S::ROWS][S::COLUMNS][4], char *tiles, const T *a,
                                                const T *b, unsigned rows, unsigned columns, unsigned n,
                                                unsigned k) {
  constexpr int SLICES = S::TILE_K / 16;
  typedef Share<T, S::TILE_M, S::A_CHUNKS, S::THREADS> ShareA;
  typedef Share<T, S::TILE_K, S::B_CHUNKS, S::THREADS> ShareB;
  ShareA a_share(a, k);
  ShareB b_share(b, n);

  // What is left of k for the copies, which run ahead. Beyond its end they read nothing and store zeros, which
  // nobody multiplies: a branch around them would part them from the products, among which they are issued.
  unsigned ahead = k;
  auto move_on = [&] {
    a_share.from += S::TILE_K;
    b_share.from += (size_t)S::TILE_K * n;
    ahead -= ahead < S::TILE_K ? ahead : S::TILE_K;
  };
  auto copy = [&](char *stage) {
    if constexpr (VECTOR) {
#pragma unroll
      for (int i = 0; i < ShareA::COUNT; i++)
        a_share.start(stage, i, rows, ahead);
#pragma unroll
      for (int i = 0; i < ShareB::COUNT; i++)
        b_share.start(stage + S::A_BYTES, i, ahead, columns);
    } else {
      // Slow anyhow: not at the price of registers, which the fast loop would pay as well.
#pragma unroll 1
      for (int i = 0; i < ShareA::COUNT; i++)
        *a_share.place(stage, i) = a_share.template get<false>(i, rows, ahead);
#pragma unroll 1
      for (int i = 0; i < ShareB::COUNT; i++)
        *b_share.place(stage + S::A_BYTES, i) = b_share.template get<false>(i, ahead, columns);
    }
    move_on();
  };
#if !ASYNC_COPY
  // On their way through registers.
  uint4 a_held[ShareA::COUNT], b_held[ShareB::COUNT];
  auto fetch = [&] {
#pragma unroll
    for (int i = 0; i < ShareA::COUNT; i++)
      a_held[i] = a_share.template get<VECTOR>(i, rows, ahead);
#pragma unroll
    for (int i = 0; i < ShareB::COUNT; i++)
      b_held[i] = b_share.template get<VECTOR>(i, ahead, columns);
    move_on();
  };
  auto keep = [&](char *stage) {
#pragma unroll
    for (int i = 0; i < ShareA::COUNT; i++)
      *a_share.place(stage, i) = a_held[i];
#pragma unroll
    for (int i = 0; i < ShareB::COUNT; i++)
      *b_share.place(stage + S::A_BYTES, i) = b_held[i];
  };
#endif

  // Lanes 0-15 name the rows of the left 8 columns of 16 x 16 elements, lanes 16-31 those of the right ones.
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const unsigned row = lane % 16;
  const unsigned a_row = warp / S::WARPS_N * S::WARP_M + row;
  const unsigned b_chunk = warp % S::WARPS_N * (S::WARP_N / 8) + lane / 16;
  const unsigned a_lane = 16 * (a_row * S::A_CHUNKS + (lane / 16 ^ swizzle<S::A_CHUNKS>(row)));
  const unsigned b_lane = S::A_BYTES + 16 * (row * S::B_CHUNKS + (b_chunk ^ swizzle<S::B_CHUNKS>(row)));
  unsigned a_part[2][S::ROWS][4], b_part[2][S::COLUMNS / 2][4];
  // A slice is 16 deep. Swizzles repeat after 16 rows, and what is added to a chunk's number has other bits.
  auto load = [&](const char *stage, int slice) {
#pragma unroll
    for (int i = 0; i < S::ROWS; i++)
      ldmatrix_x4(a_part[slice % 2][i], stage + (a_lane ^ 32 * slice) + 256 * i * S::A_CHUNKS);
#pragma unroll
    for (int j = 0; j < S::COLUMNS / 2; j++)
      ldmatrix_x4_trans(b_part[slice % 2][j], stage + (b_lane ^ 32 * j) + 256 * slice * S::B_CHUNKS);
  };

#pragma unroll
  for (int stage = 0; stage < S::STAGES - 1; stage++) {
    copy(tiles + stage * S::STAGE);
    async_commit();
  }
  char *now = tiles;                               // computed with
  char *next = tiles + (S::STAGES - 1) * S::STAGE; // copied to: free since the last barrier
  char *const last = next;
  async_wait<S::STAGES - 2>();
  __syncthreads();
  load(now, 0);
  for (unsigned depth = k; depth > 0; depth -= depth < S::TILE_K ? depth : S::TILE_K) {
#pragma unroll
    for (int slice = 0; slice < SLICES; slice++) {
      if (slice == SLICES - 1) {
        // All have loaded the last slice of this stage, and the next stage is there.
#if !ASYNC_COPY
        keep(next);
#endif
        async_wait<S::STAGES - 2>();
        __syncthreads();
        next = now;
        now = now == last ? tiles : now + S::STAGE;
      }
      load(now, (slice + 1) % SLICES);
      if (slice == 0) {
#if ASYNC_COPY
        copy(next);
        async_commit();
#else
        fetch();
#endif
      }
#pragma unroll
      for (int i = 0; i < S::ROWS; i++)
#pragma unroll
        for (int step = 0; step < S::COLUMNS; step++) {
          // To and fro, so that neighbouring products share operands.
          const int j = i % 2 ? S::COLUMNS - 1 - step : step;
          const unsigned(&both)[4] = b_part[slice % 2][j / 2];
          const unsigned b_pair[2] = {both[j % 2 * 2], both[j % 2 * 2 + 1]};
          mma_m16n8k16<Number<T>::BF16>(sums[i][j], a_part[slice % 2][i], b_pair);
        }
    }
  }
  // The zeros beyond the end: no copy outlives its block.
  async_wait<0>();
}

static __device__ __forceinline__ unsigned exchange(unsigned word, int by) {
  return __shfl_xor_sync(0xffffffff, word, by);
}

// Stores a row of a warp's products, of which a lane holds `COLUMNS` times two neighbouring results: of 16 bits
// a word, of FP32 two. `vector`: rows start at multiples of what a lane stores at once.
template <int COLUMNS, bool WIDE, class T>
static __device__ __forceinline__ void store(T *row, const float (&low)[COLUMNS], const float (&high)[COLUMNS],
                                             unsigned columns, bool vector) {
  const unsigned member = threadIdx.x % 4;
  if (!vector) {
#pragma unroll
    for (int j = 0; j < COLUMNS; j++) {
      const unsigned column = 8 * j + 2 * member;
      if (column < columns)
        row[column] = T(low[j]);
      if (column + 1 < columns)
        row[column + 1] = T(high[j]);
    }
    return;
  }
  if constexpr (!WIDE) {
#pragma unroll
    for (int j = 0; j < COLUMNS; j++)
      if (8 * j < columns)
        *(unsigned *)(row + 8 * j + 2 * member) = pair<T>(low[j], high[j]);
    return;
  }
  // Four members have a row of four products, 4 x 4 words: transposed, each has a whole row of one.
#pragma unroll
  for (int j = 0; j < COLUMNS; j += 4) {
    const unsigned w0 = pair<T>(low[j], high[j]), w1 = pair<T>(low[j + 1], high[j + 1]);
    const unsigned w2 = pair<T>(low[j + 2], high[j + 2]), w3 = pair<T>(low[j + 3], high[j + 3]);
    const bool odd = member & 1, upper = member & 2;
    const unsigned r0 = exchange(odd ? w0 : w1, 1), r1 = exchange(odd ? w2 : w3, 1);
    // Of products `odd` and 2 + `odd`: the words of both members of this pair.
    const unsigned x0 = odd ? r0 : w0, x1 = odd ? w1 : r0;
    const unsigned y0 = odd ? r1 : w2, y1 = odd ? w3 : r1;
    const unsigned s0 = exchange(upper ? x0 : y0, 2), s1 = exchange(upper ? x1 : y1, 2);
    const unsigned column = 8 * (j + member);
    if (column < columns)
      *(uint4 *)(row + column) = upper ? make_uint4(s0, s1, y0, y1) : make_uint4(x0, x1, s0, s1);
  }
}

template <int COLUMNS, bool WIDE>
static __device__ __forceinline__ void store(float *row, const float (&low)[COLUMNS], const float (&high)[COLUMNS],
                                             unsigned columns, bool vector) {
  const unsigned member = threadIdx.x % 4;
  if (!vector) {
#pragma unroll
    for (int j = 0; j < COLUMNS; j++) {
      const unsigned column = 8 * j + 2 * member;
      if (column < columns)
        row[column] = low[j];
      if (column + 1 < columns)
        row[column + 1] = high[j];
    }
    return;
  }
  if constexpr (!WIDE) {
#pragma unroll
    for (int j = 0; j < COLUMNS; j++)
      if (8 * j < columns)
        *(float2 *)(row + 8 * j + 2 * member) = make_float2(low[j], high[j]);
    return;
  }
  // Two members have half a row of two products: each gets that half of one.
#pragma unroll
  for (int j = 0; j < COLUMNS; j += 2) {
    const bool odd = member & 1;
    const float r0 = __uint_as_float(exchange(__float_as_uint(odd ? low[j] : low[j + 1]), 1));
    const float r1 = __uint_as_float(exchange(__float_as_uint(odd ? high[j] : high[j + 1]), 1));
    const unsigned column = 8 * (j + odd) + 4 * (member / 2);
    if (column < columns)
      *(float4 *)(row + column) =
          odd ? make_float4(r0, r1, low[j + 1], high[j + 1]) : make_float4(low[j], high[j], r0, r1);
  }
}

template <class S, int GROUP_M, bool WIDE, class Out, class T>
static __device__ __forceinline__ void product(Out *c, const T *a, const T *b, unsigned m, unsigned n, unsigned k,
                                               char *tiles) {
  // Groups of GROUP_M rows of tiles; in a group column by column. The last group may be lower.
  const unsigned down = (m - 1) / S::TILE_M + 1;
  const unsigned across = (n - 1) / S::TILE_N + 1;
  const unsigned first = blockIdx.x / (GROUP_M * across) * GROUP_M;
  const unsigned within = blockIdx.x % (GROUP_M * across);
  const unsigned height = down - first < GROUP_M ? down - first : GROUP_M;
  const unsigned row0 = (first + within % height) * S::TILE_M;
  const unsigned column0 = within / height * S::TILE_N;
  // What is left of the matrices from the tile's first element on. Differences do not overflow where sums would.
  const unsigned rows = m - row0;
  const unsigned columns = n - column0;

  float sums[S::ROWS][S::COLUMNS][4] = {};
  const bool vector = k % 8 == 0 && n % 8 == 0 && ((size_t)a | (size_t)b) % 16 == 0;
  const T *const a_rows = a + (size_t)row0 * k;
  const T *const b_columns = b + column0;
  if (vector)
    multiply<S, true>(sums, tiles, a_rows, b_columns, rows, columns, n, k);
  else
    multiply<S, false>(sums, tiles, a_rows, b_columns, rows, columns, n, k);

  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const unsigned left = warp % S::WARPS_N * S::WARP_N;
  const bool wide = n % 8 == 0 && (size_t)c % 16 == 0;
#pragma unroll
  for (int i = 0; i < S::ROWS; i++)
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const unsigned row = warp / S::WARPS_N * S::WARP_M + 16 * i + 8 * half + lane / 4;
      float low[S::COLUMNS], high[S::COLUMNS];
#pragma unroll
      for (int j = 0; j < S::COLUMNS; j++) {
        low[j] = sums[i][j][2 * half];
        high[j] = sums[i][j][2 * half + 1];
      }
      // All lanes exchange; those beyond the edges store nothing.
      const unsigned inside = row < rows && left < columns ? columns - left : 0;
      store<S::COLUMNS, WIDE>(c + (size_t)(row0 + row) * n + column0 + left, low, high, inside, wide);
    }
}

template <class T, int TILE_M, int TILE_N, int TILE_K, int WARP_M, int WARP_N, int STAGES, int GROUP_M, bool WIDE>
__global__ void __launch_bounds__(32 * (TILE_M / WARP_M) * (TILE_N / WARP_N))
gemm_16_kernel(T *c, const T *a, const T *b, unsigned m, unsigned n, unsigned k) {
  extern __shared__ uint4 tiles[];
  product<Shape<TILE_M, TILE_N, TILE_K, WARP_M, WARP_N, STAGES>, GROUP_M, WIDE>(c, a, b, m, n, k, (char *)(tiles + 0));
}

template <int TILE_M, int TILE_N, int TILE_K, int WARP_M, int WARP_N, int STAGES, int GROUP_M, bool WIDE>
__global__ void __launch_bounds__(32 * (TILE_M / WARP_M) * (TILE_N / WARP_N))
gemm_f16_f32_kernel(float *c, const __half *a, const __half *b, unsigned m, unsigned n, unsigned k) {
  extern __shared__ uint4 tiles[];
  product<Shape<TILE_M, TILE_N, TILE_K, WARP_M, WARP_N, STAGES>, GROUP_M, WIDE>(c, a, b, m, n, k, (char *)(tiles + 0));
}

// The reference: one thread per element of C, nothing shared, sums in double.
// Launch: any block, with as many of them as cover n along x and m along y.
template <class T>
static __device__ __forceinline__ double element(const T *a, const T *b, unsigned row, unsigned column, unsigned n,
                                                 unsigned k) {
  double sum = 0;
  for (unsigned p = 0; p < k; p++)
    sum += (double)(float)a[(size_t)row * k + p] * (double)(float)b[(size_t)p * n + column];
  return sum;
}

template <class Out, class T>
static __device__ __forceinline__ void reference(Out *c, const T *a, const T *b, unsigned m, unsigned n, unsigned k) {
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m && column < n)
    c[(size_t)row * n + column] = Out((float)element(a, b, row, column, n, k));
}

__global__ void gemm_f16_reference(__half *c, const __half *a, const __half *b, unsigned m, unsigned n, unsigned k) {
  reference(c, a, b, m, n, k);
}

__global__ void gemm_bf16_reference(__nv_bfloat16 *c, const __nv_bfloat16 *a, const __nv_bfloat16 *b, unsigned m,
                                    unsigned n, unsigned k) {
  reference(c, a, b, m, n, k);
}

__global__ void gemm_f16_f32_reference(float *c, const __half *a, const __half *b, unsigned m, unsigned n,
                                       unsigned k) {
  reference(c, a, b, m, n, k);
}
