// Lets others go on, who may change what lies there.
static inline void host_pause(const void *at) {
  host_thread()->block->steps = 0;
  host_step(at, 0);
}

// From sm_90 on ----------------------------------------------------------------------------------------
// What Hopper brought: boxes of tensors, clusters, products of warpgroups. It follows host.h.
#if __CUDA_ARCH__ >= 900

// Clusters ----------------------------------------------------------------------------------------------

// The block of that rank, which must still run: its shared memory is gone with it.
HOST_OWN static inline host_block *host_peer(unsigned rank) {
  host_block *own = host_thread()->block;
  if (rank >= own->cluster.x * own->cluster.y * own->cluster.z || !own->peers[rank]->alive) __builtin_trap();
  return own->peers[rank];
}
// mapa: what lies at this place of another block's dynamic shared memory. Only that is kept apart here.
HOST_OWN static inline void *host_mapa(const void *at, unsigned rank) {
  host_block *own = host_thread()->block;
  size_t offset = (size_t)at - (size_t)own->shared;
  if (offset >= own->shared_bytes) __builtin_trap();
  return (char *)host_peer(rank)->shared + offset;
}
// barrier.cluster.arrive and .wait: opens when all threads of the cluster that have not ended arrived.
HOST_OWN static inline bool host_cluster_look(unsigned since) {
  host_block *own = host_thread()->block, *first = own->peers[0];
  unsigned alive = 0;
  for (unsigned i = 0; i < own->cluster.x * own->cluster.y * own->cluster.z; i++) alive += own->peers[i]->alive;
  if (first->together[0] && first->together[0] == alive) {
    first->together[0] = 0;
    first->together[1]++;
  }
  return first->together[1] != since;
}
HOST_OWN static inline void host_cluster_arrive() {
  host_block *first = host_thread()->block->peers[0];
  host_thread()->together = first->together[1];
  first->together[0]++;
}
HOST_OWN static inline void host_cluster_wait() {
  while (!host_cluster_look(host_thread()->together)) host_pause(host_thread());
  HOST_FENCE();
}

// griddepcontrol: nothing begins early here. Whether it might, a test may ask.
static inline bool host_may_begin_early() { return host_thread()->block->dependent; }

// Tensor maps -------------------------------------------------------------------------------------------

