// Tensor cores. A lane is `4 * group + member`; a register holds two neighbouring elements, the first one in its lower
// half (PTX ISA, "Warp Level Matrix Instructions").
//? if plain_fragments

// Loads four 8 x 8 matrices of 16-bit elements. Lane `8 * i + j` gives the address of row j of matrix i. Register i of
// a lane gets the elements (group, 2 * member) and (group, 2 * member + 1) of matrix i.
static __device__ __forceinline__ void load_matrices(unsigned (&to)[4], const void *row) {
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
//? end
//? if transposed_fragments

// Loads four 8 x 8 matrices of 16-bit elements, each transposed. Lane `8 * i + j` gives the address of row j of matrix
// i. Register i of a lane gets the elements (2 * member, group) and (2 * member + 1, group) of matrix i.
static __device__ __forceinline__ void load_transposed(unsigned (&to)[4], const void *row) {
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
//? end

// D += A * B in FP32: A is 16 x 16 and row-major, B 16 x 8 and column-major, both FP16. sm_75 has products of half
// this depth: two of them.
static __device__ __forceinline__ void mma_m16n8k16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if defined(HOST_DRIVER)
  host_mma_m16n8k16(d, a, b);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
#pragma unroll
  for (int half = 0; half < 2; half++)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));
#endif
}
