// Copies from global to shared memory that go on while the threads compute: from sm_80 on the instruction
// `cp.async`. A thread starts copies, closes a group of them, and waits until at most so many groups are under way.
// Older GPUs copy at once.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define ASYNC_COPY 1
#else
#define ASYNC_COPY 0
#endif

template <int BYTES> struct copy_word;
template <> struct copy_word<4> { typedef unsigned type; };
template <> struct copy_word<8> { typedef uint2 type; };
template <> struct copy_word<16> { typedef uint4 type; };

// Starts a copy of BYTES, of which both addresses are multiples. Where `inside` is false, zeros are stored and nothing
// is read.
template <int BYTES> static __device__ __forceinline__ void async_copy(void *to, const void *from, bool inside) {
  typedef typename copy_word<BYTES>::type Word;
#if !ASYNC_COPY
  *(Word *)to = inside ? *(const Word *)from : Word();
#elif defined(HOST_DRIVER)
  host_async_copy(to, from, inside ? BYTES : 0, BYTES);
  (void)sizeof(Word);
#else
  const unsigned shared = (unsigned)__cvta_generic_to_shared(to);
  const int bytes = inside ? BYTES : 0;
  // 16 bytes pass the first-level cache by; the second level fetches the whole line, which other threads or the next
  // step want.
  if constexpr (BYTES == 16)
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(bytes) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(from), "n"(BYTES), "r"(bytes)
                 : "memory");
#endif
}

static __device__ __forceinline__ void async_commit() {
#if ASYNC_COPY && defined(HOST_DRIVER)
  host_async_commit();
#elif ASYNC_COPY
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int PENDING> static __device__ __forceinline__ void async_wait() {
#if ASYNC_COPY && defined(HOST_DRIVER)
  host_async_wait(PENDING);
#elif ASYNC_COPY
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}
