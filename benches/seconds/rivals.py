#!/usr/bin/env python3
"""One search by one other tool, or all tools' picks in one harness.

  rivals.py TOOL KERNEL SEED     TOOL is kernel_tuner:STRATEGY or pyatf
  rivals.py measure KERNEL       configs come on stdin, one JSON object a line

KERNEL is the name of one in kernels.json. A search prints a line for each config that it has measured and found right: how
long after the tool was called, the config, and its time in milliseconds as the tool sees it. It goes on until it
is killed. What is measured again prints the median of each config, measured in turns.
"""

import ctypes
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Large arrays of numpy ask for huge pages, which a large `Vec` or `malloc` of a program does not: of transpositions that are
# equally fast on these some are 9 % slower than others on those. All tools measure, and are judged, on pages of the usual size.
os.environ["NUMPY_MADVISE_HUGEPAGE"] = "0"

import numpy

HERE = Path(__file__).resolve().parent
WIDE = "avx512f" in Path("/proc/cpuinfo").read_text().split()
FLAGS = ["-O3", *(["-march=x86-64-v4", "-mprefer-vector-width=512"] if WIDE else
                  ["-march=x86-64-v3", "-mprefer-vector-width=256"])]
# What Kernel Tuner takes unless it is told otherwise.
RUNS = 7
RTOL = 1e-4


class Kernel:
    """What a tool is given: the source with a function that times itself, its arguments, and what is right."""

    def __init__(self, name):
        self.of = next(of for of in json.loads((HERE / "kernels.json").read_text()) if of["name"] == name)
        self.source = (HERE / self.of["source"]).resolve()
        self.sizes, self.params = dict(self.of["sizes"]), dict(self.of["params"])
        most = {name: max(values) for name, values in self.params.items()} | self.sizes
        generator = numpy.random.default_rng(0)
        self.arrays = [self.fresh(role, eval(length, {}, most), generator) for _, role, length in self.of["buffers"]]
        self.scratch = [self.fresh("scratch", eval(length, {}, most), generator) for _, length in self.of["scratch"]]
        self.scalars = [numpy.float32(v) if isinstance(v, float) else numpy.uint32(v) for v in self.sizes.values()]

    @staticmethod
    def fresh(role, length, generator):
        # Aligned as scratch is promised to be.
        whole = numpy.zeros(length + 16, dtype=numpy.float32)
        start = -whole.ctypes.data % 64 // 4
        part = whole[start : start + length]
        if role == "in":
            part[:] = generator.uniform(-1, 1, length)
        return part

    def text(self):
        """A C file whose function `timed` calls the kernel once and gives milliseconds."""
        pointers = [name for name, _, _ in self.of["buffers"]]
        scratch = [f"scratch{at}" for at in range(len(self.scratch))]
        types = ["float" if isinstance(v, float) else "uint32_t" for v in self.sizes.values()]
        scalars = [f"{kind} {name}" for kind, name in zip(types, self.sizes)]
        declared = [f"float *{name}" for name in pointers] + scalars + [f"float *{name}" for name in scratch]
        passed = ", ".join(pointers + list(self.sizes) + scratch)
        names = f"float timed({', '.join(declared)})"
        # Kernel Tuner would put whatever has no `extern "C"` of its own in one: this is C, and has it in a comment.
        return (
            '// extern "C"\n#define _POSIX_C_SOURCE 199309L\n#include <time.h>\n'
            f'#include "{self.source}"\n{names} {{\n'
            "  struct timespec from, to;\n  clock_gettime(CLOCK_MONOTONIC, &from);\n"
            f"  {self.of['name']}({passed});\n  clock_gettime(CLOCK_MONOTONIC, &to);\n"
            "  return 1e3 * (to.tv_sec - from.tv_sec) + 1e-6 * (to.tv_nsec - from.tv_nsec);\n}\n"
        )

    def load(self, config, folder):
        """The functions of one config, compiled."""
        source, library = Path(folder) / "kernel.c", Path(folder) / f"{random.getrandbits(64):x}.so"
        source.write_text(self.text())
        defines = [f"-D{name}={value}" for name, value in config.items()]
        subprocess.run(["gcc", *FLAGS, *defines, "-fPIC", "-shared", source, "-o", library], check=True,
                       capture_output=True)
        loaded = ctypes.CDLL(str(library))
        library.unlink()
        loaded.timed.restype = ctypes.c_float
        return loaded

    def pointers(self, arrays):
        return [array.ctypes.data_as(ctypes.POINTER(ctypes.c_float)) for array in arrays]

    def numbers(self):
        return [ctypes.c_float(v) if isinstance(v, numpy.float32) else ctypes.c_uint32(int(v)) for v in self.scalars]

    def call(self, loaded):
        return loaded.timed(*self.pointers(self.arrays), *self.numbers(), *self.pointers(self.scratch))

    def reference(self, folder):
        """What the reference makes of the inputs: it takes what it takes, as ours does."""
        first = {name: next(v for v in values) for name, values in self.params.items()}
        loaded = self.load(first, folder)
        getattr(loaded, self.of["name"] + "_naive")(*self.pointers(self.arrays), *self.numbers())
        right = self.arrays[0].copy()
        self.arrays[0][:] = 0
        return right

    def is_right(self, right):
        scale = float(numpy.sqrt(numpy.mean(right.astype(numpy.float64) ** 2)))
        return numpy.allclose(self.arrays[0], right, rtol=RTOL, atol=RTOL * scale)


