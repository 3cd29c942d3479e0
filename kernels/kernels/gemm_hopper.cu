// C = A * B on the tensor cores of Hopper (sm_90a), row-major and dense, of FP16 or BF16 (T), sums FP32: see gemm_hopper.cuh for
// the parameters and the launch.
// limits: registers <= 255, spill_bytes <= 0, local_bytes <= 0
// limits: block_registers <= 65536, shared_bytes <= 232448
#include "gemm_hopper.cuh"

template <class T, int TILE_M, int TILE_N, int TILE_K, int CONSUMERS, int STAGES, int GROUP_M, int CLUSTER_M, int CLUSTER_N,
          bool STAGED, int SPLITS>
__global__ void __launch_bounds__(128 * (CONSUMERS + 1), 1)
gemm_hopper_kernel(const __grid_constant__ CUtensorMap c_map, const __grid_constant__ CUtensorMap a_map,
                   const __grid_constant__ CUtensorMap b_map, T *c, unsigned m, unsigned n, unsigned k, float *partials,
                   unsigned *locks) {
  extern __shared__ __align__(1024) unsigned char memory[];
  typedef Shape<TILE_M, TILE_N, TILE_K, CONSUMERS, STAGES, CLUSTER_M, CLUSTER_N, 1, SPLITS> S;
  const CUtensorMap *const b_maps[1] = {&b_map};
  product<S, T, GROUP_M, STAGED>((char *)(memory + 0), c_map, a_map, b_maps, c, m, n, k, Parts{partials, locks},
                                 [](const float(&all)[1]) { return all[0]; });
}
