#!/usr/bin/env python3
"""Programs of the code generator `cuda` against the interpreter: with stand-ins for NVIDIA's libraries, or on a GPU.

Use: cuda_test.py --tenon TENON [--host FOLDER] [--only NAME,...] [--engine c|jit]

With --host, the libraries are those of FOLDER (tests/cuda_host), and each program also runs with its threads
backwards: threads that race give other results. Without it, NVIDIA's are used. Exits with 77 if there is no GPU.
"""

import argparse
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

import cuda_cases
import onnx_bert

FORMATS = {"float16": ("<f2", "e"), "bfloat16": ("<u2", "H"), "float32": ("<f4", "f"), "float64": ("<f8", "d"),
           "int8": ("|i1", "b"), "uint8": ("|u1", "B"), "int32": ("<i4", "i")}


def write_input(path, shape, dtype, source):
    """Random numbers as an npy file."""
    code, letter = FORMATS[dtype]
    count = 1
    for extent in shape:
        count *= extent
    if dtype == "bfloat16":
        bits = [struct.unpack("<I", struct.pack("<f", source.uniform(-4, 4)))[0] >> 16 for _ in range(count)]
        data = struct.pack(f"<{count}H", *bits)
    elif "float" in dtype:
        data = struct.pack(f"<{count}{letter}", *(source.choice((1, 4)) * source.uniform(-1, 1) for _ in range(count)))
    else:
        width = struct.calcsize(letter) * 8
        low, high = (0, 2**width - 1) if dtype == "uint8" else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
        data = struct.pack(f"<{count}{letter}", *(source.randint(low, high) for _ in range(count)))
    header = f"{{'descr': '{code}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def run(command, env, **options):
    """The finished process."""
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, **options)


def difference(got, expected):
    """The norm of the difference of two npy files of float16, relative to that of the second."""
    values = []
    for file in (got, expected):
        data = file[10 + struct.unpack("<H", file[8:10])[0]:]
        values.append(struct.unpack(f"<{len(data) // 2}e", data))
    return (sum((a - b) ** 2 for a, b in zip(*values)) / sum(b * b for b in values[1])) ** 0.5


