#!/usr/bin/env bash
# Prints the figures, each next to its peer. Use: benchmarks/run.sh BUILD_DIR (see `make bench`).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bin=$1/bin
# A process for each: the peak of a child includes its parent's memory at the fork.
run() { python3 benchmarks/run.py "$@" --bin="$bin"; }
run matmul
"$bin/constant_list_bench"
"$bin/lz4_bench"
run big_constants
run constant_merge
run constant_storage --megabytes=10 --seconds=60
# More than a gigabyte: only with NumPy and enough disk space.
if [ "$(df --output=avail -k "${TMPDIR:-/tmp}" | tail -1)" -gt 8000000 ]; then run bert_large; fi
run models
run plan
run compile_speed --models=vww_int8,kws_int8
run model_speed
python3 benchmarks/nests.py "$bin" || true
run networks_onnxruntime
run corpus_onnxruntime
run threads
run bert_onnxruntime
if [ -x "$bin/tenon-onednn" ]; then run external_speed; fi
