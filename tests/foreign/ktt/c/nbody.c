#include <math.h>

#define ARGUMENTS(CONST) CONST float (*bodies)[4], CONST float (*speeds)[4], CONST float *x, CONST float *y, \
    CONST float *z, CONST float *mass, CONST float *vx, CONST float *vy, CONST float *vz, \
    float time, float damping, float softening, int n

void nbody(float (*moved)[4], float (*sped)[4], ARGUMENTS(const))
{
    for (int i = 0; i < n; i++) {
        double pull[3] = {0};
        for (int j = 0; j < n; j++) {
            double square = softening;
            for (int axis = 0; axis < 3; axis++)
                square += pow((double)bodies[j][axis] - bodies[i][axis], 2);
            for (int axis = 0; axis < 3; axis++)
                pull[axis] += bodies[j][3] * ((double)bodies[j][axis] - bodies[i][axis]) / (square * sqrt(square));
        }
        for (int axis = 0; axis < 3; axis++) {
            moved[i][axis] = (float)(bodies[i][axis] + time * speeds[i][axis] + damping * time * time * pull[axis]);
            sped[i][axis] = (float)(speeds[i][axis] + time * pull[axis]);
        }
        moved[i][3] = bodies[i][3];
        sped[i][3] = 0;
    }
}

void fill(float (*moved)[4], float (*sped)[4], ARGUMENTS(), unsigned long long seed)
{
    float *columns[] = {x, y, z, mass, vx, vy, vz};
    for (int i = 0; i < 7 * n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        float part = 20 * (float)(seed >> 40) / (1 << 24);
        columns[i % 7][i / 7] = part;
        (i % 7 < 4 ? bodies : speeds)[i / 7][i % 7 % 4] = part;
    }
}
