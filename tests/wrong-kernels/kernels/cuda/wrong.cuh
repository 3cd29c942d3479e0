/* What all kernels here have in common. */

/* The right variant loses time, so that whoever believes the wrong one prefers it. */
__device__ inline void slowly()
{
#if VARIANT == 0
    if (blockIdx.x + blockIdx.y + threadIdx.x == 0)
        for (volatile int spin = 0; spin < 1500000; spin++) {
        }
#endif
}
