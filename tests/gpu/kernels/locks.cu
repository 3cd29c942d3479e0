// y = x + what the locks hold, which is 0 where every kernel before left them so. LEAVE is what this one leaves.
template <int LEAVE>
__global__ void locks(int *y, const int *x, unsigned n, unsigned *marks, unsigned *locks, unsigned long long *none)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    marks[i] = 5;
    y[i] = x[i] + atomicAdd(&locks[i], 3u);
    locks[i] = LEAVE;
}
