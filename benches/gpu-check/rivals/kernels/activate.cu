// y = g * act(h), element by element: what follows two separate products in a gated linear unit.
//
//   BLOCK  threads of a block
//   VEC    neighbouring elements of a thread, read and written at once
//   ACT    sigmoid, silu or gelu
//   HALF   FP16 in memory in place of FP32; computed in FP32 in any case
#if HALF
#include <cuda_fp16.h>
typedef __half Element;
static __device__ __forceinline__ float load(Element value) { return __half2float(value); }
static __device__ __forceinline__ Element store(float value) { return __float2half(value); }
#else
typedef float Element;
static __device__ __forceinline__ float load(Element value) { return value; }
static __device__ __forceinline__ Element store(float value) { return value; }
#endif

static __device__ __forceinline__ float sigmoid(float v) { return 1.0f / (1.0f + expf(-v)); }
static __device__ __forceinline__ float silu(float v) { return v * sigmoid(v); }
static __device__ __forceinline__ float gelu(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678f)); }

struct alignas(sizeof(Element) * VEC) Pack {
  Element values[VEC];
};

extern "C" __global__ void __launch_bounds__(BLOCK) activate(Element *y, const Element *g, const Element *h, unsigned len) {
  const size_t at = ((size_t)blockIdx.x * BLOCK + threadIdx.x) * VEC;
  if (at + VEC <= len) {
    const Pack a = *(const Pack *)(g + at), b = *(const Pack *)(h + at);
    Pack out;
#pragma unroll
    for (int i = 0; i < VEC; i++)
      out.values[i] = store(load(a.values[i]) * ACT(load(b.values[i])));
    *(Pack *)(y + at) = out;
  } else {
    for (size_t i = at; i < len; i++)
      y[i] = store(load(g[i]) * ACT(load(h[i])));
  }
}

extern "C" __global__ void activate_reference(Element *y, const Element *g, const Element *h, unsigned len) {
  const size_t at = (size_t)blockIdx.x * 256 + threadIdx.x;
  if (at < len)
    y[at] = store(load(g[at]) * ACT(load(h[at])));
}
