#!/usr/bin/env bash
# Installs TVM's releases, each in a separate environment under build/judges, and compares Tenon
# with them: scripts/judge_tvm.py. Downloads about 300 MB for each release, once.
# Use: scripts/judges.sh BUILD_DIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tenon=$PWD/$1/bin/tenon
corpus=${TENON_CORPUS_DIR:-$PWD/../shared/corpus}

# The apache-tvm-ffi version for each release, and the checks for it.
releases="0.25.0.post1:0.1.12 0.26.0:0.1.14.post1 0.27.0.post1:0.1.14.post1"
status=0
for release in $releases; do
  version=${release%%:*}
  ffi=${release##*:}
  environment=build/judges/tvm-$version
  if [ ! -e "$environment/installed" ]; then
    python3 -m venv "$environment"
    "$environment/bin/pip" install -q "apache-tvm==$version" "apache-tvm-ffi==$ffi" numpy tflite onnx==1.16.2
    touch "$environment/installed"
  fi
  echo "TVM $version with apache-tvm-ffi $ffi"
  ask=()
  if [ -d "$corpus/tflite" ]; then
    ask+=(--models "$corpus/tflite")
  else
    echo "no corpus at $corpus/tflite: no models"
  fi
  if [ "$version" = 0.27.0.post1 ]; then
    ask+=(--onnx --notes build/judges/onnx.txt)
  fi
  "$environment/bin/python" scripts/judge_tvm.py --tenon "$tenon" "${ask[@]}" || status=1
done
exit "$status"
