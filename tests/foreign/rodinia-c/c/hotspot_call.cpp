/* What bico calls: the other has a name of C++'s. */
extern "C" void call(float *to, float *from, float *power, int n, float cap, float rx, float ry, float rz)
{
    num_omp_threads = WORKERS;
    single_iteration(to, from, power, n, n, cap, rx, ry, rz, 0);
}
