//? if swapped
// C lies contiguously along M. So the product is computed transposed, its rows along N and its columns along M: then the
// results that a lane holds are neighbours in C.
//? end
constexpr int ROWS = @ROW@_PRIM, COLUMNS = @COLUMN@_PRIM, DEPTH = K_PRIM;
constexpr int WARP_ROWS = WARP_@ROW@, WARP_COLUMNS = WARP_@COLUMN@;
constexpr int WARPS_ACROSS = COLUMNS / WARP_COLUMNS;
constexpr int THREADS = 32 * (ROWS / WARP_ROWS) * WARPS_ACROSS;
// Products of 16 x 8 along a warp's rows and columns, and of depth 16 in a step.
constexpr int DOWN = WARP_ROWS / 16, ACROSS = WARP_COLUMNS / 8, SLICES = DEPTH / 16;
static_assert(ROWS % WARP_ROWS == 0 && COLUMNS % WARP_COLUMNS == 0, "warps cover the tile");
static_assert(WARP_ROWS % 16 == 0 && WARP_COLUMNS % 32 == 0, "products cover a warp's part");
static_assert(DEPTH >= 32 && (DEPTH & (DEPTH - 1)) == 0, "K_PRIM is a power of two from 32 on");
static_assert(STAGES >= 2, "one stage is computed with while another is filled");

// What the numbers of the chunks of a line are combined with, so that no two lanes meet in a bank: 8 chunks of 16 bytes
// fill the banks once, and hardware serves 8 lanes at a time, which have the same chunk of 8 lines, or 8 chunks of one.
template <int CHUNKS> static __device__ __forceinline__ constexpr unsigned swizzle(unsigned line) {
  return CHUNKS < 8 ? line / (8 / CHUNKS) % CHUNKS : line % 8;
}

// A tile in shared memory, LINES lines of CHUNKS chunks of 8 elements, and what a thread copies of it: a chunk in every
// STEP-th line.
template <int LINES, int CHUNKS> struct Tile {
  static constexpr int STEP = THREADS / CHUNKS, COUNT = LINES / STEP, BYTES = 16 * LINES * CHUNKS;
  static_assert((CHUNKS & (CHUNKS - 1)) == 0, "the contiguous side of a tile is a power of two");
  static_assert(THREADS % CHUNKS == 0 && LINES % STEP == 0, "the threads share a tile equally");

  const __half *from;  // this thread's first chunk
  size_t pitch, along; // elements from a line to the next, and from one of a line's elements to the next
  unsigned line, column;

  __device__ __forceinline__ Tile(const __half *tile, size_t pitch, size_t along) : pitch(pitch), along(along) {
    line = threadIdx.x / CHUNKS;
    column = threadIdx.x % CHUNKS * 8;
    from = tile + line * pitch + column * along;
  }

  // Where chunk i goes.
  __device__ __forceinline__ char *place(char *tile, int i) const {
    const unsigned at = line + i * STEP;
    return tile + 16 * (at * CHUNKS + (column / 8 ^ swizzle<CHUNKS>(at)));
  }
//? if any_wide

  // Starts the copy of chunk i of a tile of which only so many lines and columns exist.
  __device__ __forceinline__ void start(char *tile, int i, unsigned lines, unsigned columns) const {
    char *const to = place(tile, i);
#pragma unroll
    for (int at = 0; at < 8; at += VECTOR)
      async_copy<2 * VECTOR>(to + 2 * at, from + i * STEP * pitch + at, line + i * STEP < lines && column + at < columns);
  }
//? end

  // Copies chunk i at once, element by element.
  __device__ __forceinline__ void copy(char *tile, int i, unsigned lines, unsigned columns) const {
    const unsigned short *const at = (const unsigned short *)(from + i * STEP * pitch);
    const unsigned inside = line + i * STEP < lines && column < columns ? columns - column : 0;
    unsigned words[4];
#pragma unroll
    for (int word = 0; word < 4; word++) {
      words[word] = 2 * word < inside ? at[2 * word * along] : 0;
      words[word] |= 2 * word + 1 < inside ? (unsigned)at[(2 * word + 1) * along] << 16 : 0;
    }
    *(uint4 *)place(tile, i) = make_uint4(words[0], words[1], words[2], words[3]);
  }
};

