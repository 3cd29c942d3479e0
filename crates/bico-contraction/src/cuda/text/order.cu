// Which of M and N is outside: of the groups of tiles, and in a group.
enum Order { mn, nm };

// The place of a tile in the order of the blocks: groups of HEIGHT x WIDTH tiles one after the other, cut at the edges,
// in each of them row by row. Blocks that run at the same time so share rows and columns in the second-level cache.
template <int HEIGHT, int WIDTH>
static __device__ __forceinline__ void place(unsigned tile, unsigned down, unsigned across, unsigned &row,
                                             unsigned &column) {
  const unsigned top = tile / across / HEIGHT * HEIGHT;
  const unsigned height = down - top < HEIGHT ? down - top : HEIGHT;
  unsigned within = tile - top * across;
  const unsigned left = within / (height * WIDTH) * WIDTH;
  const unsigned width = across - left < WIDTH ? across - left : WIDTH;
  within -= left * height;
  row = top + within / width;
  column = left + within % width;
}

static __device__ __forceinline__ void place_of_block(unsigned tile, unsigned tiles_m, unsigned tiles_n, unsigned &m,
                                                      unsigned &n) {
  if (ORDER == mn)
    place<M_L2, N_L2>(tile, tiles_m, tiles_n, m, n);
  else
    place<N_L2, M_L2>(tile, tiles_n, tiles_m, n, m);
}
