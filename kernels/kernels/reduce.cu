// y[r] = sum of row r of x, FP32; x is rows x columns, row-major and dense.
//
// Every element is read once and nothing else costs anything, so speed is that of reading: enough bytes must be under
// way on every multiprocessor, whatever the shape. Many short rows want several rows in a block, few threads each; a few
// very long ones want several blocks per row. Each thread loads ITEMS vectors before it adds the first one (Harris,
// "Optimizing Parallel Reduction in CUDA", NVIDIA, 2007: several elements per thread; Volkov, "Better performance at
// lower occupancy", 2010: loads in flight per thread), sums them, lanes exchange what they have by shuffles (Luitjens,
// "Faster Parallel Reductions on Kepler", NVIDIA, 2014), and warps by shared memory.
//
// Template parameters:
//   THREADS      threads of a block
//   ROW_THREADS  threads that share a row, a power of two; the block takes THREADS / ROW_THREADS rows
//   VEC          floats per load: 1, 2 or 4
//   ITEMS        vectors that a thread loads before it uses the first one
//   SPLIT        blocks that share a row, each of which sums one stretch of it; more than one only where
//                ROW_THREADS is THREADS. The last one of them to end adds up what the others have left in `partials`; it
//                knows that it is the last by counting in `locks` ("threadFenceReduction" of the CUDA samples)
//   STREAM       1: loads are marked as used once
//
// Launch: SPLIT * ceil(rows * ROW_THREADS / THREADS) blocks of THREADS threads. Any rows; columns up to 2^31. `locks`
// has a number per row, zero before and after, `partials` rows * SPLIT floats; neither is touched where SPLIT is 1. Rows
// need not begin at multiples of VEC floats: then the first and the last vector of a row are read float by float. Where x
// itself does not, all are.
//
// Numbers: FP32 throughout. The order of the additions is not specified, and differs between configs; one config adds in
// the same order every time, so its results are the same bits every time. Each of a thread's VEC sums has at most
// columns / (VEC * ITEMS * ROW_THREADS * SPLIT) terms, each of them a sum of ITEMS elements by pairs.
//
// What no config may exceed on any GPU; `cargo bico compile` holds it:
// limits: registers <= 128, block_registers <= 65536, spill_bytes <= 0, local_bytes <= 0

#include "rows.cuh"

// The sum of what this thread reads of a row, from element `first` on and before `end`, both counted from `x`.
template <int ROW_THREADS, int VEC, int ITEMS, bool STREAM, bool WHOLE>
static __device__ __forceinline__ float sum_part(const float *x, const Row &row, unsigned first, unsigned end) {
  constexpr int step = ROW_THREADS * VEC;
  static_assert(ITEMS <= 16, "what `below` is made for");
  float sums[VEC] = {};
  x += first;
  Row part = row;
  part.end = end;
  for (; first < end; first += ITEMS * step, x += ITEMS * step) {
    float values[ITEMS][VEC];
    load_row<step, STREAM, WHOLE>(values, x, first, part, 0.0f);
    // By pairs: the upper half is added to the lower one until one is left. In one loop, which is always unrolled.
#pragma unroll
    for (int i = ITEMS - 1; i > 0; i--) {
      const int below = (i | i >> 1 | i >> 2 | i >> 3) >> 1; // the bits below i's highest
#pragma unroll
      for (int e = 0; e < VEC; e++)
        values[i & below][e] += values[i][e];
    }
#pragma unroll
    for (int e = 0; e < VEC; e++)
      sums[e] += values[0][e];
  }
#pragma unroll
  for (int by = VEC / 2; by > 0; by /= 2)
#pragma unroll
    for (int e = 0; e < by; e++)
      sums[e] += sums[e + by];
  return sums[0];
}

template <int THREADS, int ROW_THREADS, int VEC, int ITEMS, int SPLIT, int STREAM>
__global__ void __launch_bounds__(THREADS)
reduce_kernel(float *__restrict__ y, const float *__restrict__ x, unsigned rows, unsigned columns, unsigned *locks,
              float *partials) {
  static_assert(THREADS % 32 == 0 && THREADS % ROW_THREADS == 0, "whole warps, and whole rows");
  static_assert(SPLIT == 1 || ROW_THREADS == THREADS, "blocks share a row, or a block takes several");
  __shared__ float values[THREADS / 32];

  const unsigned part = blockIdx.x % SPLIT;
  const size_t index = (size_t)(blockIdx.x / SPLIT) * (THREADS / ROW_THREADS) + threadIdx.x / ROW_THREADS;
  const unsigned thread = threadIdx.x % ROW_THREADS;
  Row row = row_of<VEC>(x, index, columns);
  const float *from = x + (index * columns - row.begin);
  // The last block may have threads without a row. They take part in the barriers.
  if (index >= rows)
    row.begin = row.end = 0;
  // This block's stretch: whole vectors, as many as the others'.
  const unsigned vectors = (row.end + VEC - 1) / VEC;
  const unsigned share = (vectors + SPLIT - 1) / SPLIT;
  const unsigned last = (vectors < (part + 1) * share ? vectors : (part + 1) * share) * VEC;
  const unsigned end = row.end < last ? row.end : last;
  const unsigned first = (part * share + thread) * VEC;
  float sum = row.whole ? sum_part<ROW_THREADS, VEC, ITEMS, STREAM, true>(from, row, first, end)
                        : sum_part<ROW_THREADS, VEC, ITEMS, STREAM, false>(from, row, first, end);
  sum = combine_row<ROW_THREADS, Sum>(sum, values);

  if constexpr (SPLIT == 1) {
    if (thread == 0 && index < rows)
      y[index] = sum;
  } else {
    __shared__ float totals[THREADS / 32];
    __shared__ bool is_last;
    if (thread == 0) {
      __stcg(partials + index * SPLIT + part, sum);
      // Whoever sees the count sees the sum.
      __threadfence();
      is_last = atomicAdd(locks + index, 1u) == SPLIT - 1;
    }
    __syncthreads();
    if (!is_last)
      return;
    __threadfence();
    sum = 0.0f;
    for (unsigned i = thread; i < SPLIT; i += THREADS)
      sum += __ldcg(partials + index * SPLIT + i);
    sum = combine_row<ROW_THREADS, Sum>(sum, totals);
    if (thread == 0) {
      y[index] = sum;
      locks[index] = 0;
    }
  }
}

// The reference: a warp per row, in double.
// Launch: blocks of one warp, as many as there are rows.
__global__ void reduce_reference(float *y, const float *x, unsigned rows, unsigned columns) {
  const float *row = x + (size_t)blockIdx.x * columns;
  double sum = 0.0;
  for (unsigned c = threadIdx.x; c < columns; c += 32)
    sum += row[c];
  for (int by = 16; by > 0; by /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, by);
  if (threadIdx.x == 0)
    y[blockIdx.x] = (float)sum;
}
