@heading@
//
// Written by bico, which overwrites changes. A block computes a tile of C of M_PRIM x N_PRIM elements, in steps of K_PRIM along K, whose
// tiles of A and B are in shared memory: STAGES of them are there or on their way.
//? if half
// Inputs are FP16, sums FP32 on tensor cores; a warp computes WARP_M x WARP_N of the tile.
//? else
// Inputs and sums are FP32, on the CUDA cores; a thread computes MR x NR of the tile in its registers.
//? end
//? if grouped
// Blocks follow each other in groups of M_L2 x N_L2 tiles; ORDER says which of M and N is outside: mn or nm.
//? end
// Loads from global memory have VECTOR elements where sizes and addresses allow, else one.
// Launch: a block per tile, along x, of THREADS threads, with the bytes of STAGES stages as dynamic shared memory.
//
// A few bytes are spilled where the assembler keeps a register back to have room for one more block.
// limits: registers <= 255, block_registers <= 65536, spill_bytes <= 96, local_bytes <= 96
