#!/usr/bin/env bash
# Prints the figures, each next to its peer. Use: benchmarks/run.sh BUILD_DIR (see `make bench`).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python3 benchmarks/matmul.py "$1/bin"
"$1/bin/constant_list_bench"
"$1/bin/lz4_bench"
python3 benchmarks/big_constants.py "$1/bin"
python3 benchmarks/constant_merge.py "$1/bin"
python3 benchmarks/constant_storage.py "$1/bin" --megabytes=10 --seconds=60
# More than a gigabyte: only with NumPy and enough disk space.
if [ "$(df --output=avail -k "${TMPDIR:-/tmp}" | tail -1)" -gt 8000000 ]; then python3 benchmarks/bert_large.py "$1/bin"; fi
python3 benchmarks/models.py "$1/bin"
python3 benchmarks/plan.py "$1/bin"
python3 benchmarks/compile_speed.py "$1/bin" vww_int8 kws_int8
python3 benchmarks/model_speed.py "$1/bin"
python3 benchmarks/nests.py "$1/bin" || true
python3 benchmarks/networks_onnxruntime.py --bin "$1/bin" "$1/networks"
python3 benchmarks/corpus_onnxruntime.py --bin "$1/bin"
python3 benchmarks/threads.py --bin "$1/bin" "$1/networks"
python3 benchmarks/bert_onnxruntime.py --bin "$1/bin" "$1/bert"
if [ -x "$1/bin/tenon-onednn" ]; then python3 benchmarks/external_speed.py "$1/bin"; fi
