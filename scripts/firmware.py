#!/usr/bin/env python3
"""Builds models as microcontroller images, checks them, and runs them on an emulated machine.

Use: scripts/firmware.py [--board=cortex-m|riscv] [--core=CORE|all] [--code=CODE...] [--tenon=BIN]
       [--out=DIR] [--profile] [--verbose] [MODEL...]
A model is `digits` (examples/digits) or the name of a model of the corpus ($TENON_CORPUS_DIR, or
shared/corpus next to the source folder); the default is the models of the board's table. A name
that ends in `.tflite` is the same model from its file of TensorFlow Lite, on ten inputs, or all
held-out digits. A name that ends in `.onnx` is a model of the corpus' onnx/, with the outputs of the interpreter. Each is
built from C and, if Tenon was built with LLVM, from an object of Tenon, both with -Os and -O2; or
from the code that --code names, "gcc -Os" for example. A core is m4, m0plus, m3, m7 or m55; the
code of a Cortex-M0+ runs on a Cortex-M3, since QEMU has no board with that core and enough memory. Prints a line for each image, which ends in
`bit-exact` if its output is as expected (`within 1 ulp` for floats that depend on the C library). --profile prints a table of operators for each model instead, with
the instructions of a run of the C ("gcc -Os"). The exit code is 0, or 1 if anything was wrong; 77 if
there was nothing to do because tools or models are missing, with a message. --verbose prints the
commands.
"""

import argparse
import dataclasses
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = SOURCE / "examples"
sys.path.insert(0, str(SOURCE / "tests" / "integration" / "tflite"))
import tflite_models  # noqa: E402

SKIPPED = 77
RUN_SECONDS = 120
DIGITS = "digits.tflite"
TFLITE = ".tflite"  # after the name of a model: from its file of TensorFlow Lite
ONNX = ".onnx"
# The last line of an image whose floats differ by at most one unit in the last place: the expf of newlib for processors
# without double precision is not rounded like glibc's.
CLOSE = "within OUTPUT_ULPS"
REPORT = "report.json"  # in the folder of an image
SAID = "stdout.txt"  # what `tenon compile` wrote to stdout
CODES = ("gcc -Os", "gcc -O2", "llvm -Os", "llvm -O2")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
ALLOCATORS = re.compile(r"_?(malloc|calloc|realloc|free|sbrk|memalign|aligned_alloc)(_r)?|"
                        r"_Z(nw|na|dl|da).*")
# Options of gcc for images that count the instructions of each operator.
PROFILE = ["-DPROFILE", "-finstrument-functions", "-fno-inline-functions-called-once",
           "-finstrument-functions-exclude-file-list=startup.c,main.c,profile.c,tenon_runtime.h"]
# The functions of an image around the model's: examples/cortex-m/startup.c or examples/riscv/startup.c, then main.c.
APPLICATION = ("Reset_Handler", "start_c", "main", "run_model")
INITIALISERS = re.compile(r"\.(preinit_array|init_array|ctors|init)(\..*)?")


@dataclasses.dataclass(frozen=True)
class Board:
    """A machine of QEMU, and the tools that build for it."""
    models: tuple
    prefix: str            # of the binutils and gcc
    machine: tuple         # options of gcc
    libc: tuple            # options of gcc for the C library
    target: str            # of Tenon
    folder: str            # in examples/
    script: str            # for the linker
    emulator: tuple
    tick: float            # instructions


BOARDS = {
    "cortex-m": Board(
        models=("digits", "kws_int8", "ad_int8", "vww_int8", "resnet_int8", "sww_int8", DIGITS,
                "kws_int8.tflite", "ad_int8.tflite", "vww_int8.tflite", "resnet_int8.tflite",
                "sww_int8.tflite", "ds_cnn.onnx"),
        prefix="arm-none-eabi-",
        machine=("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"),
        libc=("--specs=nano.specs",),
        target="cortex-m4",
        folder="cortex-m",
        script="mps2_an386.ld",
        emulator=("qemu-system-arm", "-machine", "mps2-an386"),
        # The processor runs at 25 MHz, and an instruction takes 1 ns with -icount shift=0.
        tick=40),
    "riscv": Board(
        models=("digits", "kws_int8"),
        prefix="riscv64-unknown-elf-",
        machine=("-march=rv32imac", "-mabi=ilp32"),
        libc=("--specs=picolibc.specs",),
        target="rv32imac",
        folder="riscv",
        script="virt.ld",
        emulator=("qemu-system-riscv32", "-machine", "virt", "-bios", "none"),
        tick=1),
}


