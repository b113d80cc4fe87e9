#!/usr/bin/env bash
# Installs TVM's releases, each in a separate environment under build/judges, and compares Tenon
# with them: scripts/judge_tvm.py, and scripts/judges/tvm_*.py on the texts of TVM's own tests and on
# the values of builtins. Downloads about 300 MB for each release, once, and TVM's tests from the
# repository TENON_TVM_REPOSITORY (GitHub's): an address, or the folder of a clone with tags.
# Use: scripts/judges.sh BUILD_DIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tenon=$PWD/$1/bin/tenon
corpus=${TENON_CORPUS_DIR:-$PWD/../shared/corpus}
repository=${TENON_TVM_REPOSITORY:-https://github.com/apache/tvm}

# Puts TVM's tests of version $1 into the folder $2. Without a tag of that version, those of the
# newest state.
fetch_tests() {
  [ -e "$2/tests/python" ] && return
  rm -rf "$2"
  git clone -q --depth 1 --no-checkout --branch "v$1" "$repository" "$2" 2> /dev/null ||
    git clone -q --depth 1 --no-checkout "$repository" "$2"
  git -C "$2" checkout -q HEAD -- tests/python
}

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
  "$environment/bin/python" scripts/judges/tvm_builtins.py --tenon "$tenon" || status=1
  tests=build/judges/tvm-tests-$version
  if fetch_tests "$version" "$tests"; then
    "$environment/bin/python" scripts/judges/tvm_texts.py --tenon-opt "$tenon-opt" \
      --tests "$tests/tests/python" --notes "build/judges/tvm-texts-$version.txt" || status=1
  else
    echo "no tests of TVM at $repository: set TENON_TVM_REPOSITORY"
    status=1
  fi
done
exit "$status"
