// Kernels that walk along rows: a row cut into vectors, and a value per thread combined to one per row.
#pragma once

#include "vector.cuh"

// What a row's vectors are counted from: the last address before its first element, or at it, where a vector may
// begin. So the vectors of every row are aligned, wherever rows begin; of the first and the last one only a part
// may belong to the row.
struct Row {
  unsigned begin; // the row's first element, counted from there: less than a vector
  unsigned end;   // and what follows its last one
  bool whole;     // every vector belongs to the row wholly; the same for all rows of a launch
  bool aligned;   // vectors may be loaded
};

// Of `row`, the index of a row of `columns` elements in `matrix`.
template <int VEC> static __device__ __forceinline__ Row row_of(const float *matrix, size_t row, unsigned columns) {
  const bool aligned = vector_aligned<VEC>(matrix);
  const unsigned begin = aligned ? (unsigned)(row * columns) % VEC : 0;
  return {begin, begin + columns, aligned && columns % VEC == 0, aligned};
}

// Loads the vector at element `at` of a row, a multiple of VEC, and puts `outside` where it is not the row's.
// `from` is its address. WHOLE: `row.whole` is known to hold. There are conditions and no branches: a load waits for
// nothing, so that those of many vectors are under way together.
template <int VEC, bool STREAM, bool WHOLE>
static __device__ __forceinline__ void load_part(float (&to)[VEC], const float *from, unsigned at, const Row &row,
                                                 float outside) {
#pragma unroll
  for (int e = 0; e < VEC; e++)
    to[e] = outside;
  const bool inner = WHOLE ? at < row.end : row.aligned && at >= row.begin && at + VEC <= row.end;
  if (inner)
    load_vector<VEC, STREAM>(to, from);
  if constexpr (!WHOLE)
#pragma unroll
    for (int e = 0; e < VEC; e++)
      if (!inner && at + e >= row.begin && at + e < row.end)
        to[e] = load_float<STREAM>(from + e);
}

// The same for a store: what does not belong to the row is left alone. `aligned`: vectors may be stored.
template <int VEC, bool STREAM, bool WHOLE>
static __device__ __forceinline__ void store_part(float *to, unsigned at, const Row &row, bool aligned,
                                                  const float (&from)[VEC]) {
  const bool inner = WHOLE ? at < row.end : aligned && at >= row.begin && at + VEC <= row.end;
  if (inner)
    store_vector<VEC, STREAM>(to, from);
  if constexpr (!WHOLE)
#pragma unroll
    for (int e = 0; e < VEC; e++)
      if (!inner && at + e >= row.begin && at + e < row.end)
        store_float<STREAM>(to + e, from[e]);
}

struct Maximum {
  static __device__ __forceinline__ float of(float a, float b) { return fmaxf(a, b); }
};
struct Sum {
  static __device__ __forceinline__ float of(float a, float b) { return a + b; }
};

// Combines the values of WIDTH neighbouring lanes, a power of two up to 32; each of them gets the result.
template <int WIDTH, class Operator> static __device__ __forceinline__ float combine_lanes(float value) {
#pragma unroll
  for (int by = WIDTH / 2; by > 0; by /= 2)
    value = Operator::of(value, __shfl_xor_sync(0xffffffffu, value, by));
  return value;
}

// Combines the values of each ROW_THREADS neighbouring threads of a block, a power of two, in a fixed order; each of
// them gets the result. All threads of the block take part, whole warps. `values` is shared memory for a float of every
// warp, for this call alone: nobody waits until others have read it.
template <int ROW_THREADS, class Operator> static __device__ __forceinline__ float combine_row(float value, float *values) {
  if constexpr (ROW_THREADS <= 32) {
    return combine_lanes<ROW_THREADS, Operator>(value);
  } else {
    constexpr unsigned warps = ROW_THREADS / 32;
    const unsigned warp = threadIdx.x / 32;
    const unsigned lane = threadIdx.x % 32;
    value = combine_lanes<32, Operator>(value);
    if (lane == 0)
      values[warp] = value;
    __syncthreads();
    return combine_lanes<warps, Operator>(values[warp / warps * warps + lane % warps]);
  }
}
