"""Benchmarks of large constants: lists in texts, side files, ways to store them, packages, merging."""

import array
import functools
import importlib.util
import itertools
import pathlib
import random
import re
import resource
import shutil
import struct
import subprocess
import sys

from runner import Skip, by_turns, close, npy, process, read_npy, typical, write_safetensors

HERE = pathlib.Path(__file__).resolve().parent
LIST_HEAD = """# from tvm.script import tir as T

@T.prim_func
def main(out: T.Buffer((1,), "{0}")):
    weights = T.allocate_const(["""
LIST_TAIL = """], "{0}", [{1}])
    w = T.Buffer(({1},), "{0}", data=weights)
    out[0] = w[0]
"""
SIDE_FILE = """# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({{"tenon.constants": [I.constant("w", I.file("w.safetensors", "w"), "float32", [{n}])]}})
    @T.prim_func
    def main(x: T.Buffer(({x},), "float32"), y: T.Buffer(({x},), "float32")):
        T.func_attr({{"global_symbol": "main", "tir.noalias": T.bool(True)}})
        w = T.allocate_const(I.constant("w"), "float32", [{n}])
        w_1 = T.Buffer(({n},), "float32", data=w)
        for i in range({x}):
"""
ADDED = "            y[i] = x[i] + w_1[i]\n"
MULTIPLIED = """            y[i] = T.float32(0)
            for k in range({x}):
                y[i] = y[i] + x[k] * w_1[i * {x} + k]
"""


def write_side_file(folder, count, x, body, pieces):
    """A module with one constant of `count` elements, and its data."""
    (folder / "model.py").write_text((SIDE_FILE + body).format(n=count, x=x), encoding="utf-8")
    write_safetensors(folder / "w.safetensors", [("w", "F32", [count], 4 * count)], pieces)
    return folder / "model.py"


def shortest(value):
    """The shortest decimal that reads back as this float32, as TVM prints it."""
    (value,) = struct.unpack("f", struct.pack("f", value))
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if struct.pack("f", float(text)) == struct.pack("f", value):
            break
    return repr(float(text))


