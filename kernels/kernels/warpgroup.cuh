// Products of a warpgroup (sm_90a): four warps multiply tiles that lie in shared memory (PTX ISA, "Asynchronous Warpgroup
// Level Matrix Instructions"), and registers that they hand each other.
//
// Products run by themselves: the sums belong to them from `warpgroup_fence` on, and what they read must stay, until
// `warpgroup_wait`. All 128 threads call each function together.
#pragma once

// The way of a tile in shared memory, for `warpgroup_multiply`: rows of 128 bytes that tensor maps swizzled so, of a tile that
// begins at a multiple of 1024 bytes. `leading` and `stride` are bytes:
//   rows run along k       `stride` from 8 rows to the next 8; `leading` is not looked at. 16 further along k is 32 bytes on.
//   rows run along m or n  `leading` from 64 columns to the next 64, `stride` from 8 rows to the next 8
// Bits: 0-13 where it begins, 16-29 `leading`, 32-45 `stride`, all in units of 16 bytes; 62-63 the swizzle, 1 of 128 bytes.
static __device__ __forceinline__ unsigned long long warpgroup_tile(const void *at, unsigned leading, unsigned stride) {
#ifdef HOST_DRIVER
  const unsigned shared = host_shared_address(at);
#else
  const unsigned shared = (unsigned)__cvta_generic_to_shared(at);
#endif
  return (shared & 0x3ffff) >> 4 | (unsigned long long)(leading >> 4) << 16 | (unsigned long long)(stride >> 4) << 32 |
         1ull << 62;
}

// The same tile, so many bytes further on.
static __device__ __forceinline__ unsigned long long warpgroup_step(unsigned long long tile, unsigned bytes) {
  return tile + (bytes >> 4);
}

// Before the first product, and before each that follows others' work on its sums.
static __device__ __forceinline__ void warpgroup_fence() {
#ifdef HOST_DRIVER
  host_warpgroup_fence();
#else
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}

// Closes the group of the products that were begun since the last one.
static __device__ __forceinline__ void warpgroup_commit() {
#ifdef HOST_DRIVER
  host_warpgroup_commit();
#else
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}

// Waits for all but PENDING groups, the youngest ones.
template <int PENDING> static __device__ __forceinline__ void warpgroup_wait() {
#ifdef HOST_DRIVER
  host_warpgroup_wait(PENDING);
#else
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
#endif
}

// Sums that compilers keep where they are: no use of them moves across.
template <int COUNT> static __device__ __forceinline__ void warpgroup_keep(float (&sums)[COUNT]) {
#ifndef HOST_DRIVER
#pragma unroll
  for (int i = 0; i < COUNT; i++)
    asm volatile("" : "+f"(sums[i])::"memory");
#endif
}

// Registers of this warpgroup's threads, a multiple of 8: fewer than they have, or more, once others gave some.
template <int REGISTERS> static __device__ __forceinline__ void warpgroup_give() {
#ifndef HOST_DRIVER
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
#endif
}
template <int REGISTERS> static __device__ __forceinline__ void warpgroup_take() {
#ifndef HOST_DRIVER
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
#endif
}

// Of a block of CONSUMERS warpgroups that multiply and one that brings what they need, all of whose registers they share out: where
// it is two warpgroups, each thread has as many as there can be.
template <int CONSUMERS> static __device__ __forceinline__ void warpgroup_brings() {
  if constexpr (CONSUMERS > 1)
    warpgroup_give<CONSUMERS == 3 ? 32 : 40>();
}
template <int CONSUMERS> static __device__ __forceinline__ void warpgroup_multiplies() {
  if constexpr (CONSUMERS > 1)
    warpgroup_take<CONSUMERS == 3 ? 160 : 232>();
}

// A barrier of its own number, from 1 to 15, for so many threads.
static __device__ __forceinline__ void named_barrier(int number, int threads) {
#ifdef HOST_DRIVER
  host_named_barrier(number, threads);
#else
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
#endif
}

#ifndef HOST_DRIVER
#define WARPGROUP_0 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define WARPGROUP_1 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define WARPGROUP_2 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define WARPGROUP_3 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define WARPGROUP_4 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define WARPGROUP_5 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define WARPGROUP_6 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111"
#define WARPGROUP_7 "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define WARPGROUP_OF_8(i) \
  "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), "+f"(sums[i + 4]), "+f"(sums[i + 5]), \
      "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define WARPGROUP_OF_16(i) WARPGROUP_OF_8(i), WARPGROUP_OF_8(i + 8)
// A and B by their tiles; what A, B, whether to add and how B lies are called among the operands.
#define WARPGROUP_SHARED(N, TYPE, SUMS, A, B, ADD, ACROSS, BCROSS, ...)                                                \
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %" ADD ", 0;\n"                                                   \
               "wgmma.mma_async.sync.aligned.m64n" N "k16.f32." TYPE "." TYPE " {" SUMS "}, %" A ", %" B                \
               ", add, 1, 1, %" ACROSS ", %" BCROSS ";\n}"                                                             \
               : __VA_ARGS__                                                                                          \
               : "l"(a), "l"(b), "r"((int)add), "n"(A_ACROSS), "n"(B_ACROSS)                                           \
               : "memory")
