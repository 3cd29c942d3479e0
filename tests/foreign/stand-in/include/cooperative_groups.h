#pragma once
namespace cooperative_groups {
struct thread_block {};
static inline thread_block this_thread_block() { return {}; }
template <unsigned SIZE> struct thread_block_tile {
  static_assert(SIZE == 32, "a tile is a warp here");
  static unsigned size() { return SIZE; }
  static unsigned thread_rank() { return host_thread()->lane; }
  static unsigned meta_group_size() { return (blockDim.x * blockDim.y * blockDim.z + SIZE - 1) / SIZE; }
  static unsigned meta_group_rank() {
    return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) / SIZE;
  }
  template <class T> static T shfl_xor(T value, unsigned by) { return __shfl_xor_sync(~0u, value, by); }
  static void sync() { __syncwarp(); }
};
template <unsigned SIZE> static inline thread_block_tile<SIZE> tiled_partition(const thread_block &) { return {}; }
}
