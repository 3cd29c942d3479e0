// What CUDA C++ has and C++ has not, for a host compiler. Comes before every kernel.
// The layouts of fibres, blocks and warps are those of src/execute/.
#pragma once

// Where a kernel must ask for something else here: instructions in PTX.
#define HOST_DRIVER 1

// What is compiled depends on it, and is kept by its text.
static_assert(sizeof(__VERSION__) > 1, __VERSION__);

#define __global__ __host_global__
#define __shared__ __host_shared__
#define __device__
#define __host__
#define __constant__ __host_constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...) __host_bounds__(__VA_ARGS__)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __restrict __restrict__

typedef decltype(sizeof(0)) size_t;
typedef decltype((char *)0 - (char *)0) ptrdiff_t;
#define NULL __null

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

#define HOST_VECTOR(T, N)                                                                         \
  struct alignas(sizeof(T)) N##1 { T x; };                                                       \
  struct alignas(2 * sizeof(T)) N##2 { T x, y; };                                                \
  struct N##3 { T x, y, z; };                                                                    \
  struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) N##4 { T x, y, z, w; };                \
  static inline N##1 make_##N##1(T x) { return {x}; }                                            \
  static inline N##2 make_##N##2(T x, T y) { return {x, y}; }                                    \
  static inline N##3 make_##N##3(T x, T y, T z) { return {x, y, z}; }                            \
  static inline N##4 make_##N##4(T x, T y, T z, T w) { return {x, y, z, w}; }
HOST_VECTOR(signed char, char)
HOST_VECTOR(unsigned char, uchar)
HOST_VECTOR(short, short)
HOST_VECTOR(unsigned short, ushort)
HOST_VECTOR(int, int)
HOST_VECTOR(unsigned, uint)
HOST_VECTOR(long, long)
HOST_VECTOR(unsigned long, ulong)
HOST_VECTOR(long long, longlong)
HOST_VECTOR(unsigned long long, ulonglong)
HOST_VECTOR(float, float)
HOST_VECTOR(double, double)
#undef HOST_VECTOR

// Threads -----------------------------------------------------------------------------------------

struct host_warp {
  // What its lanes hand each other: one value, and parts of matrices.
  unsigned long long values[32];
  unsigned parts[32][6];
  unsigned alive, waiting;
};
struct host_block {
  uint3 index, dim, grid, cluster;
  unsigned shared_bytes;
  void *shared;
  void (*syncthreads)();
  void (*syncwarp)(unsigned);
  void (*pause)(const void *, int);
  int steps;
  int counted;
  // Boxes of tensors that were asked for and have not arrived.
  struct host_box *boxes;
  // Who waits at `bar.sync`, by its number, and how often it opened.
  unsigned named[16][2];
  // The blocks of its cluster, by rank; of the first one's: who waits for all of them, and how often that opened.
  host_block **peers;
  unsigned together[2];
  // Threads that have not ended.
  unsigned alive;
  // Whether its launch may begin before the one ahead of it ends.
  unsigned dependent;
};
struct host_copy {
  unsigned char *to;
  const unsigned char *from;
  unsigned read, bytes, group;
};
struct host_fibre {
  uint3 thread;
  unsigned lane;
  host_block *block;
  host_warp *warp;
  // Copies that were started and not waited for.
  host_copy *copies;
  unsigned length, room, groups;
  // Products of a warpgroup that are under way, as their copies.
  struct host_product *products;
  unsigned under_way, products_room, product_groups, fenced;
  // How often the cluster's barrier had opened when it arrived there.
  unsigned together;
};

// The stack of a thread is aligned to its size, and what belongs to the thread lies at its end: at
// another distance from it in each stack, or all of them would share a few lines of the caches.
static inline __attribute__((always_inline)) host_fibre *host_thread() {
  size_t stack;
  asm("mov %%rsp, %0" : "=r"(stack));
  return (host_fibre *)((stack | (128 * 1024 - 1)) + 1 - ((stack >> 17 & 127) + 1) * 256);
}

