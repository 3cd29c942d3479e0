//? if swapped
// C lies contiguously along M. So the product is computed transposed, its rows along N and its columns along M: then the
// quads that a thread holds are neighbours in C.
//? end
constexpr int ROWS = @ROW@_PRIM, COLUMNS = @COLUMN@_PRIM, DEPTH = K_PRIM;
// What a thread computes: sub-tiles of 4 x 4, those of the lanes of a warp side by side.
constexpr int DOWN = @ROW@R, ACROSS = @COLUMN@R;
constexpr int THREADS = ROWS / DOWN * (COLUMNS / ACROSS);
constexpr int LANES_ACROSS = COLUMNS / ACROSS < 8 ? COLUMNS / ACROSS : ROWS / DOWN < 4 ? 32 / (ROWS / DOWN) : 8;
constexpr int LANES_DOWN = 32 / LANES_ACROSS;
constexpr int WARPS_ACROSS = COLUMNS / (LANES_ACROSS * ACROSS);
static_assert(THREADS % 32 == 0 && LANES_DOWN >= 2 && LANES_ACROSS >= 2, "whole warps, in two dimensions");
static_assert(ROWS % (LANES_DOWN * DOWN) == 0 && COLUMNS % (LANES_ACROSS * ACROSS) == 0, "warps cover the tile");
static_assert(DOWN % 4 == 0 && ACROSS % 4 == 0, "sub-tiles of 4 x 4");
static_assert(STAGES >= 2, "one stage is computed with while another is filled");
//? if any_straight

// A tile of an input that is contiguous along its own side, in shared memory as it lies there: DEPTH lines of SIDE
// elements. A thread copies a quad of every STEP-th line.
template <int SIDE> struct StraightTile {
  static constexpr int PITCH = SIDE, FLOATS = DEPTH * PITCH;
  static constexpr int QUADS = SIDE / 4, STEP = THREADS / QUADS, COUNT = DEPTH / STEP;
  static_assert(THREADS % QUADS == 0 && DEPTH % STEP == 0, "the threads share a tile equally");

  const float *from; // this thread's first quad
  size_t pitch;      // elements from a line to the next
  unsigned line, column;

  __device__ __forceinline__ StraightTile(const float *tile, size_t side, size_t depth) : pitch(depth) {
    (void)side;
    line = threadIdx.x / QUADS;
    column = threadIdx.x % QUADS * 4;
    from = tile + line * pitch + column;
  }

  // Starts the copy of quad i of a tile of which only so much exists, WIDTH elements at a time.
  template <int WIDTH>
  __device__ __forceinline__ void start(float *tile, int i, unsigned side, unsigned depth) const {
    float *const to = tile + (line + i * STEP) * PITCH + column;
#pragma unroll
    for (int at = 0; at < 4; at += WIDTH)
      async_copy<4 * WIDTH>(to + at, from + i * STEP * pitch + at, line + i * STEP < depth && column + at < side);
  }
};
//? end
//? if any_turned

// A tile of an input that is not contiguous along its own side, transposed in shared memory: DEPTH lines of SIDE
// elements. Element by element: the lanes of a warp copy 8 along K of 4 rows, whose places are all in different banks,
// as lines are 4 elements longer than a multiple of 32.
template <int SIDE> struct TurnedTile {
  static constexpr int PITCH = SIDE + 4, FLOATS = DEPTH * PITCH, COUNT = SIDE * DEPTH / THREADS;
  static_assert(COUNT * THREADS == SIDE * DEPTH && DEPTH % 8 == 0, "the threads share a tile equally");
  static_assert((SIDE & (SIDE - 1)) == 0 && (THREADS & (THREADS - 1)) == 0, "powers of two");

  const float *from; // this thread's first element
  size_t side, depth; // elements from one to the next
  unsigned row, k;

  __device__ __forceinline__ TurnedTile(const float *tile, size_t side, size_t depth) : side(side), depth(depth) {
    row = threadIdx.x / 8 % SIDE;
    k = threadIdx.x % 8 + threadIdx.x / (8 * SIDE) * 8;
    from = tile + row * side + k * depth;
  }

  // Where copy i is, from the thread's first one on.
  static __device__ __forceinline__ constexpr unsigned row_of(int i) { return i * THREADS / 8 % SIDE; }
  static __device__ __forceinline__ constexpr unsigned k_of(int i) { return i * THREADS / (8 * SIDE) * 8; }

  __device__ __forceinline__ void start(float *tile, int i, unsigned rows, unsigned left) const {
    async_copy<4>(tile + (k + k_of(i)) * PITCH + row + row_of(i), from + row_of(i) * side + k_of(i) * depth,
                  row + row_of(i) < rows && k + k_of(i) < left);
  }
};
//? end

typedef @Left@Tile<ROWS> LeftTile;
typedef @Right@Tile<COLUMNS> RightTile;
constexpr int STAGE = LeftTile::FLOATS + RightTile::FLOATS;

// Reads a thread's share of a line: every STRIDE elements a quad.
template <int STRIDE, int LENGTH> static __device__ __forceinline__ void read(float (&to)[LENGTH], const float *from) {
#pragma unroll
  for (int i = 0; i < LENGTH / 4; i++) {
    const float4 quad = *(const float4 *)(from + i * STRIDE);
    to[4 * i] = quad.x, to[4 * i + 1] = quad.y, to[4 * i + 2] = quad.z, to[4 * i + 3] = quad.w;
  }
}

