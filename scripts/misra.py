#!/usr/bin/env python3
"""Checks generated C against the required rules of MISRA C:2012 with cppcheck's addon.

Use: scripts/misra.py --tenon=BIN [--all] [MODEL...]
A model is named as for scripts/firmware.py, or is a file; the default is digits.tflite, and models of the corpus as far as they are
there. The C is that for a Cortex-M4, with its instructions for dot products and without. A violation is an error unless
scripts/misra_deviations.json justifies its rule, and so is a deviation that no model needs (with --all). Advisory rules are not
counted. Constants of more than 8 KiB are in an object, so that cppcheck does not read their numbers; those of digits.tflite are C.
Prints the number of violations of each rule. The exit code is 0, or 1 if anything was wrong; 77 without cppcheck, with a message.
"""

import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import firmware

SOURCE = pathlib.Path(__file__).resolve().parent.parent
DEVIATIONS = SOURCE / "scripts" / "misra_deviations.json"
ADDONS = ("/usr/lib/*/cppcheck/addons/misra.py", "/usr/share/cppcheck/addons/misra.py",
          "/usr/local/share/cppcheck/addons/misra.py", "/usr/lib/cppcheck/addons/misra.py",
          "/usr/share/Cppcheck/addons/misra.py")
MODELS = ("digits.tflite", "kws_int8.tflite", "ad_int8.tflite", "vww_int8.tflite", "resnet_int8.tflite", "sww_int8.tflite",
          "ds_cnn.onnx", "gru_spotter.onnx", "lstm_spotter.onnx", "ds_cnn_qdq_s8s8.onnx", "kws_int8", "resnet_int8")
TABLE_BYTES = 8192
# Macros of the compiler that choose code in generated sources, on a Cortex-M4 and on a processor without its instructions.
CONFIGURATIONS = (("__ARM_FEATURE_DSP=1", "__ARM_FEATURE_SIMD32=1"), ())


def find_addon():
    for pattern in ADDONS:
        for path in sorted(pathlib.Path("/").glob(pattern[1:])):
            return path
    return None


def file_of(model):
    """The file of a model, which need not exist."""
    if pathlib.Path(model).is_file():
        return pathlib.Path(model)
    if model.endswith(firmware.ONNX):
        return firmware.tflite_models.corpus() / "onnx" / model
    if model == firmware.DIGITS:
        return firmware.folder_of("digits") / model
    if model.endswith(firmware.TFLITE):
        return firmware.tflite_models.file_of(model.removesuffix(firmware.TFLITE))
    return firmware.folder_of(model) / ("digits.py" if model == "digits" else "module.py")


def violations_of(run, addon, source, macros):
    """A Counter of rules, and an example of each."""
    run("cppcheck", "--dump", "--std=c99", "--quiet", "--max-configs=1", "-D__GNUC__=12", "-D__ELF__",
        *(f"-D{macro}" for macro in macros), f"-I{source.parent}", source)
    answer = subprocess.run([sys.executable, addon, source.with_suffix(".c.dump")], capture_output=True, text=True, check=False)
    counts, examples = collections.Counter(), {}
    for line in (answer.stderr + answer.stdout).splitlines():
        match = re.match(r"\[(.*?):(\d+)\].*misra-c2012-([0-9.]+)\]", line)
        if match:
            counts[match[3]] += 1
            examples.setdefault(match[3], f"{pathlib.Path(match[1]).name}:{match[2]}")
    if not counts:  # Every source deviates from some advisory rule.
        raise firmware.Failed(f"{addon} found nothing: {answer.stderr or answer.stdout}")
    return counts, examples


def check_model(run, addon, tenon, model, folder, excused):
    """Returns the violations of a model, and the number of rules without an excuse."""
    name = re.sub(r"\W", "_", pathlib.Path(model).stem)
    run(tenon, "compile", file_of(model), f"--module-name={name}", "--target=cortex-m4", f"--c-array-limit={TABLE_BYTES}",
        "-q", "-o", folder)
    largest, failures, begin = collections.Counter(), 0, time.monotonic()
    for macros in CONFIGURATIONS:
        counts, examples = violations_of(run, addon, folder / f"tvmgen_{name}.c", macros)
        for rule in sorted(set(counts) - excused, key=lambda rule: [int(part) for part in rule.split(".")]):
            print(f"{model}: {counts[rule]} violations of rule {rule}, the first at {examples[rule]}")
            failures += 1
        largest |= counts
    print(f"{model}: {time.monotonic() - begin:.0f} s", flush=True)
    return largest, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", default=SOURCE / "build" / "release" / "bin" / "tenon")
    parser.add_argument("--all", action="store_true", help="refuse deviations that no model needs")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    addon = find_addon()
    if addon is None or shutil.which("cppcheck") is None:
        print("skipped: cppcheck or its addon misra.py not found; scripts/setup.sh installs it")
        return firmware.SKIPPED
    told = json.loads(DEVIATIONS.read_text())
    allowed = {deviation["rule"]: deviation for deviation in told["deviations"]}
    excused = set(allowed) | set(told["advisory"])
    counts, failures, skipped = collections.Counter(), 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for model in options.models or MODELS:
            if not file_of(model).is_file():
                print(f"{model}: skipped, as the corpus is not there (TENON_CORPUS_DIR)")
                skipped += 1
                continue
            folder = pathlib.Path(scratch) / re.sub(r"\W", "_", model)
            folder.mkdir()
            own, failed = check_model(firmware.Runner(), addon, options.tenon, model, folder, excused)
            counts += own
            failures += failed
    for rule, deviation in allowed.items():
        if counts[rule]:
            print(f"rule {rule}: {counts[rule]} deviations: {deviation['where']}")
        elif options.all and skipped == 0:
            print(f"rule {rule}: no model needs its deviation")
            failures += 1
    print(f"{sum(counts[rule] for rule in allowed)} places deviate from required rules with a reason; {failures} errors")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
