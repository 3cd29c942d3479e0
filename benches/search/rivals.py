#!/usr/bin/env python3
"""Reruns Kernel Tuner on the recorded spaces, beside `bico-bench search` and `cargo bico replay`.

    pip install kernel_tuner
    benches/search/rivals.py FOLDER adaptive_tabu_greywolf random_sample [--space NAME ..] [--seeds 50] [--budget 20,50]

Kernel Tuner runs in its simulation mode, with each strategy's default options, on cache files that are
written from our CSVs into a temporary folder: every config of the CSV with its time or its error, and
the sidecar's restrictions. Each budget is a run of its own, because its strategies may know the budget
(`max_fevals`). A config that failed counts as an evaluation; while nothing valid was found the fraction
of the optimum is 0. FOLDER is the folder of recorded spaces; without --space, those that its
kernel_tuner.json names. Prints a table, and as the last line the list of JSON rows that `bico-bench
search --json` prints.
"""

import argparse
import contextlib
import csv
import gzip
import io
import json
import logging
import os
import random
import sys
import tempfile
import time
import warnings

ERRORS = {"CompilationFailedConfig", "RuntimeFailedConfig", "InvalidConfig"}


def number(text):
    """A CSV field as the number, truth value or string that it stands for."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"True": True, "False": False}.get(text, text)


def write_cache(folder, name, target):
    """Writes the cache file of one space; gives its arguments for `tune_kernel` and its best time."""
    with open(os.path.join(folder, name + ".json")) as file:
        sidecar = json.load(file)
    params = {param["name"]: param["values"] for param in sidecar["params"]}
    entries, best = {}, None
    with gzip.open(os.path.join(folder, name + ".csv.gz"), "rt", newline="") as file:
        for row in csv.DictReader(file):
            config = {key: number(row[key]) for key in params}
            entry = dict(config, verification_time=0, strategy_time=0, framework_time=0)
            entry["compile_time"] = float(row.get("compile_ms") or 0)
            entry["benchmark_time"] = float(row.get("bench_ms") or 0)
            if row["status"] == "ok":
                entry["time"] = float(row["time_ms"])
                entry["times"] = [entry["time"]]
                best = entry["time"] if best is None else min(best, entry["time"])
            else:
                error = row["status"] if row["status"] in ERRORS else "RuntimeFailedConfig"
                entry["time"] = entry["__error__"] = error
            entries[",".join(str(config[key]) for key in params)] = entry
    cache = {
        "device_name": sidecar["gpu"],
        "kernel_name": sidecar["kernel"],
        "problem_size": [1],
        "tune_params_keys": list(params),
        "tune_params": params,
        "objective": "time",
        "cache": entries,
    }
    with open(target, "w") as file:
        json.dump(cache, file, indent="")
    arguments = {
        "kernel_name": sidecar["kernel"],
        "kernel_source": "void kernel() {}",
        "problem_size": [1],
        "arguments": [],
        "tune_params": params,
        "restrictions": sidecar["restrictions"] or None,
        "cache": target,
        "simulation_mode": True,
        "lang": "C",
    }
    return arguments, best


def search(arguments, strategy, budget, seed, names):
    """One run: the configs in the order in which they were evaluated first, and the seconds it took."""
    import kernel_tuner
    import numpy

    random.seed(seed)
    numpy.random.seed(seed)
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results, _ = kernel_tuner.tune_kernel(
            **arguments, strategy=strategy, strategy_options={"max_fevals": budget}
        )
    seconds = time.perf_counter() - start
    evaluated = {}
    for result in results:
        evaluated.setdefault(tuple(result[name] for name in names), result)
    return list(evaluated.values())[:budget], seconds


def fraction(results, best):
    times = [r["time"] for r in results if "__error__" not in r and isinstance(r["time"], (int, float))]
    return best / min(times) if times else 0.0


def quantile(ordered, part):
    place = part * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("strategies", nargs="+")
    parser.add_argument("--space", nargs="+", default=[])
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--budget", default="5,10,20,40,50,100,200")
    options = parser.parse_args()
    budgets = [int(part) for part in options.budget.split(",")]
    spaces = options.space
    if not spaces:
        with open(os.path.join(options.folder, "kernel_tuner.json")) as file:
            spaces = list(json.load(file)["spaces"])
    logging.disable(logging.WARNING)

    rows = []
    width = max(len(space) for space in spaces)
    with tempfile.TemporaryDirectory() as scratch:
        for space in spaces:
            target = os.path.join(scratch, space + ".json")
            arguments, best = write_cache(options.folder, space, target)
            names = list(arguments["tune_params"])
            for strategy in options.strategies:
                cells = []
                for budget in budgets:
                    runs = [search(arguments, strategy, budget, seed, names) for seed in range(options.seeds)]
                    fractions = sorted(fraction(results, best) for results, _ in runs)
                    evaluations = sum(len(results) for results, _ in runs)
                    rows.append({
                        "space": space,
                        "strategy": strategy,
                        "budget": budget,
                        "seeds": options.seeds,
                        "mean": sum(fractions) / len(fractions),
                        "q25": quantile(fractions, 0.25),
                        "median": quantile(fractions, 0.5),
                        "q75": quantile(fractions, 0.75),
                        # The space's construction and Kernel Tuner's own bookkeeping included.
                        "ms_per_evaluation": sum(s for _, s in runs) * 1e3 / max(evaluations, 1),
                    })
                    cells.append(f"{budget}: {rows[-1]['mean']:.4f}")
                print(f"{space:{width}}  {strategy:24}  " + "  ".join(cells), flush=True)
    for strategy in options.strategies if len(spaces) > 1 else []:
        cells = []
        for budget in budgets:
            means = [r["mean"] for r in rows if r["strategy"] == strategy and r["budget"] == budget]
            cells.append(f"{budget}: {sum(means) / len(means):.4f}")
        print(f"{'average':{width}}  {strategy:24}  " + "  ".join(cells))
    print(json.dumps(rows))


if __name__ == "__main__":
    sys.exit(main())
