/* In double precision. */
#include <math.h>
#include <stdint.h>

void blocked(float *vx, float *vy, float *vz, const float *x, const float *y, const float *z, float dt, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        double pull[3] = {0};
        for (int32_t j = 0; j < n; j++) {
            double away[3] = {(double)x[j] - x[i], (double)y[j] - y[i], (double)z[j] - z[i]};
            double square = 1e-9 + away[0] * away[0] + away[1] * away[1] + away[2] * away[2];
            for (int c = 0; c < 3; c++)
                pull[c] += away[c] / (square * sqrt(square));
        }
        vx[i] += dt * pull[0];
        vy[i] += dt * pull[1];
        vz[i] += dt * pull[2];
    }
}
