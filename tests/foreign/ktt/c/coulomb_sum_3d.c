#include <math.h>

void coulomb_sum_3d(const float (*atoms)[4], const float *x, const float *y, const float *z, const float *charge,
                    int count, float spacing, int side, float *energy)
{
    for (int k = 0; k < side; k++)
        for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++) {
                double sum = 0;
                for (int atom = 0; atom < count; atom++) {
                    double dx = spacing * i - x[atom], dy = spacing * j - y[atom], dz = spacing * k - z[atom];
                    sum += charge[atom] / sqrt(dx * dx + dy * dy + dz * dz);
                }
                energy[(k * side + j) * side + i] += (float)sum;
            }
}

/* Atoms lie beside the grid's points: a quarter of a step and less from the middle between them. */
void fill(float (*atoms)[4], float *x, float *y, float *z, float *charge,
          int count, float spacing, int side, float *energy, unsigned long long seed)
{
    float *axes[] = {x, y, z, charge};
    for (int i = 0; i < 4 * count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        float part = (float)(seed >> 40) / (1 << 24);
        if (i % 4 < 3)
            part = spacing * ((float)((seed >> 20) % (side ? side : 1)) + 0.25f + 0.5f * part);
        atoms[i / 4][i % 4] = axes[i % 4][i / 4] = part;
    }
}
