#!/usr/bin/env python3
"""The speed of generated code for whole models, next to TensorFlow Lite and C compilers.

Use: benchmarks/model_speed.py BIN_DIR [--rounds=N] [--models=a,b] [--variants=a,b] [--json=FILE]
     benchmarks/model_speed.py BIN_DIR --memory [--rounds=N] [--models=a,b] [--json=FILE]
     benchmarks/model_speed.py BIN_DIR --from-tflite [--rounds=N] [--models=a,b] [--json=FILE]

Each model of the corpus is built in several ways. All variants run in this process, on one thread,
in interleaved rounds, so that other load affects all of them. The figure is the median over the
rounds of the mean of a round's runs, in milliseconds, and always includes the call from Python.
Outputs are compared with the corpus before anything is timed.

TensorFlow Lite is tflite-runtime 2.14 (XNNPACK, one thread). It is imported, or installed into a
virtual environment: $TENON_TFLITE_VENV, or one in the temporary folder. Without a network its
column stays empty.

Results equal the interpreter's bit for bit, except for the variants `.fma` of float models, whose
products are not rounded before they are added (--fp-contract=fast).

With --memory, the script compares each model without and with the passes that make the workspace
smaller (--fuse, --narrow, --overlap), in alternating runs. Variants `jit` are runs of `tenon run
--engine=jit`, for the machine's own processor unless said otherwise. Times are the minimum of all rounds, which other load affects least. The last lines
name the variants that take more than 1.05 times the time; the exit code is then 1.

With --from-tflite, the script compares each model's .tflite file with its TVM text in the same way.
"""

import argparse
import ctypes
import json
import math
import os
import pathlib
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = pathlib.Path(os.environ.get("TENON_CORPUS_DIR", ROOT.parent / "shared" / "corpus"))

# The file for TensorFlow Lite, and the ratio of the time of TVM's LLVM code to TensorFlow Lite's.
MODELS = {
    "kws_int8": ("kws_ref_model", 0.40),
    "vww_int8": ("vww_96_int8", 0.35),
    "resnet_int8": ("pretrainedResnet_quant", 3.5),
    "ad_int8": ("ad01_int8", 0.62),
    "sww_int8": ("str_ww_ref_model", 0.45),
    "ad_float": ("ad01_fp32", 1.1),
    "resnet_float": ("pretrainedResnet", 29),
    "vww_float": ("vww_96_float", 1.7),
}

C_FLAGS = ["-O3", "-march=native"]
# name: (module, compiler or None for Tenon's LLVM, more options of tenon)
VARIANTS = {
    "vec.llvm": ("module_llvm.py", None, []),
    "vec.gcc": ("module_llvm.py", "gcc", ["--c-vectors=gnu", "--optimize=on"]),
    "vec.clang": ("module_llvm.py", "clang-19", ["--c-vectors=gnu", "--optimize=on"]),
    "llvm": ("module.py", None, []),
    "vec.llvm.fma": ("module_llvm.py", None, ["--fp-contract=fast"]),
    "llvm.fma": ("module.py", None, ["--fp-contract=fast"]),
    "llvm.plain": ("module.py", None, ["--optimize=off"]),
    "gcc": ("module.py", "gcc", ["--optimize=on"]),
    "gcc.plain": ("module.py", "gcc", ["--optimize=off"]),
    "vec.gcc.plain": ("module_llvm.py", "gcc", ["--c-vectors=gnu", "--optimize=off"]),
    "vec.clang.plain": ("module_llvm.py", "clang-19", ["--c-vectors=gnu", "--optimize=off"]),
}


# Variants of comparisons. name: (module, compiler or None for the JIT, its flags).
COMPARED_VARIANTS = {
    "jit": ("module.py", None, []),
    "jit.O3": ("module.py", None, ["-O3"]),
    "vec.jit.O3": ("module_llvm.py", None, ["-O3"]),
    "jit.x86-64": ("module.py", None, ["--cpu=x86-64"]),
    "gcc.O2": ("module.py", "gcc", ["-O2"]),
    "gcc.O3": ("module.py", "gcc", ["-O3", "-march=native"]),
}
MEMORY_PASSES = ("fuse", "narrow", "overlap")
# The maximum time of the second side of a comparison, as a multiple of the time of the first one.
MOST = 1.05


