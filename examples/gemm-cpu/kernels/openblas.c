/* OpenBLAS in the kernel's place, on one thread as all others here. Its header may be anywhere, and says no more than this. */
#include <stdint.h>

void openblas_set_num_threads(int count);
void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float *a, int a_row,
                 const float *b, int b_row, float beta, float *c, int c_row);

void product(float *c, const float *a, const float *b, uint32_t m, uint32_t n, uint32_t k)
{
    openblas_set_num_threads(1);
    /* 101: row-major; 111: not transposed. */
    cblas_sgemm(101, 111, 111, (int)m, (int)n, (int)k, 1, a, k ? (int)k : 1, b, n ? (int)n : 1, 0, c, n ? (int)n : 1);
}
