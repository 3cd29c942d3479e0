// One argument of each width: out[0..] says what arrived.
extern "C" __global__ void widths(double *out, signed char a, unsigned short b, int c, long long d,
                                  float e, double f, bool g)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        out[0] = a;
        out[1] = b;
        out[2] = c;
        out[3] = d;
        out[4] = e;
        out[5] = f;
        out[6] = g;
    }
}
