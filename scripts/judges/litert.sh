#!/usr/bin/env bash
# Installs LiteRT in an environment of its own, and compares models with its reference kernels.
# Use: scripts/judges/litert.sh BUILD [CASES]; CASES of each operator (200), ten times as many graphs, 25 times as
# many operators with hostile parameters, and the corpus' models.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1
cases=${2:-200}
home=build/judges/litert
if [ ! -x "$home/bin/python" ] || ! "$home/bin/python" -c "import ai_edge_litert, tflite_micro" 2> /dev/null; then
  python3 -m venv "$home"
  "$home/bin/pip" install --quiet ai-edge-litert==2.3.0 numpy tflite-micro
fi
judge=("$home/bin/python" scripts/judges/litert.py --tenon "$build/bin/tenon")
engines=c
if [ -x "$build/bin/tenon-llvm" ]; then engines=c,jit; fi
status=0
"${judge[@]}" --cases "$cases" || status=1
"${judge[@]}" --kinds graphs --cases $((10 * cases)) || status=1
"${judge[@]}" --kinds parameters --cases $((25 * cases)) || status=1
corpus=${TENON_CORPUS_DIR:-../shared/corpus}
if [ -d "$corpus/tflite" ]; then
  "${judge[@]}" --engines "$engines" --tensors --inputs 1000 "$corpus"/tflite/*.tflite || status=1
  "${judge[@]}" --engines interp --tensors --inputs 20 "$corpus"/tflite/*.tflite || status=1
  "${judge[@]}" --engines "$engines" --inputs 10 "$corpus"/tflite_more/*.tflite \
    "$corpus"/tflite_more/*/*.tflite || status=1
  # A model with variables, which runs several times on each input.
  "${judge[@]}" --engines "$engines" --tensors --inputs 20 --runs 8 \
    "$corpus"/tflite_refused/micro-wake-word-models__v2_okay_nabu.tflite || status=1
  # Models that LiteRT refuses, or that crash it.
  "${judge[@]}" --engines "$engines" --inputs 10 --micro \
    "$corpus"/tflite_more/{person_detect,keyword_scrambled_8bit}.tflite || status=1
else
  echo "no corpus at $corpus: models are skipped"
fi
exit $status