#define threadIdx (host_thread()->thread)
#define blockIdx (host_thread()->block->index)
#define blockDim (host_thread()->block->dim)
#define gridDim (host_thread()->block->grid)
#define warpSize 32

// Clusters of blocks, as far as blocks ask where they are (CUDA's crt/sm_90_rt.h). They do not run at the same time here.
static inline dim3 __clusterDim() { uint3 of = host_thread()->block->cluster; return dim3(of.x, of.y, of.z); }
static inline unsigned __clusterSizeInBlocks() { uint3 of = host_thread()->block->cluster; return of.x * of.y * of.z; }
static inline dim3 __clusterRelativeBlockIdx() {
  uint3 at = host_thread()->block->index, of = host_thread()->block->cluster;
  return dim3(at.x % of.x, at.y % of.y, at.z % of.z);
}
static inline unsigned __clusterRelativeBlockRank() {
  uint3 of = host_thread()->block->cluster;
  dim3 at = __clusterRelativeBlockIdx();
  return at.x + of.x * (at.y + of.y * at.z);
}

static inline void *host_dynamic_shared() { return host_thread()->block->shared; }

// Dynamic shared memory that is declared outside of functions.
template <class T> struct host_dynamic {
  operator T *() const { return (T *)host_dynamic_shared(); }
};

#define HOST_FENCE() asm volatile("" ::: "memory")
static inline void __syncthreads() { host_thread()->block->syncthreads(); HOST_FENCE(); }
static inline void __syncwarp(unsigned mask = 0xffffffff) { host_thread()->block->syncwarp(mask); HOST_FENCE(); }
static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __threadfence(); }
static inline void __threadfence_system() { __threadfence(); }

static inline int host_count(int predicate, int add) {
  int *counted = &host_thread()->block->counted;
  __syncthreads();
  *counted = 0;
  __syncthreads();
  __atomic_fetch_add(counted, predicate ? add : 0, __ATOMIC_RELAXED);
  __syncthreads();
  return *counted;
}
static inline int __syncthreads_count(int predicate) { return host_count(predicate, 1); }
static inline int __syncthreads_or(int predicate) { return host_count(predicate, 1) > 0; }
static inline int __syncthreads_and(int predicate) { return host_count(!predicate, 1) == 0; }

// Threads take turns ------------------------------------------------------------------------------

// The compiler calls these before every access that another thread may see (-fsanitize=thread, without its library).
// A thread pauses when its steps are used up, and may do so wherever it overwrites what was read: what others write
// there meanwhile is lost.
#define HOST_HOOK extern "C" __attribute__((no_sanitize("thread"), visibility("hidden"), used))
static inline __attribute__((always_inline)) void host_step(const void *at, int updates) {
  host_block *block = host_thread()->block;
  if (updates || --block->steps <= 0) block->pause(at, updates);
}
// What was read of late, by address, and whoever read it.
static const void *host_reads[1024];
#define HOST_READ(at) host_reads[(size_t)(at) * 0x9e3779b97f4a7c15 >> 54]
static inline __attribute__((always_inline)) void host_write(const void *at) {
  host_step(at, HOST_READ(at) == at);
}
#define HOST_ACCESS(N)                                                                            \
  HOST_HOOK void __tsan_read##N(void *at) { HOST_READ(at) = at; }                                 \
  HOST_HOOK void __tsan_volatile_read##N(void *at) { __tsan_read##N(at); host_step(at, 0); } \
  HOST_HOOK void __tsan_write##N(void *at) { host_write(at); }                                    \
  HOST_HOOK void __tsan_volatile_write##N(void *at) { host_write(at); }
