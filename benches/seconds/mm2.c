// d = alpha * (a * b) * c, all n x n, FP32, dense and row-major: two products one after the other, as in the
// collections of loop nests that compilers are judged by. tmp holds a * b.
//
// Compile-time parameters:
//   TI, TJ, TK  sides of a tile: rows and columns of the result, and what is summed over
//   UI          rows of a tile that are computed together
//   UK          steps of the sum per pass of the innermost loop
//   ORDER       which loop over tiles is the outermost: 0 rows, 1 columns, 2 the sum

#include <stddef.h>
#include <stdint.h>

static inline size_t least(size_t x, size_t y) { return x < y ? x : y; }

// rows x cols of the result, rows at most UI, from depth steps of the sum.
static inline __attribute__((always_inline)) void
rows_of_tile(float *restrict to, const float *restrict x, const float *restrict y, size_t n, size_t rows,
             size_t cols, size_t depth, float factor) {
  size_t k = 0;
  for (; k + UK <= depth; k += UK)
    for (size_t i = 0; i < rows; i++) {
      float left[UK];
      for (size_t u = 0; u < UK; u++) left[u] = factor * x[i * n + k + u];
      for (size_t j = 0; j < cols; j++) {
        float sum = to[i * n + j];
        for (size_t u = 0; u < UK; u++) sum += left[u] * y[(k + u) * n + j];
        to[i * n + j] = sum;
      }
    }
  for (; k < depth; k++)
    for (size_t i = 0; i < rows; i++)
      for (size_t j = 0; j < cols; j++) to[i * n + j] += factor * x[i * n + k] * y[k * n + j];
}

static void tile(float *restrict to, const float *restrict x, const float *restrict y, size_t n, size_t i0,
                 size_t j0, size_t k0, float factor) {
  size_t rows = least(TI, n - i0), cols = least(TJ, n - j0), depth = least(TK, n - k0), i = 0;
  for (; i + UI <= rows; i += UI)
    rows_of_tile(to + (i0 + i) * n + j0, x + (i0 + i) * n + k0, y + k0 * n + j0, n, UI, cols, depth, factor);
  for (; i < rows; i++)
    rows_of_tile(to + (i0 + i) * n + j0, x + (i0 + i) * n + k0, y + k0 * n + j0, n, 1, cols, depth, factor);
}

static void product(float *restrict to, const float *restrict x, const float *restrict y, size_t n,
                    float factor) {
  for (size_t at = 0; at < n * n; at++) to[at] = 0;
#if ORDER == 0
  for (size_t i = 0; i < n; i += TI)
    for (size_t j = 0; j < n; j += TJ)
      for (size_t k = 0; k < n; k += TK) tile(to, x, y, n, i, j, k, factor);
#elif ORDER == 1
  for (size_t j = 0; j < n; j += TJ)
    for (size_t k = 0; k < n; k += TK)
      for (size_t i = 0; i < n; i += TI) tile(to, x, y, n, i, j, k, factor);
#else
  for (size_t k = 0; k < n; k += TK)
    for (size_t i = 0; i < n; i += TI)
      for (size_t j = 0; j < n; j += TJ) tile(to, x, y, n, i, j, k, factor);
#endif
}

void mm2(float *restrict d, const float *restrict a, const float *restrict b, const float *restrict c,
         uint32_t n, float alpha, float *restrict tmp) {
  product(tmp, a, b, n, alpha);
  product(d, tmp, c, n, 1);
}

// The reference: sums in double, one element after the other.
void mm2_naive(float *restrict d, const float *restrict a, const float *restrict b,
               const float *restrict c, uint32_t n, float alpha) {
  double row[n + 1];
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      row[j] = 0;
      for (size_t k = 0; k < n; k++) row[j] += (double)a[i * n + k] * b[k * n + j];
    }
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t k = 0; k < n; k++) sum += row[k] * c[k * n + j];
      d[i * n + j] = (float)(alpha * sum);
    }
  }
}
