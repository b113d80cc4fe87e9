"""Plans every model of the corpus by each of TVM's algorithms and compares the pools' sizes with
TVM's. Usage: pool_sizes.py CORPUS"""

import json
import re
import subprocess
import sys


def pool_sizes(module, algorithm):
    run = subprocess.run(
        ["tenon-opt", module, "--timing", "--no-verify-each", "-o", "/dev/null",
         f"--pipeline=assign-pool-info,plan-memory{{algorithm={algorithm}}}"],
        stderr=subprocess.PIPE, text=True, check=True)
    found = re.findall(r"(\d+)\s+plan-memory\.(\w+)\.bytes", run.stderr)
    return {name: int(size) for size, name in found}


def main():
    corpus = sys.argv[1]
    with open(f"{corpus}/expected.json") as file:
        expected = json.load(file)
    plans = wrong = 0
    for model, answers in expected.items():
        for algorithm, sizes in answers["tvm_usmp"].items():
            ours = pool_sizes(f"{corpus}/models/{model}/module.py", algorithm)
            plans += 1
            if (ours["global_workspace"], ours["global_const_workspace"]) != (
                    sizes["workspace_bytes"], sizes["constant_bytes"]):
                wrong += 1
                print(f"{model} {algorithm}: {ours}, TVM: {sizes}")
    if not wrong:
        print(f"{plans} plans of {len(expected)} models: all sizes are TVM's")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
