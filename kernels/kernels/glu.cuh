// What both kernels of the gated linear unit share: the activation, the order of the blocks, and the sum over
// the groups of warps that shared the depth.
#pragma once

// `-DACT=silu` names the function `act_silu`.
#define GLU_JOIN_(a, b) a##b
#define GLU_JOIN(a, b) GLU_JOIN_(a, b)
#define GLU_ACT GLU_JOIN(act_, ACT)

// The division that compilers make of `/` calls a function for the sake of extremes, of which there is one here: from
// 2^126 on this one yields zero, which is what a sigmoid is there.
static __device__ __forceinline__ float glu_inverse(float x) { return __fdividef(1.0f, x); }
static __device__ __forceinline__ double glu_inverse(double x) { return 1 / x; }

// Each in the precision of its argument: float in the kernels, double in the references.
template <class T> static __device__ __forceinline__ T act_sigmoid(T v) { return glu_inverse(T(1) + exp(-v)); }
template <class T> static __device__ __forceinline__ T act_silu(T v) { return v * act_sigmoid(v); }
// The exact form, v times the normal distribution's function, and not its approximation by tanh: it is what
// Hendrycks and Gimpel define and what frameworks mean by `gelu`, and beside k multiply-adds its price is none.
template <class T> static __device__ __forceinline__ T act_gelu(T v) {
  return T(0.5) * v * (T(1) + erf(v * T(0.70710678118654752)));
}

// The tile of y that a block computes, as numbers of tiles along m and n.
struct glu_tile {
  unsigned row, column;
};

// Blocks start in the order of their numbers. GROUP_M rows of tiles make a group, through which they go column
// by column: what runs at a time asks for a piece of y that is nearer to a square, and so for fewer different
// columns of W and V, which the second-level cache then keeps (Triton's tutorial on matrix multiplication, "L2
// Cache Optimizations"). The last group may have fewer rows.
template <int GROUP_M>
static __device__ __forceinline__ glu_tile glu_tile_of(unsigned block, unsigned rows, unsigned columns) {
  const unsigned group = block / (GROUP_M * columns);
  const unsigned inside = block - group * (GROUP_M * columns);
  const unsigned left = rows - group * GROUP_M;
  const unsigned high = left < GROUP_M ? left : GROUP_M;
  return {group * GROUP_M + inside % high, inside / high};
}

// Whether rows of `length` elements of type T, one after the other from `at` on, all begin at a multiple of 16 bytes.
template <class T> static __device__ __forceinline__ bool glu_aligned(const T *at, unsigned length) {
  return (size_t)at % 16 == 0 && length % (16 / sizeof(T)) == 0;
}

// Adds up what SLICES groups of warps, of THREADS threads each, have in N registers of a thread: afterwards the first
// one has the sums. The upper half hands over to the lower half, until one is left. Takes 2 * SLICES * THREADS * N
// bytes of shared memory, in which neighbouring threads lie next to each other.
template <int SLICES, int THREADS, int N>
static __device__ __forceinline__ void glu_add_slices(float *shared, float *sums) {
  const unsigned slice = threadIdx.x / THREADS;
#pragma unroll
  for (int half = SLICES / 2; half > 0; half /= 2) {
    float *at = shared + slice % half * (N * THREADS) + threadIdx.x % THREADS;
    __syncthreads();
    if (slice >= half && slice < 2 * half)
#pragma unroll
      for (int i = 0; i < N; i++)
        at[i * THREADS] = sums[i];
    __syncthreads();
    if (slice < half)
#pragma unroll
      for (int i = 0; i < N; i++)
        sums[i] += at[i * THREADS];
  }
}
