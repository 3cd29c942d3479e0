/* In double precision. */
#include <math.h>
#include <stdint.h>

typedef struct {
    float at[3], speed[3];
} Body;

void nbody(Body *bodies, float dt, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        double pull[3] = {0};
        for (int32_t j = 0; j < n; j++) {
            double away[3], square = 1e-9;
            for (int c = 0; c < 3; c++) {
                away[c] = (double)bodies[j].at[c] - bodies[i].at[c];
                square += away[c] * away[c];
            }
            for (int c = 0; c < 3; c++)
                pull[c] += away[c] / (square * sqrt(square));
        }
        for (int c = 0; c < 3; c++)
            bodies[i].speed[c] += dt * pull[c];
    }
}
