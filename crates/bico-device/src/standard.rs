//! Headers of C and C++ for NVRTC, which has none: what CUDA sources include beside CUDA's own.
//!
//! Types, limits and names of functions that NVRTC knows without them. What takes templates comes from libcu++, which
//! is NVIDIA's, where that is installed.

/// Their names and contents, for a folder behind all others.
pub fn standard_headers() -> impl Iterator<Item = (&'static str, String)> {
    let own = OWN.iter().map(|(name, text)| (*name, text.to_string()));
    let others = OF_LIBCUXX.iter().map(|name| {
        let text =
            format!("#include <cuda/std/{name}>\nnamespace std {{ using namespace cuda::std; }}\n");
        (*name, text)
    });
    let all = own.chain(others);
    all.map(|(name, text)| (name, format!("#pragma once\n{text}")))
}

const OF_LIBCUXX: [&str; 9] = [
    "array",
    "complex",
    "functional",
    "initializer_list",
    "limits",
    "numeric",
    "tuple",
    "type_traits",
    "utility",
];

const OWN: [(&str, &str); 20] = [
    ("stdint.h", STDINT),
    (
        "cstdint",
        "#include <stdint.h>
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t; using ::intmax_t; using ::intptr_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::uintmax_t; using ::uintptr_t;
}
",
    ),
    ("limits.h", LIMITS),
    ("climits", "#include <limits.h>\n"),
    ("float.h", FLOAT),
    ("cfloat", "#include <float.h>\n"),
    (
        "stddef.h",
        "#ifndef offsetof
#define offsetof(type, member) ((size_t)&((type *)0)->member)
#endif
",
    ),
    (
        "cstddef",
        "#include <stddef.h>
namespace std { using ::size_t; using ::ptrdiff_t; typedef decltype(nullptr) nullptr_t; }
",
    ),
    ("math.h", MATH),
    ("cmath", CMATH),
    ("stdio.h", ""),
    ("cstdio", "namespace std { using ::printf; }\n"),
    // As the C library's: code that nvcc compiles has these names always.
    (
        "stdlib.h",
        "typedef unsigned short ushort;\ntypedef unsigned uint;\ntypedef unsigned long ulong;\n",
    ),
    (
        "cstdlib",
        "#include <stdlib.h>\nnamespace std { using ::abs; using ::free; using ::malloc; using ::size_t; }\n",
    ),
    ("string.h", ""),
    (
        "cstring",
        "namespace std { using ::memcpy; using ::memset; using ::size_t; }\n",
    ),
    ("assert.h", ""),
    ("cassert", ""),
    ("stdbool.h", ""),
    (
        "algorithm",
        "namespace std {
template <class T> __host__ __device__ constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T> __host__ __device__ constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <class T> __host__ __device__ constexpr const T &clamp(const T &x, const T &low, const T &high)
{
    return x < low ? low : high < x ? high : x;
}
}
",
    ),
];

const STDINT: &str = "#if __has_include(<cuda/std/cstdint>)
#include <cuda/std/cstdint>
#else
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t, intmax_t, intptr_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned uint32_t;
typedef unsigned long long uint64_t, uintmax_t, uintptr_t;
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN (-9223372036854775807ll - 1)
#define INT64_MAX 9223372036854775807ll
#define UINT64_MAX 18446744073709551615ull
#endif
#ifndef SIZE_MAX
#define SIZE_MAX UINT64_MAX
#endif
";

const LIMITS: &str = "#if __has_include(<cuda/std/climits>)
#include <cuda/std/climits>
#endif
#ifndef INT_MAX
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MIN (-9223372036854775807l - 1)
#define LONG_MAX 9223372036854775807l
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MIN (-9223372036854775807ll - 1)
#define LLONG_MAX 9223372036854775807ll
#define ULLONG_MAX 18446744073709551615ull
#endif
";

const FLOAT: &str = "#if __has_include(<cuda/std/cfloat>)
#include <cuda/std/cfloat>
#endif
#ifndef FLT_MAX
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN 1.17549435e-38f
#define FLT_MAX 3.40282347e+38f
#define FLT_EPSILON 1.19209290e-7f
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
#define DBL_EPSILON 2.2204460492503131e-16
#endif
";

/// libcu++ defines INFINITY and NAN again, which is no mistake of the author's.
const MATH: &str = "#if __has_include(<cuda/std/cmath>)
#pragma nv_diag_suppress 47
#endif
#ifndef INFINITY
#define INFINITY (1.0f / 0.0f)
#define NAN (0.0f / 0.0f)
#endif
#ifndef HUGE_VAL
#define HUGE_VAL (1.0 / 0.0)
#define HUGE_VALF (1.0f / 0.0f)
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
";

const CMATH: &str = "#include <math.h>
namespace std {
using ::abs; using ::acos; using ::acosh; using ::asin; using ::asinh; using ::atan; using ::atan2; using ::atanh;
using ::cbrt; using ::ceil; using ::copysign; using ::cos; using ::cosh; using ::erf; using ::erfc; using ::exp;
using ::exp2; using ::expm1; using ::fabs; using ::fdim; using ::floor; using ::fma; using ::fmax; using ::fmin;
using ::fmod; using ::frexp; using ::hypot; using ::ilogb; using ::isfinite; using ::isinf; using ::isnan; using ::ldexp;
using ::lgamma; using ::llrint; using ::llround; using ::log; using ::log10; using ::log1p; using ::log2; using ::logb;
using ::lrint; using ::lround; using ::modf; using ::nan; using ::nanf; using ::nearbyint; using ::nextafter; using ::pow;
using ::remainder; using ::remquo; using ::rint; using ::round; using ::scalbln; using ::scalbn; using ::signbit;
using ::sin; using ::sinh; using ::sqrt; using ::tan; using ::tanh; using ::tgamma; using ::trunc;
}
";
