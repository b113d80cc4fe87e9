#!/usr/bin/env python3
"""Asks TVM whether Tenon reads, prints and runs what TVM imports. `make judges` calls this in an
environment that has TVM.

Use: judge_tvm.py --tenon BIN [--models DIR] [--onnx] [--first N] [--out DIR]

--models: every .tflite file in DIR, exported by tenon-export, must give the outputs of TVM's
virtual machine. --onnx: ONNX's node tests through TVM's importer. Counts the modules with TIR that
Tenon reads, those that it prints byte for byte, those that TVM reads as structurally equal, and the
cases with the outputs that ONNX expects. Functions also count as read if Tenon refuses the Relax
main because of data-dependent shapes. The exit code is 1 if a count is too small.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy
import tenon_export

# The minimum that `make judges` accepts, in percent or cases.
READ_BAR, SAME_BAR, EQUAL_BAR, RIGHT_BAR = 98, 95, 95, 700
FUNCTION = re.compile(r"^    @(?=[TR]\.)", re.M)
SECONDS = 120


def tenon(program, *args):
    """Runs one of Tenon's programs."""
    try:
        return subprocess.run([str(program), *map(str, args)], capture_output=True, text=True,
                              check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(args, 124, "", f"no end after {SECONDS} s")


def tir_functions(text):
    """The TIR functions of a printed module, without `main`."""
    parts = ["    @" + part.rstrip() for part in FUNCTION.split(text)[1:]]
    return [part for part in parts if not re.search(r"^    def main\(", part, re.M)]


def run_by_tvm(module, inputs):
    """The outputs of TVM's virtual machine, as a list of arrays."""
    import tvm

    machine = tvm.relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())
    result = machine["main"](*[tvm.runtime.tensor(array) for array in inputs])
    if hasattr(result, "numpy"):
        return [result.numpy()]
    return [item.numpy() for item in result]


def inputs_of(module):
    """Random inputs for `main`: shapes and dtypes of its parameters."""
    generator = numpy.random.default_rng(2026)
    arrays = []
    for param in module["main"].params:
        kind = param.ty if hasattr(param, "ty") else param.struct_info
        shape = [int(extent) for extent in kind.shape]
        dtype = str(kind.dtype.dtype if hasattr(kind.dtype, "dtype") else kind.dtype)
        if dtype.startswith("float"):
            arrays.append(generator.standard_normal(shape).astype(dtype))
        else:
            arrays.append(generator.integers(-100, 100, shape).astype(dtype))
    return arrays


def run_by_tenon(program, text, inputs, count, folder, *options):
    """The outputs of `tenon run`, or None and its messages."""
    files = []
    for index, array in enumerate(inputs):
        path = folder / f"in{index}.npy"
        numpy.save(path, numpy.ascontiguousarray(array))
        files += ["--input", path]
    outputs = [folder / f"out{index}.npy" for index in range(count)]
    for path in outputs:
        files += ["--output", path]
    done = tenon(program, "run", text, *files, *options)
    if done.returncode != 0:
        return None, done.stderr
    return [numpy.load(path) for path in outputs], ""


def are_close(found, expected):
    """Integers must be equal; floats as close as ONNX's own tests require."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return False
    if not numpy.issubdtype(expected.dtype, numpy.floating):
        return numpy.array_equal(found, expected)
    return numpy.allclose(found, expected, rtol=1e-3, atol=1e-5, equal_nan=True)


def judge_models(program, models, folder):
    """Whether all models that TVM imports give TVM's outputs with each engine."""
    right = imported = 0
    files = sorted(models.glob("*.tflite"))
    for file in files:
        try:
            module = tenon_export.lower(tenon_export.import_model(file, {}))
        except Exception as error:  # older releases refuse some int8 models
            print(f"{file.name}: TVM refuses it: {str(error).strip().splitlines()[0][:100]}")
            continue
        imported += 1
        text = tenon_export.export(module, folder / f"{file.stem}.py", is_lowered=True)
        inputs = inputs_of(module)
        expected = run_by_tvm(module, inputs)
        good = True
        for engine in ("interp", "c"):
            found, said = run_by_tenon(program, text, inputs, len(expected), folder,
                                       f"--engine={engine}")
            same = found is not None and all(map(are_close, found, expected))
            good &= same
            print(f"{file.name} {engine}: {'equal' if same else 'NOT equal ' + said[:300]}")
        right += good
    print(f"models: {right} of {imported} that TVM imports equal its virtual machine; "
          f"{len(files)} in all")
    return imported > 0 and right == imported


