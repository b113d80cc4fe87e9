#!/usr/bin/env bash
# Builds the libFuzzer targets under ASan and UBSan and runs them together for the given time.
# Use: scripts/fuzz.sh SECONDS [JOBS]. Says so and succeeds where clang has no libFuzzer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=$1
jobs=${2:-2}
if [ "$seconds" -eq 0 ]; then exit 0; fi

probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' \
  > "$probe/probe.cc"
if ! clang++ -fsanitize=fuzzer,address "$probe/probe.cc" -o "$probe/probe" 2> /dev/null; then
  echo "fuzz: skipped, clang++ with libFuzzer is not here"
  exit 0
fi

cmake --preset fuzz --log-level=WARNING > /dev/null
cmake --build --preset fuzz -j "$jobs" --target fuzzers
corpus=$PWD/build/fuzz/corpus
artifacts=$PWD/build/fuzz/artifacts
mkdir -p "$artifacts"
shopt -s nullglob
targets=(build/fuzz/bin/*_fuzzer)
if [ ${#targets[@]} -eq 0 ]; then
  echo "fuzz: no target was built"
  exit 1
fi
each=$((seconds / ${#targets[@]}))
if [ "$each" -lt 1 ]; then each=1; fi
for target in "${targets[@]}"; do
  name=$(basename "$target")
  mkdir -p "$corpus/$name"
  dict=()
  if [ -e "tests/fuzz/$name.dict" ]; then dict=("-dict=tests/fuzz/$name.dict"); fi
  echo "fuzz: $name for $each s"
  # Every lit test is a seed, broken ones too; what is found is kept in the build folder only. The
  # random numbers are the same in every run, so what one run finds another is likely to find.
  "$target" -seed=1 -max_total_time="$each" -timeout=25 -rss_limit_mb=2048 -max_len=16384 \
    -print_final_stats=1 "${dict[@]}" \
    -artifact_prefix="$artifacts/$name-" "$corpus/$name" tests/lit > "$artifacts/$name.log" 2>&1 || {
    tail -n 60 "$artifacts/$name.log"
    echo "fuzz: $name failed; the input is in $artifacts"
    exit 1
  }
  grep number_of_executed_units "$artifacts/$name.log"
done