def say(start, config, milliseconds):
    print(json.dumps({"seconds": time.perf_counter() - start, "config": config, "ms": milliseconds}), flush=True)


def kernel_tuner(kernel, strategy, seed):
    import kernel_tuner
    from kernel_tuner.observers import BenchmarkObserver

    class Teller(BenchmarkObserver):
        """Kernel Tuner checks a config before it times it, so what is timed was right."""

        def register_configuration(self, params):
            self.config = {name: params[name] for name in kernel.params}
            self.times = []

        def after_finish(self):
            self.times.append(float(self.dev.last_result))

        def get_results(self):
            if self.times:
                say(start, self.config, float(numpy.mean(self.times)))
                self.times = []
            return {}

    with tempfile.TemporaryDirectory() as folder:
        random.seed(seed)
        numpy.random.seed(seed)
        os.chdir(folder)
        start = time.perf_counter()
        right = kernel.reference(folder)
        scale = float(numpy.sqrt(numpy.mean(right.astype(numpy.float64) ** 2)))
        source = Path(folder) / "kernel.c"
        source.write_text(kernel.text())
        arguments = kernel.arrays + kernel.scalars + kernel.scratch
        kernel_tuner.tune_kernel(
            "timed", str(source), 1, arguments, kernel.params, lang="C", compiler="gcc", compiler_options=FLAGS,
            restrictions=kernel.of["restrictions"] or None, answer=[right] + [None] * (len(arguments) - 1),
            atol=RTOL * scale, strategy=strategy, strategy_options={"max_fevals": 10**6}, observers=[Teller()],
            iterations=RUNS, quiet=True, verbose=False,
        )


def pyatf(kernel, seed):
    from pyatf import TP, Set, Tuner
    from pyatf.cost_functions.generic import CostFunctionError
    from pyatf.search_techniques import AUCBandit

    random.seed(seed)
    numpy.random.seed(seed)
    names = list(kernel.params)

    def read(text):
        return [word for word in re.findall(r"\w+", text) if word in names]

    def constraint(last):
        """What can be said once the parameter `last` is known, as a function with those names."""
        known = names[: names.index(last) + 1]
        due = [text for text in kernel.of["restrictions"] if max(map(names.index, read(text))) == len(known) - 1]
        if not due:
            return None
        order = [last] + [name for name in known if name != last and any(name in read(text) for text in due)]
        return eval(f"lambda {', '.join(order)}: {' and '.join(f'({text})' for text in due)}")

    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        right = kernel.reference(folder)

        def cost(config):
            config = {name: int(config[name]) for name in names}
            loaded = kernel.load(config, folder)
            kernel.call(loaded)
            if not kernel.is_right(right):
                raise CostFunctionError("wrong")
            milliseconds = float(numpy.mean([kernel.call(loaded) for _ in range(RUNS)]))
            say(start, config, milliseconds)
            return milliseconds

        parameters = [TP(name, Set(*kernel.params[name]), constraint(name)) for name in names]
        Tuner().tuning_parameters(*parameters).search_technique(AUCBandit()).verbosity(0).tune(cost)


def measure(kernel):
    configs = [json.loads(line) for line in sys.stdin]
    with tempfile.TemporaryDirectory() as folder:
        right = kernel.reference(folder)
        loaded = [kernel.load(config, folder) for config in configs]
        times = [[] for _ in configs]
        for at, of in enumerate(loaded):
            kernel.call(of)
            if not kernel.is_right(right):
                sys.exit(f"{configs[at]} is wrong")
        start = time.perf_counter()
        rounds = 0
        while rounds < 9 or (time.perf_counter() - start < 60 and rounds < 51):
            order = range(len(loaded)) if rounds % 2 == 0 else reversed(range(len(loaded)))
            for at in order:
                # What the tools measure is a call behind one of the same config.
                kernel.call(loaded[at])
                times[at].append(kernel.call(loaded[at]))
            rounds += 1
        for of in times:
            print(json.dumps({"ms": float(numpy.median(of))}))


def main():
    tool, kernel = sys.argv[1], Kernel(sys.argv[2])
    if tool == "measure":
        measure(kernel)
    elif tool == "pyatf":
        pyatf(kernel, int(sys.argv[3]))
    else:
        kernel_tuner(kernel, tool.split(":")[1], int(sys.argv[3]))


main()
