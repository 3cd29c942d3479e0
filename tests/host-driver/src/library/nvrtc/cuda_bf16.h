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
static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.bits; }
static inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { __nv_bfloat16 y; y.bits = x; return y; }
// Other operations are those of floats, into which both turn.
#define HOST_BF16(OPERATOR)                                                                       \
  static inline __nv_bfloat16 operator OPERATOR(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a OPERATOR (float)b; } \
  static inline __nv_bfloat16 &operator OPERATOR##=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = a OPERATOR b; }
HOST_BF16(+)
HOST_BF16(-)
HOST_BF16(*)
HOST_BF16(/)
#undef HOST_BF16
#define HOST_BF16(NAME, F) static inline __nv_bfloat16 NAME(__nv_bfloat16 a) { return __builtin_##F##f(a); }
HOST_BF16(hsqrt, sqrt) HOST_BF16(hexp, exp) HOST_BF16(hlog, log)
HOST_BF16(hcos, cos) HOST_BF16(hsin, sin) HOST_BF16(__habs, fabs)
#undef HOST_BF16
static inline bool __hisnan(__nv_bfloat16 a) { return __builtin_isnan((float)a); }
static inline __nv_bfloat16 __hmax_nan(__nv_bfloat16 a, __nv_bfloat16 b) { return __hisnan(a) || a > b ? a : b; }
static inline __nv_bfloat16 __hmin_nan(__nv_bfloat16 a, __nv_bfloat16 b) { return __hisnan(a) || a < b ? a : b; }
HOST_ATOMIC(__nv_bfloat16)