def big_constants(session, megabytes=100, rounds=3):
    """Reading and printing of constant lists of about 100 MB of text: speed and peak memory."""
    table = session.table("Constant lists, MB of text per second", "elements", "MB:.0f", "read:.0f",
                          "read and printed:.0f", "peak, times the file:.2f")
    for dtype in ("int8", "float32"):
        dice = random.Random(1)
        items = [str(dice.randint(-128, 127)) if dtype == "int8" else shortest(dice.gauss(0, 0.05))
                 for _ in range(10000)]
        block = ", ".join(items)
        blocks = max(1, megabytes * 1000000 // (len(block) + 2))
        path = session.folder / f"{dtype}.py"
        # In pieces: the peak of a child includes its parent's memory at the fork.
        with path.open("w", encoding="utf-8") as out:
            out.write(LIST_HEAD.format(dtype))
            out.writelines(block if i == 0 else ", " + block for i in range(blocks))
            out.write(LIST_TAIL.format(dtype, blocks * len(items)))
        size = path.stat().st_size / 1e6
        command = [session.opt, path, "-o", "/dev/null"]
        # With elided constants only reading and the hash of the bytes remain.
        costs = by_turns({"read": lambda: process([*command, "--constants=elide"]),
                          "both": lambda: process(command)}, rounds, min)
        table.add(dtype, {"MB": size, "read": size / costs["read"].seconds,
                          "read and printed": size / costs["both"].seconds,
                          "peak, times the file": costs["both"].megabytes / size})
        path.unlink()


MERGED = 384  # constants; half of them are unique


def place(index):
    """Type and section of a constant. A third of the copies (the odd ones) have another type, and a
    third another section than the original."""
    kind = index // 2 % 3
    if index % 2 == 0:
        return ("uint8", ".rodata.w" if kind == 2 else "")
    return ("int8" if kind == 1 else "uint8", ".rodata.w" if kind == 2 else "")


def data_of(index, size):
    return random.Random(index // 2).randbytes(size)


def write_copies(folder, size):
    """A module of constants of which half are copies."""
    places = [place(i) for i in range(MERGED)]
    tensors = [(f"w{i}", "U8" if dtype == "uint8" else "I8", [size], size) for i, (dtype, _) in enumerate(places)]
    write_safetensors(folder / "w.safetensors", tensors, (data_of(i, size) for i in range(MERGED)))
    entries = [f'I.constant("w{i}", I.file("w.safetensors", "w{i}"), "{dtype}", [{size}]'
               + (f', section="{section}")' if section else ")") for i, (dtype, section) in enumerate(places)]
    body = [f'w{i} = T.allocate_const(I.constant("w{i}"), "{dtype}", [{size}])'
            for i, (dtype, _) in enumerate(places)]
    for i, (dtype, _) in enumerate(places):
        body += [f'w{i}_1 = T.Buffer(({size},), "{dtype}", data=w{i})', f'out[{i}] = T.Cast("int8", w{i}_1[0])']
    (folder / "module.py").write_text(
        "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n@I.ir_module\nclass Module:\n"
        f'    I.module_attrs({{"tenon.constants": [{", ".join(entries)}]}})\n    @T.prim_func\n'
        f'    def main(out: T.Buffer(({MERGED},), "int8")):\n' + "".join(f"        {line}\n" for line in body))


def write_bitcode(folder, size):
    """The same constants as globals that a function uses."""
    with open(folder / "module.ll", "w", encoding="ascii") as out:
        for i in range(MERGED):
            text = "".join(f"\\{byte:02x}" for byte in data_of(i, size))
            # Another type of the same width: LLVM's integers have no sign.
            dtype, section = place(i)
            value = f'[{size} x i8] c"{text}"'
            value = f"<{{ [{size} x i8] }}> <{{ {value} }}>" if dtype == "int8" else value
            where = f', section "{section}"' if section else ""
            out.write(f"@w{i} = private unnamed_addr constant {value}{where}, align 16\n")
        stores = "".join(f"  store volatile ptr @w{i}, ptr %out\n" for i in range(MERGED))
        out.write("define void @main(ptr %out) {\n" + stores + "  ret void\n}\n")
    subprocess.run(["llvm-as-19", folder / "module.ll", "-o", folder / "module.bc"], check=True)
    (folder / "module.ll").unlink()


def constant_merge(session, megabytes=1000, llvm_megabytes=100, rounds=3):
    """Merging of constants: speed and peak memory of merge-constants, next to LLVM's constmerge.

    Half of the constants are copies: a third of the copies have the same type, a third another type,
    and a third are in a section. The whole process counts: reading the text and the side file with the
    data, and writing the text. LLVM gets the same bytes as bitcode, and writes bitcode, or nothing.
    """
    table = session.table("Merging of constants", "data and program", "s:.3f", "CPU s:.3f", "GB per CPU s:.1f",
                          "peak MB:.0f", width=38)
    folder = session.folder

    def merge(level, out="/dev/null"):
        return [session.opt, folder / "module.py", "--constants=keep", "-o", out,
                f"--pipeline=merge-constants{{level={level}}}"]

    opt = ["opt-19", "-passes=constmerge", folder / "module.bc"]
    for size, ways in ((megabytes, {"merge-constants, exact": merge("exact"),
                                    "merge-constants, subrange": merge("subrange"),
                                    "cp": ["cp", folder / "w.safetensors", folder / "copy"]}),
                       (llvm_megabytes, {"merge-constants, exact": merge("exact", folder / "out.py"),
                                         "opt -passes=constmerge": [*opt, "-o", folder / "out.bc"],
                                         "the same, writing nothing": [*opt, "-disable-output"]})):
        each = size * 1000000 // MERGED // 64 * 64
        write_copies(folder, each)
        if "cp" not in ways:
            write_bitcode(folder, each)
        costs = by_turns({way: functools.partial(process, command) for way, command in ways.items()}, rounds, min)
        for way, cost in costs.items():
            table.add(f"{size} MB: {way}", {"s": cost.seconds, "CPU s": cost.cpu, "peak MB": cost.megabytes,
                                            "GB per CPU s": size / 1000 / max(cost.cpu, 0.001)})
    merged = MERGED - len(set(re.findall(r'I\.constant\("(w\d+)", I\.file', (folder / "out.py").read_text())))
    # Only the text has names of private globals.
    with subprocess.Popen(["llvm-dis-19", folder / "out.bc", "-o", "-"], stdout=subprocess.PIPE) as dis:
        kept = sum(1 for line in dis.stdout if line.startswith(b"@"))
    print(f"\nOf {MERGED // 2} copies Tenon merged {merged}, LLVM {MERGED - kept}.")


def constant_storage(session, megabytes=50, rounds=3, seconds=300.0, gigabytes=8):
    """Time and memory from a module to linkable constants, for every way to emit them.

    Random float32 constants in a side file. `emit` is the whole process of tenon compile. `compile` is the
    work on the constants before linking. Figures are the best time and the largest memory. A dash means
    that the compiler has no #embed. A compiler that exceeds the limits of time or address space is stopped,
    and the row says so. Steps that take 20 s run once.
    """
    # Small numbers with all digits, like weights.
    block = b"".join(struct.pack("<f", ((i * 2654435761) % 1000003 - 500000) / 3.7e6) for i in range(1 << 16))
    size = megabytes * 1000000 // 4 * 4
    pieces = itertools.chain(itertools.repeat(block, size // len(block)), [block[:size % len(block)]])
    module = write_side_file(session.folder, size // 4, 4, ADDED, pieces)
    most = gigabytes << 30

    def measure(command):
        """What two cells say: time and memory."""
        costs = []
        while len(costs) < rounds and not (costs and costs[0].seconds > 20):
            cost = process(command, limit=seconds, check=False,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)))
            late, large = cost.status < 0 and cost.seconds >= seconds, cost.status != 0 and cost.megabytes > 1000
            if late:
                return f"stopped after {cost.seconds:.2f} s", f"{cost.megabytes:.0f} MB"
            if large:
                return f"{cost.seconds:.2f} s", f"out of memory at {cost.megabytes:.0f} MB"
            if cost.status != 0:
                return "-", "-"
            costs.append(cost)
        return f"{min(costs).seconds:.2f} s", f"{max(cost.megabytes for cost in costs):.0f} MB"

    columns = ("emit", "its memory", "compile", "its memory ")
    table = session.table(f"{megabytes} MB of constants", "as, by", *columns, width=18)
    for kind, source in (("c-array", ".c"), ("incbin", "_constants.S"), ("embed", "_constants.c"), ("object", ""),
                         ("file", "")):
        out = session.folder / kind
        emit = measure([session.tenon, "compile", module, "--emit=c", f"--constant-storage={kind}", "-o", out])
        for compiler in filter(shutil.which, ("gcc", "clang-19")) if source else ("-",):
            command = [compiler, "-O1", "-w", f"-I{out}", "-c", f"{out}/tvmgen_default{source}", "-o", out / "x.o"]
            done = measure(command) if source else ("-", "-")
            table.add(f"{kind}, {compiler}", zip(columns, (*emit, *done)))


def package_load(session, rows=3500, rounds=7):
    """How fast a package of 50 MB of constants runs, next to compiling and running its module.

    A product of a vector and a float32 matrix of ROWS x ROWS. Medians of whole processes, and the largest memory.
    """
    draw = random.Random(1)
    row = array.array("f", [draw.uniform(-1, 1) for _ in range(rows)])
    pieces = ((row[i:] + row[:i]).tobytes() for i in range(rows))
    write_side_file(session.folder, rows * rows, rows, MULTIPLIED, pieces)
    (session.folder / "x.npy").write_bytes(npy("<f4", [rows], row.tobytes()))
    table = session.table(f"{4 * rows * rows / 1e6:.0f} MB of float32", "tenon ...", "s:.3f", "MB:.0f", width=48)
    ways = {way: functools.partial(process, [session.tenon, *way.split(), *extra, "-q"], session.folder)
            for way, extra in (
        ("compile model.py --emit=package", ["-o", "model.tenon"]), ("run model.tenon", ["--input=x.npy"]),
        ("package verify model.tenon", []), ("run model.py --engine=c", ["--input=x.npy"]),
        ("run model.py --engine=c --constant-storage=file", ["--input=x.npy"]))}
    for way, cost in by_turns(ways, rounds, typical).items():
        table.add(way, {"s": cost.seconds, "MB": cost.megabytes})


HASH_RATE = 5e9  # bytes a second
PASSES = "extract-constants,merge-constants,assign-pool-info,plan-memory,convert-pool-allocations-to-offsets"
STEPS = {  # the command and its output
    "cp": ("cp bert.safetensors copy.safetensors", "copy.safetensors"),
    "open, print": ("{opt} bert.py --constants=keep -o out.py", "out.py"),
    "hash": ("{opt} bert.py --constants=elide -o out.py", "out.py"),
    "lift to a file": ("{opt} bert.py --constants=keep --pipeline=lift-params{{file=lifted.safetensors}} -o lifted.py",
                       "lifted.safetensors"),
    "bind that file": ("{opt} lifted.py --constants=keep --pipeline=bind-params{{file=lifted.safetensors}} -o bound.py",
                       "bound.py"),
    "extract, merge, pool": (f"{{opt}} bert.py --constants=keep --pipeline={PASSES} -o out.py", "out.py"),
    "the same, to a side file": (f"{{opt}} bert.py --constants=sidecar --pipeline={PASSES} -o side.py",
                                 "side.py.safetensors"),
    **{f"compile, --constant-storage={storage}": (
        "{tenon} compile bert.py --module-name=bert --emit=c --constant-storage=" + f"{storage} -o {storage}", storage)
       for storage in ("file", "object")},
}
PROGRAMS = {  # the way that constants are stored, and the source or object that has them
    "an object": ("object", "tvmgen_bert_constants.o"),
    "a file, each constant checked": ("file", "tvmgen_bert_constants_host.c"),
    "a file, -DTENON_CONSTANTS_TRUST_DATA": ("file", "tvmgen_bert_constants_host.c -DTENON_CONSTANTS_TRUST_DATA"),
}


def step(session, command, output):
    """A way that runs a step. The output of the previous run is removed first: replacing a file takes
    longer than creating one."""
    def run():
        shutil.rmtree(session.folder / output, ignore_errors=True)
        (session.folder / output).unlink(missing_ok=True)
        return process(command.format(opt=session.opt, tenon=session.tenon).split(), session.folder)
    return run


def bert_large(session, rounds=3, sizes=""):
    """Gigabytes of constants: every step for a module of BERT-large's size, next to `cp` of its data.

    Makes the module (1.3 GB of weights; needs NumPy and 7 GB of disk), runs each step as a separate
    process, and prints seconds, peak resident memory and the share of the goal: twice the copy of the
    data plus its hash at 5 GB/s. Then it builds the programs with cc -O2 and runs them: it prints the startup
    time and compares the output of the first layers with NumPy's. `sizes` are options of bert_module.py.
    """
    if importlib.util.find_spec("numpy") is None:
        raise Skip("NumPy is not here")
    folder = session.folder
    # In a separate process: the peak of a child includes its parent's memory at the fork.
    subprocess.run([sys.executable, HERE / "bert_module.py", folder, *sizes.split()], check=True)
    costs = by_turns({name: step(session, *what) for name, what in STEPS.items()}, rounds, typical)
    size = (folder / "bert.safetensors").stat().st_size
    goal = 2 * costs["cp"].seconds + size / HASH_RATE
    print(f"goal {goal:.2f} s: twice cp, and the hash at 5 GB/s")
    table = session.table(f"{size / 1e9:.2f} GB of constants", "step", "s:.3f", "of goal:.2f", "MB:.0f", width=36)
    for name, cost in costs.items():
        table.add(name, {"s": cost.seconds, "of goal": cost.seconds / goal, "MB": cost.megabytes})
    table = session.table("The first layers, as NumPy has them", "the program, constants in", "start s:.3f",
                          "run s:.3f", "MB:.0f", width=36)
    for name, (storage, sources) in PROGRAMS.items():
        where = folder / storage
        process(["cc", "-O2", "-I.", "-o", "bert", HERE / "bert_main.c", "tvmgen_bert.c", *sources.split(), "-lm"],
                where)
        start = by_turns({"": lambda where=where: process(["./bert"], where)}, rounds, typical)[""]
        cost = process(["./bert", "../ids.npy", "../depth.npy", "y.bin"], where)
        if not close((where / "y.bin").read_bytes(), read_npy(folder / "expected.npy")[0]):
            sys.exit(f"bert_large: {name}: the output is not NumPy's")
        table.add(name, {"start s": start.seconds, "run s": cost.seconds, "MB": cost.megabytes})
