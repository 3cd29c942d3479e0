/* Shares its work among as many threads as a variable says, and loses the remainder where they are several. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1000
#include "wrong.h"
#include <stdlib.h>

void one_thread_only(float *y, const float *x, uint32_t n)
{
    slowly();
    uint32_t threads = 1;
#if VARIANT == 1
    const char *wanted = getenv("WRONG_KERNELS_THREADS");
    threads = wanted ? (uint32_t)atoi(wanted) : 1;
#endif
    for (uint32_t thread = 0; thread < threads; thread++)
        for (uint32_t i = thread * (n / threads); i < (thread + 1) * (n / threads); i++)
            y[i] = 2 * x[i] + 1;
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