class Tester:
    """Runs cases in one folder."""

    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.env = dict(os.environ)
        self.env.pop("TENON_CUDA_COMPILE", None)
        if args.host:
            self.env["LD_LIBRARY_PATH"] = args.host
            self.env["TENON_CUDA_ARCH"] = "90"

    def outputs(self, case, extra, env):
        """The bytes of all outputs of a run, or the errors."""
        command = [self.args.tenon, "run", f"{case.name}.py", *extra]
        for name, _, _ in case.inputs:
            command += ["--input", f"{case.name}_{name}.npy"]
        for name in case.outputs:
            command += ["--output", f"{name}={case.name}_{name}.npy"]
        done = run(command, env, cwd=self.folder)
        if done.returncode != 0:
            return None, done.stderr
        return [(self.folder / f"{case.name}_{name}.npy").read_bytes() for name in case.outputs], done.stderr

    def check(self, case):
        """The reason why a case fails, or nothing."""
        source = random.Random(case.name)
        (self.folder / f"{case.name}.py").write_text(case.text, encoding="utf-8")
        for name, shape, dtype in case.inputs:
            write_input(self.folder / f"{case.name}_{name}.npy", shape, dtype, source)
        expected, errors = self.outputs(case, [], self.env)
        if expected is None:
            return errors
        cuda = [f"--engine={self.args.engine}", "--targets=cuda"]
        # Where the bits are known, one order of threads is enough.
        backwards = {**self.env, "TENON_CUDA_HOST_ORDER": "backwards", "TENON_CUDA_HOST_THREADS": "2"}
        got, errors = self.outputs(case, cuda, backwards if case.exact is True else self.env)
        if got is None or "100.0 %" not in errors and "operators" not in errors or "host:" in errors:
            return errors or "nothing went to the GPU"
        if case.exact is True and got != expected:
            return "other bits than the interpreter"
        if case.exact == "norm":
            errors = [difference(*pair) for pair in zip(got, expected)]
            if not max(errors) < 2e-3:
                return f"another result than the interpreter: {errors}"
        if not case.exact:
            _, errors = self.outputs(case, [*cuda, "--externals=both"], self.env)
            if "equal to their bodies" not in errors:
                return errors
        if self.args.host and case.exact is not True:
            again, errors = self.outputs(case, cuda, backwards)
            if again != got:
                return errors or "another result with threads backwards"
        return None


    def check_onnx(self):
        """The reason why a network of an ONNX file is not one function on the GPU, or has other results."""
        onnx_bert.make(self.folder / "bert.onnx", layers=2)
        write_input(self.folder / "x.npy", (1, 16, 64), "float16", random.Random(1))
        results = []
        for extra in ([], [f"--engine={self.args.engine}", "--targets=cuda"]):
            done = run([self.args.tenon, "run", "bert.onnx", *extra, "--input", "x.npy", "--output", "y.npy"], self.env,
                       cwd=self.folder)
            if done.returncode != 0:
                return done.stderr
            results.append((self.folder / "y.npy").read_bytes())
        if "58 of 58 operators" not in done.stderr:
            return done.stderr
        done = run([self.args.tenon, "compile", "bert.onnx", "--targets=cuda", "--emit=c", "-o", "c", "-q"], self.env,
                   cwd=self.folder)
        functions = list((self.folder / "c").glob("*_device.c"))
        if len(functions) != 1 or functions[0].read_text().count("tenon_cuda_init(") != 1:
            return "expected one function on the GPU"
        error = difference(results[1], results[0])
        return None if error < 5e-3 else f"another result than the interpreter: {error}"


    def check_model(self, folder):
        """The reason why a real model is not computed as expected, all on the GPU."""
        done = run([self.args.tenon, "run", folder / "module.py", f"--engine={self.args.engine}", "--targets=cuda",
                    "--input", folder / "input0.npy", "--expect", folder / "expected0.npy"], self.env, cwd=self.folder)
        is_right = done.returncode == 0 and "100.0 % of MACs" in done.stderr and "host:" not in done.stderr
        return None if is_right else done.stderr


def run_corpus(tester, corpus):
    """All models of the corpus; 77 without it."""
    models = sorted(corpus.glob("models/*/expected0.npy"))
    if not models:
        return 77
    problems = [(path.parent.name, tester.check_model(path.parent.resolve())) for path in models]
    failed = [(name, problem) for name, problem in problems if problem is not None]
    for name, problem in failed:
        print(f"{name}: {problem}", file=sys.stderr)
    print(f"{len(models) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def main():
    """Runs the cases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--host")
    parser.add_argument("--only", default="")
    parser.add_argument("--corpus", type=pathlib.Path, help="run the models of this folder instead")
    parser.add_argument("--engine", default="c")
    args = parser.parse_args()
    args.tenon = os.path.abspath(args.tenon)
    if not args.host and not pathlib.Path("/dev/nvidia0").exists():
        print("there is no GPU")
        return 77
    only = set(filter(None, args.only.split(",")))
    failed = 0
    cases = [case for name, case in cuda_cases.all_cases().items() if not only or name in only]
    with tempfile.TemporaryDirectory() as folder:
        tester = Tester(args, pathlib.Path(folder))
        if args.corpus is not None:
            return run_corpus(tester, args.corpus)
        for case in cases:
            problem = tester.check(case)
            if problem is not None:
                failed += 1
                print(f"{case.name}: {problem}", file=sys.stderr)
        count = len(cases)
        if not only or "onnx" in only:
            count += 1
            problem = tester.check_onnx()
            if problem is not None:
                failed += 1
                print(f"onnx: {problem}", file=sys.stderr)
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
