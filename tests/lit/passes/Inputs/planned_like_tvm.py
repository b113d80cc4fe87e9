"""Compares what Tenon plans for a model with what TVM planned for it.

The two texts come from two runs of TVM, which lists the buffers between operators in the order of
a hash of pointers: the allocations of the entry function are first put in the order of the planned
text. TVM also broke ties between equal buffers on names that the text does not have
(`compute.global`, spelled `compute_global`); where that decides, `--dotted=NAME...` gives functions
in which the buffer gets a name that sorts as the dotted one did. TVM did not note which parameters
share bytes with scratch (`tenon.overlaps`). Everything else must be equal, down to the data of
the constants. Usage: planned_like_tvm.py MODEL_DIR TEMPORARY [--dotted=f,g]
"""

import re
import subprocess
import sys

PIPELINE = ("assign-pool-info,plan-memory{algorithm=greedy_by_size},"
            "convert-pool-allocations-to-offsets")


def reorder(module, planned):
    """The lines `sid_1 = T.allocate(...)` of `module`, as `sid_1_let: ...` in `planned`."""
    order = re.findall(r"^ +(sid_\d+)_let: T\.handle", planned, re.MULTILINE)
    lines = module.split("\n")
    places = [i for i, line in enumerate(lines) if re.match(r" +sid_\d+ = T\.allocate\(", line)]
    by_name = {lines[i].split()[0]: lines[i] for i in places}
    assert sorted(by_name) == sorted(order), "the texts are of different models"
    for place, name in zip(places, order):
        lines[place] = by_name[name]
    return "\n".join(lines)


def rename(module, functions):
    """`compute_global` to `compute0global`, which sorts before compute2, in some functions."""
    parts = re.split(r"(?m)^(?=    @T\.prim_func)", module)
    for i, part in enumerate(parts):
        name = re.search(r"def (\w+)\(", part)
        if name and name.group(1).removeprefix("tvmgen_default_fused_") in functions:
            parts[i] = part.replace("compute_global", "compute0global")
    return "".join(parts)


def main():
    model, temporary, *rest = sys.argv[1:]
    with open(f"{model}/module.py") as file:
        module = file.read()
    with open(f"{model}/planned_greedy_by_size.py") as file:
        module = reorder(module, file.read())
    for flag in rest:
        module = rename(module, flag.removeprefix("--dotted=").split(","))
    with open(temporary, "w") as file:
        file.write(module)
    planned = subprocess.run(["tenon-opt", temporary, f"--pipeline={PIPELINE}"],
                             stdout=subprocess.PIPE, check=True, text=True).stdout
    with open(temporary, "w") as file:
        file.write(re.sub(r'"tenon\.overlaps": \[\[.*?\]\], ', "", planned))
    return subprocess.run(["tenon-opt", temporary,
                           f"--compare={model}/planned_greedy_by_size.py"]).returncode


if __name__ == "__main__":
    sys.exit(main())
