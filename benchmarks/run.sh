#!/usr/bin/env bash
# Prints the figures, each beside its peer. Use: benchmarks/run.sh BUILD_DIR (see `make bench`).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python3 benchmarks/matmul.py "$1/bin"
"$1/bin/constant_list_bench"
python3 benchmarks/big_constants.py "$1/bin"
python3 benchmarks/models.py "$1/bin"
python3 benchmarks/plan.py "$1/bin"
