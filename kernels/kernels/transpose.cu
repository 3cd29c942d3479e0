// out = transpose of in, FP32: in is rows x cols, out is cols x rows, both row-major and dense.
//
// A transpose moves every element once, so its speed is that of the memory system. A warp that reads
// along a row of in would write down a column of out, a piece of 4 bytes per row. A block therefore takes one
// tile through shared memory, where walking down a column costs nothing: it reads rows of in and writes
// rows of out, in whole cache lines both times (Ruetsch and Micikevicius, "Optimizing Matrix Transpose in CUDA",
// 2009; Harris, "An Efficient Matrix Transpose in CUDA C/C++", NVIDIA, 2013).
//
// To read and write 16 bytes per thread at once, a thread reads a VEC x VEC block as VEC vectors along the rows
// of in. It has then VEC vectors along the columns too, without moving anything: the
// block's columns are registers with other names.
//
// Template parameters:
//   TILE_ROWS     rows of in that make up a tile: 32, 64 or 128, so that a row of out is written in whole lines
//   TILE_COLUMNS  columns of in that make up a tile, likewise
//   VEC           side of the block that a thread transposes in registers, and floats per access: 1, 2 or 4
//   THREADS       threads of a block; each moves TILE_ROWS * TILE_COLUMNS / THREADS elements
//   LAYOUT        how the tile lies in shared memory:
//                   plain     row upon row: a warp that writes a column meets the same banks again and again
//                   padded    rows VEC floats longer: no conflict where VEC is 1, fewer where it is not
//                   swizzled  rows permuted within themselves: no conflict
//   ORDER         which tile a block takes:
//                   along_rows     the next one along the rows of in
//                   along_columns  the next one along the rows of out
//                   diagonal       the next ones down a diagonal: neither side stays in the same memory
//                                  channels (Ruetsch and Micikevicius, "partition camping")
//                   banded         bands of 8 tiles, walked across: near neighbours on both sides
//   STREAM        1: loads and stores are marked as used once
//
// Shared memory without conflicts: its 32 banks serve the lanes of a vector access in groups that move
// 128 bytes, 32 / VEC lanes. The tile lies as in out: line c holds column c of the tile, cut into slots of VEC
// floats. The lanes of a group that store have consecutive blocks b along the rows of in and write the same
// slot s of lines c = VEC * b + j, whose first banks are all 0, for lines are multiples of 32 floats.
// Swizzled, slot s lies at s XOR (b modulo 32 / VEC): consecutive b give 32 / VEC different places, all
// banks once. The lanes that load have consecutive slots of a line, whose permutation is one again.
//
// Launch: as many blocks of THREADS threads as there are tiles, with
// 4 * TILE_COLUMNS * (TILE_ROWS + (LAYOUT == padded ? VEC : 0)) bytes of dynamic shared memory. Any sizes; where rows of
// a matrix do not all begin at a multiple of VEC floats, that side is moved float by float.
//
// What no config may exceed on any GPU; `cargo bico compile` holds it:
// limits: registers <= 128, block_registers <= 65536, spill_bytes <= 0, local_bytes <= 0
// limits: shared_bytes <= 67584

#include "vector.cuh"

enum Layout { plain, padded, swizzled };
enum Order { along_rows, along_columns, diagonal, banded };

// The place of a tile in the grid of tiles.
struct Tile {
  unsigned row, column;
};

template <Order ORDER> static __device__ __forceinline__ Tile tile_of(unsigned block, unsigned rows, unsigned columns) {
  if constexpr (ORDER == along_rows) {
    return {block / columns, block % columns};
  } else if constexpr (ORDER == along_columns) {
    return {block % rows, block / rows};
  } else if constexpr (ORDER == diagonal) {
    const unsigned row = block % rows;
    return {row, (block / rows + row) % columns};
  } else {
    constexpr unsigned most = 8;
    const unsigned first = block / (most * columns) * most;
    const unsigned within = block % (most * columns);
    const unsigned height = rows - first < most ? rows - first : most;
    return {first + within % height, within / height};
  }
}

// Loads EACH blocks of VEC x VEC elements, DOWN rows of blocks apart, where they are inside of the matrix. `from` is the
// address of the first one's first element, at `row` and `column` of the tile, of whose rows and columns `height` and
// `width` belong to the matrix. VECTORS: its rows begin at multiples of VEC floats.
template <bool VECTORS, int DOWN, int STREAM, int EACH, int VEC>
static __device__ __forceinline__ void load_blocks(float (&values)[EACH][VEC][VEC], const float *from, unsigned cols,
                                                   unsigned row, unsigned column, unsigned height, unsigned width) {
#pragma unroll
  for (int i = 0; i < EACH; i++) {
#pragma unroll
    for (int r = 0; r < VEC; r++, row++, from += cols) {
      if constexpr (VECTORS) {
        if (row < height && column < width)
          load_vector<STREAM>(values[i][r], from);
      } else {
#pragma unroll
        for (int c = 0; c < VEC; c++)
          if (row < height && column + c < width)
            values[i][r][c] = load_float<STREAM>(from + c);
      }
    }
    row += (DOWN - 1) * VEC;
    from += (size_t)(DOWN - 1) * VEC * cols;
  }
}

