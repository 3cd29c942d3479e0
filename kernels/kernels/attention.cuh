// What both kernels for attention share: scores in registers, of which each thread has parts of two rows (or of twice so many), as
// products on tensor cores leave them: numbers 4 j and 4 j + 1 of a list are of the first row and columns 8 j + 2 * member and the
// next, 4 j + 2 and 4 j + 3 of the second row, 8 below. The four members of a group hold a row together.
//
// The softmax is taken as scores come (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018): a row's largest
// score so far, and the sum of the exponentials relative to it; who finds a larger one scales what came before.
#pragma once

#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif

// Exponentials are those of 2.
static constexpr float LOG2_E = 1.44269504f;

// What a block does: `HEIGHT` rows of a head from `first` on, in `count` steps of BLOCK_N columns; a row's own position is `ahead`
// behind its number. Of causal rows the last ones see the most: they begin first.
struct Part {
  unsigned head, first, count;
  long long ahead;
};

template <int HEIGHT, int BLOCK_N, bool LATER, bool BY_HEAD>
static __device__ __forceinline__ Part part(unsigned heads, unsigned m, unsigned n) {
  const unsigned tiles = (m - 1) / HEIGHT + 1;
  const unsigned head = BY_HEAD ? blockIdx.x % heads : blockIdx.x / tiles;
  const unsigned first = (tiles - 1 - (BY_HEAD ? blockIdx.x / heads : blockIdx.x % tiles)) * HEIGHT;
  const long long ahead = (long long)n - m;
  // Columns that the block's last row sees.
  const unsigned last = (m - first < HEIGHT ? m : first + HEIGHT) - 1;
  const long long seen = LATER ? (last + ahead + 1 < 0 ? 0 : last + ahead + 1) : n;
  return {head, first, (unsigned)((seen + BLOCK_N - 1) / BLOCK_N), ahead};
}

struct Row {
  float most = -INFINITY, sum = 0;
};

// Of scores of the columns from `column` on, whose rows are `row` and 8 below, those are left out that are not of the n columns, or
// come, if LATER says so, later than the row's own position, which is `ahead` behind its number.
template <bool LATER, int COUNT>
static __device__ __forceinline__ void mask(float (&scores)[COUNT], long long row, unsigned column, unsigned n, long long ahead) {
  const unsigned member = threadIdx.x % 4;
#pragma unroll
  for (int i = 0; i < COUNT; i++) {
    const unsigned at = column + i / 4 * 8 + 2 * member + i % 2;
    if (at >= n || (LATER && at > row + i % 4 / 2 * 8 + ahead))
      scores[i] = -INFINITY;
  }
}

// Turns scores into weights, and says by what the results so far are to be multiplied. `scale` is that of scores, times log2(e).
template <int COUNT>
static __device__ __forceinline__ void weigh(float (&scores)[COUNT], Row (&rows)[2], float (&factors)[2], float scale) {
#pragma unroll
  for (int half = 0; half < 2; half++) {
    float most = rows[half].most;
#pragma unroll
    for (int i = 2 * half; i < COUNT; i += 4)
      most = fmaxf(most, fmaxf(scores[i], scores[i + 1]));
    most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, 1));
    most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, 2));
    // A row that sees nothing has weights of 0, not of a NaN.
    const float base = most == -INFINITY ? 0 : most * scale;
    factors[half] = exp2f(rows[half].most * scale - base);
    float sum = 0;
#pragma unroll
    for (int i = 2 * half; i < COUNT; i += 4)
#pragma unroll
      for (int j = 0; j < 2; j++) {
        scores[i + j] = exp2f(scores[i + j] * scale - base);
        sum += scores[i + j];
      }
    rows[half].most = most;
    rows[half].sum = rows[half].sum * factors[half] + sum;
  }
}

template <int COUNT> static __device__ __forceinline__ void multiply_rows(float (&results)[COUNT], const float (&factors)[2]) {
#pragma unroll
  for (int i = 0; i < COUNT; i++)
    results[i] *= factors[i % 4 / 2];
}

// The weights of 16 columns as the left operand of a product: see `mma_m16n8k16`.
template <class T, int COUNT>
static __device__ __forceinline__ void operand(unsigned (&to)[4], const float (&weights)[COUNT], int step) {
#pragma unroll
  for (int i = 0; i < 4; i++)
    to[i] = pair<T>(weights[8 * step + 2 * i], weights[8 * step + 2 * i + 1]);
}

// Writes two rows of a head of COUNT / 4 * 8 numbers, each divided by the sum of its weights.
template <class T, int COUNT>
static __device__ __forceinline__ void write_rows(T *o, const float (&results)[COUNT], const Row (&rows)[2], unsigned row, unsigned m) {
  const unsigned member = threadIdx.x % 4;
#pragma unroll
  for (int half = 0; half < 2; half++) {
    // Each member has the sum of its own columns.
    float sum = rows[half].sum + __shfl_xor_sync(0xffffffff, rows[half].sum, 1);
    sum += __shfl_xor_sync(0xffffffff, sum, 2);
    const float factor = sum > 0 ? 1 / sum : 0;
    if (row + 8 * half >= m)
      continue;
    T *const at = o + (size_t)(row + 8 * half) * (2 * COUNT) + 2 * member;
#pragma unroll
    for (int j = 0; j < COUNT / 4; j++)
      *(unsigned *)(at + 8 * j) = pair<T>(results[4 * j + 2 * half] * factor, results[4 * j + 2 * half + 1] * factor);
  }
}
