#include <math.h>

void fill(int *inside, float (*points)[2], int n, float (*corners)[2], float *slopes, unsigned long long seed)
{
    for (int i = 0; i < 600; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double angle = -6.283185307179586 * (i + (double)(seed >> 40) / (1 << 24)) / 600;
        corners[i][0] = (float)cos(angle);
        corners[i][1] = (float)sin(angle);
    }
    for (int i = 0, k = 599; i < 600; k = i++)
        slopes[i] = (corners[k][0] - corners[i][0]) / (corners[k][1] - corners[i][1]);
}