// A in registers.
#define WARPGROUP_REGISTERS(N, TYPE, SUMS, A, B, ADD, BCROSS, ...)                                                     \
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %" ADD ", 0;\n"                                                   \
               "wgmma.mma_async.sync.aligned.m64n" N "k16.f32." TYPE "." TYPE " {" SUMS "}, {" A "}, %" B               \
               ", add, 1, 1, %" BCROSS ";\n}"                                                                          \
               : __VA_ARGS__                                                                                          \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((int)add), "n"(B_ACROSS)                       \
               : "memory")
#define WARPGROUP_SHARED_ALL(TYPE) \
  if constexpr (N == 32) \
    WARPGROUP_SHARED("32", TYPE, WARPGROUP_0, "16", "17", "18", "19", "20", \
                     WARPGROUP_OF_16(0)); \
  else if constexpr (N == 64) \
    WARPGROUP_SHARED("64", TYPE, WARPGROUP_0 ", " WARPGROUP_1, "32", "33", "34", "35", "36", \
                     WARPGROUP_OF_16(0), WARPGROUP_OF_16(16)); \
  else if constexpr (N == 96) \
    WARPGROUP_SHARED("96", TYPE, WARPGROUP_0 ", " WARPGROUP_1 ", " WARPGROUP_2, "48", "49", "50", "51", "52", \
                     WARPGROUP_OF_16(0), WARPGROUP_OF_16(16), WARPGROUP_OF_16(32)); \
  else if constexpr (N == 128) \
    WARPGROUP_SHARED("128", TYPE, WARPGROUP_0 ", " WARPGROUP_1 ", " WARPGROUP_2 ", " WARPGROUP_3, "64", "65", "66", "67", "68", \
                     WARPGROUP_OF_16(0), WARPGROUP_OF_16(16), WARPGROUP_OF_16(32), WARPGROUP_OF_16(48)); \
  else if constexpr (N == 160) \
    WARPGROUP_SHARED("160", TYPE, WARPGROUP_0 ", " WARPGROUP_1 ", " WARPGROUP_2 ", " WARPGROUP_3 ", " WARPGROUP_4, "80", "81", "82", "83", "84", \
                     WARPGROUP_OF_16(0), WARPGROUP_OF_16(16), WARPGROUP_OF_16(32), WARPGROUP_OF_16(48), WARPGROUP_OF_16(64)); \
  else if constexpr (N == 192) \
    WARPGROUP_SHARED("192", TYPE, WARPGROUP_0 ", " WARPGROUP_1 ", " WARPGROUP_2 ", " WARPGROUP_3 ", " WARPGROUP_4 ", " WARPGROUP_5, "96", "97", "98", "99", "100", \
                     WARPGROUP_OF_16(0), WARPGROUP_OF_16(16), WARPGROUP_OF_16(32), WARPGROUP_OF_16(48), WARPGROUP_OF_16(64), WARPGROUP_OF_16(80)); \
  else if constexpr (N == 224) \
    WARPGROUP_SHARED("224", TYPE, WARPGROUP_0 ", " WARPGROUP_1 ", " WARPGROUP_2 ", " WARPGROUP_3 ", " WARPGROUP_4 ", " WARPGROUP_5 ", " WARPGROUP_6, "112", "113", "114", "115", "116", \
                     WARPGROUP_OF_16(0), WARPGROUP_OF_16(16), WARPGROUP_OF_16(32), WARPGROUP_OF_16(48), WARPGROUP_OF_16(64), WARPGROUP_OF_16(80), WARPGROUP_OF_16(96)); \
  else if constexpr (N == 256) \
    WARPGROUP_SHARED("256", TYPE, WARPGROUP_0 ", " WARPGROUP_1 ", " WARPGROUP_2 ", " WARPGROUP_3 ", " WARPGROUP_4 ", " WARPGROUP_5 ", " WARPGROUP_6 ", " WARPGROUP_7, "128", "129", "130", "131", "132", \
                     WARPGROUP_OF_16(0), WARPGROUP_OF_16(16), WARPGROUP_OF_16(32), WARPGROUP_OF_16(48), WARPGROUP_OF_16(64), WARPGROUP_OF_16(80), WARPGROUP_OF_16(96), WARPGROUP_OF_16(112));
