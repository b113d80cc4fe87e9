"""Benchmarks of generated code, next to other compilers, TensorFlow Lite, other passes, threads and libraries."""

import ctypes
import functools
import os
import pathlib
import re
import statistics
import subprocess
import sys

import networks
from runner import (
    CORPUS, MODELS, NATIVE, Code, by_turns, compile_c, geometric_mean, import_tflite, needs_corpus, npy, round_of,
    runs_for, tflite_ways)

GCC = ("gcc", "-O3", "-march=native")
CLANG = ("clang-19", *GCC[1:])
VECTORS = "--c-vectors=gnu"
# The ratio of the time of TVM's LLVM code to TensorFlow Lite's.
TVM_RATIOS = {"kws_int8": 0.40, "vww_int8": 0.35, "resnet_int8": 3.5, "ad_int8": 0.62, "sww_int8": 0.45,
              "ad_float": 1.1, "resnet_float": 29, "vww_float": 1.7}
# name: (module, compiler or None for Tenon's LLVM, more options of tenon)
VARIANTS = {
    "vec.llvm": ("module_llvm.py", None, []),
    "vec.gcc": ("module_llvm.py", GCC, [VECTORS, "--optimize=on"]),
    "vec.clang": ("module_llvm.py", CLANG, [VECTORS, "--optimize=on"]),
    "llvm": ("module.py", None, []),
    "vec.llvm.fma": ("module_llvm.py", None, ["--fp-contract=fast"]),
    "llvm.fma": ("module.py", None, ["--fp-contract=fast"]),
    "llvm.plain": ("module.py", None, ["--optimize=off"]),
    "gcc": ("module.py", GCC, ["--optimize=on"]),
    "gcc.plain": ("module.py", GCC, ["--optimize=off"]),
    "vec.gcc.plain": ("module_llvm.py", GCC, [VECTORS, "--optimize=off"]),
    "vec.clang.plain": ("module_llvm.py", CLANG, [VECTORS, "--optimize=off"]),
}
# Variants of comparisons. name: (module, compiler or None for the JIT, its flags).
COMPARED = {
    "jit": ("module.py", None, []),
    "jit.O3": ("module.py", None, ["-O3"]),
    "vec.jit.O3": ("module_llvm.py", None, ["-O3"]),
    "jit.x86-64": ("module.py", None, ["--cpu=x86-64"]),
    "gcc.O2": ("module.py", ("gcc", "-O2"), []),
    "gcc.O3": ("module.py", GCC, []),
}
# The most time of the second side of a comparison, as a multiple of the time of the first one.
MOST = 1.05


def shared_object(session, source, name, compiler, options):
    """A shared object of the code of LLVM, or of C by a compiler; None without the compiler."""
    out = session.folder / f"{name}.so"
    tenon = [session.tenon, "compile", source, "-q", *options]
    if compiler is not None:
        return compile_c(tenon, compiler, session.folder / name, out)
    subprocess.run([*tenon, "--emit=shared", *NATIVE, "-o", out], check=True, stderr=subprocess.DEVNULL)
    return out


def timed(ways, rounds, milliseconds, pick=statistics.median):
    """Milliseconds of functions that run code in this process, each round for some milliseconds."""
    return by_turns({name: round_of(run, milliseconds) for name, run in ways.items()}, rounds, pick)


def least(times, names):
    return min((times[name] for name in names if name in times), default=None)