// Lines are along K where the other side is contiguous.
typedef Tile<@left_lines@, @left_chunks@ / 8> LeftTile;
typedef Tile<@right_lines@, @right_chunks@ / 8> RightTile;
constexpr int STAGE = LeftTile::BYTES + RightTile::BYTES;

// Adds the products of `steps` tiles to the warps' sums. `advance` moves both pointers to the next tile along K, of
// which `depth` elements exist.
template <bool WIDE, class Advance, class Depth>
static __device__ __forceinline__ void multiply(float (&sums)[DOWN][ACROSS][4], char *stages, LeftTile left,
                                                RightTile right, unsigned rows, unsigned columns, unsigned steps,
                                                Advance advance, Depth depth) {
  // Copies run ahead. Beyond the end they read nothing and store zeros, which nobody multiplies.
  const auto copy = [&](char *stage) {
    const unsigned ahead = depth();
//? if left_wide
    if constexpr (WIDE) {
#pragma unroll
      for (int i = 0; i < LeftTile::COUNT; i++)
        left.start(stage, i, @left_extents@);
    } else {
#pragma unroll 1
      for (int i = 0; i < LeftTile::COUNT; i++)
        left.copy(stage, i, @left_extents@);
    }
//? else
#pragma unroll 1
    for (int i = 0; i < LeftTile::COUNT; i++)
      left.copy(stage, i, @left_extents@);
//? end
//? if right_wide
    if constexpr (WIDE) {
#pragma unroll
      for (int i = 0; i < RightTile::COUNT; i++)
        right.start(stage + LeftTile::BYTES, i, @right_extents@);
    } else {
#pragma unroll 1
      for (int i = 0; i < RightTile::COUNT; i++)
        right.copy(stage + LeftTile::BYTES, i, @right_extents@);
    }
//? else
#pragma unroll 1
    for (int i = 0; i < RightTile::COUNT; i++)
      right.copy(stage + LeftTile::BYTES, i, @right_extents@);
//? end
    advance(left.from, right.from);
  };

  // The rows of four 8 x 8 matrices that a lane names, in the order in which products want them.
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned warp_row = warp / WARPS_ACROSS * WARP_ROWS, warp_column = warp % WARPS_ACROSS * WARP_COLUMNS;
  constexpr int LEFT_CHUNKS = @left_chunks@ / 8, RIGHT_CHUNKS = @right_chunks@ / 8;
//? if left_along_k
  const unsigned left_line = lane % 16, left_chunk = lane / 16;
  const unsigned left_lane =
      16 * ((warp_row + left_line) * LEFT_CHUNKS + (left_chunk ^ swizzle<LEFT_CHUNKS>(left_line)));
//? else
  const unsigned left_line = lane % 8 + lane / 16 * 8, left_chunk = warp_row / 8 + lane / 8 % 2;
  const unsigned left_lane = 16 * (left_line * LEFT_CHUNKS + (left_chunk ^ swizzle<LEFT_CHUNKS>(left_line)));
//? end
//? if right_along_k
  const unsigned right_line = lane % 8 + lane / 16 * 8, right_chunk = lane / 8 % 2;
  const unsigned right_lane =
      LeftTile::BYTES +
      16 * ((warp_column + right_line) * RIGHT_CHUNKS + (right_chunk ^ swizzle<RIGHT_CHUNKS>(right_line)));
//? else
  const unsigned right_line = lane % 16, right_chunk = warp_column / 8 + lane / 16;
  const unsigned right_lane =
      LeftTile::BYTES + 16 * (right_line * RIGHT_CHUNKS + (right_chunk ^ swizzle<RIGHT_CHUNKS>(right_line)));
//? end
  unsigned left_part[2][DOWN][4], right_part[2][ACROSS / 2][4];
  // Swizzles repeat after 16 lines, and what is added to a chunk's number has other bits.
  const auto load = [&](const char *stage, int slice) {
#pragma unroll
    for (int i = 0; i < DOWN; i++)
//? if left_along_k
      ldmatrix_x4(left_part[slice % 2][i], stage + (left_lane ^ 32 * slice) + 256 * i * LEFT_CHUNKS);
//? else
      ldmatrix_x4_trans(left_part[slice % 2][i], stage + (left_lane ^ 32 * i) + 256 * slice * LEFT_CHUNKS);
//? end
#pragma unroll
    for (int j = 0; j < ACROSS / 2; j++)
//? if right_along_k
      ldmatrix_x4(right_part[slice % 2][j],
                    stage + (right_lane ^ 32 * slice) + 256 * j * RIGHT_CHUNKS);
//? else
      ldmatrix_x4_trans(right_part[slice % 2][j],
                      stage + (right_lane ^ 32 * j) + 256 * slice * RIGHT_CHUNKS);
//? end
  };

#pragma unroll
  for (int stage = 0; stage < STAGES - 1; stage++) {
    copy(stages + stage * STAGE);
    async_commit();
  }
  char *now = stages;                         // computed with
  char *next = stages + (STAGES - 1) * STAGE; // copied to: free since the last barrier
  char *const last = next;
  async_wait<STAGES - 2>();
  __syncthreads();
  load(now, 0);
  for (unsigned step = 0; step < steps; step++) {
#pragma unroll
    for (int slice = 0; slice < SLICES; slice++) {
      if (slice == SLICES - 1) {
        // All have loaded the last slice of this stage, and the next stage is there.
        async_wait<STAGES - 2>();
        __syncthreads();
        next = now;
        now = now == last ? stages : now + STAGE;
      }
      load(now, (slice + 1) % SLICES);
      if (slice == 0) {
        copy(next);
        async_commit();
      }
#pragma unroll
      for (int i = 0; i < DOWN; i++)
#pragma unroll
        for (int turn = 0; turn < ACROSS; turn++) {
          // To and fro, so that neighbouring products share operands.
          const int j = i % 2 ? ACROSS - 1 - turn : turn;
          const unsigned(&both)[4] = right_part[slice % 2][j / 2];
          const unsigned pair[2] = {both[j % 2 * 2], both[j % 2 * 2 + 1]};
          mma_m16n8k16(sums[i][j], left_part[slice % 2][i], pair);
        }
    }
  }
  // The zeros beyond the end: no copy outlives its block.
  async_wait<0>();
}
//? if contiguous

