/* The reference of many: the sum, in one thread. */
__global__ void right(float *y, const float *x, unsigned n)
{
    double sum = 0;
    if (blockIdx.x + threadIdx.x != 0)
        return;
    for (unsigned i = 0; i < n; i++)
        sum += x[i];
    *y = (float)sum;
}
