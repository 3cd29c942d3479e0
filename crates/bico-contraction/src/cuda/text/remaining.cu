// How many of `most` indices exist from the sum `used` on, where each adds `factor` and sums stay below `limit`.
static __device__ __forceinline__ unsigned remaining(size_t limit, size_t used, unsigned most, size_t factor = 1) {
  if (used >= limit)
    return 0;
  const size_t left = (limit - used - 1) / factor + 1;
  return left < most ? (unsigned)left : most;
}
