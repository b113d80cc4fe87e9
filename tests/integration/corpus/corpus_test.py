#!/usr/bin/env python3
"""Runs the models of the corpus through `tenon`, and compares their memory with TVM's.

Use: corpus_test.py --tenon BIN --source DIR [--cc CC] [--model NAME] interp|c|jit|gnu|pools|mapped|constants...
The corpus is $TENON_CORPUS_DIR, or shared/corpus next to the source folder. Exit code 77 (skipped)
if it is absent.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import Checks  # noqa: E402

TEXTS = ["module.py", "module_llvm.py", "planned_greedy_by_size.py"]
# All steps that make the workspace smaller.
SMALLEST = ["--fuse=on", "--narrow=on", "--overlap=on"]
# The largest workspace in bytes with these options, including inputs and outputs.
COUNTED = {"kws_int8": 8384, "vww_int8": 36864, "resnet_int8": 32768, "ad_int8": 768,
           "sww_int8": 3584, "ad_float": 3040, "resnet_float": 131072, "vww_float": 147456}
INT8_MODELS = {"kws_int8", "vww_int8", "resnet_int8", "ad_int8", "sww_int8"}
SKIPPED = 77


def find_corpus(source):
    corpus = pathlib.Path(os.environ.get("TENON_CORPUS_DIR")
                          or pathlib.Path(source).parent / "shared" / "corpus")
    return corpus if (corpus / "models").is_dir() else None


def is_nightly():
    """`make nightly` runs every combination."""
    return bool(os.environ.get("TENON_NIGHTLY"))


def is_sampled(model, number, of=2):
    """Whether a model is tested in way `number`. In the daily run each way has one in `of` models,
    and each model one in `of` ways."""
    place = sorted(os.listdir(model.parent)).index(model.name)
    return is_nightly() or (place + number) % of == 0


CHOSEN = []  # names of models; empty: all
OUTPUTS = {}  # by model, text and options: the bytes of a run's output


def models_of(corpus):
    return [model for model in sorted((corpus / "models").iterdir())
            if not CHOSEN or model.name in CHOSEN]


def texts_of(model):
    """TVM's texts of a model, in one or several forms."""
    return [text for text in TEXTS + ["module_parallel.py"] if (model / text).exists()]


