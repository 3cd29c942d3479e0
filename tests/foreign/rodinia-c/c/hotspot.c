/* Element by element; beyond a border there is no flow. */
#include <stdint.h>

void hotspot(float *to, const float *from, const float *power, int32_t n, float cap, float rx, float ry, float rz)
{
    for (int64_t r = 0; r < n; r++)
        for (int64_t c = 0; c < n; c++) {
            int64_t at = r * n + c;
            double own = from[at], flow = power[at] + (80 - own) * rz;
            flow += c > 0 ? (from[at - 1] - own) * rx : 0;
            flow += c < n - 1 ? (from[at + 1] - own) * rx : 0;
            flow += r > 0 ? (from[at - n] - own) * ry : 0;
            flow += r < n - 1 ? (from[at + n] - own) * ry : 0;
            to[at] = own + cap * flow;
        }
}
