/* One field after the other, by one loop over all elements. */
#include <stdint.h>

void fdtd_2d(double *ex, double *ey, double *hz, const double *pulse, int32_t tmax, int32_t nx, int32_t ny)
{
    int64_t all = (int64_t)nx * ny;
    for (int32_t t = 0; t < tmax; t++) {
        for (int64_t at = 0; at < all; at++) {
            ey[at] = at < ny ? pulse[t] : ey[at] - (hz[at] - hz[at - ny]) / 2;
            ex[at] -= at % ny > 0 ? (hz[at] - hz[at - 1]) / 2 : 0;
        }
        for (int64_t at = 0; at + ny < all; at++)
            if (at % ny < ny - 1)
                hz[at] -= 0.7 * (ex[at + 1] - ex[at] + ey[at + ny] - ey[at]);
    }
}
