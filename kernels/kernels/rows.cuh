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

// Loads the ITEMS vectors at elements `at`, `at + STEP`, .. of a row, multiples of VEC, and puts `outside` where they are
// not the row's. `from` is the address of the first. WHOLE: `row.whole` is known to hold.
//
// Vectors are loaded under conditions, without branches: a load waits for nothing, and all of them are under way
// together. The few threads that hold an end of a row fetch its elements afterwards.
template <int STEP, bool STREAM, bool WHOLE, int ITEMS, int VEC>
static __device__ __forceinline__ void load_row(float (&to)[ITEMS][VEC], const float *from, unsigned at, const Row &row,
                                                float outside) {
  bool at_end = false;
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    const unsigned first = at + i * STEP;
    const bool inside = WHOLE ? first < row.end : row.aligned && first >= row.begin && first + VEC <= row.end;
#pragma unroll
    for (int e = 0; e < VEC; e++)
      to[i][e] = outside;
    if (inside)
      load_vector<STREAM>(to[i], from + i * STEP);
    at_end |= !inside && first < row.end;
  }
  if constexpr (!WHOLE)
    if (at_end)
#pragma unroll
      for (int i = 0; i < ITEMS; i++) {
        const unsigned first = at + i * STEP;
        const bool inside = row.aligned && first >= row.begin && first + VEC <= row.end;
#pragma unroll
        for (int e = 0; e < VEC; e++)
          if (!inside && first + e >= row.begin && first + e < row.end)
            to[i][e] = load_float<STREAM>(from + i * STEP + e);
      }
}

// The same for stores: what does not belong to the row is left alone. `aligned`: vectors may be stored.
template <int STEP, bool STREAM, bool WHOLE, int ITEMS, int VEC>
static __device__ __forceinline__ void store_row(float *to, unsigned at, const Row &row, bool aligned,
                                                 const float (&from)[ITEMS][VEC]) {
  bool at_end = false;
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    const unsigned first = at + i * STEP;
    const bool inside = WHOLE ? first < row.end : aligned && first >= row.begin && first + VEC <= row.end;
    if (inside)
      store_vector<STREAM>(to + i * STEP, from[i]);
    at_end |= !inside && first < row.end;
  }
  if constexpr (!WHOLE)
    if (at_end)
#pragma unroll
      for (int i = 0; i < ITEMS; i++) {
        const unsigned first = at + i * STEP;
        const bool inside = aligned && first >= row.begin && first + VEC <= row.end;
#pragma unroll
        for (int e = 0; e < VEC; e++)
          if (!inside && first + e >= row.begin && first + e < row.end)
            store_float<STREAM>(to + i * STEP + e, from[i][e]);
      }
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
