// y = x * x, by way of scratch memory: ROOM words of it for each element.
template <int ROOM>
__global__ void squares(int *y, const int *x, unsigned n, int *squared, short *marks)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int k = 0; k < ROOM; k++)
        squared[i * ROOM + k] = x[i] * x[i];
    marks[i] = 1;
    y[i] = squared[i * ROOM + ROOM - 1] * marks[i];
}
