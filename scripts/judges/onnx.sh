#!/usr/bin/env bash
# Installs onnx and onnxruntime in an environment of their own. Runs onnx's node cases and light models in Tenon, and
# compares quantised operators with onnxruntime.
# Use: scripts/judges/onnx.sh BUILD [OPTION]...; options are those of onnx_nodes.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1
shift
home=build/judges/onnx
if [ ! -x "$home/bin/python" ] || ! "$home/bin/python" -c "import onnx, onnxruntime" 2> /dev/null; then
  python3 -m venv "$home"
  "$home/bin/pip" install --quiet onnx==1.23.2 onnxruntime==1.32.0 numpy
fi
engines=interp,c
if [ -x "$build/bin/tenon-llvm" ]; then engines=interp,c,jit; fi
"$home/bin/python" scripts/judges/onnx_nodes.py --tenon "$build/bin/tenon" --engines "$engines" --bar 1310 "$@"
"$home/bin/python" scripts/judges/onnx_quantised.py --tenon "$build/bin/tenon"
# Twenty graphs of each kind.
"$home/bin/python" scripts/judges/onnx_quantised.py --tenon "$build/bin/tenon" --engines "${engines#interp,}" --graphs 500
"$home/bin/python" scripts/judges/onnx_light.py --tenon "$build/bin/tenon"
