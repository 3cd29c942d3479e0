// Looks at buffers where they lie: whether two differ, whether a number is left in one, whether results are as exact as they must
// be. Each kernel sets `found` to 1 if so, and leaves it alone if not; what it is, the host looks up. Any grid and block.
//
// `look.ptx` is this by NVRTC; a test holds them together.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

static __device__ __forceinline__ u64 first() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ __forceinline__ u64 stride() { return (u64)gridDim.x * blockDim.x; }

template <class Word> static __device__ __forceinline__ bool differ(const Word *a, const Word *b, u64 from, u64 to) {
  bool found = false;
  for (u64 i = from + first(); i < to; i += stride())
    found |= a[i] != b[i];
  return found;
}

// Whether two buffers of `bytes` bytes differ.
extern "C" __global__ void bico_differ(const u8 *a, const u8 *b, u64 bytes, u32 *found) {
  u64 whole = 0;
  bool any = false;
  if (((u64)a | (u64)b) % 8 == 0) {
    whole = bytes / 8;
    any = differ((const u64 *)a, (const u64 *)b, 0, whole);
  }
  if (any | differ(a, b, 8 * whole, bytes))
    *found = 1;
}

template <class Word> static __device__ __forceinline__ bool holds(const void *words, u64 count, u64 word) {
  bool found = false;
  for (u64 i = first(); i < count; i += stride())
    found |= ((const Word *)words)[i] == (Word)word;
  return found;
}

// Whether one of `count` words of `size` bytes, 2, 4 or 8, is this one.
extern "C" __global__ void bico_holds(const void *words, u64 count, u64 size, u64 word, u32 *found) {
  const bool any = size == 2   ? holds<u16>(words, count, word)
                   : size == 4 ? holds<u32>(words, count, word)
                               : holds<u64>(words, count, word);
  if (any)
    *found = 1;
}

// The numbers of a format by their bits.
struct F16 {
  typedef u16 Bits;
  static __device__ __forceinline__ double value(u16 bits) {
    const u32 exponent = bits >> 10 & 31, fraction = bits & 1023;
    // Those without a leading 1 are multiples of 2^-24.
    const float size = exponent == 0 ? fraction * 5.9604644775390625e-8f
                                     : __int_as_float((exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13);
    return bits >> 15 ? -size : size;
  }
};
struct Bf16 {
  typedef u16 Bits;
  static __device__ __forceinline__ double value(u16 bits) { return __int_as_float(bits << 16); }
};
struct F32 {
  typedef float Bits;
  static __device__ __forceinline__ double value(float bits) { return bits; }
};
struct F64 {
  typedef double Bits;
  static __device__ __forceinline__ double value(double bits) { return bits; }
};

// As `measure/compare.rs` has it, in the same order, without fused multiply-adds: what is right here is right there.
static __device__ __forceinline__ bool is_close(double x, double r, double rtol, double atol, bool finite) {
  const bool counts = fabs(r) <= 1.7976931348623157e308;
  if (finite && !counts)
    return true;
  const double off = fabs(__dsub_rn(x, r));
  if (off <= atol || x == r)
    return true;
  return counts ? off <= __dadd_rn(atol, __dmul_rn(rtol, fabs(r))) : x != x && r != r;
}

template <class Format>
static __device__ __forceinline__ bool far(const void *got, const void *want, u64 count, double rtol, double atol, bool finite) {
  typedef typename Format::Bits Bits;
  bool found = false;
  for (u64 i = first(); i < count; i += stride())
    found |= !is_close(Format::value(((const Bits *)got)[i]), Format::value(((const Bits *)want)[i]), rtol, atol, finite);
  return found;
}

// Whether one of `count` results is further from what it must be than atol + rtol |want|. `format`: 0 F16, 1 BF16, 2 F32, 3 F64;
// `finite`: only where it must be a finite number.
extern "C" __global__ void bico_far(const void *got, const void *want, u64 count, u64 format, double rtol, double atol, u64 finite,
                                    u32 *found) {
  const bool any = format == 0   ? far<F16>(got, want, count, rtol, atol, finite)
                   : format == 1 ? far<Bf16>(got, want, count, rtol, atol, finite)
                   : format == 2 ? far<F32>(got, want, count, rtol, atol, finite)
                                 : far<F64>(got, want, count, rtol, atol, finite);
  if (any)
    *found = 1;
}