// A tensor map as this driver writes it (src/library/cuda/tensor.rs).
struct host_tensor {
  unsigned magic;
  unsigned char rank, bytes, swizzle, nan;
  unsigned long long address, strides[4];
  unsigned last[5], box[5], unused[10];
};
// cp.async.bulk.tensor (PTX 9.7.9.25.5): a box comes when its barrier is waited for, and until then NaNs stand there; one
// that goes to global memory is read when its group is waited for.
struct host_box {
  host_box *next;
  host_mbarrier *barrier;
  host_fibre *owner;
  const host_tensor *map;
  unsigned char *shared;
  int at[5];
  unsigned group;
};
extern "C" void *malloc(size_t);
extern "C" void free(void *);
HOST_OWN static inline unsigned host_box_bytes(const host_tensor *map) {
  unsigned bytes = map->bytes;
  for (unsigned d = 0; d < map->rank; d++) bytes *= map->box[d];
  return bytes;
}
HOST_OWN static inline void host_box_ask(host_block *block, const host_tensor *map, void *shared, void *barrier, int x, int y, int z, int u, int v) {
  // Only what the driver has encoded, at a multiple of 128 bytes (PTX 9.7.9.25.5).
  if (map->magic != 0x6f636962 || (size_t)shared & 127) __builtin_trap();
  host_box **last = &block->boxes;
  while (*last) last = &(*last)->next;
  *last = (host_box *)malloc(sizeof(host_box));
  **last = {nullptr, (host_mbarrier *)barrier, host_thread(), map, (unsigned char *)shared, {x, y, z, u, v}, 0};
}
HOST_OWN static inline void host_box_copy(const host_box *of) {
  const host_tensor *map = of->map;
  unsigned bytes = map->bytes, count = host_box_bytes(map) / bytes, index[5] = {};
  // Rows that are narrower than the swizzle lie as far apart as it is wide (CUDA C++ Programming Guide 10.29.3.3).
  unsigned row = bytes * map->box[0], width = map->swizzle ? 16u << map->swizzle : 0;
  unsigned pitch = row < width ? width : row;
  for (unsigned n = 0; n < count; n++) {
    unsigned char *to = of->shared + n / map->box[0] * pitch + index[0] * bytes;
    // 16-byte pieces change places within a row of 32, 64 or 128 bytes, by the bits of their address from 128 on.
    if (map->swizzle) to = (unsigned char *)((size_t)to ^ ((size_t)to >> 7 & ((1u << map->swizzle) - 1)) << 4);
    unsigned char *from = (unsigned char *)map->address;
    bool is_inside = true;
    for (unsigned d = 0; d < map->rank; d++) {
      long long at = (long long)of->at[d] + index[d];
      is_inside &= at >= 0 && at <= map->last[d];
      from += at * (long long)(d ? map->strides[d - 1] : bytes);
    }
    if (!of->barrier) {
      if (is_inside) __builtin_memcpy(from, to, bytes);
    } else if (is_inside) {
      __builtin_memcpy(to, from, bytes);
    } else {
      __builtin_memset(to, map->nan ? 0xff : 0, bytes);
    }
    for (unsigned d = 0; d < map->rank && ++index[d] == map->box[d]; d++) index[d] = 0;
  }
}
// The box is on its way to this block.
static inline void host_box_bring(host_block *block, const host_tensor *map, void *to, void *barrier, int x, int y, int z, int u, int v) {
  host_box_ask(block, map, to, barrier, x, y, z, u, v);
  __builtin_memset(to, 0xff, host_box_bytes(map));
}
static inline void host_tensor_load(void *to, const void *of, void *barrier, int x, int y = 0, int z = 0, int u = 0, int v = 0) {
  host_box_bring(host_thread()->block, (const host_tensor *)of, to, barrier, x, y, z, u, v);
}
// .multicast::cluster: the box comes to the same place of all blocks of the mask, and is counted at the same barrier of each.
static inline void host_tensor_multicast(void *to, const void *of, void *barrier, unsigned short mask, int x, int y = 0, int z = 0, int u = 0, int v = 0) {
  const host_tensor *map = (const host_tensor *)of;
  for (unsigned rank = 0; rank < 16; rank++) {
    if (!(mask >> rank & 1)) continue;
    host_box_bring(host_peer(rank), map, host_mapa(to, rank), host_mapa(barrier, rank), x, y, z, u, v);
  }
}
static inline void host_tensor_store(const void *of, const void *from, int x, int y = 0, int z = 0, int u = 0, int v = 0) {
  host_box_ask(host_thread()->block, (const host_tensor *)of, (void *)from, nullptr, x, y, z, u, v);
}
// cp.async.bulk.commit_group: a thread's boxes since the last one are its next group.
HOST_OWN static inline void host_bulk_commit() {
  unsigned next = 1;
  host_box *boxes = host_thread()->block->boxes;
  for (host_box *of = boxes; of; of = of->next)
    if (!of->barrier && of->owner == host_thread() && of->group >= next) next = of->group + 1;
  for (host_box *of = boxes; of; of = of->next)
    if (!of->barrier && of->owner == host_thread() && !of->group) of->group = next;
}
// cp.async.bulk.wait_group: but for so many, the latest, all groups of the thread are through.
HOST_OWN static inline void host_bulk_wait(unsigned pending) {
  unsigned latest = 0;
  for (host_box *of = host_thread()->block->boxes; of; of = of->next)
    if (!of->barrier && of->owner == host_thread() && of->group > latest) latest = of->group;
  for (host_box **link = &host_thread()->block->boxes; *link;) {
    host_box *of = *link;
    if (of->barrier || of->owner != host_thread() || !of->group || of->group + pending > latest) {
      link = &of->next;
      continue;
    }
    host_box_copy(of);
    *link = of->next;
    free(of);
  }
  HOST_FENCE();
}
// mbarrier.test_wait.parity
HOST_OWN static inline bool host_mbarrier_test(void *at, unsigned parity) {
  host_mbarrier *barrier = (host_mbarrier *)at;
  // A phase that is over, or has not begun, keeps nobody.
  if (barrier->phase != (parity & 1)) return true;
  for (host_box **link = &host_thread()->block->boxes; *link;) {
    host_box *of = *link;
    if (of->barrier != barrier) {
      link = &of->next;
      continue;
    }
    host_box_copy(of);
    barrier->bytes -= host_box_bytes(of->map);
    *link = of->next;
    free(of);
    host_mbarrier_look(barrier);
  }
  return barrier->phase != (parity & 1);
}
static inline void host_mbarrier_wait(void *at, unsigned parity) {
  while (!host_mbarrier_test(at, parity)) host_pause(at);
  HOST_FENCE();
}

