#include <stdint.h>

void fill(uint64_t *info, float *x, float *filters, float *y, uint64_t batch, uint64_t c_in, uint64_t length,
          uint64_t c_out, uint64_t taps, uint64_t stride, uint64_t padding, unsigned long long seed)
{
    uint64_t known[12] = {batch, c_in, length, c_in * length, length, 1, c_out, c_in, taps, c_in * taps, taps, 1};
    for (int i = 0; i < 12; i++)
        info[i] = known[i];
}

void convolve(const uint64_t *info, const float *x, const float *filters, float *y, uint64_t batch, uint64_t c_in,
              uint64_t length, uint64_t c_out, uint64_t taps, uint64_t stride, uint64_t padding)
{
    uint64_t places = (length + 2 * padding - taps) / stride + 1;
    for (uint64_t b = 0; b < batch; b++)
        for (uint64_t out = 0; out < c_out; out++)
            for (uint64_t place = 0; place < places; place++) {
                double sum = 0;
                for (uint64_t in = 0; in < c_in; in++)
                    for (uint64_t tap = 0; tap < taps; tap++) {
                        uint64_t at = place * stride + tap - padding;
                        if (at < length)
                            sum += (double)x[(b * c_in + in) * length + at] * filters[(out * c_in + in) * taps + tap];
                    }
                y[(b * c_out + out) * places + place] = (float)sum;
            }
}
