#!/usr/bin/env python3
"""Builds one space with one other tool: `rivals.py TOOL SPACE.json ROWS SECONDS`.

TOOL is `kernel_tuner` or `pyatf`. SPACE.json says the parameters (`params`: [[name, values], ..]), the
restrictions (Python expressions) and, for pyATF, which hand-made order and constraints to take (`name`).
The space is built again and again until a quarter of SECONDS is spent, at least once. All configs go to
ROWS: 32-bit integers, parameters as declared, rows sorted; nothing of that is timed. Prints one JSON object.
"""

import json
import sys
import time


def kernel_tuner(space):
    """As a user's `tune_kernel` does it: the default solver."""
    from kernel_tuner.searchspace import Searchspace

    params = {name: values for name, values in space["params"]}
    restrictions = space["restrictions"]
    start = time.perf_counter()
    built = Searchspace(params, restrictions, max_threads=1024)
    seconds = time.perf_counter() - start
    return seconds, built.size, lambda: built.list


def pyatf(space):
    """Each constraint at the last parameter that it reads, parameters in the order that prunes earliest."""
    from pyatf import TP, Interval, Set
    from pyatf.search_space import SearchSpace

    values = dict(space["params"])
    names = [name for name, _ in space["params"]]
    constraints = CONSTRAINTS[space["name"]]
    order = [name for name in constraints] + [name for name in names if name not in constraints]

    def parameters():
        return [TP(name, Set(*values[name]), constraints.get(name)) for name in order]

    start = time.perf_counter()
    built = SearchSpace(*parameters(), verbosity=0)
    seconds = time.perf_counter() - start

    def rows():
        indexed = SearchSpace(*parameters(), enable_1d_access=True, verbosity=0)
        for index in range(indexed.constrained_size):
            config = indexed.get_configuration(index)
            yield [config[name] for name in names]

    return seconds, built.constrained_size, rows