// Products of a warpgroup -------------------------------------------------------------------------------

// Four warps multiply together (PTX ISA, "Asynchronous warpgroup level matrix instructions"). What is read from shared
// memory is read when the product is waited for, and until then NaNs stand in the sums.
struct host_product {
  float *sums;
  unsigned columns, group;
  unsigned long long a, b;
  // Whether A and B lie with M and N side by side, whether what the sums held counts, whether A is in registers.
  bool a_across, b_across, add, is_held, is_row;
  float (*number)(unsigned short);
  float rows[2][16], held[128];
};

// A place in shared memory as a descriptor has it: 18 bits, of dynamic shared memory here.
HOST_OWN static inline unsigned host_shared_address(const void *at) {
  host_block *block = host_thread()->block;
  size_t offset = (size_t)at - (size_t)block->shared;
  if (offset > block->shared_bytes) __builtin_trap();
  return offset;
}

// Where the two elements at an even `i` of M or N and at `i + 1`, or at an even `k` and `k + 1`, lie: the canonical
// layouts of PTX ISA, in the strides that CUTLASS gives for them (cute/atom/mma_traits_sm90_gmma.hpp).
HOST_OWN static inline const unsigned short *host_element(unsigned long long descriptor, bool across, unsigned i, unsigned k) {
  // 3 is a swizzle of 32 bytes, 2 of 64, 1 of 128.
  unsigned mode = descriptor >> 62, swizzle = mode ? 4 - mode : 0, width = 1u << swizzle;
  unsigned start = (descriptor & 0x3fff) << 4, leading = (descriptor >> 16 & 0x3fff) << 4;
  unsigned stride = (descriptor >> 32 & 0x3fff) << 4, at;
  // A base offset is for patterns that do not begin at a multiple of their size: nobody has them here.
  if (descriptor >> 49 & 7) __builtin_trap();
  if (!across && mode)
    at = i / 8 * stride + i % 8 * 16 * width + k / 8 * 16 + k % 8 * 2;
  else if (!across)
    at = i / 8 * stride + i % 8 * 16 + k / 8 * leading + k % 8 * 2;
  else if (mode)
    at = i / 8 / width * leading + i / 8 % width * 16 + k / 8 * stride + k % 8 * 16 * width + i % 8 * 2;
  else
    at = i / 8 * stride + k / 8 * leading + k % 8 * 16 + i % 8 * 2;
  host_block *block = host_thread()->block;
  at = start + at & 0x3ffff;
  if (at + 2 > block->shared_bytes) __builtin_trap();
  size_t address = (size_t)block->shared + at;
  return (const unsigned short *)(address ^ (address >> 7 & (width - 1)) << 4);
}

HOST_OWN static inline void host_product_run(host_product *of) {
  host_fibre *self = host_thread();
  unsigned thread = self->thread.x + self->block->dim.x * (self->thread.y + self->block->dim.y * self->thread.z);
  unsigned row = 16 * (thread / 32 % 4) + self->lane / 4, column = 2 * (self->lane % 4);
  if (!of->is_row)
    for (unsigned half = 0; half < 2; half++)
      for (unsigned k = 0; k < 16; k++) of->rows[half][k] = of->number(*host_element(of->a, of->a_across, row + 8 * half, k));
  for (unsigned j = 0; j < of->columns / 8; j++) {
    float right[2][16];
    for (unsigned k = 0; k < 16; k++)
      for (unsigned i = 0; i < 2; i++) right[i][k] = of->number(*host_element(of->b, of->b_across, 8 * j + column + i, k));
    for (unsigned i = 0; i < 4; i++) {
      float sum = 0;
      for (unsigned k = 0; k < 16; k++) sum += of->rows[i / 2][k] * right[i % 2][k];
      of->held[4 * j + i] = of->add ? of->held[4 * j + i] + sum : sum;
    }
  }
}

