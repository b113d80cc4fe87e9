#!/usr/bin/env bash
# A complete example: the digits classifier from TVMScript to C, compiled by the machine's C
# compiler, and run on the held-out digits. Use: scripts/demo.sh BUILD_DIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tenon=$1/bin/tenon
out=build/demo
example=examples/digits
cc=${CC:-cc}

rm -rf "$out"
mkdir -p "$out"

echo "compiling $example/digits.py to C"
"$tenon" compile "$example/digits.py" --emit=c -o "$out/src" --report="$out/report.json"

echo "compiling the C with $cc"
"$cc" -std=c99 -O2 -Wall -Wextra -I"$out/src" -Iruntime "$out"/src/*.c "$example/main.c" \
  -lm -o "$out/digits"

"$tenon" report "$example/digits.py" --html="$out/report.html"

# Prints the line `accuracy: NN.NN %`, and fails if an output differs from the expected logits.
"$out/digits" "$example/heldout_images.npy" "$example/heldout_labels.npy" \
  "$example/expected_logits.npy" | tee "$out/digits.txt"
grep -Eq '^accuracy: [0-9]+\.[0-9]{2} %$' "$out/digits.txt"

python3 - "$out/report.json" << 'PYTHON'
import json
import sys

pools = json.load(open(sys.argv[1], encoding="utf-8"))["pools"]


def total(key, constant):
    return sum(pool[key] for pool in pools.values() if (pool["kind"] == "constant") == constant)


workspace = total("size_bytes", False)
bound = total("lower_bound_bytes", False)
print(f"constants: {total('size_bytes', True)} bytes")
print(f"workspace: {workspace} bytes")
print(f"peak: {workspace} bytes, lower bound: {bound} bytes")
PYTHON
echo "report: $PWD/$out/report.html"