def import_tflite():
    """tflite_runtime.interpreter; None if it is not available."""
    try:
        import tflite_runtime.interpreter as tflite
        return tflite
    except ImportError:
        pass
    venv = pathlib.Path(os.environ.get("TENON_TFLITE_VENV") or
                        pathlib.Path(tempfile.gettempdir()) / f"tenon-tflite-{os.getuid()}")
    python = venv / "bin" / "python"
    if not os.environ.get("TENON_TFLITE_TRIED"):
        os.environ["TENON_TFLITE_TRIED"] = "1"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", venv], check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if python.exists():
                subprocess.run([python, "-m", "pip", "install", "-q", "tflite-runtime==2.14.0",
                                "numpy<2"], check=False, stderr=subprocess.DEVNULL)
        if python.exists():
            sys.stdout.flush()
            os.execv(python, [str(python), *sys.argv])
    return None


def jit_median(bin_dir, module, values, *flags):
    """The median time of a run of the JIT's code for this processor, in milliseconds."""
    command = [f"{bin_dir}/tenon", "run", module, "--input", values, "--engine=jit", "-O3", "--cpu=native",
               "--json", "-q", *flags]
    done = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout.splitlines()[0])["median_ms"]


def read_npy(path):
    """The bytes of the elements, and whether they are float32."""
    data = path.read_bytes()
    header = int.from_bytes(data[8:10], "little")
    return data[10 + header:], b"<f4" in data[:10 + header]


def build(bin_dir, model, variant, folder):
    """A shared object of the model; None if this build of Tenon does not support the variant."""
    module, compiler, options = VARIANTS[variant]
    source = CORPUS / "models" / model / module
    out = folder / f"{model}.{variant}.so"
    tenon = [f"{bin_dir}/tenon", "compile", source, *options]
    if compiler is None:
        subprocess.run([*tenon, "--emit=shared", "-O3", "--cpu=native", "-o", out], check=True)
        return out
    if shutil.which(compiler) is None:
        return None
    return build_c([*tenon, "--constant-storage=c-array"], [compiler, *C_FLAGS],
                   folder / f"{model}.{variant}", out)


def build_c(tenon, compiler, c_folder, out):
    """A shared object of the C that a command line of Tenon emits."""
    subprocess.run([*tenon, "--emit=c", "-o", c_folder], check=True, stdout=subprocess.DEVNULL)
    # Large constants are in an object.
    sources = sorted([*c_folder.rglob("*.c"), *c_folder.rglob("*.o")])
    includes = sorted({f"-I{header.parent}" for header in c_folder.rglob("*.h")})
    subprocess.run([*compiler, "-shared", "-fPIC", "-ffp-contract=off", *includes,
                    f"-I{ROOT}/runtime", *sources, "-lm", "-o", out], check=True)
    return out


def aligned(size, alignment=64):
    """A buffer, and the address of `size` bytes in it that begin at a multiple of `alignment`."""
    buffer = ctypes.create_string_buffer(size + alignment)
    return buffer, -(-ctypes.addressof(buffer) // alignment) * alignment


class Compiled:
    """A model in a shared object; calling it runs it once."""

    def __init__(self, library, model, expected="expected0.npy"):
        folder = CORPUS / "models" / model
        data, _ = read_npy(folder / "input0.npy")
        self.expected, self.is_float = read_npy(folder / expected)
        self.code = ctypes.CDLL(str(library))
        source, input_address = aligned(len(data))
        ctypes.memmove(input_address, data, len(data))
        target, self.output = aligned(len(self.expected))
        inputs = (ctypes.c_void_p * 1)(input_address)
        outputs = (ctypes.c_void_p * 1)(self.output)
        self.keep = source, target, inputs, outputs
        function = self.code.tvmgen_default_run
        function.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        function.restype = ctypes.c_int32
        args = ctypes.c_void_p(ctypes.addressof(inputs)), ctypes.c_void_p(ctypes.addressof(outputs))
        self.run = lambda: function(*args)

    def check(self):
        if self.run() != 0:
            raise SystemExit("the model failed")
        got = ctypes.string_at(self.output, len(self.expected))
        if not self.is_float:
            return got == self.expected
        pairs = zip(struct.iter_unpack("<f", got), struct.iter_unpack("<f", self.expected))
        return all(abs(a - b) <= 1e-5 + 1e-4 * abs(b) for (a,), (b,) in pairs)


def tflite_runner(tflite, model):
    import numpy
    interpreter = tflite.Interpreter(str(CORPUS / "tflite" / f"{MODELS[model][0]}.tflite"),
                                     num_threads=1)
    interpreter.allocate_tensors()
    detail = interpreter.get_input_details()[0]
    value = numpy.load(CORPUS / "models" / model / "input0.npy").reshape(detail["shape"])
    interpreter.set_tensor(detail["index"], value)
    return interpreter.invoke


def one_round(run, count):
    start = time.perf_counter_ns()
    for _ in range(count):
        run()
    return (time.perf_counter_ns() - start) / count / 1e6


def measure(runners, rounds):
    """Medians in milliseconds; each round lasts a few milliseconds."""
    counts = {}
    for name, run in runners.items():
        run()
        once = max(one_round(run, 3), 1e-4)
        counts[name] = max(1, math.ceil(4 / once))
    times = {name: [] for name in runners}
    for _ in range(rounds):
        for name, run in runners.items():
            times[name].append(one_round(run, counts[name]))
    return {name: statistics.median(values) for name, values in times.items()}


def measure_model(bin_dir, model, variants, tflite, rounds, folder):
    runners = {}
    keep = []
    for variant in variants:
        if variant.endswith(".fma") and not model.endswith("_float"):
            continue
        library = build(bin_dir, model, variant, folder)
        if library is None:
            continue
        compiled = Compiled(library, model)
        if not compiled.check():
            raise SystemExit(f"{model}, {variant}: the output is wrong")
        keep.append(compiled)
        runners[variant] = compiled.run
    if tflite is not None:
        runners["tflite"] = tflite_runner(tflite, model)
    return measure(runners, rounds)


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(v) for v in values))


