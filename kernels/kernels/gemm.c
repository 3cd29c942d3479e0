// C = A * B in FP32, row-major and dense: C is m x n, A is m x k, B is k x n.
//
// The structure is that of GotoBLAS and BLIS. Blocks of B (KC x NC) and of A
// (MC x KC) are copied ("packed") into the order in which the innermost loop
// reads them, and that loop keeps an MR x NR tile of C in vector registers
// while it walks along k. Packed A stays in the L2 cache, one NR-wide panel of
// packed B in L1, the whole packed block of B in L3.
//
// Compile-time parameters:
//   VL      floats per vector: 4, 8 or 16. A vector wider than the target's
//           registers is split by the compiler: still right, but slow.
//   MR      rows of the register tile
//   NR      columns of the register tile, a multiple of VL
//   KC      depth of a packed block, in elements
//   MC      rows of a packed block of A, a multiple of MR
//   NC      columns of a packed block of B, a multiple of NR
//   KU      k steps per pass of the innermost loop
//   PF_A    distance, in k steps, at which packed A is prefetched; 0: never
//   PF_B    the same for packed B
//   PF_C    1: prefetch the tile of C before the k loop; 0: do not
//
// Any m, n and k; where k is 0, C becomes 0.
//
// Scratch, both 64-byte aligned: pack_a holds MC * KC floats, pack_b KC * NC,
// whatever the sizes of the matrices.

#include <stddef.h>
#include <stdint.h>

#ifndef VL
#define VL 16
#endif
#ifndef MR
#define MR 12
#endif
#ifndef NR
#define NR 32
#endif
#ifndef KC
#define KC 256
#endif
#ifndef MC
#define MC 192
#endif
#ifndef NC
#define NC 1024
#endif
#ifndef KU
#define KU 1
#endif
#ifndef PF_A
#define PF_A 0
#endif
#ifndef PF_B
#define PF_B 0
#endif
#ifndef PF_C
#define PF_C 0
#endif

_Static_assert(VL == 4 || VL == 8 || VL == 16, "VL");
_Static_assert(NR % VL == 0 && MC % MR == 0 && NC % NR == 0, "tile sizes");

#define NV (NR / VL) // vectors in a row of the register tile

typedef float vec __attribute__((vector_size(4 * VL), may_alias));
// The same without an alignment promise: rows of C start anywhere.
typedef float vec_u __attribute__((vector_size(4 * VL), aligned(4), may_alias));
typedef float vec4 __attribute__((vector_size(16), may_alias));
typedef float vec4_u __attribute__((vector_size(16), aligned(4), may_alias));

// The accumulators live in registers only if every loop over the tile is
// unrolled completely, which the compiler does not do by itself for big tiles.
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 64")
#endif

static inline uint32_t min_u32(uint32_t x, uint32_t y) { return x < y ? x : y; }

// Copies a block of B, kc x nc, into panels of NR columns; each panel holds kc
// rows of NR floats. Columns beyond nc become zero.
static void pack_b_block(float *restrict dst, const float *restrict b,
                         uint32_t ldb, uint32_t kc, uint32_t nc) {
  for (uint32_t j = 0; j < nc; j += NR) {
    uint32_t cols = min_u32(NR, nc - j);
    const float *src = b + j;
    for (uint32_t p = 0; p < kc; p++, src += ldb, dst += NR) {
      if (cols == NR) {
        UNROLL for (uint32_t v = 0; v < NV; v++)
          ((vec *)dst)[v] = ((const vec_u *)src)[v];
      } else {
        for (uint32_t x = 0; x < NR; x++)
          dst[x] = x < cols ? src[x] : 0.0f;
      }
    }
  }
}

// Transposes a 4 x 4 block: row x of src becomes column x of dst.
static inline void transpose_4x4(float *restrict dst, uint32_t ldd,
                                 const float *restrict src, size_t lds) {
  vec4 r0 = *(const vec4_u *)(src + 0 * lds);
  vec4 r1 = *(const vec4_u *)(src + 1 * lds);
  vec4 r2 = *(const vec4_u *)(src + 2 * lds);
  vec4 r3 = *(const vec4_u *)(src + 3 * lds);
  vec4 t0 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
  vec4 t1 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
  vec4 t2 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
  vec4 t3 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
  *(vec4_u *)(dst + 0 * ldd) = __builtin_shufflevector(t0, t1, 0, 1, 4, 5);
  *(vec4_u *)(dst + 1 * ldd) = __builtin_shufflevector(t0, t1, 2, 3, 6, 7);
  *(vec4_u *)(dst + 2 * ldd) = __builtin_shufflevector(t2, t3, 0, 1, 4, 5);
  *(vec4_u *)(dst + 3 * ldd) = __builtin_shufflevector(t2, t3, 2, 3, 6, 7);
}

// Copies a block of A, mc x kc, into panels of MR rows; each panel holds kc
// columns of MR floats. Rows beyond mc become zero.
static void pack_a_block(float *restrict dst, const float *restrict a,
                         uint32_t lda, uint32_t mc, uint32_t kc) {
  for (uint32_t i = 0; i < mc; i += MR, dst += (size_t)MR * kc) {
    uint32_t rows = min_u32(MR, mc - i);
    const float *src = a + (size_t)i * lda;
    uint32_t x = 0;
    for (; x + 4 <= rows; x += 4) {
      const float *s = src + (size_t)x * lda;
      uint32_t p = 0;
      for (; p + 4 <= kc; p += 4)
        transpose_4x4(dst + (size_t)p * MR + x, MR, s + p, lda);
      for (; p < kc; p++)
        for (uint32_t y = 0; y < 4; y++)
          dst[(size_t)p * MR + x + y] = s[(size_t)y * lda + p];
    }
    for (; x < MR; x++)
      for (uint32_t p = 0; p < kc; p++)
        dst[(size_t)p * MR + x] = x < rows ? src[(size_t)x * lda + p] : 0.0f;
  }
}

