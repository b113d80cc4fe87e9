#!/usr/bin/env bash
# Builds the libFuzzer targets of tests/fuzz under ASan and UBSan and runs them, JOBS in parallel,
# for SECONDS in total. Use: scripts/fuzz.sh SECONDS [JOBS] [TARGET]...; without TARGET all of them.
# Succeeds with a message if clang has no libFuzzer. FUZZ_BUILD_ONLY=1 ends after the build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=$1
jobs=${2:-2}
chosen=("${@:3}")
build=build/asan
if [ "$seconds" -eq 0 ]; then exit 0; fi

probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' \
  > "$probe/probe.cc"
if ! clang++ -fsanitize=fuzzer,address "$probe/probe.cc" -o "$probe/probe" 2> /dev/null; then
  echo "fuzz: skipped, clang++ with libFuzzer is not here"
  exit 0
fi

cmake --preset asan --log-level=WARNING > /dev/null
targets=(fuzzers)
if [ ${#chosen[@]} -gt 0 ]; then targets=("${chosen[@]/%/_fuzzer}"); fi
cmake --build --preset asan -j "$jobs" --target "${targets[@]}"
if [ -n "${FUZZ_BUILD_ONLY:-}" ]; then exit 0; fi

python3 tests/fuzz/make_seeds.py "$build/seeds" > /dev/null
if [ ${#chosen[@]} -eq 0 ]; then
  # A folder without a program only contains seeds.
  for folder in "$build"/seeds/*/; do
    name=$(basename "$folder")
    if [ -x "$build/bin/${name}_fuzzer" ]; then chosen+=("$name"); fi
  done
fi
each=$((seconds * jobs / ${#chosen[@]}))
if [ "$each" -lt 1 ]; then each=1; fi
corpus=$PWD/$build/corpus
artifacts=$PWD/$build/artifacts
mkdir -p "$artifacts"
rm -f "$artifacts"/*.failed

# New inputs are only kept in the build folder. The random seed is the same in every run, so that
# findings are likely to be reproducible.
run_target() {
  local name=$1 dictionary=()
  if [ -e "tests/fuzz/$name.dict" ]; then dictionary=("-dict=tests/fuzz/$name.dict"); fi
  mkdir -p "$corpus/$name"
  "$build/bin/${name}_fuzzer" -seed=1 -max_total_time="$each" -timeout=25 \
    -rss_limit_mb=2048 -max_len=16384 -print_final_stats=1 "${dictionary[@]}" \
    -artifact_prefix="$artifacts/$name-" "$corpus/$name" "$build/seeds/$name" \
    > "$artifacts/$name.log" 2>&1 || touch "$artifacts/$name.failed"
}

for name in "${chosen[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do sleep 0.2; done
  echo "fuzz: $name for $each s"
  run_target "$name" &
done
wait

status=0
for name in "${chosen[@]}"; do
  if [ -e "$artifacts/$name.failed" ]; then
    tail -n 60 "$artifacts/$name.log"
    echo "fuzz: $name failed; the input is in $artifacts"
    status=1
  else
    echo "fuzz: $name: $(grep number_of_executed_units "$artifacts/$name.log")"
  fi
done
exit "$status"