// Adds the products of `steps` tiles to a thread's sums, whose first row and column in the tile are `row` and `column`.
// `advance` moves both pointers to the next tile along K, of which `depth` elements exist.
template <bool WIDE, class Advance, class Depth>
static __device__ __forceinline__ void multiply(float (&sums)[DOWN][ACROSS], float *stages, LeftTile left,
                                                RightTile right, unsigned row, unsigned column, unsigned rows,
                                                unsigned columns, unsigned steps, Advance advance, Depth depth) {
  // Copies run ahead. Beyond the end they read nothing and store zeros, which nobody multiplies.
  const auto copy = [&](float *stage) {
    const unsigned ahead = depth();
#pragma unroll
    for (int i = 0; i < LeftTile::COUNT; i++)
      left.@left_start@(stage, i, rows, ahead);
#pragma unroll
    for (int i = 0; i < RightTile::COUNT; i++)
      right.@right_start@(stage + LeftTile::FLOATS, i, columns, ahead);
    advance(left.from, right.from);
  };

#pragma unroll
  for (int stage = 0; stage < STAGES - 1; stage++) {
    copy(stages + stage * STAGE);
    async_commit();
  }
  float *now = stages;                         // computed with
  float *next = stages + (STAGES - 1) * STAGE; // copied to: read for the last time before the last barrier
  float *const last = next;
#pragma unroll 1
  for (unsigned step = 0; step < steps; step++) {
    async_wait<STAGES - 2>();
    __syncthreads();
    copy(next);
    async_commit();
    const float *const left_line = now + row;
    const float *const right_line = now + LeftTile::FLOATS + column;
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
      float left_part[DOWN], right_part[ACROSS];
      read<4 * LANES_DOWN>(left_part, left_line + k * LeftTile::PITCH);
      read<4 * LANES_ACROSS>(right_part, right_line + k * RightTile::PITCH);
#pragma unroll
      for (int i = 0; i < DOWN; i++)
#pragma unroll
        for (int j = 0; j < ACROSS; j++)
          sums[i][j] += left_part[i] * right_part[j];
    }
    next = now;
    now = now == last ? stages : now + STAGE;
  }
  // The zeros beyond the end: no copy outlives its block.
  async_wait<0>();
}

extern "C" __global__ void __launch_bounds__(THREADS) @entry@(@parameters@) {
  extern __shared__ float4 shared[];
  float *const stages = (float *)(shared + 0);
  @place@
  @loops@
  // The first elements of this block's tiles, and what exists of them.
  const float *const left = @left@;
  const float *const right = @right@;
  @rows@
  @columns@
  @walk@
  // A thread's first row and column. Lanes at distance 1 read the same of the right tile, those at distance 2 the same of
  // the left one: then half a warp is served at once.
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned lane_down, lane_across;
  if (LANES_DOWN <= 4) {
    lane_down = lane % 2 + lane / (2 * LANES_ACROSS) * 2;
    lane_across = lane / 2 % LANES_ACROSS;
  } else {
    lane_down = lane % 2 + lane / 4 % (LANES_DOWN / 2) * 2;
    lane_across = lane / 2 % 2 + lane / (2 * LANES_DOWN) * 2;
  }
  const unsigned row0 = warp / WARPS_ACROSS * (LANES_DOWN * DOWN) + lane_down * 4;
  const unsigned column0 = warp % WARPS_ACROSS * (LANES_ACROSS * ACROSS) + lane_across * 4;

  float sums[DOWN][ACROSS] = {};
  const LeftTile left_tile(left, @left_side@, @left_depth@);
  const RightTile right_tile(right, @right_side@, @right_depth@);
//? if any_wide
  const bool wide = @wide@;
  if (wide)
    multiply<true>(sums, stages, left_tile, right_tile, row0, column0, rows, columns, steps, advance, depth);
  else
    multiply<false>(sums, stages, left_tile, right_tile, row0, column0, rows, columns, steps, advance, depth);
//? else
  multiply<false>(sums, stages, left_tile, right_tile, row0, column0, rows, columns, steps, advance, depth);
//? end

  @Out@ *const to = @to@;
//? if elementwise
  const float *const factors = @factors@;
//? end
//? if contiguous
  const bool quads = (size_t)to % (4 * sizeof(@Out@)) == 0 && @to_row@ % 4 == 0;
//? end
#pragma unroll
  for (int i = 0; i < DOWN; i++)
#pragma unroll
    for (int j = 0; j < ACROSS; j += 4) {
      const unsigned row = row0 + i / 4 * (4 * LANES_DOWN) + i % 4;
      const unsigned column = column0 + j / 4 * (4 * LANES_ACROSS);
      const unsigned inside = row < rows && column < columns ? columns - column : 0;
      @Out@ *const quad = to@to_at@;
//? if elementwise
      const float *const factor = factors@factor_at@;
#pragma unroll
      for (unsigned at = 0; at < 4; at++)
        if (at < inside)
          sums[i][j + at] *= factor[@factor_next@];
//? end
//? if contiguous
      if (quads && inside >= 4) {
//? if half_output
        const __half2 low = __floats2half2_rn(sums[i][j], sums[i][j + 1]), high = __floats2half2_rn(sums[i][j + 2], sums[i][j + 3]);
        *(uint2 *)quad = make_uint2(*(const unsigned *)&low, *(const unsigned *)&high);
//? else
        *(float4 *)quad = make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
//? end
        continue;
      }
//? end
#pragma unroll
      for (unsigned at = 0; at < 4; at++)
        if (at < inside)
//? if half_output
          quad[@to_next@] = __float2half_rn(sums[i][j + at]);
//? else
          quad[@to_next@] = sums[i][j + at];
//? end
    }
//? if looped
  // The next tiles are copied to where these lay.
  __syncthreads();
//? end
  @loops_end@
}