def model_speed(session, models=tuple(MODELS), variants=tuple(VARIANTS), rounds=31):
    """The speed of generated code for whole models, next to TensorFlow Lite and C compilers.

    Each model of the corpus is built in several ways. All variants run in this process, on one thread,
    in interleaved rounds. The figure is the median over the rounds of the mean of a round's runs, in
    milliseconds, and always includes the call from Python. Outputs are compared with the corpus before
    anything is timed. TensorFlow Lite is tflite-runtime 2.14 (XNNPACK, one thread). It is imported, or
    installed into a virtual environment: $TENON_TFLITE_VENV, or one in the temporary folder. Without a
    network its column stays empty.

    Results equal the interpreter's bit for bit, except for the variants `.fma` of float models, whose
    products are not rounded before they are added (--fp-contract=fast).
    """
    needs_corpus()
    tflite = import_tflite()
    table = session.table("Milliseconds a run, one thread", "model", *variants, "tflite", "best/tflite", "fma/tflite",
                          "TVM/tflite", "vec.llvm/C", "faster by:.2f")
    gains = []
    for model in models:
        codes = {}
        for name in variants:
            module, compiler, options = VARIANTS[name]
            if not name.endswith(".fma") or model.endswith("_float"):
                source = CORPUS / "models" / model / module
                storage = ["--constant-storage=c-array"] if compiler else []
                library = shared_object(session, source, f"{model}.{name}", compiler, [*options, *storage])
                if library is not None:
                    codes[name] = Code(library, model)
        runs = {name: code.run for name, code in codes.items()}
        times = timed({**runs, **tflite_ways(tflite, model)}, rounds, 4)
        in_c = least(times, [name for name in times if name.startswith(("vec.gcc", "vec.clang"))])
        gain = times["llvm.plain"] / times["llvm"] if {"llvm", "llvm.plain"} <= times.keys() else None
        gains += [gain] if gain else []
        table.add(model, {**times, "best": least(times, ("vec.llvm", "llvm")), "TVM/tflite": TVM_RATIOS[model],
                          "fma": least(times, ("vec.llvm.fma", "llvm.fma")), "faster by": gain,
                          "vec.llvm/C": in_c / times["vec.llvm"] if in_c and "vec.llvm" in times else None})
    if gains:
        print(f"module.py after Tenon's passes against without: {geometric_mean(gains):.2f} times as fast "
              "(geometric mean)")


def compared_way(session, model, variant, side, source, options, expected):
    """A way that times one round of a side of a comparison; None without the compiler."""
    module, compiler, flags = COMPARED[variant]
    folder = CORPUS / "models" / model
    source = source or folder / module
    if compiler is None:
        return lambda: session.times(source, [folder / "input0.npy"], *options, *flags, "--engine=jit",
                                     expect=[folder / expected], repeat=100)[0]["min_ms"]
    library = shared_object(session, source, f"{model}.{variant}.{side}", compiler, ["--module-name=default", *options])
    if library is None:
        return None
    measure = round_of(Code(library, model, expected).run, 0.5)
    return lambda: min(measure() for _ in range(8))


def compare(session, models, variants, rounds, sides):
    """Prints the times of each model on both sides, and their ratios. Returns the exit code. A side is a
    function of a model that gives the source, if it is not the variant's, the options, and the output."""
    needs_corpus()
    first, second = sides
    slow, ratios = [], {variant: [] for variant in variants}
    columns = [f"{variant} {side}" for variant in variants for side in (first, second, f"{second}/{first}")]
    table = session.table(f"Milliseconds a run, one thread, {first} and {second}", "model",
                          *(f"{column}:.2f" if "/" in column else column for column in columns))
    for model in models:
        row = {}
        for variant in variants:
            ways = {name: compared_way(session, model, variant, name, *side(model)) for name, side in sides.items()}
            if None in ways.values():
                continue
            times = by_turns(ways, rounds, min)
            ratio = times[second] / times[first]
            ratios[variant].append(ratio)
            row.update({**{f"{variant} {name}": time for name, time in times.items()},
                        f"{variant} {second}/{first}": ratio})
            if ratio > MOST:
                slow.append(f"{model} {variant}: {ratio:.2f} times the time")
        table.add(model, row)
    for variant, all_of in ratios.items():
        if all_of:
            print(f"{variant}: {geometric_mean(all_of):.2f} times the time (geometric mean)")
    print("\n".join(slow))
    return 1 if slow else 0


def less_workspace(session, models=tuple(MODELS), variants=tuple(COMPARED), rounds=31):
    """Each model without and with the passes that make the workspace smaller (--fuse, --narrow, --overlap).

    Variants `jit` are runs of `tenon run --engine=jit`, for the machine's own processor unless said
    otherwise. Times are the minimum of all rounds, which other load affects least. The last lines name the
    variants that take more than 1.05 times the time; the exit code is then 1.
    """
    return compare(session, models, variants, rounds, {
        name: lambda _, options=options: (None, options, "expected0.npy") for name, options in networks.PASSES.items()})