// wgmma.fence: registers that others wrote may be read by what comes. INTERPRETED: it is asked for before the first product and
// after each wait, behind which a kernel may have touched its sums.
HOST_OWN static inline void host_warpgroup_fence() { host_thread()->fenced = 1; }

HOST_OWN static inline void host_product_ask(host_product product) {
  host_fibre *own = host_thread();
  if (!own->fenced) __builtin_trap();
  host_room(own->products, own->under_way, own->products_room);
  bool is_held = true;
  for (unsigned i = 0; i < own->under_way; i++) is_held &= own->products[i].sums != product.sums;
  product.group = own->product_groups;
  product.is_held = is_held;
  unsigned bytes = product.columns / 2 * 4;
  if (is_held) {
    __builtin_memcpy(product.held, product.sums, bytes);
    __builtin_memset(product.sums, 0xff, bytes);
  }
  own->products[own->under_way++] = product;
}

// wgmma.mma_async with 16-bit floats, A by a descriptor.
template <int N> HOST_OWN static inline void host_wgmma(float (&sums)[N / 2], unsigned long long a, unsigned long long b, bool add,
                                                        bool a_across, bool b_across, bool bf16) {
  host_product product;
  product.sums = sums, product.columns = N, product.a = a, product.b = b, product.a_across = a_across;
  product.b_across = b_across, product.add = add, product.is_row = false;
  product.number = bf16 ? host_bf16_number : host_f16_number;
  host_product_ask(product);
}
// The same with A in registers, as of mma.m16n8k16: lanes hand each other their parts.
template <int N> HOST_OWN static inline void host_wgmma_registers(float (&sums)[N / 2], const unsigned (&a)[4], unsigned long long b, bool add,
                                                                  bool b_across, bool bf16) {
  host_fibre *self = host_thread();
  unsigned(*warp)[6] = self->warp->parts;
  host_product product;
  product.sums = sums, product.columns = N, product.a = 0, product.b = b, product.a_across = false;
  product.b_across = b_across, product.add = add, product.is_row = true;
  product.number = bf16 ? host_bf16_number : host_f16_number;
  for (unsigned i = 0; i < 4; i++) warp[self->lane][i] = a[i];
  __syncwarp();
  for (unsigned half = 0; half < 2; half++)
    for (unsigned k = 0; k < 16; k++) {
      unsigned pair = warp[self->lane / 4 * 4 + k % 8 / 2][k / 8 * 2 + half];
      product.rows[half][k] = product.number(pair >> 16 * (k % 2));
    }
  __syncwarp();
  host_product_ask(product);
}
// wgmma.commit_group
HOST_OWN static inline void host_warpgroup_commit() { host_thread()->product_groups++; }
// wgmma.wait_group: but for so many groups, the latest, all are through.
HOST_OWN static inline void host_warpgroup_wait(unsigned pending) {
  host_fibre *own = host_thread();
  unsigned kept = 0;
  for (unsigned i = 0; i < own->under_way; i++) {
    host_product *product = own->products + i;
    if (product->group + pending >= own->product_groups) {
      if (kept != i) own->products[kept] = *product;
      kept++;
      continue;
    }
    host_product_run(product);
    // Who adds to the same sums goes on from here; there they are not to be read yet.
    host_product *next = nullptr;
    for (unsigned j = i + 1; j < own->under_way && !next; j++)
      if (own->products[j].sums == product->sums) next = own->products + j;
    __builtin_memcpy(next ? next->held : product->sums, product->held, product->columns / 2 * 4);
    if (next) next->is_held = true;
  }
  own->under_way = kept;
  own->fenced = 0;
  HOST_FENCE();
}
#endif

// bar.sync with a number and a count of threads.
HOST_OWN static inline void host_named_barrier(unsigned number, unsigned threads) {
  unsigned *of = host_thread()->block->named[number & 15], since = of[1];
  if (threads % 32) __builtin_trap();
  if (++of[0] == threads) {
    of[0] = 0;
    of[1]++;
  }
  while (((volatile unsigned *)of)[1] == since) host_pause(of);
  HOST_FENCE();
}
