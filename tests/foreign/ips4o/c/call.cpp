/* What bico calls: a template has no name in C. */
#include <cstdint>
#include <ips4o.hpp>

extern "C" void sort(uint32_t *x, uint32_t n)
{
    ips4o::sort(x, x + n);
}