HOST_ACCESS(1) HOST_ACCESS(2) HOST_ACCESS(4) HOST_ACCESS(8) HOST_ACCESS(16)
HOST_HOOK void __tsan_read_range(void *at, size_t) { __tsan_read1(at); }
HOST_HOOK void __tsan_write_range(void *at, size_t) { host_write(at); }
HOST_HOOK void __tsan_init() {}
HOST_HOOK void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#define HOST_ATOMIC_ACCESS(N, T)                                                                  \
  HOST_HOOK T __tsan_atomic##N##_load(const T *at, int) {                                         \
    host_step(at, 0);                                                                   \
    return __atomic_load_n(at, __ATOMIC_RELAXED);                                                 \
  }                                                                                               \
  HOST_HOOK T __tsan_atomic##N##_fetch_add(T *at, T by, int) {                                    \
    return __atomic_fetch_add(at, by, __ATOMIC_RELAXED);                                          \
  }                                                                                               \
  HOST_HOOK bool __tsan_atomic##N##_compare_exchange_strong(T *at, T *was, T by, int, int) {      \
    return __atomic_compare_exchange_n(at, was, by, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);   \
  }
HOST_ATOMIC_ACCESS(16, unsigned short)
HOST_ATOMIC_ACCESS(32, unsigned)
HOST_ATOMIC_ACCESS(64, unsigned long long)

// Warps -------------------------------------------------------------------------------------------

// What lanes hand over lies in tables of the driver's, between two `__syncwarp`: no access that a race may be about.
#define HOST_OWN __attribute__((no_sanitize("thread")))
template <class T> HOST_OWN static inline T host_exchange(unsigned mask, T value, int from) {
  static_assert(sizeof(T) <= 8, "a lane hands over at most 8 bytes");
  host_fibre *self = host_thread();
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  self->warp->values[self->lane] = bits;
  __syncwarp(mask);
  // What a lane hands over that is not there, or not meant, is undefined on a GPU; here it is a NaN.
  bool is_there = (mask & self->warp->alive) >> (from & 31) & 1;
  bits = is_there ? self->warp->values[from & 31] : ~0ull;
  __syncwarp(mask);
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class T> static inline T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  int base = (int)host_thread()->lane & ~(width - 1);
  return host_exchange(mask, value, base + (from & (width - 1)));
}
template <class T> static inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  int lane = host_thread()->lane, base = lane & ~(width - 1), from = lane - (int)by;
  return host_exchange(mask, value, from < base ? lane : from);
}
template <class T> static inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  int lane = host_thread()->lane, end = (lane & ~(width - 1)) + width, from = lane + (int)by;
  return host_exchange(mask, value, from >= end ? lane : from);
}
template <class T> static inline T __shfl_xor_sync(unsigned mask, T value, int by, int width = 32) {
  int lane = host_thread()->lane, end = (lane & ~(width - 1)) + width, from = lane ^ by;
  return host_exchange(mask, value, from >= end ? lane : from);
}
HOST_OWN static inline unsigned __ballot_sync(unsigned mask, int predicate) {
  host_fibre *self = host_thread();
  self->warp->values[self->lane] = predicate != 0;
  __syncwarp(mask);
  unsigned ballot = 0;
  for (int lane = 0; lane < 32; lane++)
    if ((mask & self->warp->alive) >> lane & 1) ballot |= (unsigned)self->warp->values[lane] << lane;
  __syncwarp(mask);
  return ballot;
}
static inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
static inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }
static inline unsigned __activemask() { return host_thread()->warp->alive; }

// Instructions that have no name in C++: kernels write them in PTX ------------------------------------

