// Floats of 8 bits: 4 of exponent, 3 of fraction, no infinities. The names are those of CUDA's cuda_fp8.h.
#pragma once
#include "cuda_fp16.h"

struct __half_raw {
  unsigned short x;
  operator __half() const { return __ushort_as_half(x); }
};
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
typedef unsigned char __nv_fp8_storage_t;

static inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t bits, __nv_fp8_interpretation_t as) {
  if (as == __NV_E5M2) return {(unsigned short)(bits << 8)};
  // A half's exponent begins 8 lower, so its fraction is 256 times too small.
  float x = (float)__ushort_as_half((bits & 0x80) << 8 | (bits & 0x7f) << 7) * 256;
  return {__half_as_ushort((bits & 0x7f) == 0x7f ? __half(__builtin_nanf("")) : __half(x))};
}

struct __nv_fp8_e4m3 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e4m3() = default;
  // The nearest one, of two the even one; what is too large becomes the largest.
  __nv_fp8_e4m3(float x) {
    float size = __builtin_fabsf(x);
    unsigned best = 0x7f;
    for (unsigned i = 0; i < 0x7f && x == x; i++) {
      float away = __builtin_fabsf(value(i) - size), least = best == 0x7f ? INFINITY : __builtin_fabsf(value(best) - size);
      if (away < least || (away == least && i % 2 == 0)) best = i;
    }
    __x = best | (__builtin_signbit(x) ? 0x80 : 0);
  }
  operator float() const { return value(__x); }
  static float value(__nv_fp8_storage_t bits) { return __half2float(__nv_cvt_fp8_to_halfraw(bits, __NV_E4M3)); }
};
