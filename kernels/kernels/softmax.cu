// y = softmax of each row of x, FP32: y[r][c] = exp(x[r][c] - m) / sum over k of exp(x[r][k] - m), where m is the
// greatest element of row r. x and y are rows x columns, row-major and dense.
//
// A row is needed twice before anything can be written: for its maximum, then for its sum. Speed is that of the
// memory, so what matters is where the row waits in between: in the registers of its threads or in
// shared memory, where it is read from memory once, or nowhere, where the caches may have it still. A row that is
// not kept can be read once less, if the sum is scaled anew whenever the maximum grows (Milakov and Gimelshein, "Online
// normalizer calculation for softmax", 2018). Which one is best hangs on a row's length; the choice of a part of a
// warp, a warp or a block for a row, and of the place where it waits, is that of OneFlow's kernels ("How to implement an
// efficient softmax CUDA kernel", 2021).
//
// Template parameters:
//   THREADS      threads of a block
//   ROW_THREADS  threads that share a row: a part of a warp, a warp, several, or the block; the block takes
//                THREADS / ROW_THREADS rows
//   VEC          floats per access: 1, 2 or 4
//   ITEMS        vectors that a thread loads before it uses the first one. Where the row waits in registers,
//                all of its vectors: a row has at most ROW_THREADS * VEC * ITEMS elements then
//   KEEP         where the row waits:
//                  in_registers  of its threads
//                  in_shared     memory
//                  read_twice    nowhere: maximum and sum in one go, then read again and written
//                  read_thrice   nowhere: once for the maximum, once for the sum, once to write
//   STREAM       1: the last load of an element and its store are marked as used once
//
// Launch: ceil(rows * ROW_THREADS / THREADS) blocks of THREADS threads; where KEEP is in_shared with
// 4 * VEC * ceil((columns + VEC - 1) / VEC) bytes of dynamic shared memory for each row of a block. Any rows; columns up
// to 2^31. Rows need not begin at multiples of VEC floats: then the first and the last vector of a row are moved float by
// float. Where x or y itself does not, all are.
//
// A thread reads from shared memory what it wrote there itself, neighbours side by side: no bank conflicts, except
// between rows where ROW_THREADS * VEC is less than 32.
//
// Numbers: the difference x - m is taken first, so that the maximum's exponential is 1 however large it is
// (exp2f(x * log2e - m * log2e) in one multiply-add would have the rounding error of m * log2e in its exponent).
// -inf gives 0. A row of nothing but -inf, with a +inf or with a NaN gives NaNs, as in PyTorch. The relative error of an
// element is about (|x - m| + 4) * 1e-7.
//
// What no config may exceed on any GPU; `cargo bico compile` holds it:
// NVRTC 12.9 spills 3 words of one of 100 configs for sm_100, and nothing else.
// limits: registers <= 255, block_registers <= 65536, spill_bytes <= 16, local_bytes <= 16

#include "rows.cuh"

enum Keep { in_registers, in_shared, read_twice, read_thrice };

static __device__ __forceinline__ float lowest() { return __int_as_float((int)0xff800000); } // -inf

static __device__ __forceinline__ float exponential(float difference) { return exp2f(difference * 1.44269504f); }

// What differences are taken from: -inf - -inf would be a NaN where a thread has seen nothing else so far. The
// exponentials of such a thread are 0.
static __device__ __forceinline__ float finite_base(float maximum) { return maximum == lowest() ? 0.0f : maximum; }

// Loads what this thread kept of a row, and puts `outside` where the row has ended.
template <int STEP, int ITEMS, int VEC>
static __device__ __forceinline__ void load_kept(float (&to)[ITEMS][VEC], const float *kept, unsigned at, const Row &row,
                                                 float outside) {
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
#pragma unroll
    for (int e = 0; e < VEC; e++)
      to[i][e] = outside;
    if (at + i * STEP < row.end)
      load_shared(to[i], kept + i * STEP);
  }
}

