"""Benchmarks of whole processes: reading and printing, each step of the corpus's models, compile time."""

import functools
import shutil
import subprocess

from runner import CORPUS, MODELS, Skip, by_turns, needs_corpus, process, typical

TENON = """    @T.prim_func
    def f{0}(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32"), \
C: T.Buffer((64, 64), "float32")):
        for i, j, k in T.grid(64, 64, 64):
            C[i, j] = C[i, j] + A[i, k] * B[k, j]

"""
MLIR = """func.func @f{0}(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {{
  affine.for %i = 0 to 64 {{ affine.for %j = 0 to 64 {{ affine.for %k = 0 to 64 {{
    %a = affine.load %A[%i, %k] : memref<64x64xf32>
    %b = affine.load %B[%k, %j] : memref<64x64xf32>
    %c = affine.load %C[%i, %j] : memref<64x64xf32>
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    affine.store %s, %C[%i, %j] : memref<64x64xf32>
  }} }} }}
  return
}}
"""


def tool(name):
    """A program of LLVM 19 or later, if it is installed."""
    places = [f"{name}-{version}" for version in range(22, 18, -1)]
    places += [f"/usr/lib/llvm-{version}/bin/{name}" for version in range(22, 18, -1)]
    return next(filter(None, map(shutil.which, places)), None)


def matmul(session, functions=20000, rounds=5):
    """Parsing, verifying and printing many three-loop matmul functions: tenon-opt next to mlir-opt.

    Medians of whole processes, and the largest memory.
    """
    commands = {}
    peer = shutil.which("mlir-opt-19") or shutil.which("mlir-opt")
    for name, program, head, text in (
            ("tenon-opt", session.opt, "# from tvm.script import tir as T\n@I.ir_module\nclass Module:\n", TENON),
            ("mlir-opt", peer, "", MLIR)):
        if program is None:
            print("mlir-opt is not here: no peer")
            continue
        path = session.folder / f"{name}.txt"
        with path.open("w", encoding="utf-8") as out:
            out.write(head)
            out.writelines(text.format(i) for i in range(functions))
        commands[name] = functools.partial(process, [program, path, "-o", "/dev/null"])
    costs = by_turns(commands, rounds, typical)
    table = session.table(f"{functions} matmuls", "program", "s:.3f", "MB:.0f")
    for name, cost in costs.items():
        table.add(name, {"s": cost.seconds, "MB": cost.megabytes})
    if peer:
        ours, theirs = costs["tenon-opt"], costs["mlir-opt"]
        print(f"tenon-opt is {theirs.seconds / ours.seconds:.1f} times as fast, "
              f"in {ours.megabytes / theirs.megabytes:.2f} times the memory")


def models(session, models=tuple(MODELS), rounds=5):
    """The models of the corpus: milliseconds of each step, medians of whole processes."""
    needs_corpus()
    table = session.table("Milliseconds of whole processes", "model", "read+print:.0f", "compile to C:.0f",
                          "interpret:.0f")
    for model in models:
        folder = CORPUS / "models" / model
        module = folder / "module.py"
        commands = {
            "read+print": [session.opt, module, "-o", "/dev/null"],
            "compile to C": [session.tenon, "compile", module, "--emit=c", "--constant-storage=c-array", "-o",
                             session.folder / model],
            "interpret": [session.tenon, "run", module, "--input", folder / "input0.npy", "--engine=interp",
                          "--expect", folder / "expected0.npy"]}
        costs = by_turns({name: functools.partial(process, command) for name, command in commands.items()}, rounds,
                         typical)
        table.add(model, {name: cost.seconds * 1e3 for name, cost in costs.items()})


def compile_speed(session, models="vww_int8", rounds=5, text="module.py"):
    """The time to compile a model to an object, next to LLVM's own programs on the IR that Tenon emits.

    `tenon compile --emit=obj -O3` reads the text, plans memory and writes the object. `opt -O3` and
    `llc -O3` start from the same functions as bitcode and do the rest. Medians are of user and system
    time. The goal is a ratio of at most 1.2 for vww_int8. Tenon optimizes functions on all processors;
    the table also shows the wall-clock time, with all threads and with one. `models` are names with commas.
    """
    needs_corpus()
    session.needs_llvm()
    opt, llc = tool("opt"), tool("llc")
    if opt is None or llc is None:
        raise Skip("opt and llc of LLVM 19 or later are not here")
    table = session.table("Seconds to an object, -O3 (goal: 1.20 for vww_int8)", "model", "tenon:.3f", "opt+llc:.3f",
                          "tenon/opt+llc", "clock:.3f", "1 thread:.3f")
    for model in models.split(","):
        module = CORPUS / "models" / model / text
        plain, optimised, out = (session.folder / f"{model}{end}" for end in (".bc", ".opt.bc", ".o"))
        tenon = [session.tenon, "compile", module]
        subprocess.run([*tenon, "--emit=bitcode", "-O0", "-o", plain], check=True, capture_output=True)
        obj = [*tenon, "--emit=obj", "-O3", "-o", out]
        costs = by_turns({
            "tenon": lambda: process(obj), "1 thread": lambda: process([*obj, "--threads=1"]),
            "opt": lambda: process([opt, "-O3", plain, "-o", optimised]),
            "llc": lambda: process([llc, "-O3", "-filetype=obj", "-relocation-model=pic", "-function-sections",
                                    "-data-sections", optimised, "-o", out])}, rounds, typical)
        table.add(model, {"tenon": costs["tenon"].cpu, "opt+llc": costs["opt"].cpu + costs["llc"].cpu,
                          "clock": costs["tenon"].seconds, "1 thread": costs["1 thread"].seconds})
