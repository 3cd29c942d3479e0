// out[y][x] = sum over r, s of filter[r][s] * in[y + r][x + s], in FP32: out is
// h x w, in is (h + f - 1) x (w + f - 1), filter is f x f, all row-major and
// dense. (The filter is not flipped, as usual for neural networks.)
//
// A block computes a tile of out. It copies the tile's part of in, with a halo
// of f - 1 rows and columns, to shared memory; a thread computes TILE_Y x TILE_X
// elements in registers, so that an element of in that it has loaded serves
// several of them. That is adaptive tiling (van Werkhoven, Maassen, Bal,
// Seinstra, "Optimizing convolution operations on GPUs using adaptive tiling",
// 2014), whose space Kernel Tuner and the benchmark suite BAT made known. Theirs
// gives a thread columns that lie a block apart; here they are neighbours: one
// vector of in then serves TILE_X columns and the whole row of the filter.
//
// Template parameters:
//   FILTER    the f that the code is made for: its loops over columns are
//             unrolled; 0: any f, in steps of 4 columns
//   BLOCK_X   threads of a block along x
//   BLOCK_Y   threads of a block along y
//   TILE_X    neighbouring columns of out that a thread computes
//   TILE_Y    neighbouring rows of out that a thread computes
//   SHARED    1: the part of in goes through shared memory; 0: through the cache
//             (TILE_X = 1)
//   ASYNC     1: asynchronous copies to shared memory (before sm_80: one at a
//             time, through registers); 0: through registers, four at a time
//   READ_ONLY 1: loads of in through the read-only path
//   SPREAD    1: rows in shared memory lie so that a warp's loads fall into
//             different banks (below); 0: as they are
//   VECTOR    floats of one copy to shared memory, where the rows of in are
//             aligned; else single ones are copied
//   WEIGHTS   1: the filter goes through shared memory; 0: through the read-only
//             cache
//   REUSE     1: a row of in is loaded once for all rows of the thread's tile
//             that need it, and the weights again; 0: the other way round
//   UNROLL    1: loops over rows of the filter are unrolled, too
//
// Banks: a load of V = min(TILE_X, 4) floats is served for 32 / V lanes at a
// time. Lanes of one row read words TILE_X apart. Up to TILE_X = 4 these are
// neighbouring vectors and every bank is asked once. At TILE_X = 8 they are
// every other vector: two lanes want each bank. SPREAD deals a row's vectors to
// TILE_X / 4 planes in turn: what the lanes read at once are then neighbours
// within one plane. In a block narrower than those lanes the next lane is
// TILE_Y rows below: SPREAD pads the rows so that it reads the banks behind,
// TILE_Y * pitch = BLOCK_X * TILE_X modulo 32.
//
// Launch: ceil(w / (BLOCK_X TILE_X)) x ceil(h / (BLOCK_Y TILE_Y)) blocks of
// BLOCK_X x BLOCK_Y threads; dynamic shared memory: with F4 = f rounded up to a
// multiple of 4, 4 f F4 bytes for WEIGHTS, and for SHARED
// 4 (BLOCK_Y TILE_Y + f - 1) pitch, where pitch is BLOCK_X TILE_X + F4, rounded
// up to TILE_X, and with SPREAD of a narrow block up to 31 floats more. Any h
// and w, f from 1 to 65535; the grid allows 65535 blocks along y.
//
// What no config may exceed on any GPU; `cargo bico compile` holds it. For sm_120
// ptxas 12.9 keeps two or three words of a few configs for any filter in memory,
// though registers are left; they are not read in the innermost loop.
// limits: registers <= 255, block_registers <= 65536, spill_bytes <= 16
// limits: local_bytes <= 16, shared_bytes <= 101376

#include "async_copy.cuh"

template <int N> struct Vector;
template <> struct Vector<1> { typedef float type; };
template <> struct Vector<2> { typedef float2 type; };
template <> struct Vector<4> { typedef float4 type; };

// Between a vector and registers.
static __device__ __forceinline__ void unpack(float *to, float from) { to[0] = from; }

static __device__ __forceinline__ void unpack(float *to, float2 from) {
  to[0] = from.x;
  to[1] = from.y;
}

static __device__ __forceinline__ void unpack(float *to, float4 from) {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
  to[3] = from.w;
}

static __device__ __forceinline__ void pack(float &to, const float *from) { to = from[0]; }

static __device__ __forceinline__ void pack(float2 &to, const float *from) { to = make_float2(from[0], from[1]); }