class OnnxCounts:
    """The results of ONNX's cases."""

    def __init__(self):
        self.cases = self.imported = self.with_tir = 0
        self.read = self.same = self.asked = self.equal = self.right = 0
        self.notes = []

    def note(self, name, text):
        self.notes.append(f"{name}: {text.strip()[:300]}")

    def report(self):
        """Prints the counts; returns whether all are large enough."""
        def percent(part, whole):
            return 100 * part / max(whole, 1)

        print(f"ONNX: {self.cases} cases, TVM imports {self.imported}, {self.with_tir} with TIR")
        rows = [("read", percent(self.read, self.with_tir), READ_BAR),
                ("byte for byte", percent(self.same, self.read), SAME_BAR),
                ("equal for TVM", percent(self.equal, self.asked), EQUAL_BAR)]
        for name, figure, bar in rows:
            print(f"  {name}: {figure:.1f} %, at least {bar}")
        print(f"  right outputs: {self.right} cases, at least {RIGHT_BAR}")
        return self.right >= RIGHT_BAR and all(figure >= bar for _, figure, bar in rows)


def judge_case(case, program, folder, counts):
    """One of ONNX's cases."""
    import onnx
    import tvm.relax.frontend.onnx as frontend

    counts.cases += 1
    model = case.model or onnx.load(str(pathlib.Path(case.model_dir) / "model.onnx"))
    try:
        module = tenon_export.lower(frontend.from_onnx(model, keep_params_in_input=False))
        printed = module.script()
        text = tenon_export.export(module, folder / "case.py", is_lowered=True)
    except Exception:  # any exception of TVM's importer
        return
    counts.imported += 1
    functions = tir_functions(printed)
    counts.with_tir += bool(functions)
    done = tenon(program.with_name("tenon-opt"), text, "--constants=inline")
    if done.returncode != 0:  # data-dependent shapes: only the functions
        counts.note(case.name, "main: " + done.stderr)
        text.write_text(re.sub(r"(?ms)^    @R\.function.*", "", printed), encoding="utf-8")
        done = tenon(program.with_name("tenon-opt"), text, "--constants=inline")
    if functions:
        if done.returncode == 0:
            counts.read += 1
            counts.same += tir_functions(done.stdout) == functions
            ask_tvm(module, done.stdout, functions, counts)
        else:
            counts.note(case.name, "not read: " + done.stderr)
        if done.returncode == 0 and tir_functions(done.stdout) != functions:
            counts.note(case.name, "another text")
    for inputs, outputs in case.data_sets or load_sets(case):
        found, said = run_by_tenon(program, text, inputs, len(outputs), folder)
        right = found is not None and all(
            are_close(one, numpy.asarray(two)) for one, two in zip(found, outputs))
        counts.right += right
        if not right and done.returncode == 0:
            counts.note(case.name, "wrong: " + said)
        break


def ask_tvm(module, text, functions, counts):
    """Whether TVM reads Tenon's printed functions as equal to its own."""
    from tvm.script import from_source

    header = "\n".join(line for line in text.splitlines() if line.startswith("# from"))
    body = "\n\n".join(tir_functions(text))
    try:
        again = from_source(f"{header}\n@I.ir_module\nclass Module:\n{body}\n",
                            check_well_formed=False)
        printed = from_source("\n".join([header, "@I.ir_module", "class Module:",
                                         "\n\n".join(functions)]), check_well_formed=False)
    except Exception:  # TVM cannot read everything that it prints
        return
    del module
    counts.asked += 1
    counts.equal += again.script() == printed.script()


def load_sets(case):
    """The inputs and outputs of a case with data files."""
    import onnx
    from onnx import numpy_helper

    def tensors(folder, kind):
        files = sorted(folder.glob(f"{kind}_*.pb"), key=lambda p: int(p.stem.split("_")[1]))
        return [numpy_helper.to_array(onnx.TensorProto.FromString(p.read_bytes())) for p in files]

    for folder in sorted(pathlib.Path(case.model_dir).glob("test_data_set_*")):
        try:
            yield tensors(folder, "input"), tensors(folder, "output")
        except Exception:  # sequences and optionals are not tensors
            return


def judge_onnx(program, first, folder, notes):
    """ONNX's node and converted tests."""
    from onnx.backend.test import loader

    counts = OnnxCounts()
    cases = [case for kind in ("node", "pytorch-converted", "pytorch-operator")
             for case in loader.load_model_tests(kind=kind)]
    for case in cases[:first]:
        judge_case(case, program, folder, counts)
        if counts.cases % 100 == 0:
            print(f"  {counts.cases} of {len(cases)} cases", flush=True)
    if notes:
        pathlib.Path(notes).write_text("\n".join(counts.notes) + "\n", encoding="utf-8")
    return counts.report()


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--tenon", required=True, type=pathlib.Path)
    parser.add_argument("--models", type=pathlib.Path)
    parser.add_argument("--onnx", action="store_true")
    parser.add_argument("--first", type=int, help="only so many of ONNX's cases")
    parser.add_argument("--notes", help="a file for what went wrong with which case")
    args = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if args.models:
            good &= bool(judge_models(args.tenon, args.models, folder))
        if args.onnx:
            good &= judge_onnx(args.tenon, args.first, folder, args.notes)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