def run(command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def data_of(npy):
    """The bytes after the header of a .npy file of version 1."""
    raw = npy.read_bytes()
    return raw[10 + int.from_bytes(raw[8:10], "little"):]


def check_runs(tenon, corpus, engine, cc, checks):
    options = [f"--engine={engine}"]
    if engine == "c":
        options += [f"--cc={cc}", "--cflags=-std=c99 -O1"]
    with tempfile.TemporaryDirectory() as folder:
        for model in models_of(corpus):
            for text in texts_of(model):
                check_run(tenon, model, text, options, pathlib.Path(folder) / "out.npy", checks)


def check_run(tenon, model, text, options, out, checks):
    """Runs a model once; a repeated run returns the stored result."""
    key = (model.name, text, *options)
    if key in OUTPUTS:
        out.write_bytes(OUTPUTS[key])
        return
    expected = model / "expected0.npy"
    done = run([tenon, "run", model / text, *options, "--input", model / "input0.npy",
                "--expect", expected, "--output", out])
    name = f"{model.name}/{text} {options[0]}"
    checks.expect(done.returncode == 0, f"{name}: {done.stderr.strip()[:2000]}")
    if model.name in INT8_MODELS and done.returncode == 0:
        checks.expect(data_of(out) == data_of(expected), f"{name}: not bit for bit")
    if done.returncode == 0:
        OUTPUTS[key] = out.read_bytes()
    # A comparison that accepts anything would pass all of the above. One model per engine checks
    # that.
    if text == TEXTS[0] and is_sampled(model, 0, 8):
        wrong = bytearray(expected.read_bytes())
        wrong[-1] ^= 0x40
        bad = out.with_name("wrong.npy")
        bad.write_bytes(wrong)
        done = run([tenon, "run", model / text, *options, "--input", model / "input0.npy",
                    "--expect", bad])
        checks.expect(done.returncode == 1 and "1 of " in done.stderr,
                      f"{name}: accepted a wrong output")


def check_gnu(tenon, corpus, cc, checks):
    """The models with vectors, in C with GNU vector types: as expected, and floats bit-identical to
    loops."""
    flags = [f"--cc={cc}", "--cflags=-std=c99 -O1"]
    with tempfile.TemporaryDirectory() as folder:
        loops = pathlib.Path(folder) / "loops.npy"
        gnu = pathlib.Path(folder) / "gnu.npy"
        for model in models_of(corpus):
            options = ["--engine=c", *flags]
            check_run(tenon, model, "module_llvm.py", options, loops, checks)
            options.append("--c-vectors=gnu")
            check_run(tenon, model, "module_llvm.py", options, gnu, checks)
            checks.expect(gnu.read_bytes() == loops.read_bytes(),
                          f"{model.name}: vectors give other bits than loops")


def check_pools(tenon, corpus, checks):
    """Sizes of the pools by the names of TVM's algorithms."""
    expected = json.loads((corpus / "expected.json").read_text(encoding="utf-8"))
    for model, entry in sorted(expected.items()):
        if CHOSEN and model not in CHOSEN:
            continue
        module = corpus / "models" / model / "module.py"
        for planner, sizes in entry["tvm_usmp"].items():
            done = run([tenon, "report", module, f"--planner={planner}", "--json"])
            name = f"{model} {planner}"
            checks.expect(done.returncode == 0, f"{name}: {done.stderr.strip()[:2000]}")
            if done.returncode != 0:
                continue
            pools = json.loads(done.stdout)["pools"]
            for kind, key in (("workspace", "workspace_bytes"), ("constant", "constant_bytes")):
                got = sum(p["size_bytes"] for p in pools.values() if p["kind"] == kind)
                checks.expect(got == sizes[key], f"{name}: {key} {got}, TVM has {sizes[key]}")
            for pool, values in pools.items():
                checks.expect(0 < values["lower_bound_bytes"] <= values["size_bytes"],
                              f"{name}: pool {pool} is below its lower bound")


def check_jit(tenon, corpus, checks):
    """JIT code at the lowest and the highest level, also with mapped tensors."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.npy"
        for model in models_of(corpus):
            for text in texts_of(model):
                # Both levels for one text; in the nightly run for all.
                both = text == TEXTS[0] or is_nightly()
                for level in ("-O0", "-O3") if both else ("-O3",):
                    check_run(tenon, model, text, ["--engine=jit", level], out, checks)
            options = ["--engine=jit", "--cpu=native", "--repeat=2", "--use-workspace-io"]
            check_run(tenon, model, "module.py", [*options, "-O1"], out, checks)
            check_run(tenon, model, "module.py", [*options, *SMALLEST, "-O3"], out, checks)


def check_mapped(tenon, corpus, cc, checks):
    """Inputs and outputs in the workspace: the same results, twice in a row, and sound sizes."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.npy"
        for model in models_of(corpus):
            for number, engine in enumerate((["--engine=interp"], ["--engine=c", f"--cc={cc}",
                                                                    "--cflags=-std=c99 -O1"])):
                for keeps, keep in enumerate(([], ["--keep-inputs"])):
                    if not is_sampled(model, number + keeps):
                        continue
                    for smallest in ([], SMALLEST):
                        options = [*engine, "--repeat=2", "--use-workspace-io", *keep, *smallest]
                        check_run(tenon, model, "module.py", options, out, checks)
            check_mapped_sizes(tenon, model, checks)
            check_counted(tenon, model, checks)


def check_mapped_sizes(tenon, model, checks):
    sizes = {}
    for options in ((), ("--use-workspace-io",), ("--use-workspace-io", "--keep-inputs")):
        done = run([tenon, "report", model / "module.py", *options, "--json"])
        checks.expect(done.returncode == 0, f"{model.name}: {done.stderr.strip()[:2000]}")
        if done.returncode != 0:
            return
        report = json.loads(done.stdout)
        pool = report["pools"]["global_workspace"]
        checks.expect(pool["proven_optimal"] and pool["lower_bound_bytes"] == pool["size_bytes"],
                      f"{model.name} {options}: not proven optimal")
        checks.expect((report["io_bytes"] == 0) == bool(options), f"{model.name}: io_bytes")
        sizes[options] = pool["size_bytes"]
        tensors = sum(tensor["size_bytes"] for tensor in report["tensors"])
    outside, mapped, kept = sizes.values()
    checks.expect(outside <= mapped <= kept <= outside + tensors + 16 * len(report["tensors"]),
                  f"{model.name}: {outside} bytes, {mapped} and {kept} with inputs and outputs")


def check_counted(tenon, model, checks):
    """The report's other figure is the workspace including inputs and outputs."""
    for io in ([], ["--use-workspace-io"]):
        done = run([tenon, "report", model / "module.py", *SMALLEST, *io, "--json"])
        checks.expect(done.returncode == 0, f"{model.name}: {done.stderr.strip()[:2000]}")
        if done.returncode != 0:
            continue
        report = json.loads(done.stdout)
        counted = report["accountings"]["io_counted"]
        checks.expect(counted["proven_optimal"], f"{model.name}: not proven optimal")
        if model.name in COUNTED:
            checks.expect(counted["workspace_bytes"] <= COUNTED[model.name],
                          f"{model.name}: {counted['workspace_bytes']} bytes counted")
        if io:
            size = report["pools"]["global_workspace"]["size_bytes"]
            checks.expect(size == counted["workspace_bytes"], f"{model.name}: {size} bytes")


# Pipelines of passes on constants, for the text of a model.
CONSTANT_PIPELINES = [
    "hoist-constants{functions=*}",
    "hoist-constants{functions=*},merge-constants{level=subrange}",
]


def check_constants(tenon, corpus, cc, checks):
    """The same outputs after passes on constants, from a text with a side file."""
    opt = pathlib.Path(tenon).with_name("tenon-opt")
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.npy"
        changed = pathlib.Path(folder) / "module.py"
        for model in models_of(corpus):
            for number, pipeline in enumerate(CONSTANT_PIPELINES):
                name = f"{model.name} {pipeline}"
                done = run([opt, model / "module.py", f"--pipeline={pipeline}",
                            "--constants=sidecar", "-o", changed])
                checks.expect(done.returncode == 0, f"{name}: {done.stderr.strip()[:2000]}")
                if done.returncode != 0:
                    continue
                checks.expect("allocate_const([" not in changed.read_text(encoding="utf-8"),
                              f"{name}: constants are still in the functions")
                for way, engine in enumerate((["--engine=interp"], ["--engine=c", f"--cc={cc}",
                                                                    "--cflags=-std=c99 -O1"])):
                    if not is_sampled(model, number + way):
                        continue
                    done = run([tenon, "run", changed, *engine, "--input", model / "input0.npy",
                                "--expect", model / "expected0.npy", "--output", out])
                    checks.expect(done.returncode == 0,
                                  f"{name} {engine[0]}: {done.stderr.strip()[:2000]}")
                    if model.name in INT8_MODELS and done.returncode == 0:
                        checks.expect(data_of(out) == data_of(model / "expected0.npy"),
                                      f"{name} {engine[0]}: not bit for bit")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--model", action="append", default=[], help="only this model")
    parser.add_argument("what", nargs="+",
                        choices=["interp", "c", "jit", "gnu", "pools", "mapped", "constants"])
    args = parser.parse_args()
    corpus = find_corpus(args.source)
    if corpus is None:
        print("no corpus: skipped")
        return SKIPPED
    CHOSEN.extend(args.model)
    checks = Checks()
    for what in args.what:
        if what == "pools":
            check_pools(args.tenon, corpus, checks)
        elif what == "mapped":
            check_mapped(args.tenon, corpus, args.cc, checks)
        elif what == "constants":
            check_constants(args.tenon, corpus, args.cc, checks)
        elif what == "jit":
            check_jit(args.tenon, corpus, checks)
        elif what == "gnu":
            check_gnu(args.tenon, corpus, args.cc, checks)
        else:
            check_runs(args.tenon, corpus, what, args.cc, checks)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
