#!/usr/bin/env bash
# Runs ctest in a build folder and writes JUnit files to <build>/test-results.
# Use: scripts/run_tests.sh BUILD_DIR [JOBS] [ctest's options]...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$1
jobs=${2:-2}

results=$PWD/$build/test-results
rm -rf "$results"
mkdir -p "$results/gtest" "$results/lit"
status=0
# The programs also write their cases, so that the cases inside ctest's entries can be counted.
GTEST_OUTPUT="xml:$results/gtest/" TENON_LIT_RESULTS="$results/lit" \
  ctest --test-dir "$build" --output-on-failure --no-tests=error -j "$jobs" \
  --output-junit "$results/ctest.xml" "${@:3}" || status=$?
python3 scripts/count_tests.py "$results" || status=1
exit "$status"
