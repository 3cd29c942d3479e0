// What a launch costs whose arguments are tensor maps: a kernel that does nothing. `nothing_mapped.ptx` is the same for the driver.
struct alignas(64) CUtensorMap {
  unsigned long long opaque[16];
};
extern "C" __global__ void nothing_mapped(const __grid_constant__ CUtensorMap y, const __grid_constant__ CUtensorMap x, unsigned n, float delta) {}
