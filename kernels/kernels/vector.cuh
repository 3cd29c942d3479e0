// Moving 1, 2 or 4 floats with one instruction.
//
// A global access of 16 bytes per thread needs a quarter of the instructions that one of 4 bytes does, for
// the same bytes under way (NVIDIA, "CUDA Pro Tip: Increase Performance with Vectorized Memory Access").
// Addresses must be multiples of the width. Global memory is accessed through functions that name a way of caching,
// because the compiler may take any other store of a vector apart.
//
// STREAM: the data is used once. Such loads and stores (`ld.global.cs`, `st.global.cs`) are the first that the
// caches let go, so that they leave room for what will be read again.
#pragma once

template <int WIDTH> struct vector_of;
template <> struct vector_of<1> { typedef float type; };
template <> struct vector_of<2> { typedef float2 type; };
template <> struct vector_of<4> { typedef float4 type; };

static __device__ __forceinline__ void unpack(float (&to)[1], float from) { to[0] = from; }
static __device__ __forceinline__ void unpack(float (&to)[2], float2 from) {
  to[0] = from.x;
  to[1] = from.y;
}
static __device__ __forceinline__ void unpack(float (&to)[4], float4 from) {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
  to[3] = from.w;
}
static __device__ __forceinline__ float pack(const float (&from)[1]) { return from[0]; }
static __device__ __forceinline__ float2 pack(const float (&from)[2]) { return make_float2(from[0], from[1]); }
static __device__ __forceinline__ float4 pack(const float (&from)[4]) {
  return make_float4(from[0], from[1], from[2], from[3]);
}

// Of global memory that the kernel does not write.
template <bool STREAM, int WIDTH> static __device__ __forceinline__ void load_vector(float (&to)[WIDTH], const float *from) {
  typedef typename vector_of<WIDTH>::type Vector;
  unpack(to, STREAM ? __ldcs((const Vector *)from) : __ldg((const Vector *)from));
}

template <bool STREAM> static __device__ __forceinline__ float load_float(const float *from) {
  return STREAM ? __ldcs(from) : __ldg(from);
}

// To global memory that the kernel does not read.
template <bool STREAM, int WIDTH> static __device__ __forceinline__ void store_vector(float *to, const float (&from)[WIDTH]) {
  typedef typename vector_of<WIDTH>::type Vector;
  if (STREAM)
    __stcs((Vector *)to, pack(from));
  else
    __stcg((Vector *)to, pack(from));
}

template <bool STREAM> static __device__ __forceinline__ void store_float(float *to, float from) {
  if (STREAM)
    __stcs(to, from);
  else
    __stcg(to, from);
}

template <int WIDTH> static __device__ __forceinline__ void load_shared(float (&to)[WIDTH], const float *from) {
  unpack(to, *(const typename vector_of<WIDTH>::type *)from);
}

template <int WIDTH> static __device__ __forceinline__ void store_shared(float *to, const float (&from)[WIDTH]) {
  *(typename vector_of<WIDTH>::type *)to = pack(from);
}

// Whether WIDTH floats can be moved at once there.
template <int WIDTH> static __device__ __forceinline__ bool vector_aligned(const float *at) {
  return WIDTH == 1 || (size_t)at % (4 * WIDTH) == 0;
}