static __device__ __forceinline__ void pack(float4 &to, const float *from) {
  to = make_float4(from[0], from[1], from[2], from[3]);
}

static __host__ __device__ constexpr int smaller(int x, int y) { return x < y ? x : y; }

static __host__ __device__ constexpr int round_up(int x, int to) { return (x + to - 1) / to * to; }

// The least x with tile_y * x = width modulo 32.
static __host__ __device__ constexpr int residue(int tile_y, int width) {
  int x = 0;
  while (x < 32 && tile_y * x % 32 != width % 32)
    x++;
  return x;
}

template <int FILTER, int BLOCK_X, int BLOCK_Y, int TILE_X, int TILE_Y, bool SHARED, bool ASYNC, bool READ_ONLY,
          bool SPREAD, int VECTOR, bool WEIGHTS, bool REUSE, bool UNROLL>
struct Convolution {
  static constexpr int THREADS = BLOCK_X * BLOCK_Y;
  // Columns of the filter that one step applies, and what of in they need.
  static constexpr int STEP = FILTER > 0 ? FILTER : 4;
  static constexpr int WINDOW = TILE_X + STEP - 1;
  // Floats of one load from shared memory.
  static constexpr int V = smaller(TILE_X, 4);
  static constexpr int WINDOW_V = round_up(WINDOW, V);
  static constexpr int STEP_V = round_up(STEP, 4);
  static constexpr int PLANES = SPREAD ? TILE_X / V : 1;
  static constexpr bool NARROW = SPREAD && BLOCK_X * TILE_X < 32;
  static constexpr int RESIDUE = residue(TILE_Y, BLOCK_X * TILE_X);

  static_assert(SHARED || (TILE_X == 1 && !ASYNC && !SPREAD && VECTOR == 1), "nothing to lay out");
  static_assert(!REUSE || (FILTER >= TILE_Y && TILE_Y > 1), "rows of the tile that share no row of in");
  static_assert(!NARROW || (VECTOR == 1 && RESIDUE % V == 0), "rows that are not aligned");
  static_assert(THREADS % 32 == 0, "whole warps");

  const float *in;     // of the block: its first row and column
  const float *filter; // in shared memory, or as it was given
  float *tile;         // in shared memory
  unsigned rows;       // of in, from the block's first one on
  unsigned columns;    // as many as the block needs, at most
  unsigned f;
  size_t length;       // of a row of in
  unsigned pitch;      // of a row of the tile
  unsigned thread;
  float sums[TILE_Y][TILE_X];

  __device__ __forceinline__ unsigned size() const { return FILTER > 0 ? FILTER : f; }

  // Distance of the filter's rows.
  __device__ __forceinline__ unsigned filter_pitch() const { return WEIGHTS ? (size() + 3) / 4 * 4 : size(); }

  __device__ __forceinline__ unsigned tile_pitch() const {
    unsigned pitch = BLOCK_X * TILE_X + (size() + 3) / 4 * 4;
    if (TILE_X > 4)
      pitch = (pitch + TILE_X - 1) / TILE_X * TILE_X;
    if (NARROW)
      pitch += (RESIDUE - pitch) % 32;
    return pitch;
  }

  // Where an element of the tile's row lies.
  __device__ __forceinline__ unsigned place(unsigned column) const {
    if (PLANES == 1)
      return column;
    const unsigned vector = column / V;
    return vector % PLANES * (pitch / PLANES) + vector / PLANES * V + column % V;
  }

  // Neighbouring threads copy neighbouring vectors of N, row after row. What lies beyond the edges of in is
  // left alone: only elements that out does not have depend on it.
  template <int N> __device__ __forceinline__ void fill() {
    typedef typename Vector<N>::type Word;
    // Loads through registers are started together: a store between them could be to their source, for all
    // that the compiler knows.
    constexpr int BATCH = ASYNC ? 1 : 4;
    const unsigned height = BLOCK_Y * TILE_Y + size() - 1;
    const unsigned width = (BLOCK_X * TILE_X + size() - 1 + N - 1) / N;
    const unsigned down = THREADS / width;
    const unsigned right = THREADS % width;
    // What of it in has.
    const unsigned bottom = rows < height ? rows : height;
    unsigned row = thread / width;
    unsigned vector = thread % width;
    while (row < bottom) {
      Word words[BATCH];
      float *to[BATCH];
      bool inside[BATCH];
#pragma unroll
      for (int i = 0; i < BATCH; i++) {
        inside[i] = row < bottom && vector * N < columns;
        to[i] = tile + row * pitch + place(vector * N);
        if (inside[i]) {
          const Word *from = (const Word *)(in + row * length + vector * N);
          if (ASYNC)
            async_copy<4 * N>(to[i], from);
          else
            words[i] = READ_ONLY ? __ldg(from) : *from;
        }
        row += down;
        vector += right;
        if (vector >= width) {
          vector -= width;
          row++;
        }
      }
      if (!ASYNC) {
#pragma unroll
        for (int i = 0; i < BATCH; i++)
          if (inside[i])
            *(Word *)to[i] = words[i];
      }
    }
  }