// Stores COUNT vectors along the rows of out, LINES rows apart, from the tile in shared memory. The first one belongs to
// line `c` of the tile and lies in slot `slot`.
template <bool VECTORS, int LINES, int LINE, int MASK, int VEC, int STREAM, int COUNT>
static __device__ __forceinline__ void store_lines(float *to, const float *tile, unsigned rows, unsigned c, unsigned slot,
                                                   unsigned height, unsigned width) {
#pragma unroll
  for (int i = 0; i < COUNT; i++, c += LINES, to += (size_t)LINES * rows) {
    float piece[VEC];
    load_shared(piece, tile + c * LINE + (slot ^ (c / VEC & MASK)) * VEC);
    if constexpr (VECTORS) {
      if (c < width && slot * VEC < height)
        store_vector<STREAM>(to, piece);
    } else {
#pragma unroll
      for (int r = 0; r < VEC; r++)
        if (c < width && slot * VEC + r < height)
          store_float<STREAM>(to + r, piece[r]);
    }
  }
}

template <int TILE_ROWS, int TILE_COLUMNS, int VEC, int THREADS, Layout LAYOUT, Order ORDER, int STREAM>
__global__ void __launch_bounds__(THREADS)
transpose_kernel(float *__restrict__ out, const float *__restrict__ in, unsigned rows, unsigned cols) {
  constexpr int slots = TILE_ROWS / VEC;     // of a line of the tile in shared memory
  constexpr int across = TILE_COLUMNS / VEC; // blocks of registers along a row of in
  constexpr int each = slots * across / THREADS;
  constexpr int down = THREADS / across; // blocks of registers, one below the other, at a time
  constexpr int lines = THREADS / slots; // of the tile that are written at a time
  constexpr int line = TILE_ROWS + (LAYOUT == padded ? VEC : 0);
  constexpr int mask = LAYOUT == swizzled ? 32 / VEC - 1 : 0;
  static_assert(each * THREADS == slots * across, "a whole number of blocks of registers per thread");
  static_assert(down > 0 && lines > 0, "threads for at least a line of the tile");
  static_assert(TILE_ROWS % 32 == 0 && TILE_COLUMNS % 32 == 0, "whole cache lines");
  extern __shared__ __align__(16) float tile[];

  const unsigned thread = threadIdx.x;
  const Tile place = tile_of<ORDER>(blockIdx.x, (rows - 1) / TILE_ROWS + 1, (cols - 1) / TILE_COLUMNS + 1);
  const unsigned row0 = place.row * TILE_ROWS;
  const unsigned column0 = place.column * TILE_COLUMNS;
  // What is left of the matrix from the tile's first element on.
  const unsigned height = rows - row0;
  const unsigned width = cols - column0;
  in += (size_t)row0 * cols + column0;
  out += (size_t)column0 * rows + row0;

  // All loads before the first use of one: that many bytes are under way.
  float values[each][VEC][VEC];
  const unsigned b = thread % across;
  const unsigned column = b * VEC;
  const unsigned row = thread / across * VEC;
  const float *from = in + (size_t)row * cols + column;
  if (cols % VEC == 0 && vector_aligned<VEC>(in))
    load_blocks<true, down, STREAM>(values, from, cols, row, column, height, width);
  else
    load_blocks<false, down, STREAM>(values, from, cols, row, column, height, width);
#pragma unroll
  for (int i = 0; i < each; i++) {
    const unsigned slot = thread / across + i * down;
#pragma unroll
    for (int c = 0; c < VEC; c++) {
      float piece[VEC];
#pragma unroll
      for (int r = 0; r < VEC; r++)
        piece[r] = values[i][r][c];
      store_shared(tile + (column + c) * line + (slot ^ (b & mask)) * VEC, piece);
    }
  }
  __syncthreads();

  const unsigned slot = thread % slots;
  const unsigned c = thread / slots;
  float *to = out + (size_t)c * rows + slot * VEC;
  if (rows % VEC == 0 && vector_aligned<VEC>(out))
    store_lines<true, lines, line, mask, VEC, STREAM, each * VEC>(to, tile, rows, c, slot, height, width);
  else
    store_lines<false, lines, line, mask, VEC, STREAM, each * VEC>(to, tile, rows, c, slot, height, width);
}

// The reference: one thread per element of out, nothing shared.
// Launch: any block along x, with as many of them as cover rows * cols.
__global__ void transpose_reference(float *out, const float *in, unsigned rows, unsigned cols) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (size_t)rows * cols)
    out[i] = in[i % rows * cols + i / rows];
}