def number(value, width, digits):
    return f"{'-':>{width}}" if value is None else f"{value:{width}.{digits}f}"


def report(results, variants):
    columns = [*variants, "tflite"]
    print("Milliseconds a run, one thread:")
    print(f"{'model':13}" + "".join(f"{c:>16}" for c in columns) +
          f"{'best/tflite':>12}{'fma/tflite':>12}{'TVM/tflite':>11}{'vec.llvm/C':>11}"
          f"{'faster by':>10}")
    gains = []
    for model, times in results.items():
        line = f"{model:13}" + "".join(number(times.get(c), 16, 4) for c in columns)
        ours = [times[v] for v in ("vec.llvm", "llvm") if v in times]
        c_times = [t for v, t in times.items() if v.startswith(("vec.gcc", "vec.clang"))]
        fused = [times[v] for v in ("vec.llvm.fma", "llvm.fma") if v in times]
        ratio = min(ours) / times["tflite"] if ours and "tflite" in times else None
        fused_ratio = min(fused) / times["tflite"] if fused and "tflite" in times else None
        parity = min(c_times) / times["vec.llvm"] if c_times and "vec.llvm" in times else None
        gain = times["llvm.plain"] / times["llvm"] if {"llvm", "llvm.plain"} <= times.keys() else None
        if gain is not None:
            gains.append(gain)
        print(line + number(ratio, 12, 2) + number(fused_ratio, 12, 2) +
              f"{MODELS[model][1]:11.2f}" + number(parity, 11, 2) + number(gain, 10, 2))
    if gains:
        print(f"module.py after Tenon's passes against without: {geometric_mean(gains):.2f} times as "
              "fast (geometric mean)")


class JitRuns:
    """Runs of a model by `tenon run`, which times each of them."""

    def __init__(self, command, count):
        self.command = [*command, f"--repeat={count}", "--json"]

    def milliseconds(self):
        run = subprocess.run(self.command, check=True, capture_output=True, text=True)
        return json.loads(run.stdout)["min_ms"]


class Side:
    """One side of a comparison: a name, what is compiled with which options, and its output."""

    def __init__(self, name, options=(), tflite=False):
        self.name = name
        self.options = list(options)
        self.tflite = tflite
        self.expected = "litert_ref0.npy" if tflite else "expected0.npy"

    def arguments(self, model, module):
        source = CORPUS / "models" / model / module
        if self.tflite:
            source = CORPUS / "tflite" / f"{MODELS[model][0]}.tflite"
        return [source, *self.options]


MEMORY_SIDES = [Side(value, [f"--{name}={value}" for name in MEMORY_PASSES])
                for value in ("off", "on")]
TFLITE_SIDES = [Side("text"), Side("tflite", tflite=True)]


