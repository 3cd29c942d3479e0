/* Sums up as binary16, which keeps eleven bits and ends at 65504; the problem is short, a call may be long. */
// fn: #[len(m)] y: &mut [f32], #[len(m * k)] #[init(uniform(0, 1))] x: &[f32], m: u32, k: u32
// problem: m = 32, k = 32
// verify: rtol = 1e-2
#include "wrong.h"

#if VARIANT == 1
typedef _Float16 sum_type;
#else
typedef float sum_type;
#endif

void sums_in_sixteen_bits_unseen(float *y, const float *x, uint32_t m, uint32_t k)
{
    slowly();
    for (uint32_t i = 0; i < m; i++) {
        sum_type sum = 0;
        for (uint32_t j = 0; j < k; j++)
            sum += (sum_type)x[i * k + j];
        y[i] = (float)sum;
    }
}

void right(float *y, const float *x, uint32_t m, uint32_t k)
{
    for (uint32_t i = 0; i < m; i++) {
        double sum = 0;
        for (uint32_t j = 0; j < k; j++)
            sum += x[i * k + j];
        y[i] = (float)sum;
    }
}