def arm_board(machine, target, emulator, script="mps2_an386.ld", tick=40.0):
    """The board of another Cortex-M."""
    return dataclasses.replace(
        BOARDS["cortex-m"], machine=(f"-mcpu={target}", "-mthumb", *machine), target=target,
        emulator=("qemu-system-arm", "-machine", emulator), script=script, tick=tick)


CORES = {
    "m4": BOARDS["cortex-m"],
    "m0plus": arm_board((), "cortex-m0plus", "mps2-an385"),
    "m3": arm_board((), "cortex-m3", "mps2-an385"),
    "m7": arm_board(("-mfloat-abi=hard", "-mfpu=fpv5-d16"), "cortex-m7", "mps2-an500"),
    # This board's processor runs at 32 MHz.
    "m55": arm_board(("-mfloat-abi=hard",), "cortex-m55", "mps3-an547", "mps3_an547.ld", 31.25),
}


class Failed(Exception):
    """An error message for the user."""


class Runner:
    """Runs commands, and shows them if asked to."""

    def __init__(self, verbose=False):
        self.verbose = verbose

    def __call__(self, *command, code=0, **options):
        command = [str(word) for word in command]
        if self.verbose:
            print("$", shlex.join(command), flush=True)
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
        except subprocess.TimeoutExpired as expired:
            raise Failed(f"{command[0]} was still running after {expired.timeout:.0f} s") from expired
        if done.returncode != code:
            raise Failed(f"exit code {done.returncode} of {shlex.join(command)}\n"
                         f"{(done.stdout + done.stderr)[-4000:]}")
        return done.stdout


@dataclasses.dataclass(frozen=True)
class Model:
    """A model, and the .npy files with its inputs and the outputs that are expected."""
    name: str  # an identifier
    file: pathlib.Path
    given: pathlib.Path
    expected: pathlib.Path
    runs: int  # how many inputs the files have


def is_there(model):
    if model.endswith(ONNX):
        return (tflite_models.corpus() / "onnx" / model).is_file()
    if model.endswith(TFLITE) and model != DIGITS:
        return tflite_models.file_of(model.removesuffix(TFLITE)).is_file()
    return folder_of(model.removesuffix(TFLITE)).is_dir()


def folder_of(model):
    """The folder of a model that is a text."""
    return EXAMPLES / "digits" if model == "digits" else tflite_models.corpus() / "models" / model


def find_model(model, out, tenon="tenon"):
    """A Model; vectors that are made go to `out`."""
    if model.endswith(ONNX):
        name = model.removesuffix(ONNX)
        file = tflite_models.corpus() / "onnx" / model
        given, expected = file.with_name(f"{name}.in0.npy"), out / f"{name}.npy"
        Runner()(tenon, "run", file, "--input", given, "--output", expected, "-q")
        return Model(name, file, given, expected, 1)
    if model == DIGITS:
        folder = folder_of("digits")
        return Model("digits", folder / model, folder / "heldout_images.npy",
                     folder / "tflite_logits.npy", 539)
    if model.endswith(TFLITE):
        name = model.removesuffix(TFLITE)
        given, expected = tflite_models.write_vectors(name, out)
        return Model(name, tflite_models.file_of(name), given, expected, tflite_models.COUNT)
    folder = folder_of(model)
    file = folder / ("digits.py" if model == "digits" else "module.py")
    return Model(model, file, folder / "input0.npy", folder / "expected0.npy", 1)


def missing_tools(board):
    """The names of missing programs and parts of the C library."""
    gcc = board.prefix + "gcc"
    programs = (gcc, board.prefix + "nm", board.emulator[0])
    missing = [name for name in programs if not shutil.which(name)]
    if gcc not in missing:
        probe = subprocess.run([gcc, *board.libc, "-E", "-"], input="#include <string.h>\n",
                               capture_output=True, text=True, check=False)
        if probe.returncode != 0:
            missing.append(f"the C library of {gcc}")
    return missing


def has_llvm(tenon):
    return pathlib.Path(tenon).with_name("tenon-llvm").exists()


def header_bytes(npy):
    """The length of the header of a .npy file."""
    start = npy.read_bytes()[:12]
    if start[:6] != b"\x93NUMPY":
        raise Failed(f"{npy}: not a .npy file")
    return 10 + int.from_bytes(start[8:10], "little") if start[6] == 1 else \
        12 + int.from_bytes(start[8:12], "little")