// One step along k: the outer product of MR floats of A and NR floats of B.
static inline __attribute__((always_inline)) void
step(vec acc[MR][NV], const float *restrict pa, const float *restrict pb) {
  vec bv[NV];
  UNROLL for (uint32_t v = 0; v < NV; v++) bv[v] = ((const vec *)pb)[v];
  UNROLL for (uint32_t i = 0; i < MR; i++)
    UNROLL for (uint32_t v = 0; v < NV; v++) acc[i][v] += pa[i] * bv[v];
#if PF_A
  UNROLL for (uint32_t x = 0; x < MR; x += 16)
    __builtin_prefetch(pa + PF_A * MR + x, 0, 3);
#endif
#if PF_B
  UNROLL for (uint32_t x = 0; x < NR; x += 16)
    __builtin_prefetch(pb + PF_B * NR + x, 0, 3);
#endif
}

// One MR x NR tile of C from one panel of A and one of B. `add` says whether
// the tile is added to C, or replaces what is there (which is never read).
static inline __attribute__((always_inline)) void
tile(float *restrict c, size_t ldc, const float *restrict pa,
     const float *restrict pb, uint32_t kc, int add) {
#if PF_C
  UNROLL for (uint32_t i = 0; i < MR; i++)
    UNROLL for (uint32_t x = 0; x < NR; x += 16)
      __builtin_prefetch(c + i * ldc + x, 1, 3);
#endif
  vec acc[MR][NV];
  UNROLL for (uint32_t i = 0; i < MR; i++)
    UNROLL for (uint32_t v = 0; v < NV; v++) acc[i][v] = (vec){0};

  uint32_t p = 0;
  for (; p + KU <= kc; p += KU, pa += KU * MR, pb += KU * NR)
    UNROLL for (uint32_t u = 0; u < KU; u++) step(acc, pa + u * MR, pb + u * NR);
#if KU > 1
  for (; p < kc; p++, pa += MR, pb += NR) step(acc, pa, pb);
#endif

  if (add) {
    UNROLL for (uint32_t i = 0; i < MR; i++)
      UNROLL for (uint32_t v = 0; v < NV; v++)
        ((vec_u *)(c + i * ldc))[v] += acc[i][v];
  } else {
    UNROLL for (uint32_t i = 0; i < MR; i++)
      UNROLL for (uint32_t v = 0; v < NV; v++)
        ((vec_u *)(c + i * ldc))[v] = acc[i][v];
  }
}

// A tile that C only has the first `rows` x `cols` elements of: computed whole
// into a local tile, of which the part that exists is then copied.
static void edge_tile(float *restrict c, size_t ldc, const float *restrict pa,
                      const float *restrict pb, uint32_t kc, int add,
                      uint32_t rows, uint32_t cols) {
  float local[MR * NR];
  tile(local, NR, pa, pb, kc, 0);
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t j = 0; j < cols; j++)
      c[i * ldc + j] = local[i * NR + j] + (add ? c[i * ldc + j] : 0.0f);
}

// A tile that lies within C.
static void full_tile(float *restrict c, size_t ldc, const float *restrict pa,
                      const float *restrict pb, uint32_t kc, int add) {
  tile(c, ldc, pa, pb, kc, add);
}

void gemm(float *restrict c, const float *restrict a, const float *restrict b,
          uint32_t m, uint32_t n, uint32_t k, float *restrict pack_a,
          float *restrict pack_b) {
  // 64 bits, so that what steps over the end of a side does not wrap.
  for (size_t jc = 0; jc < n; jc += NC) {
    uint32_t nc = min_u32(NC, n - jc);
    // Once even if k is 0: sums of nothing are stored, too.
    size_t pc = 0;
    do {
      uint32_t kc = min_u32(KC, k - pc);
      pack_b_block(pack_b, b + pc * n + jc, n, kc, nc);
      for (size_t ic = 0; ic < m; ic += MC) {
        uint32_t mc = min_u32(MC, m - ic);
        pack_a_block(pack_a, a + ic * k + pc, k, mc, kc);
        for (uint32_t j = 0; j < nc; j += NR) {
          uint32_t cols = min_u32(NR, nc - j);
          const float *pb = pack_b + (size_t)j * kc;
          for (uint32_t i = 0; i < mc; i += MR) {
            uint32_t rows = min_u32(MR, mc - i);
            const float *pa = pack_a + (size_t)i * kc;
            float *ct = c + (ic + i) * n + jc + j;
            if (rows == MR && cols == NR)
              full_tile(ct, n, pa, pb, kc, pc > 0);
            else
              edge_tile(ct, n, pa, pb, kc, pc > 0, rows, cols);
          }
        }
      }
      pc += KC;
    } while (pc < k);
  }
}

// The reference: one dot product per element of C, summed up in double.
void gemm_naive(float *restrict c, const float *restrict a,
                const float *restrict b, uint32_t m, uint32_t n, uint32_t k) {
  for (uint32_t i = 0; i < m; i++)
    for (uint32_t j = 0; j < n; j++) {
      double sum = 0;
      for (uint32_t p = 0; p < k; p++)
        sum += (double)a[(size_t)i * k + p] * b[(size_t)p * n + j];
      c[(size_t)i * n + j] = (float)sum;
    }
}