static __device__ __forceinline__ unsigned exchange(unsigned word, int by) {
  return __shfl_xor_sync(0xffffffff, word, by);
}
//? if half_output

static __device__ __forceinline__ unsigned pack(float low, float high) {
  return __half_as_ushort(__float2half_rn(low)) | (unsigned)__half_as_ushort(__float2half_rn(high)) << 16;
}

// Stores a row of a warp's results, 16 bytes per lane. Four members have a row of four products, 4 x 4 words:
// transposed, each has a whole row of one.
static __device__ __forceinline__ void store_wide(__half *row, const float (&low)[ACROSS], const float (&high)[ACROSS],
                                                  unsigned columns) {
  const unsigned member = threadIdx.x % 4;
#pragma unroll
  for (int j = 0; j < ACROSS; j += 4) {
    const unsigned w0 = pack(low[j], high[j]), w1 = pack(low[j + 1], high[j + 1]);
    const unsigned w2 = pack(low[j + 2], high[j + 2]), w3 = pack(low[j + 3], high[j + 3]);
    const bool odd = member & 1, upper = member & 2;
    const unsigned r0 = exchange(odd ? w0 : w1, 1), r1 = exchange(odd ? w2 : w3, 1);
    // The words that both members of this pair have of products `odd` and 2 + `odd`.
    const unsigned x0 = odd ? r0 : w0, x1 = odd ? w1 : r0;
    const unsigned y0 = odd ? r1 : w2, y1 = odd ? w3 : r1;
    const unsigned s0 = exchange(upper ? x0 : y0, 2), s1 = exchange(upper ? x1 : y1, 2);
    const unsigned column = 8 * (j + member);
    if (column < columns)
      *(uint4 *)(row + column) = upper ? make_uint4(s0, s1, y0, y1) : make_uint4(x0, x1, s0, s1);
  }
}
//? else

