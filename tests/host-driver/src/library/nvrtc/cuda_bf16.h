// The other floats of 16 bits: the upper halves of those of 32. The names are those of CUDA's cuda_bf16.h.
#pragma once

struct alignas(2) __nv_bfloat16 {
  unsigned short bits;
  __nv_bfloat16() = default;
  // To the nearest, to even in a tie; a NaN stays one.
  __nv_bfloat16(float x) {
    unsigned wide;
    __builtin_memcpy(&wide, &x, 4);
    bits = x == x ? (wide + 0x7fff + (wide >> 16 & 1)) >> 16 : 0x7fff;
  }
  operator float() const {
    unsigned wide = (unsigned)bits << 16;
    float x;
    __builtin_memcpy(&x, &wide, 4);
    return x;
  }
};
typedef __nv_bfloat16 nv_bfloat16;

static inline __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
static inline __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
static inline float __bfloat162float(__nv_bfloat16 x) { return (float)x; }