// cp.async: the bytes arrive when they are waited for, and until then NaNs stand there: a kernel that reads too
// early computes nonsense here, too.
extern "C" void *realloc(void *, size_t);
// Room for one more at the end of a list.
template <class T> static inline void host_room(T *&list, unsigned length, unsigned &room) {
  if (length < room) return;
  room = room ? 2 * room : 16;
  list = (T *)realloc(list, room * sizeof(T));
}
static inline void host_async_copy(void *to, const void *from, unsigned read, unsigned bytes) {
  if (((size_t)to | (size_t)from) & (bytes - 1)) __builtin_trap();
  host_fibre *own = host_thread();
  host_room(own->copies, own->length, own->room);
  own->copies[own->length++] = {(unsigned char *)to, (const unsigned char *)from, read, bytes, own->groups};
  __builtin_memset(to, 0xff, bytes);
}
static inline void host_async_commit() { host_thread()->groups++; }
static inline void host_async_wait(unsigned pending) {
  host_fibre *own = host_thread();
  unsigned kept = 0;
  for (unsigned i = 0; i < own->length; i++) {
    host_copy copy = own->copies[i];
    if (copy.group + pending >= own->groups) {
      own->copies[kept++] = copy;
      continue;
    }
    __builtin_memcpy(copy.to, copy.from, copy.read);
    __builtin_memset(copy.to + copy.read, 0, copy.bytes - copy.read);
  }
  own->length = kept;
  HOST_FENCE();
}

// mbarrier (PTX 9.7.13.15): a phase is over when nobody is missing and all bytes are there.
struct host_mbarrier {
  unsigned phase : 1, pending : 15, expected : 15;
  int bytes;
};
HOST_OWN static inline void host_mbarrier_look(host_mbarrier *of) {
  if (of->pending || of->bytes) return;
  of->phase ^= 1;
  of->pending = of->expected;
}
HOST_OWN static inline void host_mbarrier_init(void *at, unsigned count) {
  if ((size_t)at & 7) __builtin_trap();
  *(host_mbarrier *)at = {0, count, count, 0};
}
HOST_OWN static inline void host_mbarrier_arrive(void *at) {
  host_mbarrier *of = (host_mbarrier *)at;
  if (!of->pending) __builtin_trap();
  of->pending--;
  host_mbarrier_look(of);
}
// mbarrier.arrive.expect_tx
HOST_OWN static inline void host_mbarrier_expect(void *at, unsigned bytes) {
  ((host_mbarrier *)at)->bytes += bytes;
  host_mbarrier_arrive(at);
}

// ldmatrix: every lane hands over the address of a row.
static inline void host_ldmatrix_x4(unsigned (&to)[4], const void *row, bool transposed) {
  host_fibre *self = host_thread();
  unsigned group = self->lane / 4, member = self->lane % 4;
  if ((size_t)row & 15) __builtin_trap();
  self->warp->values[self->lane] = (unsigned long long)row;
  __syncwarp();
  for (unsigned i = 0; i < 4; i++) {
    const unsigned long long *rows = self->warp->values + 8 * i;
    unsigned short low = transposed ? ((const unsigned short *)rows[2 * member])[group]
                                    : ((const unsigned short *)rows[group])[2 * member];
    unsigned short high = transposed ? ((const unsigned short *)rows[2 * member + 1])[group]
                                     : ((const unsigned short *)rows[group])[2 * member + 1];
    to[i] = low | (unsigned)high << 16;
  }
  __syncwarp();
}

#ifdef __FLT16_MANT_DIG__
// A 16-bit float by its bits.
HOST_OWN static inline float host_f16_number(unsigned short bits) {
  _Float16 value;
  __builtin_memcpy(&value, &bits, 2);
  return (float)value;
}
HOST_OWN static inline float host_bf16_number(unsigned short bits) {
  unsigned wide = (unsigned)bits << 16;
  float value;
  __builtin_memcpy(&value, &wide, 4);
  return value;
}
// mma.m16n8k16 with 16-bit floats in and FP32 out: every lane hands over its parts of A and B.
HOST_OWN static inline void host_mma_m16n8k16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2], bool bf16 = false) {
  host_fibre *self = host_thread();
  unsigned(*warp)[6] = self->warp->parts;
  unsigned group = self->lane / 4, member = self->lane % 4;
  for (unsigned i = 0; i < 4; i++) warp[self->lane][i] = a[i];
  for (unsigned i = 0; i < 2; i++) warp[self->lane][4 + i] = b[i];
  __syncwarp();
  // Two rows of A and two columns of B meet in the four elements of a lane.
  float x[2][16], y[2][16];
  for (unsigned k = 0; k < 16; k++)
    for (unsigned i = 0; i < 2; i++) {
      unsigned short left = warp[4 * group + k % 8 / 2][k / 8 * 2 + i] >> 16 * (k % 2);
      unsigned short right = warp[4 * (2 * member + i) + k % 8 / 2][4 + k / 8] >> 16 * (k % 2);
      x[i][k] = bf16 ? host_bf16_number(left) : host_f16_number(left);
      y[i][k] = bf16 ? host_bf16_number(right) : host_f16_number(right);
    }
  for (unsigned i = 0; i < 4; i++) {
    float sum = 0;
    for (unsigned k = 0; k < 16; k++) sum += x[i / 2][k] * y[i % 2][k];
    d[i] += sum;
  }
  __syncwarp();
}
#endif

