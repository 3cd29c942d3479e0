// C = A * B in FP32, row-major and dense: C is m x n, A is m x k, B is k x n.
//
// The plain tiled product: a block computes one TILE_M x TILE_N tile of C, one
// element per thread. It walks along k in steps of TILE_K, for each of which
// its threads copy a tile of A and one of B to shared memory, so that an
// element is read from global memory once per block and not once per thread
// (CUDA C++ Programming Guide, "Shared Memory"). How often an element is used
// again hangs on the tile alone: 2 TILE_M TILE_N TILE_K operations for
// 4 TILE_K (TILE_M + TILE_N) bytes.
//
// Template parameters:
//   TILE_M       rows of the tile of C
//   TILE_N       columns of the tile of C
//   TILE_K       depth of a step
//   BLOCK_DIM_X  threads of a block along x: TILE_N
//   BLOCK_DIM_Y  threads of a block along y: TILE_M
//
// Launch: ceil(n / TILE_N) x ceil(m / TILE_M) blocks of BLOCK_DIM_X x
// BLOCK_DIM_Y threads, with 4 * TILE_K * (TILE_M + TILE_N) bytes of dynamic
// shared memory. Any m, n, k; neither must be a multiple of a tile. The grid
// allows 65535 blocks along y, so m is at most 65535 * TILE_M.
//
// With TILE_M in 4..128, TILE_N in 4..256 and TILE_K in 4..64 (powers of two),
// 135 of the 210 combinations have at most 1024 threads, and 134 of those at
// most 48 KiB of shared memory.
//
// What no config may exceed on any GPU; `cargo bico compile` holds it:
// limits: registers <= 96, block_registers <= 65536, spill_bytes <= 0, local_bytes <= 0
// limits: shared_bytes <= 49152

template <int TILE_M, int TILE_N, int TILE_K, int BLOCK_DIM_X, int BLOCK_DIM_Y>
__global__ void __launch_bounds__(BLOCK_DIM_X * BLOCK_DIM_Y)
matrix_multiply_kernel(float *c, const float *a, const float *b, unsigned m,
                       unsigned n, unsigned k) {
  static_assert(BLOCK_DIM_X == TILE_N && BLOCK_DIM_Y == TILE_M,
                "a thread per element of the tile");
  constexpr unsigned threads = BLOCK_DIM_X * BLOCK_DIM_Y;
  extern __shared__ float tiles[];
  float *a_tile = tiles;                   // TILE_M x TILE_K
  float *b_tile = tiles + TILE_M * TILE_K; // TILE_K x TILE_N

  const unsigned x = threadIdx.x;
  const unsigned y = threadIdx.y;
  const unsigned thread = y * BLOCK_DIM_X + x;
  const unsigned row0 = blockIdx.y * TILE_M;
  const unsigned column0 = blockIdx.x * TILE_N;
  // What is left of the matrices from the tile's first element on. Differences
  // do not overflow where sums would.
  const unsigned rows = m - row0;
  const unsigned columns = n - column0;

  float sum = 0.0f;
  unsigned depth = k;
  for (unsigned k0 = 0; depth > 0; k0 += TILE_K) {
    // Neighbouring threads copy neighbouring elements. Beyond the edges the
    // tiles are zero, which adds nothing.
    for (unsigned i = thread; i < TILE_M * TILE_K; i += threads) {
      const unsigned row = i / TILE_K;
      const unsigned column = i % TILE_K;
      const bool inside = row < rows && column < depth;
      a_tile[i] = inside ? a[(size_t)(row0 + row) * k + k0 + column] : 0.0f;
    }
    for (unsigned i = thread; i < TILE_K * TILE_N; i += threads) {
      const unsigned row = i / TILE_N;
      const unsigned column = i % TILE_N;
      const bool inside = row < depth && column < columns;
      b_tile[i] = inside ? b[(size_t)(k0 + row) * n + column0 + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (unsigned p = 0; p < TILE_K; p++)
      sum += a_tile[y * TILE_K + p] * b_tile[p * TILE_N + x];
    // Nobody overwrites a tile that somebody still reads.
    __syncthreads();
    depth -= depth < TILE_K ? depth : TILE_K;
  }

  if (y < rows && x < columns)
    c[(size_t)(row0 + y) * n + column0 + x] = sum;
}

// The reference: one thread per element of C, nothing shared.
// Launch: any block, with as many of them as cover n along x and m along y.
__global__ void gemm_naive(float *c, const float *a, const float *b, unsigned m,
                           unsigned n, unsigned k) {
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n)
    return;
  float sum = 0.0f;
  for (unsigned p = 0; p < k; p++)
    sum += a[(size_t)row * k + p] * b[(size_t)p * n + column];
  c[(size_t)row * n + column] = sum;
}
