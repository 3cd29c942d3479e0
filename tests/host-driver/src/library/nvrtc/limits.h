// What kernels ask cuda/std/limits for: integers.
#pragma once

namespace cuda { namespace std {
template <class T> struct numeric_limits {
  static constexpr bool is_signed = T(-1) < T(0);
  static constexpr int digits = 8 * sizeof(T) - is_signed;
  static constexpr T max() { return T(((T(1) << (digits - 1)) - 1) * 2 + 1); }
  static constexpr T min() { return T(is_signed ? -max() - 1 : 0); }
  static constexpr T lowest() { return min(); }
};
}}
