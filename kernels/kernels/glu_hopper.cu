// y = (x W) * act(x V) on the tensor cores of Hopper (sm_90a), row-major and dense, of FP16, sums FP32: both products of a tile in
// one pass over x, as in glu_f16.cu. See gemm_hopper.cuh for the parameters and the launch, with y for C, x for A, W and V for
// B; BLOCK_ is TILE_ there. Macro: ACT, one of sigmoid, silu, gelu.
// limits: registers <= 255, spill_bytes <= 0, local_bytes <= 0
// limits: block_registers <= 65536, shared_bytes <= 232448
#include "gemm_hopper.cuh"
#include "glu.cuh"

template <int BLOCK_M, int BLOCK_N, int BLOCK_K, int CONSUMERS, int STAGES, int GROUP_M, int CLUSTER_M, int CLUSTER_N, bool STAGED>
__global__ void __launch_bounds__(128 * (CONSUMERS + 1), 1)
glu_hopper_kernel(const __grid_constant__ CUtensorMap y_map, const __grid_constant__ CUtensorMap x_map,
                  const __grid_constant__ CUtensorMap w_map, const __grid_constant__ CUtensorMap v_map, __half *y, unsigned m,
                  unsigned n, unsigned k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  typedef Shape<BLOCK_M, BLOCK_N, BLOCK_K, CONSUMERS, STAGES, CLUSTER_M, CLUSTER_N, 2> S;
  const CUtensorMap *const maps[2] = {&w_map, &v_map};
  product<S, __half, GROUP_M, STAGED>((char *)(memory + 0), y_map, x_map, maps, y, m, n, k, Parts{},
                                      [](const float(&all)[2]) { return all[0] * GLU_ACT(all[1]); });
}