def from_tflite(session, models=tuple(MODELS), variants=tuple(v for v in COMPARED if v[:4] != "vec."), rounds=31):
    """Each model's .tflite file next to its TVM text, in the way of less_workspace."""
    return compare(session, models, variants, rounds, {
        "text": lambda _: (None, [], "expected0.npy"),
        "tflite": lambda model: (CORPUS / "tflite" / f"{MODELS[model]}.tflite", [], "litert_ref0.npy")})


def threads(session, threads=2, rounds=7):
    """The speed of networks and of the corpus's models on several threads, next to one thread.

    Runs each model with `tenon run --engine=jit -O3 --cpu=native`. The figures are medians of the rounds'
    medians, in milliseconds. Without the corpus, only the networks of networks.py are measured. The outputs
    of both ways must be equal, byte for byte. A model without parallel loops has the same code on all
    threads, so its times are not compared.
    """
    session.needs_llvm()
    files = {name: networks.write(name, "large", session.folder) for name in networks.NETWORKS}
    for folder in sorted((CORPUS / "models").glob("*/")):
        for text in filter(pathlib.Path.exists, (folder / "module.py", folder / "module_llvm.py")):
            files[f"{folder.name}/{text.name}"] = text, folder / "input0.npy"
    one, several = "1 thread", f"{threads} threads"
    table = session.table("Milliseconds a run", "model", one, several, f"{one}/{several}", width=28)
    for name, (module, values) in files.items():
        ways = {way: functools.partial(session.jit_ms, module, [values], f"--threads={count}")
                for way, count in ((one, 1), (several, threads))}
        outputs = {way: session.folder / f"{way}.npy" for way in ways}
        once = {way: ways[way](f"--output={path}") for way, path in outputs.items()}
        if len({path.read_bytes() for path in outputs.values()}) != 1:
            sys.exit(f"{name}: {threads} threads give another output than one")
        done = subprocess.run([session.tenon, "compile", module, "--emit=llvm-ir", *NATIVE, "--parallel=threads",
                               "-q", "-o", "-"], check=True, text=True, stdout=subprocess.PIPE)
        if not re.search(r"\bcall\b.*@tenon_parallel_for\(", done.stdout):
            table.add(name, {one: once[one], several: "no parallel loops"})
            continue
        repeat = runs_for(once[one], 50, 5)
        table.add(name, by_turns({way: functools.partial(run, repeat=repeat) for way, run in ways.items()}, rounds))


MODES = {"jit": ["--engine=jit"], "x86-64": ["--engine=jit", "--cpu=x86-64"], "c": ["--engine=c"]}


def external_speed(session, targets="onednn", models=tuple(MODELS), modes=tuple(MODES), rounds=5, milliseconds=100.0):
    """The speed of models whose operators go to an external code generator, next to the host's code.

    Each model of the corpus runs without targets and with them. A figure is the median over the rounds of a
    run's median time, in milliseconds. Outputs are compared with the corpus. The ratio is the time with
    targets over the time without: the goal is 1.05, docs/guide/onednn.md has the figures.
    """
    needs_corpus()
    columns = [column for mode in modes for column in (mode, f"{mode} + targets", f"{mode} + targets/{mode}")]
    table = session.table(f"Milliseconds a run without targets and with --targets={targets}", "model", *columns)
    for model in models:
        inputs, expected = (sorted((CORPUS / "models" / model).glob(name)) for name in ("input*.npy", "expected*.npy"))
        row = {}
        for mode in modes:
            def run(flags, repeat):
                return session.times(CORPUS / "models" / model / "module.py", inputs, *flags, expect=expected,
                                     repeat=repeat)[0]["median_ms"]
            flags = {mode: MODES[mode], f"{mode} + targets": [*MODES[mode], f"--targets={targets}"]}
            repeats = {way: runs_for(run(some, 5), milliseconds, 5) for way, some in flags.items()}
            ways = {way: functools.partial(run, some, repeats[way]) for way, some in flags.items()}
            row.update(by_turns(ways, rounds))
        table.add(model, row)


