// Tensor cores: products of small matrices of 16-bit floats, by all lanes of a warp together.
//
// The layouts are those of PTX ISA, "Warp Level Matrix Instructions": a lane is `4 * group + member`, of 8
// groups with 4 members each. A register holds two neighbouring elements, the first one in its lower half.
#pragma once

// Loads four 8 x 8 matrices of 16-bit elements from shared memory (`ldmatrix`). Lane `8 * i + j` gives the
// address of row j of matrix i: 16 bytes, at a multiple of 16. Register i of a lane gets the elements
// (group, 2 * member) and (group, 2 * member + 1) of matrix i.
[[maybe_unused]] static __device__ __forceinline__ void ldmatrix_x4(unsigned (&to)[4], const void *row) {
#if defined(HOST_DRIVER)
  host_ldmatrix_x4(to, row, false);
#else
  const unsigned shared = (unsigned)__cvta_generic_to_shared(row);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared)
               : "memory");
#endif
}

// The same with each matrix transposed: register i gets the elements (2 * member, group) and
// (2 * member + 1, group) of matrix i.
[[maybe_unused]] static __device__ __forceinline__ void ldmatrix_x4_trans(unsigned (&to)[4], const void *row) {
#if defined(HOST_DRIVER)
  host_ldmatrix_x4(to, row, true);
#else
  const unsigned shared = (unsigned)__cvta_generic_to_shared(row);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared)
               : "memory");
#endif
}

// D += A * B in FP32: A is 16 x 16 and row-major, B is 16 x 8 and column-major, both FP16, or BF16 (from sm_80 on); D is 16 x 8.
//
//   a[0], a[1]   rows group and group + 8, columns 2 * member and the next
//   a[2], a[3]   the same rows, columns 8 + 2 * member and the next
//   b[0], b[1]   column group, rows 2 * member and the next, and 8 further down
//   d[0], d[1]   row group, columns 2 * member and the next; d[2], d[3] row group + 8
//
// sm_75 has products of half this depth: two of them.
template <bool BF16 = false>
static __device__ __forceinline__ void mma_m16n8k16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if defined(HOST_DRIVER)
  host_mma_m16n8k16(d, a, b, BF16);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (BF16)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  static_assert(!BF16, "no GPU before sm_80 multiplies BF16");
#pragma unroll
  for (int half = 0; half < 2; half++)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));
#endif
}
