// Boxes of tensors that travel between global and shared memory by themselves, from sm_90 on (PTX ISA, "Data Movement and
// Conversion Instructions: Tensor copy"), and the barriers that they arrive at ("Parallel Synchronization and Communication
// Instructions: mbarrier").
//
// One thread starts a box and adds its bytes to a barrier's phase; who waits for that phase may read the box. Phases of
// a barrier have the parities 0, 1, 0, .. A box in shared memory begins at a multiple of 128 bytes, of 1024 where it is swizzled.
#pragma once

#ifndef __cuda_cuda_h__
struct alignas(64) CUtensorMap {
  unsigned long long opaque[16];
};
#endif

typedef unsigned long long Barrier;

#ifndef HOST_DRIVER
static __device__ __forceinline__ unsigned tensor_shared(const void *at) {
  return (unsigned)__cvta_generic_to_shared(at);
}
#endif

// By one thread, before `barrier_publish` and a barrier of the block: a phase ends when so many have arrived.
static __device__ __forceinline__ void barrier_init(Barrier *at, unsigned count) {
#ifdef HOST_DRIVER
  host_mbarrier_init(at, count);
#else
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(tensor_shared(at)), "r"(count) : "memory");
#endif
}

// After the last `barrier_init`: boxes may arrive there.
static __device__ __forceinline__ void barrier_publish() {
#ifndef HOST_DRIVER
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

static __device__ __forceinline__ void barrier_arrive(Barrier *at) {
#ifdef HOST_DRIVER
  host_mbarrier_arrive(at);
#else
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(tensor_shared(at)) : "memory");
#endif
}

// Arrives, and lets the phase wait for so many bytes besides.
static __device__ __forceinline__ void barrier_expect(Barrier *at, unsigned bytes) {
#ifdef HOST_DRIVER
  host_mbarrier_expect(at, bytes);
#else
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(tensor_shared(at)), "r"(bytes) : "memory");
#endif
}

// Waits until the phase of this parity is over.
static __device__ __forceinline__ void barrier_wait(Barrier *at, unsigned parity) {
#ifdef HOST_DRIVER
  host_mbarrier_wait(at, parity);
#else
  unsigned done;
  do
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, done;\n"
                 "}"
                 : "=r"(done)
                 : "r"(tensor_shared(at)), "r"(parity)
                 : "memory");
  while (!done);
#endif
}

// A ring of stages with barriers: the one that is next, and the parity of its phase.
template <int STAGES> struct Turn {
  unsigned stage = 0, parity = 0;

  __device__ __forceinline__ void next() {
    stage = stage + 1 == STAGES ? 0 : stage + 1;
    parity ^= stage == 0;
  }
};

// Starts to bring the box whose first element is at (x, y) to shared memory; its bytes arrive at the barrier.
static __device__ __forceinline__ void tensor_load(void *to, const CUtensorMap *map, Barrier *at, int x, int y) {
#ifdef HOST_DRIVER
  host_tensor_load(to, map, at, x, y);
#else
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
                   tensor_shared(to)),
               "l"(map), "r"(tensor_shared(at)), "r"(x), "r"(y)
               : "memory");
#endif
}

// The same of a tensor with three dimensions.
static __device__ __forceinline__ void tensor_load(void *to, const CUtensorMap *map, Barrier *at, int x, int y, int z) {
#ifdef HOST_DRIVER
  host_tensor_load(to, map, at, x, y, z);
#else
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(
                   tensor_shared(to)),
               "l"(map), "r"(tensor_shared(at)), "r"(x), "r"(y), "r"(z)
               : "memory");
#endif
}

// By each thread that wrote to a box, before a barrier of the block and `tensor_store`.
static __device__ __forceinline__ void tensor_fence() {
#ifndef HOST_DRIVER
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

// Starts to write a box from shared to global memory; what lies outside of the tensor is left out.
static __device__ __forceinline__ void tensor_store(const CUtensorMap *map, const void *from, int x, int y) {
#ifdef HOST_DRIVER
  host_tensor_store(map, from, x, y);
#else
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
               "r"(tensor_shared(from)), "r"(x), "r"(y)
               : "memory");
#endif
}

// Closes the group of the boxes that this thread began to write since the last one.
static __device__ __forceinline__ void tensor_commit() {
#ifdef HOST_DRIVER
  host_bulk_commit();
#else
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
}

// Waits until shared memory was read by all but PENDING of this thread's groups, the youngest ones. A thread that ends waits
// for all of its own before.
template <int PENDING> static __device__ __forceinline__ void tensor_wait() {
#ifdef HOST_DRIVER
  host_bulk_wait(PENDING);
#else
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
#endif
}

// By a kernel that may begin before the one ahead of it ends (`launch(dependent = true)`): waits for what that one wrote.
static __device__ __forceinline__ void dependent_wait() {
#ifndef HOST_DRIVER
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// By a kernel that another such one follows: that one may begin, once all blocks said so or ended.
static __device__ __forceinline__ void dependent_begin() {
#ifndef HOST_DRIVER
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Clusters of blocks: what one asks of the others. No block of a cluster ends before the others are through with its
// shared memory, which `cluster_sync` sees to. It orders no writes: barriers are made known by `barrier_publish`.
static __device__ __forceinline__ void cluster_sync() {
#ifdef HOST_DRIVER
  host_cluster_arrive();
  host_cluster_wait();
#else
  // Not `.aligned`: one thread of a warp may have been elsewhere before.
  asm volatile("barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;" ::: "memory");
#endif
}

// Arrives at the barrier that lies at the same place of the cluster's block of that rank. Without a scope: with `.release.cluster`
// it becomes a fence for all of the GPU (a product of 4096^3 took 281 us on an H200 in place of 200), and who arrives here has
// only read, by products that were waited for.
static __device__ __forceinline__ void barrier_arrive_at(Barrier *at, unsigned rank) {
#ifdef HOST_DRIVER
  host_mbarrier_arrive(host_mapa(at, rank));
#else
  asm volatile("{\n"
               ".reg .b32 there;\n"
               "mapa.shared::cluster.u32 there, %0, %1;\n"
               "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
               "}" ::"r"(tensor_shared(at)),
               "r"(rank)
               : "memory");
#endif
}

// Brings a box to the same place of all blocks of the cluster whose ranks are bits of `mask`; it arrives at the same barrier of each.
static __device__ __forceinline__ void tensor_multicast(void *to, const CUtensorMap *map, Barrier *at, unsigned short mask,
                                                        int x, int y) {
#ifdef HOST_DRIVER
  host_tensor_multicast(to, map, at, mask, x, y);
#else
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
               "[%1, {%4, %5}], [%2], %3;" ::"r"(tensor_shared(to)),
               "l"(map), "r"(tensor_shared(at)), "h"(mask), "r"(x), "r"(y)
               : "memory");
#endif
}

// By each warp that is through with a stage: it may be overwritten, by all CLUSTER blocks that bring something to it.
template <int CLUSTER> static __device__ __forceinline__ void barrier_release(Barrier *empty) {
  __syncwarp();
  const unsigned lane = threadIdx.x % 32;
  if constexpr (CLUSTER == 1) {
    if (lane == 0)
      barrier_arrive(empty);
  } else {
    if (lane < CLUSTER)
      barrier_arrive_at(empty, lane);
  }
}