// Stores a row of a warp's results, 16 bytes per lane. Two members have half a row of two products: each gets that half
// of one.
static __device__ __forceinline__ void store_wide(float *row, const float (&low)[ACROSS], const float (&high)[ACROSS],
                                                  unsigned columns) {
  const unsigned member = threadIdx.x % 4;
#pragma unroll
  for (int j = 0; j < ACROSS; j += 2) {
    const bool odd = member & 1;
    const float r0 = __uint_as_float(exchange(__float_as_uint(odd ? low[j] : low[j + 1]), 1));
    const float r1 = __uint_as_float(exchange(__float_as_uint(odd ? high[j] : high[j + 1]), 1));
    const unsigned column = 8 * (j + odd) + 4 * (member / 2);
    if (column < columns)
      *(float4 *)(row + column) =
          odd ? make_float4(r0, r1, low[j + 1], high[j + 1]) : make_float4(low[j], high[j], r0, r1);
  }
}
//? end
//? end

extern "C" __global__ void __launch_bounds__(THREADS) @entry@(@parameters@) {
  extern __shared__ uint4 shared[];
  char *const stages = (char *)(shared + 0);
  @place@
  @loops@
  // The first elements of this block's tiles, and what exists of them.
  const __half *const left = @left@;
  const __half *const right = @right@;
  @rows@
  @columns@
  @walk@
  float sums[DOWN][ACROSS][4] = {};
  const LeftTile left_tile(left, @left_pitch@, @left_along@);
  const RightTile right_tile(right, @right_pitch@, @right_along@);
//? if any_wide
  const bool wide = @wide@;
  if (wide)
    multiply<true>(sums, stages, left_tile, right_tile, rows, columns, steps, advance, depth);
  else
    multiply<false>(sums, stages, left_tile, right_tile, rows, columns, steps, advance, depth);
//? else
  multiply<false>(sums, stages, left_tile, right_tile, rows, columns, steps, advance, depth);
//? end

  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned warp_row = warp / WARPS_ACROSS * WARP_ROWS, warp_column = warp % WARPS_ACROSS * WARP_COLUMNS;
  @Out@ *const to = @to@;
//? if elementwise
  const __half *const factors = @factors@;
//? end
//? if contiguous
  const bool wide_rows = (size_t)to % 16 == 0 && @to_row@ % @store@ == 0 && columns % @store@ == 0;
//? end
#pragma unroll
  for (int i = 0; i < DOWN; i++)
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const unsigned row = warp_row + 16 * i + 8 * half + lane / 4;
      // All lanes exchange results; those beyond the edges store nothing.
      const unsigned inside = row < rows && warp_column < columns ? columns - warp_column : 0;
      float low[ACROSS], high[ACROSS];
#pragma unroll
      for (int j = 0; j < ACROSS; j++) {
        low[j] = sums[i][j][2 * half];
        high[j] = sums[i][j][2 * half + 1];
//? if elementwise
        const unsigned column = 8 * j + lane % 4 * 2;
        const __half *const factor = factors@factor_at@;
        if (column < inside)
          low[j] *= __half2float(factor[0]);
        if (column + 1 < inside)
          high[j] *= __half2float(factor[@factor_next@]);
//? end
      }
      @Out@ *const to_row = to@to_at@;
//? if contiguous
      if (wide_rows) {
        store_wide(to_row, low, high, inside);
        continue;
      }
//? end
#pragma unroll
      for (int j = 0; j < ACROSS; j++) {
        const unsigned column = 8 * j + lane % 4 * 2;
//? if half_output
        if (column < inside)
          to_row[@to_low@] = __float2half_rn(low[j]);
        if (column + 1 < inside)
          to_row[@to_high@] = __float2half_rn(high[j]);
//? else
        if (column < inside)
          to_row[@to_low@] = low[j];
        if (column + 1 < inside)
          to_row[@to_high@] = high[j];
//? end
      }
    }
//? if looped
  // The next tiles are copied to where these lay.
  __syncthreads();
//? end
  @loops_end@
}
