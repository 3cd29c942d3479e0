/* All but what lies inside of the blocks at the border. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

int judge(const float *to, const float *from, const float *power, int32_t n, float cap, float rx, float ry, float rz,
          const float *right, char *why, size_t room)
{
    for (int32_t r = 0; r < n; r++)
        for (int32_t c = 0; c < n; c++) {
            int is_on = r == 0 || c == 0 || r == n - 1 || c == n - 1;
            int is_near = r < 16 || c < 16 || r >= n - 16 || c >= n - 16;
            int64_t at = (int64_t)r * n + c;
            if ((is_on || !is_near) && !(fabsf(to[at] - right[at]) <= 1e-3f))
                return snprintf(why, room, "at %d, %d is %g, expected %g", r, c, to[at], right[at]);
        }
    return 0;
}
