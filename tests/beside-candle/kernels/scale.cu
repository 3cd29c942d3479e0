/* Multiplies n elements by a, ITEMS of them per thread. */
__global__ void scale(float *x, float a, unsigned n)
{
    unsigned first = blockIdx.x * BLOCK * ITEMS + threadIdx.x;
    for (unsigned i = 0; i < ITEMS; i++) {
        unsigned at = first + i * BLOCK;
        if (at < n)
            x[at] *= a;
    }
}
