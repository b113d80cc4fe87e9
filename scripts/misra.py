#!/usr/bin/env python3
"""Checks generated C against the required rules of MISRA C:2012 with cppcheck's addon.

Use: scripts/misra.py --tenon=BIN [--all] [MODEL...]
A model is named as for scripts/firmware.py; the default is digits.tflite, and models of the corpus as far as they are
there. The C is that for a Cortex-M4. A violation is an error unless scripts/misra_deviations.json justifies its rule, and
so is a deviation that no model needs (with --all). Advisory rules are not counted. Prints the number of violations of
each rule. The exit code is 0, or 1 if anything was wrong; 77 without cppcheck, with a message.
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

import firmware

SOURCE = pathlib.Path(__file__).resolve().parent.parent
DEVIATIONS = SOURCE / "scripts" / "misra_deviations.json"
ADDONS = ("/usr/lib/*/cppcheck/addons/misra.py", "/usr/share/cppcheck/addons/misra.py",
          "/usr/local/share/cppcheck/addons/misra.py", "/usr/lib/cppcheck/addons/misra.py",
          "/usr/share/Cppcheck/addons/misra.py")
MODELS = ("digits.tflite", "kws_int8.tflite", "ad_int8.tflite", "ds_cnn.onnx")


def find_addon():
    for pattern in ADDONS:
        for path in sorted(pathlib.Path("/").glob(pattern[1:])):
            return path
    return None


def violations_of(run, addon, source):
    """A Counter of rules, and an example of each."""
    run("cppcheck", "--dump", "--std=c99", "--quiet", "--max-configs=1", "-D__GNUC__=12", "-D__ELF__", f"-I{source.parent}", source)
    answer = subprocess.run([sys.executable, addon, source.with_suffix(".c.dump")], capture_output=True, text=True, check=False)
    counts, examples = collections.Counter(), {}
    for line in (answer.stderr + answer.stdout).splitlines():
        match = re.match(r"\[(.*?):(\d+)\].*misra-c2012-([0-9.]+)\]", line)
        if match:
            counts[match[3]] += 1
            examples.setdefault(match[3], f"{pathlib.Path(match[1]).name}:{match[2]}")
    if not counts and answer.returncode not in (0, 1):
        raise firmware.Failed(f"{addon}: {answer.stderr}")
    return counts, examples


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", default=SOURCE / "build" / "release" / "bin" / "tenon")
    parser.add_argument("--all", action="store_true", help="refuse deviations that no model needs")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    addon = find_addon()
    if addon is None or shutil.which("cppcheck") is None:
        print("skipped: cppcheck or its addon misra.py not found; apt-get install cppcheck")
        return firmware.SKIPPED
    told = json.loads(DEVIATIONS.read_text())
    allowed = {deviation["rule"]: deviation["why"] for deviation in told["deviations"]}
    advisory = set(told["advisory"])
    counts, failures = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as scratch:
        for model in options.models or MODELS:
            if not firmware.is_there(model):
                print(f"{model}: skipped, as the corpus is not there (TENON_CORPUS_DIR)")
                continue
            folder = pathlib.Path(scratch) / model
            folder.mkdir()
            run = firmware.Runner()
            found = firmware.find_model(model, folder, str(options.tenon))
            run(options.tenon, "compile", found.file, f"--module-name={found.name}", "--target=cortex-m4",
                "--constant-storage=c-array", "-q", "-o", folder)
            own, examples = violations_of(run, addon, folder / f"tvmgen_{found.name}.c")
            counts += own
            for rule in sorted(own, key=lambda rule: [int(part) for part in rule.split(".")]):
                if rule not in allowed and rule not in advisory:
                    print(f"{model}: {own[rule]} violations of rule {rule}, the first at {examples[rule]}")
                    failures += 1
    for rule, why in allowed.items():
        if counts[rule]:
            print(f"rule {rule}: {counts[rule]} deviations. {why}")
        elif options.all:
            print(f"rule {rule}: no model needs its deviation")
            failures += 1
    print(f"{sum(counts[rule] for rule in counts if rule not in advisory)} places deviate from required rules, {failures} without a reason")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
