#include <math.h>
#include <stdio.h>

static double sum_of(const float *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

void sum(float *sum, const float *x, int n)
{
    *sum = (float)sum_of(x, n);
}

int judge(const float *sums, const float *x, int n, const float *before, char *why, size_t room)
{
    double found = sum_of(sums, 32768), wanted = sum_of(x, n);
    if (fabs(found - wanted) <= 5e-7 * n)
        return 0;
    return snprintf(why, room, "the sum is %g, not %g", found, wanted);
}