  // What a step needs of a row of in. WHOLE: the filter has all of the step's columns, from `first` on.
  template <bool WHOLE>
  __device__ __forceinline__ void load(float (&window)[WINDOW_V], unsigned row, unsigned first) const {
    if (SHARED) {
      const float *at = tile + row * pitch;
#pragma unroll
      for (int i = 0; i < WINDOW_V; i += V) {
        // Of the thread's first column in every plane, and of the planes.
        const unsigned vector = first / V + i / V;
        const unsigned place =
            PLANES == 1 ? threadIdx.x * TILE_X + first + i
                        : vector % PLANES * (pitch / PLANES) + (threadIdx.x + vector / PLANES) * V;
        unpack(window + i, *(const typename Vector<V>::type *)(at + place));
      }
    } else {
      const float *at = in + smaller(row, rows - 1) * length + threadIdx.x + first;
#pragma unroll
      for (int i = 0; i < WINDOW_V; i++)
        if (WHOLE || first + i < f)
          window[i] = READ_ONLY ? __ldg(at + i) : at[i];
    }
  }

  template <bool WHOLE>
  __device__ __forceinline__ void load_weights(float (&weights)[STEP_V], unsigned row, unsigned first) const {
    const float *at = filter + row * filter_pitch() + first;
    if (WEIGHTS) {
#pragma unroll
      for (int i = 0; i < STEP_V; i += 4)
        unpack(weights + i, *(const float4 *)(at + i));
    } else {
#pragma unroll
      for (int i = 0; i < STEP; i++)
        if (WHOLE || first + i < f)
          weights[i] = __ldg(at + i);
    }
  }

  template <bool WHOLE>
  __device__ __forceinline__ void multiply(float (&sums)[TILE_X], const float (&window)[WINDOW_V],
                                           const float (&weights)[STEP_V], unsigned first) const {
#pragma unroll
    for (int s = 0; s < STEP; s++)
      if (WHOLE || first + s < f) {
#pragma unroll
        for (int i = 0; i < TILE_X; i++)
          sums[i] += weights[s] * window[s + i];
      }
  }

  // Applies a step of the filter's row r to the whole tile.
  template <bool WHOLE> __device__ __forceinline__ void step(unsigned r, unsigned first) {
    float weights[STEP_V];
    load_weights<WHOLE>(weights, r, first);
#pragma unroll
    for (int t = 0; t < TILE_Y; t++) {
      float window[WINDOW_V];
      load<WHOLE>(window, threadIdx.y * TILE_Y + t + r, first);
      multiply<WHOLE>(sums[t], window, weights, first);
    }
  }

  // Applies row r of the filter.
  __device__ __forceinline__ void apply(unsigned r) {
    if (FILTER > 0) {
      step<true>(r, 0);
      return;
    }
    unsigned first = 0;
#pragma unroll 1
    for (; f - first >= STEP; first += STEP)
      step<true>(r, first);
    if (first < f)
      step<false>(r, first);
  }

  // Row i of the thread's part of in meets rows `first` to `last` of its tile, with the filter's row i - t.
  __device__ __forceinline__ void meet(unsigned i, int first, int last) {
    float window[WINDOW_V];
    load<true>(window, threadIdx.y * TILE_Y + i, 0);
#pragma unroll
    for (int t = 0; t < TILE_Y; t++)
      if (first <= t && t <= last) {
        float weights[STEP_V];
        load_weights<true>(weights, i - t, 0);
        multiply<true>(sums[t], window, weights, 0);
      }
  }