def sizes_of(header):
    """The sizes that a generated header defines as macros, by name."""
    return {name: int(size) for name, size in re.findall(r"#define (\w+_SIZE) (\d+)", header)}


def io_macros(header):
    """The macros with the sizes of the only input and the only output."""
    prefix = re.search(r"int32_t (\w+)_run\(", header)[1]
    names = []
    for what in ("inputs", "outputs"):
        members = re.search(rf"struct {prefix}_{what} {{(.*?)}};", header, re.S)[1]
        members = re.findall(r"void\* (\w+);", members)
        if len(members) != 1:
            raise Failed(f"{prefix} has {len(members)} {what}; the application knows of one")
        names.append(f"{prefix}_{members[0]}_SIZE".upper())
    return names


def generate(run, board, tenon, file, name, code, out, options=()):
    """Writes the model's code for `code`, "gcc -O2" or "llvm -O2"; returns the files to link. `options` are more
    options of `tenon compile`."""
    pools = EXAMPLES / "cortex-m" / "pools.json"
    common = [tenon, "compile", file, f"--module-name={name}", f"--pools={pools}",
              f"--target={board.target}", f"--report={out / REPORT}", *options]
    maker, level = code.split()
    if maker == "llvm":
        made = out / f"tvmgen_{name}.o"
        run(*common, "--emit=obj", level, "-o", made,
            f"--header={out / f'tvmgen_{name}.h'}")
        return sorted(out.glob("tvmgen_*.o"))
    (out / SAID).write_text(run(*common, "--emit=c", "-o", out))
    return [*sorted(out.glob("*.c")), *sorted(out.glob("tvmgen_*.o"))]


