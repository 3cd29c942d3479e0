// Half precision for a host compiler that has _Float16. The names are those of CUDA's cuda_fp16.h.
#pragma once

struct alignas(2) __half {
  _Float16 value;
  __half() = default;
  __half(float x) : value((_Float16)x) {}
  __half(double x) : value((_Float16)x) {}
  __half(int x) : value((_Float16)x) {}
  __half(unsigned x) : value((_Float16)x) {}
  operator float() const { return (float)value; }
};
typedef __half half;

struct alignas(4) __half2 { __half x, y; };
typedef __half2 half2;

static inline __half __float2half(float x) { return __half(x); }
static inline __half __float2half_rn(float x) { return __half(x); }
static inline __half __double2half(double x) { return __half(x); }
static inline __half __int2half_rn(int x) { return __half(x); }
static inline float __half2float(__half x) { return (float)x.value; }
static inline __half __ushort_as_half(unsigned short x) { __half y; __builtin_memcpy(&y, &x, 2); return y; }
static inline unsigned short __half_as_ushort(__half x) { unsigned short y; __builtin_memcpy(&y, &x, 2); return y; }

static inline __half2 make_half2(__half x, __half y) { return {x, y}; }
static inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
static inline __half2 __half2half2(__half x) { return {x, x}; }
static inline __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
static inline __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
static inline __half2 __float22half2_rn(float2 x) { return {__half(x.x), __half(x.y)}; }
static inline float2 __half22float2(__half2 x) { return {(float)x.x, (float)x.y}; }
static inline __half __low2half(__half2 x) { return x.x; }
static inline __half __high2half(__half2 x) { return x.y; }
static inline float __low2float(__half2 x) { return (float)x.x; }
static inline float __high2float(__half2 x) { return (float)x.y; }

// One operation on floats, rounded once, is the operation on halves rounded once.
#define HOST_HALF(NAME, OPERATOR)                                                                 \
  static inline __half operator OPERATOR(__half a, __half b) { return __half((float)a OPERATOR (float)b); } \
  static inline __half &operator OPERATOR##=(__half &a, __half b) { return a = a OPERATOR b; }    \
  static inline __half2 operator OPERATOR(__half2 a, __half2 b) { return {a.x OPERATOR b.x, a.y OPERATOR b.y}; } \
  static inline __half __h##NAME(__half a, __half b) { return a OPERATOR b; }                     \
  static inline __half2 __h##NAME##2(__half2 a, __half2 b) { return a OPERATOR b; }
HOST_HALF(add, +)
HOST_HALF(sub, -)
HOST_HALF(mul, *)
HOST_HALF(div, /)
#undef HOST_HALF
#define HOST_HALF(NAME, OPERATOR)                                                                 \
  static inline bool operator OPERATOR(__half a, __half b) { return (float)a OPERATOR (float)b; } \
  static inline bool __h##NAME(__half a, __half b) { return a OPERATOR b; }
HOST_HALF(eq, ==)
HOST_HALF(ne, !=)
HOST_HALF(lt, <)
HOST_HALF(le, <=)
HOST_HALF(gt, >)
HOST_HALF(ge, >=)
#undef HOST_HALF
static inline __half operator-(__half a) { return __half(-(float)a); }
static inline __half __hneg(__half a) { return -a; }
static inline __half __habs(__half a) { return __half(__builtin_fabsf((float)a)); }
static inline __half __hmax(__half a, __half b) { return __half(__builtin_fmaxf((float)a, (float)b)); }
static inline __half __hmin(__half a, __half b) { return __half(__builtin_fminf((float)a, (float)b)); }
// The product is exact in double; that the sum is rounded there first shows in next to no result.
static inline __half __hfma(__half a, __half b, __half c) {
  return __half((double)(float)a * (double)(float)b + (double)(float)c);
}
static inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
static inline __half hsqrt(__half a) { return __half(__builtin_sqrtf((float)a)); }
static inline __half hexp(__half a) { return __half(__builtin_expf((float)a)); }
static inline __half hcos(__half a) { return __half(__builtin_cosf((float)a)); }
static inline __half hsin(__half a) { return __half(__builtin_sinf((float)a)); }
static inline __half hlog(__half a) { return __half(__builtin_logf((float)a)); }
static inline bool __hisnan(__half a) { return __builtin_isnan((float)a); }
#if __CUDA_ARCH__ >= 800
static inline __half __hmax_nan(__half a, __half b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b); }
static inline __half __hmin_nan(__half a, __half b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b); }
#endif
HOST_ATOMIC(__half)
