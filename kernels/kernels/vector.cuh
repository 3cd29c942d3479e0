// Moving 1, 2 or 4 floats with one instruction.
//
// A global access of 16 bytes per thread needs a quarter of the instructions that one of 4 bytes does, for
// the same bytes under way (NVIDIA, "CUDA Pro Tip: Increase Performance with Vectorized Memory Access").
// Addresses must be multiples of the width.
//
// STREAM: the data is used once. Such loads and stores (`ld.global.cs`, `st.global.cs`) are the first that the
// caches let go, so that they leave room for what will be read again.
#pragma once

template <int WIDTH> struct vector_of;
template <> struct vector_of<1> { typedef float type; };
template <> struct vector_of<2> { typedef float2 type; };
template <> struct vector_of<4> { typedef float4 type; };

template <int WIDTH, bool STREAM = false>
static __device__ __forceinline__ void load_vector(float (&to)[WIDTH], const float *from) {
  typedef typename vector_of<WIDTH>::type Vector;
  Vector v;
  if constexpr (STREAM)
    v = __ldcs((const Vector *)from);
  else
    v = *(const Vector *)from;
  if constexpr (WIDTH == 1) {
    to[0] = v;
  } else {
    to[0] = v.x;
    to[1] = v.y;
    if constexpr (WIDTH == 4) {
      to[2] = v.z;
      to[3] = v.w;
    }
  }
}

template <int WIDTH, bool STREAM = false>
static __device__ __forceinline__ void store_vector(float *to, const float (&from)[WIDTH]) {
  typedef typename vector_of<WIDTH>::type Vector;
  Vector v;
  if constexpr (WIDTH == 1) {
    v = from[0];
  } else {
    v.x = from[0];
    v.y = from[1];
    if constexpr (WIDTH == 4) {
      v.z = from[2];
      v.w = from[3];
    }
  }
  if constexpr (STREAM)
    __stcs((Vector *)to, v);
  else
    *(Vector *)to = v;
}

template <bool STREAM> static __device__ __forceinline__ float load_float(const float *from) {
  float to[1];
  load_vector<1, STREAM>(to, from);
  return to[0];
}

template <bool STREAM> static __device__ __forceinline__ void store_float(float *to, float value) {
  const float from[1] = {value};
  store_vector<1, STREAM>(to, from);
}

// Whether WIDTH floats can be moved at once there.
template <int WIDTH> static __device__ __forceinline__ bool vector_aligned(const float *at) {
  return (size_t)at % (4 * WIDTH) == 0;
}
