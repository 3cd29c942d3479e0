// out[y][x] = sum over r, s of filter[r][s] * in[y + r][x + s], in FP32:
// out is h x w, in is (h + f - 1) x (w + f - 1), filter is f x f, all row-major
// and dense. (The filter is not flipped, as usual for neural networks.) Any h,
// w and f; where f is 0, out becomes 0.
//
// A TH x (TW * VL) tile of out stays in vector registers while the filter is
// applied. Neighbouring rows of out read the same rows of in, so a vector of in
// that has been loaded can serve up to TH rows of the tile.
//
// Compile-time parameters:
//   VL      floats per vector: 4, 8 or 16. A vector wider than the target's
//           registers is split by the compiler: still right, but slow.
//   TH      rows of the register tile
//   TW      vectors in a row of the register tile
//   REUSE   1: load a vector of in once for all rows of the tile that need it
//           (for f >= TH; a smaller f is treated as under 0);
//           0: load it again for each of them
//   FU      filter columns per pass of the innermost loop
//   STRIP   tiles side by side in a strip; a strip is finished from top to
//           bottom before the next one begins, so that the rows of in it
//           shares with the next row of tiles are still in a near cache

#include <stddef.h>
#include <stdint.h>

#ifndef VL
#define VL 16
#endif
#ifndef TH
#define TH 4
#endif
#ifndef TW
#define TW 4
#endif
#ifndef REUSE
#define REUSE 1
#endif
#ifndef FU
#define FU 1
#endif
#ifndef STRIP
#define STRIP 64
#endif

_Static_assert(VL == 4 || VL == 8 || VL == 16, "VL");

#define WIDTH (TW * VL) // columns of the register tile

// Nothing in in or out is aligned: their rows start anywhere.
typedef float vec __attribute__((vector_size(4 * VL), may_alias));
typedef float vec_u __attribute__((vector_size(4 * VL), aligned(4), may_alias));

// The accumulators live in registers only if every loop over the tile is
// unrolled completely.
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 64")
#endif
#define INLINE static inline __attribute__((always_inline))

static inline size_t min_size(size_t x, size_t y) { return x < y ? x : y; }

// Applies column s of the filter for one row of in: row t of the tile, for t
// from first to last, takes filter row (top - t). `filter` points at row top.
INLINE void column(vec acc[TH][TW], const float *restrict in,
                   const float *restrict filter, size_t f, size_t s,
                   uint32_t first, uint32_t last) {
  vec x[TW];
  UNROLL for (uint32_t v = 0; v < TW; v++)
    x[v] = *(const vec_u *)(in + s + v * VL);
  UNROLL for (uint32_t t = first; t <= last; t++) {
    float weight = *(filter + s - t * f);
    UNROLL for (uint32_t v = 0; v < TW; v++) acc[t][v] += weight * x[v];
  }
}

// The same for all columns of the filter. `first` and `last` must be constants
// after inlining: they select registers.
INLINE void row(vec acc[TH][TW], const float *restrict in,
                const float *restrict filter, size_t f, uint32_t first,
                uint32_t last) {
  size_t s = 0;
  for (; s + FU <= f; s += FU)
    UNROLL for (uint32_t u = 0; u < FU; u++)
      column(acc, in, filter, f, s + u, first, last);
#if FU > 1
  for (; s < f; s++) column(acc, in, filter, f, s, first, last);
#endif
}

// One whole tile of out. `pitch` is the length of a row of in.
static void tile(float *restrict out, size_t w, const float *restrict in,
                 size_t pitch, const float *restrict filter, size_t f) {
  vec acc[TH][TW];
  UNROLL for (uint32_t t = 0; t < TH; t++)
    UNROLL for (uint32_t v = 0; v < TW; v++) acc[t][v] = (vec){0};

  if (REUSE && f >= TH) {
    // Row i of in meets rows i - f + 1 to i of the tile: fewer than TH of them
    // at the top and at the bottom, all of them in between.
    UNROLL for (uint32_t i = 0; i + 1 < TH; i++)
      row(acc, in + i * pitch, filter + i * f, f, 0, i);
    for (size_t i = TH - 1; i < f; i++)
      row(acc, in + i * pitch, filter + i * f, f, 0, TH - 1);
    UNROLL for (uint32_t i = 0; i + 1 < TH; i++)
      row(acc, in + (f + i) * pitch, filter + (f + i) * f, f, i + 1, TH - 1);
  } else {
    for (size_t r = 0; r < f; r++)
      UNROLL for (uint32_t t = 0; t < TH; t++)
        row(acc, in + (r + t) * pitch, filter + (r + t) * f, f, t, t);
  }

  UNROLL for (uint32_t t = 0; t < TH; t++)
    UNROLL for (uint32_t v = 0; v < TW; v++)
      *(vec_u *)(out + t * w + v * VL) = acc[t][v];
}

// An out that is smaller than a tile: row by row, left to the compiler.
static void small(float *restrict out, const float *restrict in,
                  const float *restrict filter, uint32_t h, uint32_t w,
                  size_t f) {
  size_t pitch = w + f - 1;
  for (uint32_t y = 0; y < h; y++, out += w, in += pitch) {
    for (uint32_t x = 0; x < w; x++) out[x] = 0;
    for (size_t r = 0; r < f; r++)
      for (size_t s = 0; s < f; s++)
        for (uint32_t x = 0; x < w; x++)
          out[x] += filter[r * f + s] * in[r * pitch + x + s];
  }
}

void conv2d(float *restrict out, const float *restrict in,
            const float *restrict filter, uint32_t h, uint32_t w, uint32_t f) {
  if (h < TH || w < WIDTH) {
    small(out, in, filter, h, w, f);
    return;
  }
  // 64 bits, so that what steps over an end does not wrap.
  size_t pitch = (size_t)w + f - 1;
  size_t tiles_x = ((size_t)w + WIDTH - 1) / WIDTH;
  size_t tiles_y = ((size_t)h + TH - 1) / TH;
  for (size_t strip = 0; strip < tiles_x; strip += STRIP)
    for (size_t ty = 0; ty < tiles_y; ty++)
      for (size_t tx = strip; tx < min_size(strip + STRIP, tiles_x); tx++) {
        // A tile that would stick out is moved back inside: it computes some
        // elements a second time, to the same values.
        size_t y = min_size(ty * TH, h - TH);
        size_t x = min_size(tx * WIDTH, w - WIDTH);
        tile(out + y * w + x, w, in + y * pitch + x, pitch, filter, f);
      }
}

// The reference: one sum per element of out, in double.
void conv2d_naive(float *restrict out, const float *restrict in,
                  const float *restrict filter, uint32_t h, uint32_t w,
                  uint32_t f) {
  size_t pitch = (size_t)w + f - 1;
  for (size_t y = 0; y < h; y++)
    for (size_t x = 0; x < w; x++) {
      double sum = 0;
      for (size_t r = 0; r < f; r++)
        for (size_t s = 0; s < f; s++)
          sum += (double)filter[r * f + s] * in[(y + r) * pitch + x + s];
      out[y * w + x] = (float)sum;
    }
}
