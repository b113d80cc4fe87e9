#!/usr/bin/env python3
"""Records the speed and the size of all generated code that is measured, and compares two records.

Use: benchmarks/gates.py record BIN_DIR FOLDER [--only=NAME]... [--rounds=N]
     benchmarks/gates.py compare BEFORE AFTER [--most=RATIO]

`record` writes one JSON file for each gate into FOLDER: single nests of loops (benchmarks/texts and random
ones) and networks, for the machine's own processor and for x86-64-v3, models of the corpus, threads, BERT,
and instructions and bytes of the models on each Cortex-M core. A file that is there already is kept, so that
a record can be continued. Some hours on two processors: `--only` chooses gates, in the order of their names.

`compare` prints each gate's geometric mean of after over before, and each row above RATIO (1.05). The exit
code is 1 if a mean is above 1.01, a row is above RATIO, or a row of BEFORE is missing in AFTER.
"""

import argparse
import json
import math
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SEEDS = (*range(1, 13), 28, 29, 60, 61)
PROCESSORS = ("native", "x86-64-v3")
CORES = ("m0plus", "m3", "m4", "m7", "m55")
MOST_MEAN = 1.01
# A row of scripts/firmware.py: `kws_int8  m7  gcc -Os  5,144  23,968  ...  bit-exact`.
IMAGE = re.compile(r"(?P<model>\S+) .*?(?P<code>(gcc|llvm) -O\w) +(?P<numbers>[\d, ]+?) +bit-exact$")
SIZES = ("text", "rodata", "flash", "bss", "stack", "RAM", "instructions")


def commands(bin_dir, rounds):
    """(name, command without the option of its JSON file) of every gate."""
    nests = [sys.executable, HERE / "nests.py", bin_dir, f"--rounds={rounds}"]
    for cpu in PROCESSORS:
        for seed in SEEDS:
            # The texts are measured once, with the first seed.
            only = [] if seed == SEEDS[0] else ["--only=random_"]
            yield f"nests.{cpu}.{seed:02}", [*nests, f"--seed={seed}", f"--options=--cpu={cpu}", *only]
    run = [sys.executable, HERE / "run.py"]
    for name in ("model_speed", "networks_onnxruntime", "corpus_onnxruntime", "bert_onnxruntime", "threads"):
        yield name, [*run, name, f"--bin={bin_dir}"]


def rows(value, name=""):
    """All (name of a row, number) of a JSON value. Of a pair of times, the first is ours."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from rows(member, f"{name}/{key}" if name else key)
    elif isinstance(value, list):
        if value:
            yield from rows(value[0], name)
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
        yield name, float(value)


def cortex_m(bin_dir, core):
    """Bytes and instructions of each model on a core, from the table of scripts/firmware.py."""
    command = [sys.executable, HERE.parent / "scripts" / "firmware.py", "--board=cortex-m", f"--core={core}",
               f"--tenon={bin_dir / 'tenon'}"]
    text = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout
    figures = {}
    for line in filter(None, map(IMAGE.match, text.splitlines())):
        numbers = (int(number.replace(",", "")) for number in line["numbers"].split())
        figures[f"{line['model']} {line['code']}"] = dict(zip(SIZES, numbers, strict=True))
    return figures


def record(args):
    args.folder.mkdir(parents=True, exist_ok=True)
    gates = dict(commands(args.bin, args.rounds))
    for name in [*gates, *(f"cortex_m.{core}" for core in CORES)]:
        file = args.folder / f"{name}.json"
        if file.exists() or args.only and not any(text in name for text in args.only):
            continue
        print(f"gates: {name}", flush=True)
        unfinished = file.with_suffix(".part")
        if name in gates:
            # A nest that is slower than its peer is a figure here, not a failure.
            with open(args.folder / f"{name}.log", "w", encoding="utf-8") as log:
                subprocess.run([*gates[name], f"--json={unfinished}"], check=False, stdout=log)
            if not unfinished.exists():
                print(f"gates: {name}: no figures, see {name}.log", file=sys.stderr)
                continue
        else:
            unfinished.write_text(json.dumps(cortex_m(args.bin, name.split(".")[1]), indent=1) + "\n")
        unfinished.rename(file)
    return 0


def compare(args):
    failed = False
    for file in sorted(args.before.glob("*.json")):
        other = args.after / file.name
        if not other.exists():
            print(f"{file.stem}: missing in {args.after}")
            failed = True
            continue
        before, after = (dict(rows(json.loads(path.read_text()))) for path in (file, other))
        missing = sorted(set(before) - set(after))
        ratios = {name: after[name] / before[name] for name in before if name in after}
        mean = math.exp(sum(map(math.log, ratios.values())) / max(len(ratios), 1))
        above = sorted((ratio, name) for name, ratio in ratios.items() if ratio > args.most)
        print(f"{file.stem}: {len(ratios)} rows, mean {mean:.3f}, {len(above)} above {args.most}")
        for ratio, name in reversed(above):
            print(f"  {name}: {ratio:.2f}")
        for name in missing:
            print(f"  {name}: missing")
        failed |= mean > MOST_MEAN or bool(above) or bool(missing)
    return int(failed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="\n".join(__doc__.splitlines()[5:]),
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(required=True, metavar="record|compare")
    mode = modes.add_parser("record", help="write a JSON file for each gate")
    mode.add_argument("bin", type=lambda text: pathlib.Path(text).resolve(), help="folder of `tenon`")
    mode.add_argument("folder", type=pathlib.Path)
    mode.add_argument("--only", action="append", help="gates whose name contains the text")
    mode.add_argument("--rounds", type=int, default=9, help="of the nests; default: 9")
    mode.set_defaults(run=record)
    mode = modes.add_parser("compare", help="two folders of `record`")
    mode.add_argument("before", type=pathlib.Path)
    mode.add_argument("after", type=pathlib.Path)
    mode.add_argument("--most", type=float, default=1.05, help="ratio of a row that is too slow; default: 1.05")
    mode.set_defaults(run=compare)
    args = parser.parse_args()
    return args.run(args)


if __name__ == "__main__":
    sys.exit(main())
