// Steps of a five-point stencil on an n x n grid, FP32, row-major: each inner element becomes the mean of itself and
// its four neighbours, borders stay. out is the grid after all steps, in the one before; tmp is another grid.
//
// Tiles are loaded with a halo as wide as the steps that are taken at once, so that a tile needs its neighbours only
// every so many steps, and computes part of them itself.
//
// Compile-time parameters:
//   TT       steps that are taken at once
//   TI, TJ   rows and columns of a tile
//   UJ       elements of a row per pass of the innermost loop

#include <stddef.h>
#include <stdint.h>

#define ROWS (TI + 2 * TT)
#define COLS (TJ + 2 * TT)

static inline size_t least(size_t x, size_t y) { return x < y ? x : y; }
static inline size_t below(size_t x, size_t by) { return x < by ? 0 : x - by; }

// One row of one step; columns from c to d, of which those at the border of the grid stay.
static inline void row_of_step(float *restrict to, const float *restrict from, size_t c, size_t d, size_t n,
                               size_t first) {
  size_t x = c - first, end = d - first;
  if (c == 0 && x < end) to[x] = from[x], x++;
  size_t inner = d == n && end > x ? end - 1 : end;
#if UJ > 1
  for (; x + UJ <= inner; x += UJ)
    for (size_t u = 0; u < UJ; u++)
      to[x + u] = 0.2f * (from[x + u] + from[x + u - 1] + from[x + u + 1] + from[x + u - COLS] + from[x + u + COLS]);
#endif
  for (; x < inner; x++) to[x] = 0.2f * (from[x] + from[x - 1] + from[x + 1] + from[x - COLS] + from[x + COLS]);
  if (inner < end) to[inner] = from[inner];
}

static void tile(float *restrict out, const float *restrict in, size_t n, size_t i0, size_t j0, size_t steps) {
  float grids[2][ROWS * COLS];
  size_t i1 = least(i0 + TI, n), j1 = least(j0 + TJ, n);
  size_t top = below(i0, steps), left = below(j0, steps);
  size_t bottom = least(i1 + steps, n), right = least(j1 + steps, n);
  for (size_t i = top; i < bottom; i++)
    for (size_t j = left; j < right; j++) grids[0][(i - top) * COLS + j - left] = in[i * n + j];
  for (size_t step = 1; step <= steps; step++) {
    const float *from = grids[(step - 1) % 2];
    float *to = grids[step % 2];
    size_t halo = steps - step;
    size_t c = below(j0, halo), d = least(j1 + halo, n);
    for (size_t i = below(i0, halo); i < least(i1 + halo, n); i++) {
      size_t at = (i - top) * COLS;
      if (i == 0 || i + 1 == n)
        for (size_t j = c; j < d; j++) to[at + j - left] = from[at + j - left];
      else
        row_of_step(to + at, from + at, c, d, n, left);
    }
  }
  for (size_t i = i0; i < i1; i++)
    for (size_t j = j0; j < j1; j++) out[i * n + j] = grids[steps % 2][(i - top) * COLS + j - left];
}

void jacobi(float *restrict out, const float *restrict in, uint32_t n, uint32_t steps, float *restrict tmp) {
  // Once at least, so that no step copies the grid.
  size_t passes = steps == 0 ? 1 : ((size_t)steps + TT - 1) / TT;
  for (size_t pass = 0; pass < passes; pass++) {
    // They take turns so that the last one ends in out.
    float *to = (passes - pass) % 2 ? out : tmp;
    const float *from = pass == 0 ? in : (passes - pass) % 2 ? tmp : out;
    for (size_t i = 0; i < n; i += TI)
      for (size_t j = 0; j < n; j += TJ) tile(to, from, n, i, j, least(TT, steps - pass * TT));
  }
}

// The reference: step after step, in double; out holds what each step starts from.
void jacobi_naive(float *restrict out, const float *restrict in, uint32_t n, uint32_t steps) {
  for (size_t at = 0; at < (size_t)n * n; at++) out[at] = in[at];
  float above[n + 1];
  for (uint32_t step = 0; step < steps && n > 2; step++) {
    for (size_t j = 0; j < n; j++) above[j] = out[j];
    for (size_t i = 1; i + 1 < n; i++) {
      float before = out[i * n];
      for (size_t j = 1; j + 1 < n; j++) {
        float now = out[i * n + j];
        double sum = (double)now + before + out[i * n + j + 1] + above[j] + out[(i + 1) * n + j];
        above[j] = before = now;
        out[i * n + j] = (float)(0.2 * sum);
      }
    }
  }
}