ONEDNN = ("host", "fma", "default", "onednn", "unpacked", "bare", "tflite")
PARTITION = "recognise-ops,annotate-targets{targets=%s},merge-regions{min-macs=0},partition"


def bare_way(session, model, text):
    """A way that runs the primitives of the model's functions; nothing if the model has none."""
    code = session.folder / f"{model}.c"
    subprocess.run([session.tenon, "compile", text, "-q", "--emit=c", "-o", code], check=True,
                   stderr=subprocess.DEVNULL)
    files = [file for file in sorted(code.glob("*_onednn.c")) if file.name != "tenon_onednn.c"]
    if len(files) != 1 or len(re.findall(r"_ops\[\] =", files[0].read_text())) != 1:
        return {}
    ops = files[0].name.removesuffix("_onednn.c") + "_ops"
    library = session.folder / f"{model}.bare.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{code}", f'-DCODE="{files[0].name}"', f"-DOPS={ops}",
                    pathlib.Path(__file__).with_name("onednn_bare.c"), "-ldnnl", "-lgomp", "-o", library], check=True)
    bare = ctypes.CDLL(str(library))
    if bare.bare_init() != 0:
        sys.exit(f"{model}: the primitives cannot be made")
    return {"bare": bare.bare_run}


def onednn_speed(session, models=("ad_float", "resnet_float", "vww_float"), rounds=301):
    """The speed of float models whose operators go to oneDNN.

    Each float model of the corpus runs in one process and on one thread, in interleaved rounds:
      host      Tenon's own loops, as --emit=shared compiles them
      fma       the same with --fp-contract=fast
      default   with --targets=onednn: the rule of profit decides
      onednn    all operators that the library has, without that rule
      unpacked  the same, with weights that are not packed at compile time
      bare      only the primitives of `onednn`, without Tenon's code (onednn_bare.c)
      tflite    tflite-runtime 2.14, one thread (see model_speed)
    A figure is the minimum over the rounds of a round's mean, in milliseconds. Outputs are compared with the
    corpus before anything is timed. The last columns are ratios to be judged.
    """
    needs_corpus()
    tflite = import_tflite()
    table = session.table("Milliseconds a run, one thread", "model", *ONEDNN, "onednn/tflite", "onednn/bare",
                          "default/host", "unpacked/onednn")
    for model in models:
        module, cut = CORPUS / "models" / model / "module.py", session.folder / f"{model}.py"
        subprocess.run([session.opt, module, f"--pipeline={PARTITION % 'onednn'}", "-o", cut], check=True)
        codes = {way: Code(shared_object(session, text, f"{model}.{way}", None, flags), model)
                 for way, (text, *flags) in {
                     "host": [module], "fma": [module, "--fp-contract=fast"], "default": [module, "--targets=onednn"],
                     "onednn": [cut],
                     "unpacked": [cut, f"--generator=onednn={session.bin}/tenon-onednn --unpacked"]}.items()}
        ways = {**{way: code.run for way, code in codes.items()}, **bare_way(session, model, cut),
                **tflite_ways(tflite, model)}
        table.add(model, timed(ways, rounds, 1, min))


# Rows, columns, and length of the sums. The first ones are of small models: few columns, short sums, vectors.
SHAPES = {
    "small": [(2304, 16, 8), (576, 32, 16), (576, 32, 32), (144, 64, 64), (36, 128, 128), (9, 256, 256),
              (1024, 16, 16), (1024, 32, 16), (125, 64, 64), (1, 128, 128), (1, 640, 128), (16, 16, 256)],
    "large": [(1, 1024, 1024), (8, 1024, 1024), (16, 256, 256), (64, 64, 64), (64, 64, 576), (49, 512, 512),
              (196, 128, 256), (3136, 64, 64), (128, 256, 256), (256, 256, 256), (128, 512, 512), (384, 384, 384),
              (128, 768, 768), (512, 512, 512), (128, 768, 3072), (1024, 1024, 1024)],
    "quick": [(64, 64, 64), (64, 64, 576), (128, 256, 256), (128, 768, 768), (128, 768, 3072)]}
