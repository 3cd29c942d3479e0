/* What the host driver lacks of CUB; elsewhere what NVRTC can compile of it: not the header that includes all. */
#ifdef HOST_DRIVER
namespace cub {
enum Algorithm { BLOCK_REDUCE_WARP_REDUCTIONS };
template <typename T, int X, Algorithm A = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1>
struct BlockReduce {
    struct TempStorage { T of[X * Y]; };
    TempStorage &kept;
    __device__ BlockReduce(TempStorage &kept) : kept(kept) {}
    __device__ T Sum(T mine)
    {
        int thread = threadIdx.y * X + threadIdx.x;
        kept.of[thread] = mine;
        __syncthreads();
        T sum = 0;
        for (int i = 0; thread == 0 && i < X * Y; i++)
            sum += kept.of[i];
        return sum;
    }
};
}
#else
#include <cub/block/block_reduce.cuh>
#endif
