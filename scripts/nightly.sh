#!/usr/bin/env bash
# Checks that take too long for every change: other builds of the tests, every combination on real
# models, many random modules, a long run of the fuzzers. Takes some hours.
# Use: scripts/nightly.sh [JOBS] [STEP]...; steps are asan, clang, no-llvm, shared, models, whole, random,
# fuzz; and no-llvm-programs, a short no-llvm.
# Every step runs, even if others fail; the last lines list the failures.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=${1:-2}
steps=("${@:2}")
if [ ${#steps[@]} -eq 0 ]; then steps=(asan clang no-llvm shared models whole random fuzz); fi

# Builds target $2, or everything, of preset $1.
build() {
  cmake --preset "$1" --log-level=WARNING > /dev/null &&
    cmake --build --preset "$1" -j "$jobs" --target "${2:-all}"
}

# Builds preset $1 and runs the tests of data structures and behaviour.
unit_and_lit() {
  build "$1" quick_tests && scripts/run_tests.sh "build/$1" "$jobs" -L 'unit|lit|fuzz'
}

run_step() {
  case $1 in
    asan | clang | no-llvm) unit_and_lit "$1" ;;
    no-llvm-programs)
      build no-llvm programs &&
        scripts/run_tests.sh build/no-llvm "$jobs" -R 'lit\.(tools|parser|lowering_c)'
      ;;
    shared) build shared && scripts/run_tests.sh build/shared "$jobs" -R '^consumer$' ;;
    models) build check && TENON_NIGHTLY=1 scripts/run_tests.sh build/check "$jobs" -L corpus ;;
    # Tests that normally run a sample of their cases.
    whole)
      build check && TENON_NIGHTLY=1 scripts/run_tests.sh build/check "$jobs" \
          -R 'unit|loops.ends|targets|overlap.types|generated_c.warnings|lit.tools'
      ;;
    random)
      build check &&
        scripts/random_modules.py --bin build/check/bin --first 1 --count 20000 --jobs "$jobs" &&
        scripts/random_warnings.py --bin build/check/bin --jobs "$jobs" &&
        TENON_RANDOM_COUNT=2000 build/check/bin/random_test --gtest_filter='JudgedRandomRuns.*Some*' &&
        python3 tests/integration/tflite/networks_test.py --judge=build/check/bin/plan_judge \
          --count=1000 --share=20 &&
        TENON_RANDOM_COUNT=50000 build/check/bin/analysis_test --gtest_filter='RandomDistances.*' &&
        TENON_OVERLAP_CHAINS=300 scripts/run_tests.sh build/check "$jobs" -R 'overlap.chains' &&
        TENON_NIGHTLY=1 TENON_LAWS_COUNT=100000 TENON_OPTIMAL_ROUNDS=100000 TENON_CHOICE_ROUNDS=2000 \
          build/check/bin/planner_random_test &&
        TENON_CLAIM_COUNT=10000 TENON_NIGHTLY=1 build/check/bin/byoc_test \
          --gtest_filter='RandomClaims.*'
      ;;
    fuzz) scripts/fuzz.sh 1200 "$jobs" ;;
    *)
      echo "nightly: no step \`$1\`; steps are asan, clang, no-llvm, shared, models, whole, random, fuzz"
      return 1
      ;;
  esac
}

failed=()
for step in "${steps[@]}"; do
  echo "nightly: $step"
  run_step "$step" || failed+=("$step")
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "nightly: failed: ${failed[*]}"
  exit 1
fi
echo "nightly: ${#steps[@]} steps passed"
