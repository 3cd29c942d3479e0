// out = transpose of in, FP32: in is rows x cols, out is cols x rows, both
// row-major and dense.
//
// A transpose moves every element once, so its speed is that of the memory
// system. Whichever side is walked in order, the other side is walked with a
// stride of a whole row; the work is therefore cut into tiles whose cache lines
// stay in a cache until all their elements are used. Inside a tile, U x U
// blocks are transposed in vector registers.
//
// Compile-time parameters:
//   U      side of the block transposed in registers: 1 (scalar), 4, 8 or 16
//   TR     rows of in that make up a tile, a multiple of U
//   TC     columns of in that make up a tile, a multiple of U
//   OUTER  order of the tiles: 0 along the rows of in, 1 along those of out
//   INNER  order of the blocks in a tile: the same two choices
//   PF     rows of blocks ahead of the current one whose part of in is
//          prefetched (in the direction of INNER = 0); 0: never

#include <stddef.h>
#include <stdint.h>

#ifndef U
#define U 16
#endif
#ifndef TR
#define TR 64
#endif
#ifndef TC
#define TC 64
#endif
#ifndef OUTER
#define OUTER 0
#endif
#ifndef INNER
#define INNER 1
#endif
#ifndef PF
#define PF 0
#endif

_Static_assert(U == 1 || U == 4 || U == 8 || U == 16, "U");
_Static_assert(TR % U == 0 && TC % U == 0, "tile sizes");

// Complete unrolling keeps the rows of a block in registers.
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 64")
#endif

#if U > 1
// Rows of either matrix start anywhere, hence no alignment promise.
typedef float vec_u __attribute__((vector_size(4 * U), aligned(4), may_alias));
typedef float vec __attribute__((vector_size(4 * U), may_alias));

// A shuffle of two vectors by an index rule: F(e) gives, for element e of the
// result, the index into the two vectors laid end to end.
#define IDX4(F, e) F(e), F((e) + 1), F((e) + 2), F((e) + 3)
#if U == 4
#define SHUFFLE(a, b, F) __builtin_shufflevector(a, b, IDX4(F, 0))
#elif U == 8
#define SHUFFLE(a, b, F) __builtin_shufflevector(a, b, IDX4(F, 0), IDX4(F, 4))
#else
#define SHUFFLE(a, b, F)                                                       \
  __builtin_shufflevector(a, b, IDX4(F, 0), IDX4(F, 4), IDX4(F, 8), IDX4(F, 12))
#endif

// Within each group of four elements: interleave the lower or upper halves of
// the groups of a and b, one element or two elements at a time.
#define LOW_1(e) (((e) & ~3) + ((e) & 3) / 2 + ((e) & 1) * U)
#define HIGH_1(e) (LOW_1(e) + 2)
#define LOW_2(e) (((e) & ~3) + ((e) & 1) + ((e) & 2) / 2 * U)
#define HIGH_2(e) (LOW_2(e) + 2)
// Swap groups of S elements: the odd groups of a with the even groups of b.
#define EVEN_4(e) ((e) & 4 ? (e) - 4 + U : (e))
#define ODD_4(e) ((e) & 4 ? (e) + U : (e) + 4)
#define EVEN_8(e) ((e) & 8 ? (e) - 8 + U : (e))
#define ODD_8(e) ((e) & 8 ? (e) + U : (e) + 8)

