"""What Accounts.record costs from Python, against the same call in C++, in one run.

Asked for: at most 1.5 times, for one step of a million people from a float32 array.

usage: PYTHONPATH=build/python python3 bench/python_record.py build/ration_bench
"""

import json
import subprocess
import sys
import time

import numpy as np

import ration

PEOPLE = 1_000_000
ROUNDS = 5  # in turns, the best of each: other work on the machine hits both


def in_cpp(program, rate):
    done = subprocess.run(
        [program, f"--benchmark_filter=ChargeAMillion/{round(1000 * rate)}/", "--benchmark_format=json"],
        capture_output=True,
        check=True,
    )
    return json.loads(done.stdout)["benchmarks"][0]["real_time"]


def in_python(rate):
    places = np.arange(PEOPLE, dtype=np.uint32) * np.uint32(2654435761) >> np.uint32(8)
    norms = places.astype(np.float32) * np.float32(2**-24)
    accounts = ration.Accounts(PEOPLE, noise=2.0, rate=rate)
    accounts.record(norms)  # asks for memory
    steps = 200
    began = time.perf_counter()
    for _ in range(steps):
        accounts.record(norms)
    return 1000 * (time.perf_counter() - began) / steps


def main(program):
    for rate in (0.005, 1.0):
        pairs = [(in_cpp(program, rate), in_python(rate)) for _ in range(ROUNDS)]
        cpp, python = (min(column) for column in zip(*pairs))
        print(f"rate {rate:g}: C++ {cpp:.3f} ms, Python {python:.3f} ms, ratio {python / cpp:.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
