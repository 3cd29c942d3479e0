// y = left * act(right), element by element: what follows two products that a library made.
//
// Three streams of memory and next to nothing to compute: neighbouring threads take neighbouring pieces of 16 bytes
// (CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory"), of which a thread has ITEMS under way.
//
// Macros:
//   THREADS  of a block
//   ITEMS    pieces of a thread
//   ACT      one of sigmoid, silu, gelu
//
// Launch: ceil(length / (THREADS * ITEMS * elements in 16 bytes)) blocks of THREADS threads. Any length; the
// buffers begin at multiples of 16 bytes, as those of the driver do.
//
// limits: registers <= 128, spill_bytes <= 0, local_bytes <= 0
#include <cuda_fp16.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

static __device__ float act_sigmoid(float v) { return __fdividef(1.0f, 1.0f + expf(-v)); }
static __device__ float act_silu(float v) { return v * act_sigmoid(v); }
static __device__ float act_gelu(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678f)); }

static __device__ float gated(float left, float right) { return left * JOIN(act_, ACT)(right); }
static __device__ __half gated(__half left, __half right) {
  return __float2half(gated(__half2float(left), __half2float(right)));
}

// 16 bytes of elements.
template <class T> struct alignas(16) piece {
  T elements[16 / sizeof(T)];
};

template <class T>
static __device__ void gate(T *y, const T *left, const T *right, unsigned long long length) {
  constexpr unsigned wide = 16 / sizeof(T);
  const unsigned long long first = (unsigned long long)blockIdx.x * (THREADS * ITEMS) + threadIdx.x;
  piece<T> lefts[ITEMS], rights[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    const unsigned long long at = (first + i * THREADS) * wide;
    if (at + wide <= length) {
      lefts[i] = *(const piece<T> *)(left + at);
      rights[i] = *(const piece<T> *)(right + at);
    }
  }
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    const unsigned long long at = (first + i * THREADS) * wide;
    if (at + wide <= length) {
      piece<T> out;
#pragma unroll
      for (unsigned j = 0; j < wide; j++)
        out.elements[j] = gated(lefts[i].elements[j], rights[i].elements[j]);
      *(piece<T> *)(y + at) = out;
    } else {
      // The last piece may be shorter.
      for (unsigned long long j = at; j < length; j++)
        y[j] = gated(left[j], right[j]);
    }
  }
}

__global__ void __launch_bounds__(THREADS)
gate_f32(float *y, const float *left, const float *right, unsigned long long length) {
  gate(y, left, right, length);
}

__global__ void __launch_bounds__(THREADS)
gate_f16(__half *y, const __half *left, const __half *right, unsigned long long length) {
  gate(y, left, right, length);
}

// The references: one thread per element.
__global__ void gate_f32_reference(float *y, const float *left, const float *right, unsigned long long length) {
  const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < length)
    y[i] = gated(left[i], right[i]);
}

__global__ void gate_f16_reference(__half *y, const __half *left, const __half *right, unsigned long long length) {
  const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < length)
    y[i] = gated(left[i], right[i]);
}
