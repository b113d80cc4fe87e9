#!/usr/bin/env python3
"""Runs int8 models of the corpus with the code generator `cmsis-nn`, on this machine and on an emulated Cortex-M4.

Use: corpus_test.py --tenon BIN [--cc CC] [--machine host|cortex-m] [--include DIR --library FILE] --model NAME...
Every convolution, depthwise convolution and dense layer is a call of the library, and the output is the module's, bit
for bit. On this machine, each external function is also compared with its body. The library is a model of CMSIS-NN
(stub/), or the one that --include and --library name. Exit code 77 (skipped) without a corpus or without the tools.
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

CONTRACTIONS = ("conv", "depthwise", "dense", "matmul")
SINGLE = "-DCMSIS_NN_USE_SINGLE_ROUNDING"


def library(run, given, folder, cc, ar, flags):
    """The folder of the header, and the library file."""
    if given.archive:
        return given.include, pathlib.Path(given.archive)
    made, file = folder / "cmsis_nn.o", folder / "libcmsis-nn.a"
    run(*cc, *flags, "-std=c99", "-O2", SINGLE, "-c", HERE / "stub" / "cmsis_nn.c", "-o", made)
    run(ar, "rcs", file, made)
    return HERE / "stub", file


def check_taken(report):
    """Every operator with a sum of products goes to the library. Returns how many there are."""
    operators = json.loads(report)["operators"]
    found = [each for each in operators if each["kind"].startswith(CONTRACTIONS)]
    left = [f"{each['name']}: {each}" for each in found if each["target"] != "cmsis-nn"]
    if left or not found:
        raise firmware.Failed("not taken: " + "\n".join(left))
    return len(found)


def on_host(run, arguments, model, folder):
    include, file = library(run, arguments, folder, [arguments.cc], "ar", ["-fPIC"])
    environment = {**os.environ, "CMSIS_NN_INCLUDE": str(include), "CMSIS_NN_LIBRARY": str(file)}
    found = firmware.find_model(model, folder)
    report = run(arguments.tenon, "compile", found.file, "--targets=cmsis-nn", "--byoc-report=json",
                 "-o", folder / "c", env=environment)
    count = check_taken(report)
    run(arguments.tenon, "run", found.file, "--targets=cmsis-nn", "--engine=c", "--externals=both",
        "--input", found.given, "--expect", found.expected, env=environment)
    print(f"{model:<12} host       {count:>3} operators, all equal to their bodies", flush=True)


def on_cortex_m(run, arguments, model, folder):
    board = firmware.CORES["m4"]
    include, file = library(run, arguments, folder, [board.prefix + "gcc", *board.machine],
                            board.prefix + "ar", ["-ffunction-sections"])
    image, _ = firmware.build(run, board, arguments.tenon, model, "gcc -O2", folder / "image",
                              options=("--targets=cmsis-nn", "--byoc-report=json"),
                              extra=("-isystem", include, file))
    count = check_taken((folder / "image" / firmware.SAID).read_text())
    sizes = {name: size for name, (_, size, _) in firmware.sections_of(run, board, image).items()}
    line = firmware.row(board, "gcc -O2", sizes, *firmware.emulate(run, board, image))
    print(f"{model:<12} cortex-m4  {count:>3} operators  {line}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--machine", choices=["host", "cortex-m"], default="host")
    parser.add_argument("--include")
    parser.add_argument("--library", dest="archive")
    parser.add_argument("--model", nargs="+", required=True)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    missing = [name for name in arguments.model if not firmware.is_there(name)]
    if missing:
        print(f"skipped: {', '.join(missing)} not found (TENON_CORPUS_DIR)")
        return firmware.SKIPPED
    if arguments.machine == "cortex-m" and firmware.missing_tools(firmware.CORES["m4"]):
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
