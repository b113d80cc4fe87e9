#!/usr/bin/env python3
"""Runs recorded cases of one kind of operator: what LiteRT's reference kernels gave is expected.

Use: tflite_test.py --tenon BIN --engine interp [--engine c]... KIND
     tflite_test.py --tenon BIN --engine interp hostile
     tflite_test.py --tenon BIN --engine c models
     tflite_test.py --tenon BIN --engine interp [--engine c]... special

tflite_cases.py and tflite_graphs.py make the models and the inputs again. recorded/KIND.json has the outputs;
`scripts/judges/litert.py --record tests/integration/tflite/recorded` writes them. `hostile` gives
damaged models to the reader: each must be refused with a message, or accepted. `models` runs the
int8 models of the corpus on ten inputs each (tflite_models.py). `special` runs operators on NaN,
infinities, signed zeros and denormals (tflite_special.py), in C also with clang and faster loops.
Exit code 77 (skipped) when an engine needs a C compiler, or the corpus, that is not there.
"""

import argparse
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import tflite_cases
import tflite_graphs
import tflite_models
import tflite_special

SKIPPED = 77
# Operators that read and write the same tensor, choose by comparing, or sum up as they go have no claim.
WITHOUT_CLAIM = {"arg_max", "cumsum", "lstm", "rnn", "svdf", "topk_v2", "unidirectional_sequence_lstm"}
FOLDER = pathlib.Path(__file__).resolve().parent


def write_case(case, outputs, folder):
    """The arguments of `tenon run`."""
    (folder / "model.tflite").write_bytes(case.model)
    args = [str(folder / "model.tflite")]
    for flag, arrays in (("input", case.inputs), ("expect", outputs)):
        for index, (shape, dtype, values) in enumerate(arrays):
            path = folder / f"{flag}{index}.npy"
            path.write_bytes(tflite_cases.npy(shape, dtype, values))
            args += [f"--{flag}", str(path)]
    return args


def claims_are_proven(args, model):
    """Every function but main says what it computes."""
    opt = str(pathlib.Path(args.tenon).with_name("tenon-opt"))
    done = subprocess.run([opt, model], capture_output=True, text=True, check=False)
    functions = re.findall(r"^    def \w+\(", done.stdout, re.MULTILINE)
    claims = re.findall(r'"tenon.op": {"kind": "(\w+)"', done.stdout)
    return len(claims) == len(functions) - 1 and "unknown" not in claims


def check_recorded(args, folder):
    recorded = json.loads((FOLDER / "recorded" / f"{args.kind}.json").read_text())
    failures = refused = 0
    for entry in recorded:
        case = tflite_graphs.make_case(args.kind, entry["seed"])
        case_args = write_case(case, entry["outputs"], folder)
        runs = [(engine, case_args[0]) for engine in args.engine]
        if case.shapeless:
            runs.append(("interp", str(folder / "shapeless.tflite")))
            pathlib.Path(runs[-1][1]).write_bytes(case.shapeless)
        if args.kind not in WITHOUT_CLAIM and case.claimed and not claims_are_proven(args, case_args[0]):
            failures += 1
            print(f"{args.kind} {entry['seed']}: an operator without a proven claim")
        for engine, model in runs:
            done = subprocess.run([args.tenon, "run", model, *case_args[1:], f"--engine={engine}",
                                   f"--repeat={case.runs}"],
                                  capture_output=True, text=True, check=False)
            said = done.stdout + done.stderr
            if args.kind == "parameters" and re.search(r"\[(unsupported|syntax)\]$", said, re.MULTILINE):
                refused += 1
            elif done.returncode != 0:
                failures += 1
                print(f"{args.kind} {entry['seed']} {engine}: {said}")
    if len(recorded) * len(args.engine) < 4 * refused + 1:
        failures += 1
        print(f"{refused} cases are refused, of {len(recorded)}")
    return 1 if failures else 0


