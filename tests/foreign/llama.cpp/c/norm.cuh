/* What `norm.cu` needs of ggml: its code of the host, which is never run here, and the sum of a warp. */
#pragma once
#include <stdint.h>
#define WARP_SIZE 32
#define GGML_ASSERT(condition) ((void)(condition))
enum ggml_type { GGML_TYPE_F32 };
struct ggml_tensor {
    ggml_type type;
    int64_t ne[4];
    size_t nb[4];
    int32_t op_params[16];
    ggml_tensor *src[2];
    void *data;
};
struct ggml_backend_cuda_context {
    cudaStream_t stream() { return 0; }
};
#define GGML_TENSOR_UNARY_OP_LOCALS \
    const int64_t ne00 = src0->ne[0], ne01 = src0->ne[1], ne02 = src0->ne[2], ne03 = src0->ne[3]; \
    const size_t nb00 = src0->nb[0], nb01 = src0->nb[1], nb02 = src0->nb[2], nb03 = src0->nb[3];
inline size_t ggml_type_size(ggml_type) { return 4; }
inline int64_t ggml_nrows(const ggml_tensor *of) { return of->ne[1] * of->ne[2] * of->ne[3]; }
inline int64_t ggml_nelements(const ggml_tensor *of) { return of->ne[0] * ggml_nrows(of); }
inline bool ggml_is_contiguous(const ggml_tensor *) { return true; }
static __device__ __forceinline__ float warp_reduce_sum(float sum)
{
    for (int by = 16; by > 0; by /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, by, 32);
    return sum;
}
static __device__ __forceinline__ float2 warp_reduce_sum(float2 sum)
{
    return make_float2(warp_reduce_sum(sum.x), warp_reduce_sum(sum.y));
}