// One U x U block. The 4 x 4 blocks are transposed in place first, with
// shuffles that stay within 128 bits as most instruction sets want them; then
// whole 4 x 4 blocks change places, as do 8 x 8 ones where there are such.
static inline void block(float *restrict dst, size_t ldd,
                         const float *restrict src, size_t lds) {
  vec r[U];
  UNROLL for (uint32_t i = 0; i < U; i++) r[i] = *(const vec_u *)(src + i * lds);
  UNROLL for (uint32_t i = 0; i < U; i += 4) {
    vec t0 = SHUFFLE(r[i], r[i + 1], LOW_1);
    vec t1 = SHUFFLE(r[i], r[i + 1], HIGH_1);
    vec t2 = SHUFFLE(r[i + 2], r[i + 3], LOW_1);
    vec t3 = SHUFFLE(r[i + 2], r[i + 3], HIGH_1);
    r[i] = SHUFFLE(t0, t2, LOW_2);
    r[i + 1] = SHUFFLE(t0, t2, HIGH_2);
    r[i + 2] = SHUFFLE(t1, t3, LOW_2);
    r[i + 3] = SHUFFLE(t1, t3, HIGH_2);
  }
#if U >= 8
  UNROLL for (uint32_t i = 0; i < U; i++) if (!(i & 4)) {
    vec even = SHUFFLE(r[i], r[i + 4], EVEN_4);
    r[i + 4] = SHUFFLE(r[i], r[i + 4], ODD_4);
    r[i] = even;
  }
#endif
#if U >= 16
  UNROLL for (uint32_t i = 0; i < U; i++) if (!(i & 8)) {
    vec even = SHUFFLE(r[i], r[i + 8], EVEN_8);
    r[i + 8] = SHUFFLE(r[i], r[i + 8], ODD_8);
    r[i] = even;
  }
#endif
  UNROLL for (uint32_t i = 0; i < U; i++) *(vec_u *)(dst + i * ldd) = r[i];
}
#else
static inline void block(float *restrict dst, size_t ldd,
                         const float *restrict src, size_t lds) {
  (void)ldd, (void)lds;
  *dst = *src;
}
#endif

static inline uint32_t min_u32(uint32_t x, uint32_t y) { return x < y ? x : y; }

static inline void block_at(float *restrict out, const float *restrict in,
                            uint32_t rows, uint32_t cols, uint32_t i,
                            uint32_t j) {
#if PF
  UNROLL for (uint32_t x = 0; x < U; x++)
    __builtin_prefetch(in + (size_t)(i + PF * U + x) * cols + j, 0, 3);
#endif
  block(out + (size_t)j * rows + i, rows, in + (size_t)i * cols + j, cols);
}

// Rows i0 to i1 and columns j0 to j1 of in, at most TR x TC of them.
static void tile(float *restrict out, const float *restrict in, uint32_t rows,
                 uint32_t cols, uint32_t i0, uint32_t i1, uint32_t j0,
                 uint32_t j1) {
  // Where the whole blocks end; what is left is moved element by element.
  uint32_t iu = i0 + (i1 - i0) / U * U, ju = j0 + (j1 - j0) / U * U;
#if INNER == 0
  for (uint32_t i = i0; i < iu; i += U)
    for (uint32_t j = j0; j < ju; j += U) block_at(out, in, rows, cols, i, j);
#else
  for (uint32_t j = j0; j < ju; j += U)
    for (uint32_t i = i0; i < iu; i += U) block_at(out, in, rows, cols, i, j);
#endif
  for (uint32_t i = i0; i < i1; i++)
    for (uint32_t j = i < iu ? ju : j0; j < j1; j++)
      out[(size_t)j * rows + i] = in[(size_t)i * cols + j];
}

void transpose(float *restrict out, const float *restrict in, uint32_t rows,
               uint32_t cols) {
#if OUTER == 0
  for (uint32_t i = 0; i < rows; i += min_u32(TR, rows - i))
    for (uint32_t j = 0; j < cols; j += min_u32(TC, cols - j))
#else
  for (uint32_t j = 0; j < cols; j += min_u32(TC, cols - j))
    for (uint32_t i = 0; i < rows; i += min_u32(TR, rows - i))
#endif
      tile(out, in, rows, cols, i, i + min_u32(TR, rows - i), j,
           j + min_u32(TC, cols - j));
}

// The reference.
void transpose_naive(float *restrict out, const float *restrict in,
                     uint32_t rows, uint32_t cols) {
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t j = 0; j < cols; j++)
      out[(size_t)j * rows + i] = in[(size_t)i * cols + j];
}