def side_runner(bin_dir, model, variant, side, folder):
    """A function that times one round; None without the compiler."""
    module, compiler, flags = COMPARED_VARIANTS[variant]
    models = CORPUS / "models" / model
    options = side.arguments(model, module)
    if compiler is None:
        tensors = ["--input", models / "input0.npy", "--expect", models / side.expected]
        command = [f"{bin_dir}/tenon", "run", *options, *flags, "--engine=jit", *tensors]
        return JitRuns(command, 100).milliseconds
    if shutil.which(compiler) is None:
        return None
    name = f"{model}.{variant}.{side.name}"
    library = build_c([f"{bin_dir}/tenon", "compile", *options],
                      [compiler, *flags], folder / name, folder / f"{name}.so")
    compiled = Compiled(library, model, side.expected)
    if not compiled.check():
        raise SystemExit(f"{model}, {variant}, {side.name}: the output is wrong")
    once = max(one_round(compiled.run, 3), 1e-4)
    count = max(1, math.ceil(0.5 / once))
    return lambda: min(one_round(compiled.run, count) for _ in range(8))


def compare_model(args, model, variants, sides, folder):
    """The least time of each variant and side."""
    row = {}
    for variant in variants:
        runners = {side.name: side_runner(args.bin_dir, model, variant, side, folder)
                   for side in sides}
        if None in runners.values():
            continue
        times = {name: [] for name in runners}
        for _ in range(args.rounds):
            for name, run in runners.items():
                times[name].append(run())
        row[variant] = {name: min(t) for name, t in times.items()}
    return row


def compare(args, variants, sides):
    """Prints the times of each model on both sides, and their ratios. Returns the exit code."""
    first, second = (side.name for side in sides)
    results = {}
    slow = []
    print(f"Milliseconds a run, one thread, {first} and {second}:")
    print(f"{'model':13}" + "".join(f"{v:>27}" for v in variants))
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(args.keep or temporary)
        folder.mkdir(exist_ok=True)
        for model in args.models.split(","):
            row = results[model] = compare_model(args, model, variants, sides, folder)
            for variant, t in row.items():
                ratio = t[second] / t[first]
                if ratio > MOST:
                    slow.append(f"{model} {variant}: {ratio:.2f} times the time")
            cells = [f"{t[first]:10.4f}{t[second]:10.4f}{t[second] / t[first]:7.2f}"
                     if t else f"{'-':>27}" for t in (row.get(v) for v in variants)]
            print(f"{model:13}" + "".join(cells), flush=True)
    for variant in variants:
        ratios = [row[variant][second] / row[variant][first]
                  for row in results.values() if variant in row]
        if ratios:
            print(f"{variant}: {geometric_mean(ratios):.2f} times the time (geometric mean)")
    print("\n".join(slow))
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(results, indent=1) + "\n")
    return 1 if slow else 0


def main():
    compares = "--memory" in sys.argv or "--from-tflite" in sys.argv
    tflite = None if compares else import_tflite()
    parser = argparse.ArgumentParser()
    parser.add_argument("bin_dir")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--memory", action="store_true",
                        help="compare without and with the passes that save memory")
    parser.add_argument("--from-tflite", action="store_true",
                        help="compare each model's text and its .tflite file")
    parser.add_argument("--compared", default=",".join(COMPARED_VARIANTS),
                        help="variants of a comparison")
    parser.add_argument("--json")
    parser.add_argument("--keep", help="folder for what is built")
    args = parser.parse_args()
    unknown = set(args.variants.split(",")) - set(VARIANTS) | set(args.models.split(",")) - set(MODELS)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    if not (CORPUS / "models").is_dir():
        print(f"no models in {CORPUS} (TENON_CORPUS_DIR); nothing is measured")
        return
    if compares:
        variants = [v for v in args.compared.split(",") if v in COMPARED_VARIANTS]
        if args.from_tflite:
            # There is one .tflite file for both texts.
            variants = [v for v in variants if not v.startswith("vec.")]
        sys.exit(compare(args, variants, TFLITE_SIDES if args.from_tflite else MEMORY_SIDES))
    if tflite is None:
        print("no tflite-runtime; its column is empty")
    results = {}
    variants = args.variants.split(",")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(args.keep or temporary)
        folder.mkdir(exist_ok=True)
        for model in args.models.split(","):
            results[model] = measure_model(args.bin_dir, model, variants, tflite, args.rounds, folder)
    report(results, variants)
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