def build(run, board, tenon, model, code, out, *, extra=(), options=(), expected=None):
    """Builds the image of a model. `extra` are more sources and options, `options` more of `tenon compile`; `expected` is another file
    of the expected output. Returns the image and the header's text."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    found = find_model(model, out, tenon)
    name, given, expected = found.name, found.given, expected or found.expected
    parts = generate(run, board, tenon, found.file, name, code, out, options)
    header = (out / f"tvmgen_{name}.h").read_text()
    input_macro, output_macro = io_macros(header)
    level = code.split()[1]
    image = out / f"{name}.elf"
    shared, here = EXAMPLES / "cortex-m", EXAMPLES / board.folder
    run(board.prefix + "gcc", *board.machine, *board.libc, "-std=gnu99", level, *WARNINGS,
        "-ffunction-sections", "-fdata-sections", "-fstack-usage", f"-I{out}", f"-I{shared}",
        f"-DMODEL=tvmgen_{name}", f'-DMODEL_HEADER="tvmgen_{name}.h"', f"-DTEST_RUNS={found.runs}",
        f"-DINPUT_SIZE={input_macro}", f"-DOUTPUT_SIZE={output_macro}",
        *(["-DWORKSPACE_IO"] if "_map_inputs(void)" in header else []),
        *(["-DOUTPUT_ULPS=1"] if model.endswith(ONNX) else []),
        f'-DINPUT_FILE="{given}"', f"-DINPUT_HEADER={header_bytes(given)}",
        f'-DEXPECTED_FILE="{expected}"', f"-DEXPECTED_HEADER={header_bytes(expected)}",
        here / "startup.c", shared / "main.c", shared / "test_vectors.S", *parts, *extra,
        "-nostartfiles", "-Wl,--gc-sections", "-Wl,-z,noexecstack", "-Wl,--fatal-warnings",
        f"-T{here / board.script}", "-lm", "-o", image)
    return image, header


def sections_of(run, board, image):
    """Sections that take up memory: name -> (address, bytes, whether the file has the bytes)."""
    found = {}
    for line in run(board.prefix + "readelf", "-SW", image).splitlines():
        match = re.match(r"\s*\[ *\d+\] (\S+)\s+(\w+)\s+([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) "
                         r"\S+ +(\w*A\w*) ", line)
        if match and int(match[4], 16):
            found[match[1]] = (int(match[3], 16), int(match[4], 16), match[2] != "NOBITS")
    return found


def check_ram(run, board, image, pool):
    """Checks that the report's workspace is the pool in RAM, `(address, bytes, ...)`, and that the
    model has no other variables."""
    report = json.loads((image.parent / REPORT).read_text())
    if report["workspace_bytes"] != pool[1]:
        raise Failed(f".ram_pool has {pool[1]} bytes, the report {report['workspace_bytes']}")
    for address, kind, name in re.findall(r"^(\w+) (\w) (tvmgen_\S+)$",
                                          run(board.prefix + "nm", image), re.M):
        if kind in "bBdD" and not pool[0] <= int(address, 16) < pool[0] + pool[1]:
            raise Failed(f"the variable {name} is in RAM, and not in .ram_pool")


def check_image(run, board, image, header):
    """Checks that nothing allocates or is initialized before main, and that pools are in their
    places. Returns the sizes of the sections."""
    symbols = {line.split()[-1] for line in run(board.prefix + "nm", image).splitlines() if line}
    bad = sorted(name for name in symbols if ALLOCATORS.fullmatch(name))
    if bad:
        raise Failed(f"memory is allocated: {', '.join(bad)}")
    sections = sections_of(run, board, image)
    bad = sorted(name for name in sections if INITIALISERS.fullmatch(name))
    if bad:
        raise Failed(f"something is initialised before main: {', '.join(bad)}")
    for pool, macro, stored in ((".flash_pool", "_CONSTANTS_SIZE", True),
                                (".ram_pool", "_WORKSPACE_SIZE", False)):
        wanted = next(size for name, size in sizes_of(header).items() if name.endswith(macro))
        _, size, in_file = sections.get(pool, (0, 0, stored))
        # Constants are a struct, whose size is a multiple of its largest member's.
        padding = -wanted % 8 if stored else 0
        if not wanted <= size <= wanted + padding or in_file != stored:
            raise Failed(f"{pool} has {size} bytes, the pool {wanted}")
    check_ram(run, board, image, sections.get(".ram_pool", (0, 0, False)))
    return {name: size for name, (_, size, _) in sections.items()}


def check_stack(image, stack):
    """Checks that a run went no deeper than the bound in the report of machine code, which gcc's code has not, plus
    the frames of the application, as gcc tells them. Returns the bound, or None."""
    report = json.loads((image.parent / REPORT).read_text())
    bound = report.get("stack", {}).get("deepest_bytes", -1)
    if bound < 0:
        return None
    if report["stack"]["unknown"]:
        raise Failed(f"the bound of the stack lacks {', '.join(report['stack']['unknown'])}")
    frames = {}
    for file in image.parent.glob("*.su"):
        for name, size in re.findall(r":(\w+)\t(\d+)\t", file.read_text()):
            frames[name] = int(size)
    bound += sum(frames.get(name, 0) for name in APPLICATION)
    if "main" not in frames or stack > bound:
        raise Failed(f"the run took {stack} bytes of stack, the bound is {bound}, with frames {frames}")
    return bound


def emulate(run, board, image):
    """Runs the image and returns the reported stack and ticks, and how close the output is."""
    said = output_of(run, board, image)
    numbers = {key: int(value) for key, value in re.findall(r"^(\w+): (\d+)$", said, re.M)}
    return numbers["stack"], numbers["ticks"], "within 1 ulp" if said.splitlines()[-1] == CLOSE else "bit-exact"


def output_of(run, board, image):
    """What the image prints."""
    said = run(*board.emulator, "-display", "none", "-monitor", "none", "-serial", "none",
               "-semihosting-config", "enable=on,target=native,chardev=said",
               "-chardev", "stdio,id=said", "-icount", "shift=0", "-kernel", image,
               timeout=RUN_SECONDS, stdin=subprocess.DEVNULL)
    if said.splitlines()[-1:] not in (["bit-exact"], [CLOSE]):
        raise Failed(f"the image said: {said}")
    return said


def profile_model(run, board, tenon, model, out):
    """Prints the operators of a model with the instructions of a run."""
    folder = out / f"{model}.profile"
    shared = EXAMPLES / "cortex-m"
    image, _ = build(run, board, tenon, model, "gcc -Os", folder, extra=[*PROFILE, shared / "profile.c"])
    said = output_of(run, board, image)
    names = {int(address, 16) & ~1: name for address, kind, name in
             re.findall(r"^(\w+) ([tT]) (tvmgen_\S+)$", run(board.prefix + "nm", image), re.M)}
    counts = {names[int(address, 16)]: round(int(ticks) * board.tick) for address, ticks in
              re.findall(r"^profile: (\w+) (\d+)$", said, re.M)}
    counted = folder / "instructions.txt"
    counted.write_text("".join(f"{name} {count}\n" for name, count in counts.items()))
    steps = folder / "steps.json"
    report = [tenon, "report", folder / REPORT, f"--instructions={counted}", "-q"]
    run(*report, f"--json={steps}")
    found = sum(step.get("instructions", 0) for step in json.loads(steps.read_text())["steps"])
    whole = next(count for name, count in counts.items() if name.endswith("_run"))
    print(f"{model}: {whole:,} instructions, {whole - found:,} of them outside of operators")
    print(run(*report, "--layers"), flush=True)
    if not 0.95 * whole <= found <= whole:
        raise Failed(f"the operators have {found} of {whole} instructions")


HEAD = f"{'code':<9} {'.text':>8} {'.rodata':>8} {'flash':>8} {'.bss':>8} {'stack':>6} " \
       f"{'RAM':>8} {'instructions':>13}"


def row(board, code, sizes, stack, ticks, verdict):
    data = sizes.get(".data", 0)
    constants = sizes.get(".rodata", 0) + sizes.get(".flash_pool", 0)
    zero = sizes.get(".bss", 0) + sizes.get(".ram_pool", 0) + sizes.get(".tbss", 0)
    flash, ram = sizes[".text"] + constants + data, data + zero + stack
    spent = "too many" if ticks == 0xFFFFFFFF else f"{round(ticks * board.tick):,}"
    return f"{code:<9} {sizes['.text']:>8,} {constants:>8,} {flash:>8,} {zero:>8,} " \
           f"{stack:>6,} {ram:>8,} {spent:>13}  {verdict}"


def run_model(run, board, core, tenon, model, codes, out, options):
    """Prints a line for each code; returns the number of failures. `core` is its second column, `options` are more
    options of `tenon compile`."""
    failures = 0
    for code in codes:
        try:
            folder = out / f"{model}.{core.strip()}{code.replace(' ', '')}"
            image, header = build(run, board, tenon, model, code, folder, options=options)
            sizes = check_image(run, board, image, header)
            stack, ticks, verdict = emulate(run, board, image)
            check_stack(image, stack)
            line = row(board, code, sizes, stack, ticks, verdict)
            print(f"{model:<18} {core}{line}", flush=True)
        except Failed as failed:
            print(f"{model:<18} {core}{code:<9} FAILED: {failed}", flush=True)
            failures += 1
    return failures


def profile_models(run, board, tenon, models, out):
    """Returns the exit code."""
    failures = 0
    for model in models:
        try:
            profile_model(run, board, tenon, model, out)
        except Failed as failed:
            print(f"{model}: FAILED: {failed}", flush=True)
            failures += 1
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--board", choices=BOARDS, default="cortex-m")
    parser.add_argument("--core", choices=[*CORES, "all"], default="m4", help="of the board cortex-m")
    parser.add_argument("--code", action="append", choices=CODES, dest="codes")
    parser.add_argument("--tenon", default=SOURCE / "build" / "release" / "bin" / "tenon")
    parser.add_argument("--out", help="keeps what is built in this folder")
    parser.add_argument("--profile", action="store_true", help="show the instructions of each operator")
    parser.add_argument("--option", action="append", default=[], help="of `tenon compile`: --option=--stream=max")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    board = BOARDS[options.board]
    missing = missing_tools(board)
    if missing:
        print(f"skipped: {', '.join(missing)} not found; scripts/setup.sh {options.board} installs it")
        return SKIPPED
    codes = options.codes or CODES
    if not has_llvm(options.tenon):
        print("Tenon was built without LLVM: C alone")
        codes = [code for code in codes if not code.startswith("llvm")]
    models = options.models or board.models
    there = [model for model in models if is_there(model)]
    for model in models:
        if model not in there:
            print(f"{model}: skipped, as the corpus is not there (TENON_CORPUS_DIR)")
    if not there:
        return SKIPPED
    cores = list(CORES) if options.core == "all" else [options.core]
    boards = {f"{core:<7} ": CORES[core] for core in cores}
    if options.core == "m4" or options.board != "cortex-m":
        boards = {"": board}
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(options.out or scratch).resolve()
        run = Runner(options.verbose)
        if options.profile:
            return profile_models(run, board, options.tenon, there, out)
        print(f"{'model':<18} {'' if '' in boards else 'core    '}{HEAD}")
        failures = sum(run_model(run, board, core, options.tenon, model, codes, out, options.option)
                       for core, board in boards.items() for model in there)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
