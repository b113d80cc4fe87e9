#!/usr/bin/env python3
"""Judges the memory plans of random networks: each is planned in many ways, and runs at its places.

Use: networks_test.py --judge=PROGRAM [--first=SEED] [--count=N] [--share=PERCENT]
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

from tflite_networks import network


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", required=True, help="the program plan_judge")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--share", type=int, default=8, help="percent of all ways to plan")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for seed in range(options.first, options.first + options.count):
            paths.append(pathlib.Path(folder, f"network_{seed}.tflite"))
            paths[-1].write_bytes(network(seed).model)
        return subprocess.run([options.judge, f"--share={options.share}", *paths],
                              check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
