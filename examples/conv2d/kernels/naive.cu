// out[y][x] = sum over r, s of filter[r][s] * in[y + r][x + s]: one thread per
// element of out, everything read through the cache. What one writes first.
//
// Launch: any block, with as many of them as cover w along x and h along y.
//
// naive.ptx is this file, compiled by NVRTC for compute_75, with the PTX version
// lowered to 7.0, so that older drivers take it.
extern "C" __global__ void conv2d_naive(float *__restrict__ out, const float *__restrict__ in,
                                        const float *__restrict__ filter, unsigned h, unsigned w, unsigned f) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  const size_t length = (size_t)w + f - 1;
  float sum = 0.0f;
  for (unsigned r = 0; r < f; r++)
    for (unsigned s = 0; s < f; s++)
      sum += filter[r * f + s] * in[(y + r) * length + x + s];
  out[(size_t)y * w + x] = sum;
}