#define WARPGROUP_REGISTERS_ALL(TYPE) \
  if constexpr (N == 32) \
    WARPGROUP_REGISTERS("32", TYPE, WARPGROUP_0, "%16, %17, %18, %19", "20", "21", "22", \
                        WARPGROUP_OF_16(0)); \
  else if constexpr (N == 64) \
    WARPGROUP_REGISTERS("64", TYPE, WARPGROUP_0 ", " WARPGROUP_1, "%32, %33, %34, %35", "36", "37", "38", \
                        WARPGROUP_OF_16(0), WARPGROUP_OF_16(16)); \
  else if constexpr (N == 96) \
    WARPGROUP_REGISTERS("96", TYPE, WARPGROUP_0 ", " WARPGROUP_1 ", " WARPGROUP_2, "%48, %49, %50, %51", "52", "53", "54", \
                        WARPGROUP_OF_16(0), WARPGROUP_OF_16(16), WARPGROUP_OF_16(32)); \
  else if constexpr (N == 128) \
    WARPGROUP_REGISTERS("128", TYPE, WARPGROUP_0 ", " WARPGROUP_1 ", " WARPGROUP_2 ", " WARPGROUP_3, "%64, %65, %66, %67", "68", "69", "70", \
                        WARPGROUP_OF_16(0), WARPGROUP_OF_16(16), WARPGROUP_OF_16(32), WARPGROUP_OF_16(48)); \
  else if constexpr (N == 160) \
    WARPGROUP_REGISTERS("160", TYPE, WARPGROUP_0 ", " WARPGROUP_1 ", " WARPGROUP_2 ", " WARPGROUP_3 ", " WARPGROUP_4, "%80, %81, %82, %83", "84", "85", "86", \
                        WARPGROUP_OF_16(0), WARPGROUP_OF_16(16), WARPGROUP_OF_16(32), WARPGROUP_OF_16(48), WARPGROUP_OF_16(64)); \
  else if constexpr (N == 192) \
    WARPGROUP_REGISTERS("192", TYPE, WARPGROUP_0 ", " WARPGROUP_1 ", " WARPGROUP_2 ", " WARPGROUP_3 ", " WARPGROUP_4 ", " WARPGROUP_5, "%96, %97, %98, %99", "100", "101", "102", \
                        WARPGROUP_OF_16(0), WARPGROUP_OF_16(16), WARPGROUP_OF_16(32), WARPGROUP_OF_16(48), WARPGROUP_OF_16(64), WARPGROUP_OF_16(80)); \
  else if constexpr (N == 224) \
    WARPGROUP_REGISTERS("224", TYPE, WARPGROUP_0 ", " WARPGROUP_1 ", " WARPGROUP_2 ", " WARPGROUP_3 ", " WARPGROUP_4 ", " WARPGROUP_5 ", " WARPGROUP_6, "%112, %113, %114, %115", "116", "117", "118", \
                        WARPGROUP_OF_16(0), WARPGROUP_OF_16(16), WARPGROUP_OF_16(32), WARPGROUP_OF_16(48), WARPGROUP_OF_16(64), WARPGROUP_OF_16(80), WARPGROUP_OF_16(96)); \
  else if constexpr (N == 256) \
    WARPGROUP_REGISTERS("256", TYPE, WARPGROUP_0 ", " WARPGROUP_1 ", " WARPGROUP_2 ", " WARPGROUP_3 ", " WARPGROUP_4 ", " WARPGROUP_5 ", " WARPGROUP_6 ", " WARPGROUP_7, "%128, %129, %130, %131", "132", "133", "134", \
                        WARPGROUP_OF_16(0), WARPGROUP_OF_16(16), WARPGROUP_OF_16(32), WARPGROUP_OF_16(48), WARPGROUP_OF_16(64), WARPGROUP_OF_16(80), WARPGROUP_OF_16(96), WARPGROUP_OF_16(112));
#endif

// Adds the product of 64 x 16 elements of A and 16 x N of B, N a multiple of 32 up to 256, to the sums; `add` is false where they
// begin. BF16 says which 16-bit floats they are, A_ACROSS and B_ACROSS that rows run
// along m and n, else they run along k. Of warp w and lane 4 * group + member,
// sums 4 j and 4 j + 1 are of row 16 w + group and columns 8 j + 2 * member and the next, 4 j + 2 and 4 j + 3 of row 16 w + 8 + group.
template <bool BF16, bool A_ACROSS, bool B_ACROSS, int COUNT>
static __device__ __forceinline__ void warpgroup_multiply(float (&sums)[COUNT], unsigned long long a, unsigned long long b,
                                                          bool add) {
  constexpr int N = 2 * COUNT;
  static_assert(N % 32 == 0 && N <= 256, "a width that is written here");
#ifdef HOST_DRIVER
  host_wgmma<N>(sums, a, b, add, A_ACROSS, B_ACROSS, BF16);
#else
  if constexpr (BF16) {
    WARPGROUP_SHARED_ALL("bf16")
  } else {
    WARPGROUP_SHARED_ALL("f16")
  }
#endif
}

// The same with A in registers, which stay untouched until the product was waited for: those of `mma_m16n8k16`, of each
// warp's 16 rows.
template <bool BF16, bool B_ACROSS, int COUNT>
static __device__ __forceinline__ void warpgroup_multiply(float (&sums)[COUNT], const unsigned (&a)[4], unsigned long long b,
                                                          bool add) {
  constexpr int N = 2 * COUNT;
  static_assert(N % 32 == 0 && N <= 256, "a width that is written here");
#ifdef HOST_DRIVER
  host_wgmma_registers<N>(sums, a, b, add, B_ACROSS, BF16);
#else
  if constexpr (BF16) {
    WARPGROUP_REGISTERS_ALL("bf16")
  } else {
    WARPGROUP_REGISTERS_ALL("f16")
  }
#endif
}
