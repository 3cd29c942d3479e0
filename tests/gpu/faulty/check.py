"""Whether every fault of this package cost its own trial, and only that: reads the trail of its search."""

import json
import sys

EXPECTED = {
    "none": None,
    "illegal": "crash",
    "misaligned": "crash",
    "hang": "timeout",
    "trap": "crash",
    "wrong": "wrong",
    "outside": "out_of_bounds",
    "unwritten": "unwritten",
    "input": "wrong",
}

found = {}
with open(sys.argv[1]) as trail:
    for line in trail:
        row = json.loads(line)
        if row.get("kind") in ("trial", "baseline"):
            found[row["values"]["FAULT"]] = row
wrong = 0
for fault, failure in EXPECTED.items():
    row = found.get(fault)
    got = "not measured" if row is None else row.get("failure")
    wrong += got != failure
    detail = "" if row is None else row.get("detail", row.get("seconds"))
    print(f"{'ok   ' if got == failure else 'WRONG'} {fault}: {got}: {detail}")
sys.exit(wrong)
