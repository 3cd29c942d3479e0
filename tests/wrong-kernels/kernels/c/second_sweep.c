/* Sweeps that are larger than the problem: the second one begins an element too late. */
// fn: #[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32
// problem: n = 1_000_000
#include "wrong.h"

#define SWEEP 1048576

void second_sweep(float *y, const float *x, uint32_t n)
{
    /* Memory takes its time here, the more on a busy machine. */
    for (int times = 0; times < 12; times++)
        slowly();
    for (uint32_t first = 0; first < n; first += SWEEP + VARIANT)
        for (uint32_t i = first; i < n && i < first + SWEEP; i++)
            y[i] = 2 * x[i] + 1;
}

void right(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
