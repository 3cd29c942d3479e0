// 16-bit floats, as kernels for tensor cores have them.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// What a type is to instructions, and the bits of the number of it that is next to a float.
template <class T> struct Number;
template <> struct Number<__half> {
  static constexpr bool BF16 = false;
  static __device__ __forceinline__ unsigned bits(float x) { return __half_as_ushort(__float2half_rn(x)); }
};
template <> struct Number<__nv_bfloat16> {
  static constexpr bool BF16 = true;
  static __device__ __forceinline__ unsigned bits(float x) { return __bfloat16_as_ushort(__float2bfloat16_rn(x)); }
};

// Two neighbours, the first one in the lower half.
template <class T> static __device__ __forceinline__ unsigned pair(float low, float high) {
  return Number<T>::bits(low) | Number<T>::bits(high) << 16;
}