// Atomics -----------------------------------------------------------------------------------------

template <class T, class F> static inline T host_atomic(T *at, F change) {
  T before, after;
  __atomic_load(at, &before, __ATOMIC_RELAXED);
  do after = change(before);
  while (!__atomic_compare_exchange(at, &before, &after, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return before;
}
#define HOST_ATOMIC(T)                                                                            \
  static inline T atomicAdd(T *at, T by) { return host_atomic(at, [=](T old) { return (T)(old + by); }); } \
  static inline T atomicExch(T *at, T by) { return host_atomic(at, [=](T) { return by; }); }
#define HOST_ATOMIC_INTEGER(T)                                                                    \
  HOST_ATOMIC(T)                                                                                  \
  static inline T atomicSub(T *at, T by) { return host_atomic(at, [=](T old) { return old - by; }); } \
  static inline T atomicMin(T *at, T by) { return host_atomic(at, [=](T old) { return old < by ? old : by; }); } \
  static inline T atomicMax(T *at, T by) { return host_atomic(at, [=](T old) { return old > by ? old : by; }); } \
  static inline T atomicAnd(T *at, T by) { return host_atomic(at, [=](T old) { return old & by; }); } \
  static inline T atomicOr(T *at, T by) { return host_atomic(at, [=](T old) { return old | by; }); } \
  static inline T atomicXor(T *at, T by) { return host_atomic(at, [=](T old) { return old ^ by; }); } \
  static inline T atomicCAS(T *at, T was, T by) { return host_atomic(at, [=](T old) { return old == was ? by : old; }); }
HOST_ATOMIC_INTEGER(int)
HOST_ATOMIC_INTEGER(unsigned)
HOST_ATOMIC_INTEGER(unsigned long long)
static inline long long atomicMin(long long *at, long long by) { return host_atomic(at, [=](long long old) { return old < by ? old : by; }); }
static inline long long atomicMax(long long *at, long long by) { return host_atomic(at, [=](long long old) { return old > by ? old : by; }); }
HOST_ATOMIC(float)
HOST_ATOMIC(double)
static inline unsigned short atomicCAS(unsigned short *at, unsigned short was, unsigned short by) {
  return host_atomic(at, [=](unsigned short old) { return old == was ? by : old; });
}

// Mathematics -------------------------------------------------------------------------------------

#define HOST_1(F)                                                                                 \
  static inline double F(double x) { return __builtin_##F(x); }                                   \
  static inline float F(float x) { return __builtin_##F##f(x); }                                  \
  static inline float F##f(float x) { return __builtin_##F##f(x); }
#define HOST_2(F)                                                                                 \
  static inline double F(double x, double y) { return __builtin_##F(x, y); }                      \
  static inline float F(float x, float y) { return __builtin_##F##f(x, y); }                      \
  static inline float F##f(float x, float y) { return __builtin_##F##f(x, y); }
HOST_1(sqrt) HOST_1(cbrt) HOST_1(exp) HOST_1(exp2) HOST_1(expm1) HOST_1(log) HOST_1(log2)
HOST_1(log10) HOST_1(log1p) HOST_1(sin) HOST_1(cos) HOST_1(tan) HOST_1(asin) HOST_1(acos)
HOST_1(atan) HOST_1(sinh) HOST_1(cosh) HOST_1(tanh) HOST_1(erf) HOST_1(erfc) HOST_1(fabs)
HOST_1(floor) HOST_1(ceil) HOST_1(round) HOST_1(rint) HOST_1(trunc) HOST_1(acosh) HOST_1(asinh)
HOST_1(atanh) HOST_1(lgamma) HOST_1(tgamma) HOST_1(logb) HOST_1(nearbyint)
HOST_2(pow) HOST_2(fmod) HOST_2(fmin) HOST_2(fmax) HOST_2(atan2) HOST_2(hypot) HOST_2(copysign)
HOST_2(fdim) HOST_2(nextafter) HOST_2(remainder)
extern "C" {
double frexp(double, int *), ldexp(double, int), modf(double, double *), nan(const char *);
double remquo(double, double, int *), scalbln(double, long), scalbn(double, int);
float nanf(const char *);
int ilogb(double);
long lrint(double), lround(double);
long long llrint(double), llround(double);
void *malloc(size_t), *memcpy(void *, const void *, size_t), *memset(void *, int, size_t);
void free(void *);
}
template <class T> static inline bool signbit(T x) { return __builtin_signbit(x); }
static inline double normcdf(double x) { return erfc(x * -0.70710678118654752440) / 2; }
static inline float normcdff(float x) { return (float)normcdf((double)x); }
static inline double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
static inline float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline float rsqrtf(float x) { return 1 / __builtin_sqrtf(x); }
static inline double rsqrt(double x) { return 1 / __builtin_sqrt(x); }
static inline float __expf(float x) { return __builtin_expf(x); }
static inline float __logf(float x) { return __builtin_logf(x); }
static inline float __sinf(float x) { return __builtin_sinf(x); }
static inline float __cosf(float x) { return __builtin_cosf(x); }
static inline float __powf(float x, float y) { return __builtin_powf(x, y); }
static inline float __fdividef(float x, float y) { return x / y; }
static inline float __frcp_rn(float x) { return 1 / x; }
static inline float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
static inline float __fadd_rn(float x, float y) { return x + y; }
static inline float __fmul_rn(float x, float y) { return x * y; }
static inline double __dadd_rn(double x, double y) { return x + y; }
static inline double __dsub_rn(double x, double y) { return x - y; }
static inline double __dmul_rn(double x, double y) { return x * y; }
template <class T> static inline bool isnan(T x) { return __builtin_isnan(x); }
template <class T> static inline bool isinf(T x) { return __builtin_isinf(x); }
template <class T> static inline bool isfinite(T x) { return __builtin_isfinite(x); }
static inline int abs(int x) { return x < 0 ? -x : x; }
static inline long long llabs(long long x) { return x < 0 ? -x : x; }
static inline float abs(float x) { return __builtin_fabsf(x); }
static inline double abs(double x) { return __builtin_fabs(x); }

#define HOST_MINMAX(T)                                                                            \
  static inline T min(T x, T y) { return y < x ? y : x; }                                         \
  static inline T max(T x, T y) { return x < y ? y : x; }
HOST_MINMAX(int) HOST_MINMAX(unsigned) HOST_MINMAX(long) HOST_MINMAX(unsigned long)
HOST_MINMAX(long long) HOST_MINMAX(unsigned long long)
static inline unsigned min(int x, unsigned y) { return min((unsigned)x, y); }
static inline unsigned min(unsigned x, int y) { return min(x, (unsigned)y); }
static inline unsigned max(int x, unsigned y) { return max((unsigned)x, y); }
static inline unsigned max(unsigned x, int y) { return max(x, (unsigned)y); }
static inline float min(float x, float y) { return __builtin_fminf(x, y); }
static inline float max(float x, float y) { return __builtin_fmaxf(x, y); }
static inline double min(double x, double y) { return __builtin_fmin(x, y); }
static inline double max(double x, double y) { return __builtin_fmax(x, y); }

static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __dp4a(int x, int y, int sum) {
  for (int i = 0; i < 32; i += 8) sum += (signed char)(x >> i) * (signed char)(y >> i);
  return sum;
}
static inline unsigned __dp4a(unsigned x, unsigned y, unsigned sum) {
  for (int i = 0; i < 32; i += 8) sum += (x >> i & 255) * (y >> i & 255);
  return sum;
}
// Four differences of signed bytes, each kept within a byte.
static inline unsigned __vsubss4(unsigned x, unsigned y) {
  unsigned all = 0;
  for (int i = 0; i < 32; i += 8) {
    int one = (signed char)(x >> i) - (signed char)(y >> i);
    all |= (unsigned)(unsigned char)(one < -128 ? -128 : one > 127 ? 127 : one) << i;
  }
  return all;
}
static inline int __mul24(int x, int y) { return x * y; }
static inline int __umul24(unsigned x, unsigned y) { return x * y; }
static inline unsigned __umulhi(unsigned x, unsigned y) { return (unsigned long long)x * y >> 32; }
static inline int __float_as_int(float x) { int y; __builtin_memcpy(&y, &x, 4); return y; }
static inline unsigned __float_as_uint(float x) { unsigned y; __builtin_memcpy(&y, &x, 4); return y; }
static inline float __int_as_float(int x) { float y; __builtin_memcpy(&y, &x, 4); return y; }
static inline float __uint_as_float(unsigned x) { float y; __builtin_memcpy(&y, &x, 4); return y; }
static inline long long __double_as_longlong(double x) { long long y; __builtin_memcpy(&y, &x, 8); return y; }
static inline double __longlong_as_double(long long x) { double y; __builtin_memcpy(&y, &x, 8); return y; }
static inline int __float2int_rn(float x) { return (int)__builtin_rintf(x); }
static inline float __int2float_rn(int x) { return (float)x; }

template <class T> static inline T __ldg(const T *at) { return *at; }
template <class T> static inline T __ldcg(const T *at) { return *at; }
template <class T> static inline T __ldcs(const T *at) { return *at; }
template <class T> static inline void __stcg(T *at, T value) { *at = value; }
template <class T> static inline void __stcs(T *at, T value) { *at = value; }
static inline void __trap() { asm volatile("int3"); }
#define assert(condition) ((condition) ? (void)0 : __trap())
static inline long long clock64() { return __builtin_ia32_rdtsc(); }
static inline int clock() { return (int)clock64(); }

extern "C" int printf(const char *, ...);

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

// The table of kernels ----------------------------------------------------------------------------

struct host_row {
  void (*function)();
  void (*run)(void **);
  unsigned long long parameters;
  const unsigned *sizes, *alignments;
};
template <unsigned... I> struct host_indices {};
// An argument lies where the caller has it, aligned or not.
template <class P> struct host_argument {
  alignas(P) unsigned char bytes[sizeof(P)];
  host_argument(const void *at) { __builtin_memcpy(bytes, at, sizeof(P)); }
  P &get() { return *(P *)bytes; }
};
template <auto> struct host_entry;
template <class... P, void (*F)(P...)> struct host_entry<F> {
  static constexpr unsigned sizes[] = {sizeof(P)..., 0};
  static constexpr unsigned alignments[] = {alignof(P)..., 0};
  template <unsigned... I> static void call(void **arguments, host_indices<I...>) {
    F(host_argument<P>(arguments[I]).get()...);
  }
  static void run(void **arguments) {
    call(arguments, host_indices<__integer_pack(sizeof...(P))...>());
  }
  static constexpr unsigned long long parameters = sizeof...(P);
};
