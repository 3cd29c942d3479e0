// y = 2 x + 1, where x lies there ROOM times one behind another, and who did it.
template <int ID, int ROOM>
__global__ void pick(float *y, int *who, const float *x, unsigned n, float *twice)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0)
        *who = ID;
    if (i >= n)
        return;
    for (int k = 0; k < ROOM; k++) {
        twice[k * n + i] = 2.0f * x[k * n + i];
        y[i] = twice[k * n + i] + 1.0f;
    }
}