  __device__ __forceinline__ void compute() {
    constexpr int UNROLLED = UNROLL ? FILTER : 1;
    if (!REUSE) {
#pragma unroll UNROLLED
      for (unsigned r = 0; r < size(); r++)
        apply(r);
      return;
    }
    // Fewer than TILE_Y rows of the tile at the top and at the bottom.
#pragma unroll
    for (int i = 0; i < TILE_Y - 1; i++)
      meet(i, 0, i);
#pragma unroll UNROLLED
    for (int i = TILE_Y - 1; i < FILTER; i++)
      meet(i, 0, TILE_Y - 1);
#pragma unroll
    for (int i = 0; i < TILE_Y - 1; i++)
      meet(FILTER + i, i + 1, TILE_Y - 1);
  }
};

// Whether all rows of this length, in floats, begin at multiples of N floats.
template <int N> static __device__ __forceinline__ bool aligned(const float *at, size_t length) {
  return length % N == 0 && (size_t)at % (4 * N) == 0;
}

template <int FILTER, int BLOCK_X, int BLOCK_Y, int TILE_X, int TILE_Y, bool SHARED, bool ASYNC, bool READ_ONLY,
          bool SPREAD, int VECTOR, bool WEIGHTS, bool REUSE, bool UNROLL>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
conv2d_kernel(float *out, const float *in, const float *filter, unsigned h, unsigned w, unsigned f) {
  extern __shared__ float4 memory[];
  float *shared = (float *)(memory + 0);
  Convolution<FILTER, BLOCK_X, BLOCK_Y, TILE_X, TILE_Y, SHARED, ASYNC, READ_ONLY, SPREAD, VECTOR, WEIGHTS, REUSE,
              UNROLL>
      block;
  const unsigned x0 = blockIdx.x * (BLOCK_X * TILE_X);
  const unsigned y0 = blockIdx.y * (BLOCK_Y * TILE_Y);
  block.f = f;
  block.length = (size_t)w + block.size() - 1;
  block.in = in + y0 * block.length + x0;
  block.rows = h - y0 + block.size() - 1;
  // Without those that other blocks have: the sum of w and f need not fit.
  block.columns = (w - x0 < BLOCK_X * TILE_X ? w - x0 : BLOCK_X * TILE_X) + block.size() - 1;
  block.thread = threadIdx.y * BLOCK_X + threadIdx.x;
  block.pitch = block.tile_pitch();
  block.filter = filter;
  block.tile = shared;

  if (WEIGHTS) {
    const unsigned size = block.size(), pitch = block.filter_pitch();
    for (unsigned i = block.thread; i < size * size; i += BLOCK_X * BLOCK_Y)
      shared[i / size * pitch + i % size] = __ldg(filter + i);
    block.filter = shared;
    block.tile = shared + size * pitch;
  }
  if (SHARED) {
    // x0 is a multiple of 8.
    if (VECTOR > 1 && aligned<VECTOR>(in, block.length))
      block.template fill<VECTOR>();
    else
      block.template fill<1>();
    async_commit();
    async_wait<0>();
  }
  if (SHARED || WEIGHTS)
    __syncthreads();

  // From here on nobody waits for anybody.
  const unsigned x = threadIdx.x * TILE_X;
  const unsigned y = threadIdx.y * TILE_Y;
  if (x >= w - x0 || y >= h - y0)
    return;
#pragma unroll
  for (int t = 0; t < TILE_Y; t++)
#pragma unroll
    for (int i = 0; i < TILE_X; i++)
      block.sums[t][i] = 0.0f;
  block.compute();

  constexpr int V = smaller(TILE_X, 4);
  const bool vectors = aligned<V>(out, w);
  float *to = out + (size_t)(y0 + y) * w + x0 + x;
#pragma unroll
  for (int t = 0; t < TILE_Y; t++, to += w)
    if (t < h - y0 - y) {
#pragma unroll
      for (int i = 0; i < TILE_X; i += V)
        if (vectors) {
          if (i < w - x0 - x)
            pack(*(typename Vector<V>::type *)(to + i), block.sums[t] + i);
        } else {
#pragma unroll
          for (int j = i; j < i + V; j++)
            if (j < w - x0 - x)
              to[j] = block.sums[t][j];
        }
    }
}

// The reference: one thread per element of out, its sum in double.
// Launch: any block, with as many of them as cover w along x and h along y.
__global__ void conv2d_reference(float *out, const float *in, const float *filter, unsigned h, unsigned w,
                                 unsigned f) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  const size_t length = (size_t)w + f - 1;
  double sum = 0;
  for (unsigned r = 0; r < f; r++)
    for (unsigned s = 0; s < f; s++)
      sum += (double)filter[r * f + s] * in[(y + r) * length + x + s];
  out[(size_t)y * w + x] = (float)sum;
}