template <int ROW_THREADS, int VEC, int ITEMS, Keep KEEP, bool STREAM, bool WHOLE>
static __device__ __forceinline__ void softmax_row(float *y, const float *x, const Row &row, float *kept, float *maxima,
                                                   float *sums) {
  constexpr int step = ROW_THREADS * VEC;
  const float outside = lowest(); // its exponential adds nothing
  const unsigned first = threadIdx.x % ROW_THREADS * VEC;
  const bool store_aligned = vector_aligned<VEC>(y);
  // Where this thread begins. What it reads next lies at distances that are known at compile time.
  x += first;
  y += first;
  kept += first;
  float values[ITEMS][VEC];
  float maximum = lowest();
  float sum = 0.0f;

  // The maximum, and online the sum.
  if constexpr (KEEP == in_registers) {
    load_row<step, STREAM, WHOLE>(values, x, first, row, outside);
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
#pragma unroll
      for (int e = 0; e < VEC; e++)
        maximum = fmaxf(maximum, values[i][e]);
  } else {
    for (unsigned offset = 0; first + offset < row.end; offset += ITEMS * step) {
      load_row<step, STREAM && KEEP == in_shared, WHOLE>(values, x + offset, first + offset, row, outside);
      float greatest = maximum;
#pragma unroll
      for (int i = 0; i < ITEMS; i++) {
        if constexpr (KEEP == in_shared)
          if (first + offset + i * step < row.end)
            store_shared(kept + offset + i * step, values[i]);
#pragma unroll
        for (int e = 0; e < VEC; e++)
          greatest = fmaxf(greatest, values[i][e]);
      }
      if constexpr (KEEP == read_twice) {
        const float base = finite_base(greatest);
        sum *= exponential(maximum - base);
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
#pragma unroll
          for (int e = 0; e < VEC; e++)
            sum += exponential(values[i][e] - base);
      }
      maximum = greatest;
    }
  }
  const float m = combine_row<ROW_THREADS, Maximum>(maximum, maxima);

  // The sum. Threads read what they wrote to shared memory themselves, so nobody waits for others.
  if constexpr (KEEP == in_registers) {
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
#pragma unroll
      for (int e = 0; e < VEC; e++) {
        values[i][e] = exponential(values[i][e] - m);
        sum += values[i][e];
      }
  } else if constexpr (KEEP == read_twice) {
    sum *= exponential(maximum - finite_base(m));
  } else {
    for (unsigned offset = 0; first + offset < row.end; offset += ITEMS * step) {
      if constexpr (KEEP == read_thrice)
        load_row<step, false, WHOLE>(values, x + offset, first + offset, row, outside);
      else
        load_kept<step>(values, kept + offset, first + offset, row, outside);
#pragma unroll
      for (int i = 0; i < ITEMS; i++) {
#pragma unroll
        for (int e = 0; e < VEC; e++) {
          values[i][e] = exponential(values[i][e] - m);
          sum += values[i][e];
        }
        if constexpr (KEEP == in_shared)
          if (first + offset + i * step < row.end)
            store_shared(kept + offset + i * step, values[i]);
      }
    }
  }
  const float scale = 1.0f / combine_row<ROW_THREADS, Sum>(sum, sums);

  if constexpr (KEEP == in_registers) {
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
#pragma unroll
      for (int e = 0; e < VEC; e++)
        values[i][e] *= scale;
    store_row<step, STREAM, WHOLE>(y, first, row, store_aligned, values);
  } else {
    for (unsigned offset = 0; first + offset < row.end; offset += ITEMS * step) {
      if constexpr (KEEP != in_shared)
        load_row<step, STREAM, WHOLE>(values, x + offset, first + offset, row, outside);
      else
        load_kept<step>(values, kept + offset, first + offset, row, outside);
#pragma unroll
      for (int i = 0; i < ITEMS; i++)
#pragma unroll
        for (int e = 0; e < VEC; e++)
          values[i][e] = (KEEP == in_shared ? values[i][e] : exponential(values[i][e] - m)) * scale;
      store_row<step, STREAM, WHOLE>(y + offset, first + offset, row, store_aligned, values);
    }
  }
}

template <int THREADS, int ROW_THREADS, int VEC, int ITEMS, Keep KEEP, int STREAM>
__global__ void __launch_bounds__(THREADS)
softmax_kernel(float *__restrict__ y, const float *__restrict__ x, unsigned rows, unsigned columns) {
  static_assert(THREADS % 32 == 0 && THREADS % ROW_THREADS == 0, "whole warps, and whole rows");
  extern __shared__ __align__(16) float kept[];
  __shared__ float maxima[THREADS / 32], sums[THREADS / 32];

  const size_t index = (size_t)blockIdx.x * (THREADS / ROW_THREADS) + threadIdx.x / ROW_THREADS;
  Row row = row_of<VEC>(x, index, columns);
  const size_t base = index * columns - row.begin;
  const bool whole = row.whole && vector_aligned<VEC>(y);
  const size_t pitch = (columns + VEC - 1 + VEC - 1) / VEC * VEC;
  float *own = kept + threadIdx.x / ROW_THREADS * pitch;
  // The last block may have threads without a row. They take part in the barriers.
  if (index >= rows)
    row.begin = row.end = 0;
  if (whole)
    softmax_row<ROW_THREADS, VEC, ITEMS, KEEP, STREAM, true>(y + base, x + base, row, own, maxima, sums);
  else
    softmax_row<ROW_THREADS, VEC, ITEMS, KEEP, STREAM, false>(y + base, x + base, row, own, maxima, sums);
}

// The reference: a warp per row, in double.
// Launch: blocks of one warp, as many as there are rows.
__global__ void softmax_reference(float *y, const float *x, unsigned rows, unsigned columns) {
  const size_t base = (size_t)blockIdx.x * columns;
  float maximum = lowest();
  for (unsigned c = threadIdx.x; c < columns; c += 32)
    maximum = fmaxf(maximum, x[base + c]);
  for (int by = 16; by > 0; by /= 2)
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffu, maximum, by));
  double sum = 0.0;
  for (unsigned c = threadIdx.x; c < columns; c += 32)
    sum += exp((double)x[base + c] - maximum);
  for (int by = 16; by > 0; by /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, by);
  for (unsigned c = threadIdx.x; c < columns; c += 32)
    y[base + c] = (float)(exp((double)x[base + c] - maximum) / sum);
}
