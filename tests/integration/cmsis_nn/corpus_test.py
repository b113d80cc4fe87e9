#!/usr/bin/env python3
"""Runs int8 models of the corpus with the code generator `cmsis-nn`, on this machine and on emulated Cortex-M.

Use: corpus_test.py --tenon BIN [--cc CC] [--machine host|cortex-m] [--core m0plus|m4|m55] [--include DIR --library FILE]
     --model NAME...
At least 95 % of the multiplications are calls of the library, and the output is the one that LiteRT gave (NAME.tflite)
or TVM (NAME), bit for bit. On this machine, each external function is also compared with its body. `.tflite` files use
the library's default build, and TVM's texts the one that rounds once. The library is a model of CMSIS-NN (stub/), or the
one that --include and --library name. Exit code 77 (skipped) without a corpus or without the tools.
"""

import argparse
import json
import os
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[2]
sys.path.insert(0, str(SOURCE / "scripts"))
import firmware  # noqa: E402
import tflite_models  # noqa: E402
from tflite_cases import INT8, npy  # noqa: E402

LEAST_SHARE = 0.95
SINGLE = "-DCMSIS_NN_USE_SINGLE_ROUNDING"


def is_tflite(model):
    return model.endswith(firmware.TFLITE)


def target_of(model):
    return f"--targets=cmsis-nn:{'twice' if is_tflite(model) else 'once'}"


def library(run, given, folder, model, cc, ar, flags):
    """The folder of the header, and the library file."""
    if given.archive:
        return given.include, pathlib.Path(given.archive)
    made, file = folder / "cmsis_nn.o", folder / "libcmsis-nn.a"
    rounding = [] if is_tflite(model) else [SINGLE]
    run(*cc, *flags, "-std=c99", "-O2", *rounding, "-c", HERE / "stub" / "cmsis_nn.c", "-o", made)
    run(ar, "rcs", file, made)
    return HERE / "stub", file


def check_taken(report):
    """Returns how many operators the library gets, and its share of the multiplications."""
    operators = json.loads(report)["operators"]
    taken = [each for each in operators if each["target"].startswith("cmsis-nn")]
    macs, of_all = (sum(each["macs"] for each in some) for some in (taken, operators))
    if of_all == 0 or macs < LEAST_SHARE * of_all:
        raise firmware.Failed(f"cmsis-nn has {macs} of {of_all} multiplications")
    return f"{len(taken):>3} operators, {100 * macs / of_all:.1f} % of MACs"


def vectors(model, folder):
    """Pairs of files: an input, and the output that is expected for it."""
    if not is_tflite(model):
        found = firmware.find_model(model, folder)
        return [(found.given, found.expected)]
    name = model.removesuffix(firmware.TFLITE)
    recorded = json.loads(tflite_models.RECORDED.read_text())[name]
    inputs = memoryview(tflite_models.random_bytes(name, recorded["input"])).cast("b")
    size = len(inputs) // tflite_models.COUNT
    pairs = []
    for i, output in enumerate(recorded["outputs"]):
        given, wanted = folder / f"input{i}.npy", folder / f"output{i}.npy"
        given.write_bytes(npy(recorded["input"], INT8, inputs[i * size:(i + 1) * size]))
        wanted.write_bytes(npy(recorded["output"], INT8, output))
        pairs.append((given, wanted))
    return pairs


def on_host(run, arguments, model, folder):
    include, file = library(run, arguments, folder, model, [arguments.cc], "ar", ["-fPIC"])
    environment = {**os.environ, "CMSIS_NN_INCLUDE": str(include), "CMSIS_NN_LIBRARY": str(file)}
    found = firmware.find_model(model, folder)
    report = run(arguments.tenon, "compile", found.file, target_of(model), "--byoc-report=json",
                 "-o", folder / "c", env=environment)
    share = check_taken(report)
    pairs = vectors(model, folder)
    for given, expected in pairs[:3]:
        run(arguments.tenon, "run", found.file, target_of(model), "--engine=c", "--externals=both",
            "--input", given, "--expect", expected, env=environment)
    print(f"{model:<18} host       {share}, all equal to their bodies", flush=True)


def on_cortex_m(run, arguments, model, folder):
    board = firmware.CORES[arguments.core]
    include, file = library(run, arguments, folder, model, [board.prefix + "gcc", *board.machine],
                            board.prefix + "ar", ["-ffunction-sections"])
    image, _ = firmware.build(run, board, arguments.tenon, model, "gcc -O2", folder / "image",
                              options=(target_of(model), "--byoc-report=json"),
                              extra=("-isystem", include, file))
    share = check_taken((folder / "image" / firmware.SAID).read_text())
    sizes = {name: size for name, (_, size, _) in firmware.sections_of(run, board, image).items()}
    line = firmware.row(board, "gcc -O2", sizes, *firmware.emulate(run, board, image))
    print(f"{model:<18} {board.target:<13} {share}  {line}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--machine", choices=["host", "cortex-m"], default="host")
    parser.add_argument("--core", choices=["m0plus", "m3", "m4", "m7", "m55"], default="m4")
    parser.add_argument("--include")
    parser.add_argument("--library", dest="archive")
    parser.add_argument("--model", nargs="+", required=True)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    missing = [name for name in arguments.model if not firmware.is_there(name)]
    if missing:
        print(f"skipped: {', '.join(missing)} not found (TENON_CORPUS_DIR)")
        return firmware.SKIPPED
    if arguments.machine == "cortex-m" and firmware.missing_tools(firmware.CORES[arguments.core]):
        print("skipped: no cross compiler or emulator (scripts/setup.sh cortex-m)")
        return firmware.SKIPPED
    run = firmware.Runner(arguments.verbose)
    test = on_host if arguments.machine == "host" else on_cortex_m
    failures = 0
    for model in arguments.model:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="cmsis_nn_"))
        try:
            test(run, arguments, model, folder)
        except firmware.Failed as failed:
            failures += 1
            print(f"{model}: {failed}")
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