def check_models(args, folder):
    failures = 0
    for model in sorted(tflite_models.FILES):
        given, wanted = tflite_models.write_vectors(model, folder)
        for engine in args.engine:
            done = subprocess.run([args.tenon, "run", str(tflite_models.file_of(model)), "--each",
                                   "--input", str(given), "--expect", str(wanted),
                                   f"--engine={engine}"],
                                  capture_output=True, text=True, check=False)
            said = done.stdout + done.stderr
            if done.returncode != 0 or "10 inputs; as expected" not in said:
                failures += 1
                print(f"{model} {engine}: {said}")
    return 1 if failures else 0


def special_differences(table, arrays, outputs):
    """Lines about the outputs of a table that are not what LiteRT gave."""
    for output, got, wanted in zip(table.outputs, arrays, outputs):
        wanted = output.expected or wanted
        wrong = [index for index, pair in enumerate(zip(got, wanted))
                 if not tflite_special.is_same(*pair, output)]
        if wrong or len(got) != len(wanted):
            shown = ", ".join(f"element {i} is {got[i]}, expected {wanted[i]}" for i in wrong[:4])
            yield f"{output.name}: {len(wrong)} of {len(wanted)} differ: {shown}"


def check_special(args, folder):
    recorded = json.loads((FOLDER / "recorded" / "special.json").read_text())
    ways = [[f"--engine={engine}"] for engine in args.engine]
    if "c" in args.engine:
        ways.append(["--engine=c", "--optimize=on"])
        ways += [["--engine=c", "--cc=clang"]] if shutil.which("clang") else []
    failures = 0
    for name in tflite_special.TABLES:
        table = tflite_special.make(name)
        command = [args.tenon, "run", *write_case(table, [], folder)]
        paths = [folder / f"out{index}.npy" for index in range(len(table.outputs))]
        for path in paths:
            command += ["--output", str(path)]
        for way in ways:
            done = subprocess.run(command + way, capture_output=True, text=True, check=False)
            lines = [done.stdout + done.stderr] if done.returncode != 0 else special_differences(
                table, [tflite_cases.npy_values(path.read_bytes()) for path in paths],
                recorded[name])
            for line in lines:
                failures += 1
                print(f"{name} {' '.join(way)}: {line}")
    return 1 if failures else 0


def damaged(model, generator):
    """A model with a few bytes changed, or cut."""
    data = bytearray(model)
    for _ in range(generator.randint(1, 3)):
        at = generator.randrange(len(data))
        what = generator.randrange(4)
        if what == 0:
            data[at] = generator.randrange(256)
        elif what == 1:
            data[at:at + 4] = generator.choice([b"\xff\xff\xff\xff", b"\0\0\0\0", b"\0\0\0\x80",
                                                b"\xff\xff\xff\x7f"])
        elif what == 2:
            data[at] ^= 1 << generator.randrange(8)
        else:
            del data[max(at, 8):]
    return bytes(data)


def check_hostile(args, folder):
    generator = random.Random(1)
    path = folder / "model.tflite"
    refused = accepted = failures = 0
    opt = str(pathlib.Path(args.tenon).with_name("tenon-opt"))
    for number in range(300):
        kind = generator.choice(sorted(tflite_cases.KINDS))
        data = damaged(tflite_cases.make_case(kind, number % 7).model, generator)
        if data[4:8] != b"TFL3":
            continue
        path.write_bytes(data)
        done = subprocess.run([opt, str(path), "-o", "/dev/null"], capture_output=True, text=True,
                              check=False, timeout=60, errors="replace")
        refused += done.returncode == 1
        accepted += done.returncode == 0
        if done.returncode not in (0, 1) or (done.returncode == 1
                                             and "error: " not in done.stderr):
            failures += 1
            print(f"hostile {number} ({kind}): exit code {done.returncode}: {done.stderr[:500]}")
    print(f"{accepted} accepted, {refused} refused")
    return 1 if failures or refused < 20 or accepted < 20 else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--engine", action="append", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("kind")
    args = parser.parse_args()
    if "c" in args.engine and shutil.which(args.cc) is None:
        return SKIPPED
    if args.kind == "models" and not tflite_models.file_of("kws_int8").is_file():
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        check = {"hostile": check_hostile, "models": check_models,
                 "special": check_special}.get(args.kind, check_recorded)
        return check(args, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
