#!/usr/bin/env python3
"""The speed of float models whose operators go to oneDNN.

Use: benchmarks/onednn_speed.py BIN_DIR [--rounds=N] [--models=a,b] [--json=FILE]

Each float model of the corpus runs in one process and on one thread, in interleaved rounds:
  host      Tenon's own loops, as --emit=shared compiles them
  fma       the same with --fp-contract=fast
  default   with --targets=onednn: the rule of profit decides
  onednn    all operators that the library has, without that rule
  unpacked  the same, with weights that are not packed at compile time
  bare      only the primitives of `onednn`, without Tenon's code (onednn_bare.c)
  tflite    tflite-runtime 2.14, one thread (see model_speed.py)
A figure is the minimum over the rounds of a round's mean, in milliseconds: other load affects it
least. Outputs are compared with
the corpus before anything is timed. The last columns are ratios to be judged: onednn/tflite,
onednn/bare, default/host and unpacked/onednn.
"""

import argparse
import ctypes
import json
import math
import pathlib
import re
import subprocess
import tempfile

from model_speed import CORPUS, Compiled, import_tflite, number, one_round, tflite_runner

MODELS = ("ad_float", "resnet_float", "vww_float")
COLUMNS = ("host", "fma", "default", "onednn", "unpacked", "bare", "tflite")
RATIOS = (("onednn", "tflite"), ("onednn", "bare"), ("default", "host"), ("unpacked", "onednn"))


PARTITION = ("recognise-ops,annotate-targets{targets=onednn},merge-regions{min-macs=0},partition")


def compile_module(bin_dir, module, out, *flags):
    subprocess.run([f"{bin_dir}/tenon", "compile", module, "-q", *flags, "-o", out], check=True,
                   stderr=subprocess.DEVNULL)
    return out


def partitioned(bin_dir, model, folder):
    """The text of a model whose operators go to the library."""
    out = folder / f"{model}.py"
    subprocess.run([f"{bin_dir}/tenon-opt", CORPUS / "models" / model / "module.py",
                    f"--pipeline={PARTITION}", "-o", out], check=True)
    return out


def bare_runner(bin_dir, model, folder):
    """Runs the primitives of the model's functions; None if the model has none."""
    code = compile_module(bin_dir, folder / f"{model}.py", folder / f"{model}.c", "--emit=c")
    files = sorted(code.glob("*_onednn.c"))
    files = [file for file in files if file.name != "tenon_onednn.c"]
    if len(files) != 1 or len(re.findall(r"_ops\[\] =", files[0].read_text())) != 1:
        return None
    ops = files[0].name.removesuffix("_onednn.c") + "_ops"
    library = folder / f"{model}.bare.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{code}", f'-DCODE="{files[0].name}"',
                    f"-DOPS={ops}", pathlib.Path(__file__).with_name("onednn_bare.c"), "-ldnnl",
                    "-lgomp", "-o", library], check=True)
    bare = ctypes.CDLL(str(library))
    if bare.bare_init() != 0:
        raise SystemExit(f"{model}: the primitives cannot be made")
    return bare.bare_run


def measure(runners, rounds):
    """Minima in milliseconds; each round lasts about a millisecond."""
    counts = {}
    for name, run in runners.items():
        run()
        counts[name] = max(1, math.ceil(1 / max(one_round(run, 3), 1e-4)))
    times = {name: math.inf for name in runners}
    for _ in range(rounds):
        for name, run in runners.items():
            times[name] = min(times[name], one_round(run, counts[name]))
    return times


def measure_model(bin_dir, model, tflite, rounds, folder):
    shared = ["--emit=shared", "-O3", "--cpu=native"]
    module = CORPUS / "models" / model / "module.py"
    cut = partitioned(bin_dir, model, folder)
    ways = {"host": [module], "fma": [module, "--fp-contract=fast"],
            "default": [module, "--targets=onednn"], "onednn": [cut],
            "unpacked": [cut, f"--generator=onednn={bin_dir}/tenon-onednn --unpacked"]}
    runners, keep = {}, []
    for way, (text, *flags) in ways.items():
        library = compile_module(bin_dir, text, folder / f"{model}.{way}.so", *shared, *flags)
        compiled = Compiled(library, model)
        if not compiled.check():
            raise SystemExit(f"{model}, {way}: the output is wrong")
        keep.append(compiled)
        runners[way] = compiled.run
    bare = bare_runner(bin_dir, model, folder)
    if bare is not None:
        runners["bare"] = bare
    if tflite is not None:
        runners["tflite"] = tflite_runner(tflite, model)
    return measure(runners, rounds)


def main():
    tflite = import_tflite()
    parser = argparse.ArgumentParser()
    parser.add_argument("bin_dir")
    parser.add_argument("--rounds", type=int, default=301)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--json")
    options = parser.parse_args()
    if not (CORPUS / "models").is_dir():
        print(f"no models in {CORPUS} (TENON_CORPUS_DIR); nothing is measured")
        return
    if tflite is None:
        print("no tflite-runtime; its column is empty")
    print("Milliseconds a run, one thread:")
    print(f"{'model':13}" + "".join(f"{column:>10}" for column in COLUMNS) +
          "".join(f"{a + '/' + b:>17}" for a, b in RATIOS))
    results = {}
    for model in options.models.split(","):
        with tempfile.TemporaryDirectory() as folder:
            times = measure_model(options.bin_dir, model, tflite, options.rounds,
                                  pathlib.Path(folder))
        results[model] = times
        ratios = [times[a] / times[b] if a in times and b in times else None for a, b in RATIOS]
        print(f"{model:13}" + "".join(number(times.get(column), 10, 4) for column in COLUMNS) +
              "".join(number(ratio, 17, 2) for ratio in ratios), flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
