@heading@
//
// Written by bico, which overwrites changes.
//
// The structure is that of GotoBLAS and BLIS: blocks of A and of B are copied
// ("packed") into the order in which the innermost loop reads them, and that
// loop keeps a tile of C in vector registers while it walks along K. A packed
// block is kept for as long as the steps need the same one.
//? if swapped
// C is contiguous along M, so a row of the register tile runs along M.
//? end
//
// Compile-time parameters:
//   VL      floats per vector: 4, 8 or 16
//? if swapped
//   MR      length of the register tile along M, a multiple of VL
//   NR      length of the register tile along N
//? else
//   MR      length of the register tile along M
//   NR      length of the register tile along N, a multiple of VL
//? end
//? if open
//   M_PRIM  length of a block along M, a multiple of MR
//   N_PRIM  length of a block along N, a multiple of NR
//   K_PRIM  depth of a block, along K
//? end
//? if ordered
//   ORDER   the loop over blocks outside of K: mn: M (A is kept); nm: N
//? end
//   KU      steps along K per pass of the innermost loop
//   PF_A    distance in steps along K at which packed @R@ is prefetched; 0: never
//? if direct
//   PF_C    1: prefetch the tile of C before its sums; 0: do not
//? end
//
// Scratch, both 64-byte aligned, in floats:
@scratch@

#include <stddef.h>

@defines@
//? if ordered

// The values of ORDER.
#define mn 1
#define nm 2
//? end

_Static_assert(VL == 4 || VL == 8 || VL == 16, "VL");
_Static_assert(@COLS@ % VL == 0, "whole vectors");
//? if open
_Static_assert(M_PRIM % MR == 0 && N_PRIM % NR == 0, "whole panels");
//? end

#define NV (@COLS@ / VL) // vectors in a row of the register tile

typedef float vec __attribute__((vector_size(4 * VL), may_alias));
//? if direct
// The same without an alignment promise: rows of C start anywhere.
typedef float vec_u __attribute__((vector_size(4 * VL), aligned(4), may_alias));
//? end

// The sums live in registers only if every loop over the register tile is
// unrolled completely, which the compiler does not do by itself for big tiles.
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 64")
#endif

// A block of A or B: its first element, its lines (along M or N) and its depth
// (along K).
struct block {
  const float *data;
  size_t lines, depth;
};
//? if remembers

static inline int same(struct block x, struct block y) {
  return x.data == y.data && x.lines == y.lines && x.depth == y.depth;
}
//? end
//? if clips

static inline size_t min_size(size_t x, size_t y) { return x < y ? x : y; }
//? end
//? if bounded

// How many of the indices from `first` to `first + count` are below `limit`.
static inline size_t inside(size_t limit, size_t first, size_t count) {
  return first < limit ? min_size(limit - first, count) : 0;
}
//? end
//? if turned

typedef float vec4 __attribute__((vector_size(16), may_alias));
typedef float vec4_u __attribute__((vector_size(16), aligned(4), may_alias));

// Transposes a 4 x 4 block: row x of `from` becomes column x of `to`.
static inline void transpose_4x4(float *restrict to, size_t to_row,
                                 const float *restrict from, size_t row) {
  vec4 r0 = *(const vec4_u *)(from + 0 * row);
  vec4 r1 = *(const vec4_u *)(from + 1 * row);
  vec4 r2 = *(const vec4_u *)(from + 2 * row);
  vec4 r3 = *(const vec4_u *)(from + 3 * row);
  vec4 t0 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
  vec4 t1 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
  vec4 t2 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
  vec4 t3 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
  *(vec4_u *)(to + 0 * to_row) = __builtin_shufflevector(t0, t1, 0, 1, 4, 5);
  *(vec4_u *)(to + 1 * to_row) = __builtin_shufflevector(t0, t1, 2, 3, 6, 7);
  *(vec4_u *)(to + 2 * to_row) = __builtin_shufflevector(t2, t3, 0, 1, 4, 5);
  *(vec4_u *)(to + 3 * to_row) = __builtin_shufflevector(t2, t3, 2, 3, 6, 7);
}
//? end