IN_C = ["--engine=c", "--cflags=-std=c99 -O3 -march=native"]
HOSTS = {
    "c -O2": ["--engine=c"],
    "c -O3 native": IN_C,
    "c optimised": [*IN_C, "--optimize=on"],
    "any x86-64": ["--engine=jit"],
    "x86-64-v3": ["--engine=jit", "--cpu=x86-64-v3"],
    "x86-64-v3 fma": ["--engine=jit", "--cpu=x86-64-v3", "--fp-contract=fast"],
    "native": ["--engine=jit", "--cpu=native"],
    "native fma": ["--engine=jit", "--cpu=native", "--fp-contract=fast"],
}
PRODUCT = """# from tvm.script import ir as I
# from tvm.script import tir as T
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def product(a: T.Buffer(({m}, {k}), "float32"), b: T.Buffer(({k}, {n}), "float32"), \
c: T.Buffer(({m}, {n}), "float32")):
        T.func_attr({{"tir.noalias": T.bool(True)}})
        for i, j in T.grid({m}, {n}):
            c[i, j] = T.float32(0)
            for k in range({k}):
                c[i, j] = c[i, j] + a[i, k] * b[k, j]

    @T.prim_func
    def main(a: T.Buffer(({m}, {k}), "float32"), b: T.Buffer(({k}, {n}), "float32"), \
c: T.Buffer(({m}, {n}), "float32")):
        T.func_attr({{"tir.noalias": T.bool(True)}})
        T.evaluate(T.call_extern("int32", "product", a.data, b.data, c.data))
"""


def blas_offload(session, shapes="small,large", hosts=tuple(HOSTS)):
    """Matrix products as the host's loops and as calls of BLAS, for a grid of shapes and processors.

    For each shape: the best time of the loops and of BLAS, their quotient, and the decision of the
    generator `blas` (byoc/generators/blas_rule.cc). A decision is wrong if it costs more than 5 % of
    the faster time. BLAS runs on one thread. `shapes` are small, large or quick. For whole models, see
    `external_speed --targets=blas`.
    """
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    wrong = 0
    table = session.table("Loops and BLAS, milliseconds", "host, m x n x k", "million:.2f", "loops", "BLAS",
                          "loops/BLAS", "rule", width=36)
    text, cut = session.folder / "m.py", session.folder / "p.py"
    for host, (m, n, k) in ((host, shape) for host in hosts for name in shapes.split(",") for shape in SHAPES[name]):
        text.write_text(PRODUCT.format(m=m, n=n, k=k), encoding="utf-8")
        inputs = {"a.npy": (m, k), "b.npy": (k, n)}
        for name, (rows, columns) in inputs.items():
            row = b"".join(bytes([0, 0, i * 37 % 256, 0x3D]) for i in range(columns))  # small numbers
            (session.folder / name).write_bytes(npy("<f4", (rows, columns), row * rows))
        subprocess.run([session.opt, text, f"--pipeline={PARTITION % 'blas trust=true'}", "-o", cut], check=True)

        def run(module, *flags):
            return session.times(module, [session.folder / name for name in inputs], *HOSTS[host], *flags,
                                 repeat=max(5, min(2000, 200_000_000 // (m * n * k))))
        times = by_turns({"loops": lambda: run(text)[0]["min_ms"], "BLAS": lambda: run(cut)[0]["min_ms"]}, 2, min)
        offloads = "blas: 1 of 1" in run(text, "--targets=blas")[1]
        chosen = times["BLAS" if offloads else "loops"]
        # Staying on the host is never a loss: it is the result without the target.
        lost = offloads and chosen > MOST * times["loops"]
        wrong += lost
        note = " LOST" if lost else " (could go)" if chosen > MOST * min(times.values()) else ""
        table.add(f"{host}, {m} x {n} x {k}", {**times, "million": m * n * k / 1e6,
                                               "rule": ("blas" if offloads else "host") + note})
    print(f"{wrong} shapes became slower by more than 5 %")