# For each space: the parameters in order, with what must hold once they have values.
CONSTRAINTS = {
    "gemm": {
        "KWG": None,
        "KWI": lambda KWI, KWG: KWG % KWI == 0,
        "MDIMC": None,
        "NDIMC": None,
        "MDIMA": lambda MDIMA, KWG, MDIMC, NDIMC: KWG % ((MDIMC * NDIMC) / MDIMA) == 0,
        "NDIMB": lambda NDIMB, KWG, MDIMC, NDIMC: KWG % ((MDIMC * NDIMC) / NDIMB) == 0,
        "MWG": lambda MWG, MDIMC, MDIMA: MWG % MDIMC == 0 and MWG % MDIMA == 0,
        "VWM": lambda VWM, MWG, MDIMC, MDIMA: MWG % (MDIMC * VWM) == 0 and MWG % (MDIMA * VWM) == 0,
        "NWG": lambda NWG, NDIMC, NDIMB: NWG % NDIMC == 0 and NWG % NDIMB == 0,
        "VWN": lambda VWN, NWG, NDIMC, NDIMB: NWG % (NDIMC * VWN) == 0 and NWG % (NDIMB * VWN) == 0,
    },
    "hotspot": {
        "block_size_x": None,
        "block_size_y": lambda block_size_y, block_size_x: 32 <= block_size_x * block_size_y <= 1024,
        "temporal_tiling_factor": None,
        "tile_size_x": None,
        "tile_size_y": None,
        "sh_power": lambda sh_power, block_size_x, tile_size_x, temporal_tiling_factor, block_size_y, tile_size_y: (
            block_size_x * tile_size_x + temporal_tiling_factor * 2)
            * (block_size_y * tile_size_y + temporal_tiling_factor * 2) * (2 + sh_power) * 4 <= 49152,
        "blocks_per_sm": lambda blocks_per_sm, block_size_x, tile_size_x, temporal_tiling_factor, block_size_y,
            tile_size_y, sh_power: blocks_per_sm == 0 or (
            (block_size_x * tile_size_x + temporal_tiling_factor * 2)
            * (block_size_y * tile_size_y + temporal_tiling_factor * 2) * (2 + sh_power) * 4) * blocks_per_sm <= 167936,
        "loop_unroll_factor_t": lambda loop_unroll_factor_t, temporal_tiling_factor:
            temporal_tiling_factor % loop_unroll_factor_t == 0,
    },
    "dedispersion": {
        "block_size_x": None,
        "block_size_y": lambda block_size_y, block_size_x: 32 <= block_size_x * block_size_y <= 1024,
        "tile_size_x": None,
        "tile_stride_x": lambda tile_stride_x, tile_size_x: tile_size_x > 1 or tile_stride_x == 0,
        "tile_size_y": None,
        "tile_stride_y": lambda tile_stride_y, tile_size_y: tile_size_y > 1 or tile_stride_y == 0,
    },
    "convolution": {
        "filter_width": None,
        "filter_height": None,
        "use_shmem": None,
        "use_padding": lambda use_padding, use_shmem: use_padding == 0 or use_shmem != 0,
        "block_size_x": lambda block_size_x, use_padding: use_padding == 0 or block_size_x % 32 != 0,
        "block_size_y": lambda block_size_y, block_size_x: block_size_x * block_size_y <= 1024,
        "tile_size_x": None,
        "tile_size_y": lambda tile_size_y, use_shmem, block_size_x, tile_size_x, filter_width, block_size_y,
            filter_height: use_shmem == 0 or (block_size_x * tile_size_x + (filter_width - 1))
            * (block_size_y * tile_size_y + (filter_height - 1)) < 12 * 1024,
    },
    "lanai_gemm": {
        "DIM_M": None,
        "DIM_N": lambda DIM_N, DIM_M: DIM_M * DIM_N <= 1024 and DIM_M * DIM_N % 32 == 0,
        "BLK_M": lambda BLK_M, DIM_M: BLK_M % DIM_M == 0,
        "BLK_N": lambda BLK_N, DIM_M, DIM_N, BLK_M: BLK_N % DIM_N == 0
            and (BLK_M // DIM_M) * (BLK_N // DIM_N) + BLK_M // DIM_M + BLK_N // DIM_N + 24 <= 255
            and ((BLK_M // DIM_M) * (BLK_N // DIM_N) + BLK_M // DIM_M + BLK_N // DIM_N + 24) * DIM_M * DIM_N <= 65536,
        "BLK_K": lambda BLK_K, BLK_M, BLK_N: 4 * BLK_K * (BLK_M + BLK_N) <= 49152
            and 2 * BLK_M * BLK_N >= 64 * (BLK_M + BLK_N),
        "SHMEM_L1": lambda SHMEM_L1, BLK_K, BLK_M, BLK_N: SHMEM_L1 == 1 or 4 * BLK_K * (BLK_M + BLK_N) <= 16384,
        "VEC": lambda VEC, BLK_M, BLK_K: BLK_M % VEC == 0 and BLK_K % VEC == 0,
        "VEC_MUL": lambda VEC_MUL, VEC, BLK_M, DIM_M: VEC_MUL == 0 or (BLK_M // DIM_M) % VEC == 0,
        "DIM_M_A": lambda DIM_M_A, DIM_M, DIM_N, BLK_M, VEC: DIM_M * DIM_N % DIM_M_A == 0
            and BLK_M % (DIM_M_A * VEC) == 0,
        "DIM_N_A": lambda DIM_N_A, DIM_M_A, DIM_M, DIM_N, BLK_K: DIM_M_A * DIM_N_A == DIM_M * DIM_N
            and BLK_K % DIM_N_A == 0,
        "DIM_M_B": lambda DIM_M_B, DIM_M, DIM_N, BLK_K, VEC: DIM_M * DIM_N % DIM_M_B == 0
            and BLK_K % (DIM_M_B * VEC) == 0,
        "DIM_N_B": lambda DIM_N_B, DIM_M_B, DIM_M, DIM_N, BLK_N: DIM_M_B * DIM_N_B == DIM_M * DIM_N
            and BLK_N % DIM_N_B == 0,
        "TEX_B": None,
        "TEX_A": lambda TEX_A, TEX_B, VEC: (TEX_A == 0 and TEX_B == 0) or VEC <= 2,
    },
}


def main():
    tool, path, rows_path, limit = sys.argv[1:]
    with open(path) as file:
        space = json.load(file)
    build = {"kernel_tuner": kernel_tuner, "pyatf": pyatf}[tool]
    begin, seconds = time.perf_counter(), []
    while not seconds or time.perf_counter() - begin < float(limit) / 4 and len(seconds) < 15:
        spent, valid, rows = build(space)
        seconds.append(spent)
    # What was measured stands, also if listing takes too long.
    print(json.dumps({"ms": 1000 * min(seconds), "repetitions": len(seconds), "valid": valid}), flush=True)

    import numpy

    listed = numpy.array(list(rows()), dtype=numpy.int32).reshape(valid, len(space["params"]))
    listed[numpy.lexsort(listed.T[::-1])].tofile(rows_path)
    print(json.dumps({"listed": True}), flush=True)


if __name__ == "__main__":
    main()
