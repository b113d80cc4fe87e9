#!/usr/bin/env python3
"""Tests weights that are replaced without the code (`--replaceable-weights`, `--dynamic-scales`).

Use: replaceable_test.py --tenon BIN --source DIR digits|models|operators|refused|files|slots|params
- digits, models: twins of a network (scripts/retrain_tflite.py) run with the code of the first training. Outputs
  and scales equal those of a fresh compilation of the twin, bit for bit.
- operators: the same for operators that these networks lack.
- refused: weights at the ends of their type, biases as large as possible, NaN and infinity, weights that are equal:
  the same, or `--update-of` refuses them and names an operator.
- files: wrong files of constants give their codes.
- slots: examples/ab_update, on this machine, and on QEMU if it is there.
- params: the helper that fills the struct of `--link-params=off`.
Exit code 77 (skipped) without a C compiler or without the models of the corpus.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
sys.path.insert(0, str(FOLDER.parent / "tflite"))
import checks  # noqa: E402
import tflite_models  # noqa: E402
from tflite_cases import FLOAT32, INT8, npy  # noqa: E402
from tflite_writer import BOOL, Model  # noqa: E402

SKIPPED = 77
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
LAZY = "-DTENON_CONSTANTS_CHECK_AT_ONCE=0"
MODELS = ["kws_int8", "resnet_int8", "sww_int8", "ad_int8"]
SANITIZERS = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
NPY_HEADER = 128
OPERATORS = {"prelu": 54, "less": 58, "greater": 61, "greater_equal": 62, "less_equal": 63, "equal": 71, "not_equal": 72}


class Bench:
    """The tools under test, and a folder for files."""

    def __init__(self, tenon, source, folder):
        self.tenon = tenon
        self.source = source
        self.folder = folder
        self.checks = checks.Checks()

    def run(self, *command, code=0):
        """The output of a command; its error text if `code` is not 0. None after a failed check."""
        command = [str(word) for word in command]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        text = done.stdout + done.stderr
        self.checks.expect(done.returncode == code, f"{' '.join(command)}: exit code {done.returncode}\n{text[-3000:]}")
        return text if done.returncode == code else None

    def twin(self, model, name, *options):
        path = self.folder / f"{name}.tflite"
        self.run(sys.executable, self.source / "scripts" / "retrain_tflite.py", model, path, *options)
        return path


class Network:
    """A network, compiled once, with a program that runs it on one input."""

    def __init__(self, bench, model, name, options=("--dynamic-scales",), flags=SANITIZERS):
        self.bench = bench
        self.model = model
        self.name = name
        self.folder = bench.folder / name
        self.dynamic = "--dynamic-scales" in options
        bench.run(bench.tenon, "compile", model, *options, f"--module-name={name}", "-o", self.folder)
        self.prefix = f"tvmgen_{name}"
        self.manifest = self.folder / f"{self.prefix}_update.json"
        self.constants = self.folder / f"{self.prefix}_constants.safetensors"
        header = (self.folder / f"{self.prefix}.h").read_text()
        sizes = re.findall(r"Bytes of (?:in|out)put `\w+`, (\w+)\[([\d, ]*)\]. \*/\n#define \w+_SIZE (\d+)", header)
        (self.dtype, self.shape, self.input_bytes), (_, _, self.output_bytes) = sizes
        self.program = self.folder / "program"
        bench.run("gcc", "-std=c11", "-O1", *WARNINGS, *flags, f"-DMODEL={self.prefix}", f'-DMODEL_HEADER="{self.prefix}.h"',
                  f"-DINPUT_BYTES={self.input_bytes}", f"-DOUTPUT_BYTES={self.output_bytes}",
                  *(["-DSCALES"] if self.dynamic else []), "-I", self.folder, FOLDER / "program.c",
                  self.folder / f"{self.prefix}.c", "-lm", "-o", self.program)
        self.input = self.folder / "input.bin"
        values = random.Random(name).randbytes(int(self.input_bytes))
        if self.dtype == "float32":
            values = struct.pack(f"<{len(values) // 4}f", *(byte / 64 - 2 for byte in values[::4]))
        self.input.write_bytes(values)

    def run(self, *files):
        """A line for each file of constants."""
        text = self.bench.run(self.program, self.input, *files)
        return (text or "").splitlines()

    def update(self, twin, code=0):
        """The file of constants of a twin, and what `--update-of` said."""
        path = self.folder / f"{twin.stem}.safetensors"
        said = self.bench.run(self.bench.tenon, "compile", twin, f"--update-of={self.manifest}", "-o", path, code=code)
        return path, said

    def try_update(self, twin):
        """The file of constants, or None and the refusal."""
        path = self.folder / f"{twin.stem}.safetensors"
        done = subprocess.run([self.bench.tenon, "compile", twin, f"--update-of={self.manifest}", "-o", path],
                              capture_output=True, text=True, check=False)
        return (path if done.returncode == 0 else None), done.stdout + done.stderr

    def fresh(self, twin):
        """The output of a fresh compilation of a model, in hexadecimal."""
        given, got = self.folder / "input.npy", self.folder / "output.npy"
        shape = [int(extent) for extent in self.shape.split(",")]
        code, form = {"int8": (INT8, "b"), "float32": (FLOAT32, "f")}[self.dtype]
        given.write_bytes(npy(shape, code, memoryview(self.input.read_bytes()).cast(form)))
        self.bench.run(self.bench.tenon, "run", twin, "--engine=c", "--cflags=-O1", "--input", given, "--output", got, "-q")
        return got.read_bytes()[NPY_HEADER:].hex() if got.exists() else None

    def scales(self, manifest):
        """The scales as the program prints them."""
        return [word for scale in json.loads(manifest.read_text())["scales"]
                for word in (f"{to_float(scale['scale']):.9g}", str(scale["zero_point"]))]


def to_float(number):
    return struct.unpack("f", struct.pack("f", number))[0]


def same(a, b, dtype):
    """Equal bits, but any NaN equals any other."""
    if dtype != "float32" or a is None or b is None or len(a) != len(b):
        return a == b
    for x, y in zip(struct.iter_unpack("<f", bytes.fromhex(a)), struct.iter_unpack("<f", bytes.fromhex(b))):
        if x != y and not (x[0] != x[0] and y[0] != y[0]):
            return False
    return True


def check_twins(bench, network, twins):
    """Updates to all twins, in one run of the program, and back."""
    files = [network.update(twin)[0] for twin in twins]
    lines = network.run(network.constants, *files, network.constants)
    bench.checks.expect(len(lines) == len(files) + 2, f"{network.name}: {len(files) + 2} lines, found {len(lines)}")
    models = [network.model, *twins, network.model]
    different = set()
    for model, line in zip(models, lines):
        wanted = network.fresh(model)
        words = line.split()
        bench.checks.expect(same(words[0], wanted, network.dtype), f"{model}: expected {wanted}, found {line}")
        different.add(line)
        if network.dynamic:
            folder = bench.folder / f"fresh_{model.stem}"
            bench.run(bench.tenon, "compile", model, "--dynamic-scales", f"--module-name={network.name}", "-o", folder)
            scales = network.scales(folder / network.manifest.name)
            bench.checks.expect(words[1:] == scales, f"{model}: expected scales {scales}, found {words[1:]}")
    bench.checks.expect(len(different) > 1, f"{network.name}: the twins have the same outputs")


def digits(bench):
    model = bench.source / "examples" / "digits" / "digits.tflite"
    for options in (["--dynamic-scales"], ["--dynamic-scales", "--target=cortex-m4"],
                    ["--replaceable-weights"]):
        name = f"digits{len(options)}{'s' if '--dynamic-scales' in options else ''}"
        network = Network(bench, model, name, options)
        twins = [bench.twin(model, f"{name}_{seed}", "--seed", seed, *(["--scales"] if network.dynamic else []))
                 for seed in (1, 2)]
        check_twins(bench, network, twins)


def models(bench):
    for name in MODELS:
        model = tflite_models.file_of(name)
        if not model.is_file():
            return SKIPPED
        network = Network(bench, model, name, flags=())
        check_twins(bench, network, [bench.twin(model, f"{name}_twin", "--seed", 5, "--scales")])
    return None


def operator_model(code, seed, is_relation):
    """An operator of an int8 input and a constant, with scales and numbers that the seed draws."""
    draw = random.Random(seed)

    def scale():
        return struct.unpack("<f", struct.pack("<f", draw.uniform(0.01, 0.2)))[0]

    model = Model()
    x = model.tensor([1, 8, 16], INT8, scale(), draw.randint(-128, 127), name="x")
    numbers = [draw.randint(-128, 127) for _ in range(16)]
    with_ = model.tensor([16], INT8, scale(), draw.randint(-128, 127), data=numbers, name="with")
    y = model.tensor([1, 8, 16], BOOL, name="y") if is_relation else \
        model.tensor([1, 8, 16], INT8, scale(), draw.randint(-128, 127), name="y")
    model.operator(code, [x, with_], [y])
    return model.file([x], [y])


def operators(bench):
    for name, code in OPERATORS.items():
        files = [bench.folder / f"{name}_{seed}.tflite" for seed in range(4)]
        for seed, file in enumerate(files):
            file.write_bytes(operator_model(code, f"{name} {seed}", name != "prelu"))
        network = Network(bench, files[0], name)
        check_twins(bench, network, files[1:])


def refused(bench):
    digits_model = bench.source / "examples" / "digits" / "digits.tflite"
    network = Network(bench, digits_model, "digits")
    refusals = 0
    for weights in ("ends", "large-bias", "equal"):
        twin = bench.twin(digits_model, f"digits_{weights}", "--weights", weights)
        path, said = network.try_update(twin)
        if path is None:
            refusals += 1
            bench.checks.expect("need other code" in said and re.search(r"note: `\w+`: sums are at most \d+ in the code, "
                                r"but \d+ with the new constants", said), f"a refusal by name, found {said}")
            bench.checks.expect(not (network.folder / f"{twin.stem}.safetensors").exists(), "nothing is written")
        else:
            bench.checks.expect(network.run(path)[0].split()[0] == network.fresh(twin), f"{weights}: another output")
    bench.checks.expect(refusals == 2, f"the ends of the type and large biases are refused, found {refusals} refusals")
    # The manifest of another network.
    other = bench.folder / "other.json"
    text = network.manifest.read_text().replace('"fully_connected', '"fully_joined')
    other.write_text(text)
    said = bench.run(bench.tenon, "compile", digits_model, f"--update-of={other}", "-o", bench.folder / "x", code=0)
    for broken, expected in ((text[:200], "at byte"), ("{}", "--replaceable-weights"),
                             (text.replace('"--dynamic-scales=true"', '"--output=/tmp/x"'), "expected options"),
                             (text.replace('"tenon_update": 1', '"tenon_update": 2'), "expected version 1"),
                             (text.replace('"words"', '"word"'), "expected an object with `words`")):
        other.write_text(broken)
        said = bench.run(bench.tenon, "compile", digits_model, f"--update-of={other}", "-o", bench.folder / "x", code=1)
        bench.checks.expect(said is not None and expected in said, f"expected `{expected}`, found {said}")
    return floats(bench)


def floats(bench):
    """NaN and infinity among weights of floats."""
    model = tflite_models.corpus() / "tflite" / "ad01_fp32.tflite"
    if not model.is_file():
        return SKIPPED
    network = Network(bench, model, "ad_float", ["--replaceable-weights"])
    check_twins(bench, network, [bench.twin(model, "ad_special", "--weights", "special"), bench.twin(model, "ad_twin")])
    return None


def files(bench):
    """Codes of wrong files; checked as a whole, and constant by constant."""
    model = bench.source / "examples" / "digits" / "digits.tflite"
    twin = bench.twin(model, "digits_new", "--scales")
    for flags in ((), (LAZY,), ("-DTENON_CONSTANTS_TRUST_DATA",)):
        network = Network(bench, model, f"files{len(flags)}{'t' if 'TRUST' in str(flags) else ''}",
                          flags=[*SANITIZERS, *flags])
        new, _ = network.update(twin)
        good = new.read_bytes()
        wrong = network.folder / "wrong.safetensors"

        def code_of(content):
            wrong.write_bytes(content)
            return network.run(network.constants, wrong)[1]

        def changed(at):
            content = bytearray(good)
            content[at] ^= 1
            return bytes(content)

        expect = bench.checks.expect
        expect(network.run("-") == ["code -16"], "nothing is missing: -16")
        expect(code_of(good[:-1]) == "code -17", "a short file: -17")
        expect(code_of(good + b"x") == "code -17", "a long file: -17")
        expect(code_of(changed(len(good) - 32)) == "code -18", "made for other code: -18")
        expect(code_of(b"\xff" * len(good)) == "code -18", "erased flash: -18")
        for at in (100, len(good) - 17, len(good) - 40):
            expect(code_of(changed(at)) == "code -19", f"damaged at {at}: -19")
        last = "code -19" if not flags else None
        for at in (4096, 5000):
            found = code_of(changed(at))
            expect(found == "code -19" or "TRUST" in str(flags), f"damaged data at {at}: -19, found {found}")
        if last:
            expect(code_of(changed(len(good) - 1)) == last, "a damaged hash of the file: -19")
        # A fixed file, whose code knows its bytes, is refused by the other code.
        fixed = network.folder / "fixed"
        bench.run(bench.tenon, "compile", model, "--constant-storage=file", f"--module-name={network.name}", "-o", fixed)
        found = network.run(fixed / network.constants.name)
        expect(found in (["code -17"], ["code -18"]), f"a file for fixed weights is refused, found {found}")


def slots(bench):
    """examples/ab_update: all cuts here, some on QEMU."""
    example = bench.source / "examples" / "ab_update"
    model = bench.source / "examples" / "digits" / "digits.tflite"
    out = bench.folder / "digits"
    twin = bench.twin(model, "twin", "--scales")
    bench.run(bench.tenon, "compile", model, "--dynamic-scales", "--target=cortex-m4", "--module-name=digits", "-o", out)
    bench.run(bench.tenon, "compile", twin, f"--update-of={out / 'tvmgen_digits_update.json'}", "-o", out / "new.safetensors")
    shutil.copy(out / "tvmgen_digits_constants.safetensors", out / "old.safetensors")
    images = (bench.source / "examples" / "digits" / "heldout_images.npy").read_bytes()
    image = memoryview(images[NPY_HEADER:NPY_HEADER + 64]).cast("b")
    (out / "input.npy").write_bytes(npy([1, 64], INT8, image))
    shape = re.search(r"Bytes of input `\w+`, \w+\[([\d, ]*)\]", (out / "tvmgen_digits.h").read_text()).group(1)
    (out / "shaped.npy").write_bytes(npy([int(extent) for extent in shape.split(",")], INT8, image))
    for path, name in ((model, "old"), (twin, "new")):
        bench.run(bench.tenon, "run", path, "--engine=interp", "--input", out / "shaped.npy", "--output", out / f"{name}.npy")
    sources = [example / "main.c", example / "slots.c", example / "flash_in_ram.c", out / "tvmgen_digits.c"]
    flags = [*WARNINGS, "-O1", "-I", out, "-I", example]
    said = None
    if bench.run("gcc", "-std=c99", *flags, "-g", "-fsanitize=address,undefined", *sources, example / "host.c",
                 example / "test_files.S", "-o", out / "host") is not None:
        said = bench.run(out / "host")
    bench.checks.expect(said is not None and re.search(r"old \d+, new [12], torn 0, none 0\na damaged file is not used", said),
                        f"no torn model here, found {said}")
    if shutil.which("arm-none-eabi-gcc") is None or shutil.which("qemu-system-arm") is None:
        return
    board = bench.source / "examples" / "cortex-m"
    bench.run("arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16",
              "--specs=nano.specs", "-std=c11", *flags, "-Os", "-ffunction-sections", "-fdata-sections", "-DCUT_STEP=7",
              *sources, board / "startup.c", example / "test_files.S", "-nostartfiles", "-Wl,--gc-sections",
              "-Wl,-z,noexecstack", f"-T{board / 'mps2_an386.ld'}", "-lm", "-o", out / "digits.elf")
    said = bench.run("qemu-system-arm", "-machine", "mps2-an386", "-display", "none", "-monitor", "none", "-serial", "none",
                     "-semihosting-config", "enable=on,target=native,chardev=said", "-chardev", "stdio,id=said",
                     "-kernel", out / "digits.elf")
    bench.checks.expect(said is not None and re.search(r"torn 0, none 0\na damaged file is not used", said),
                        f"no torn model on QEMU, found {said}")


def params(bench):
    """`<prefix>_set_params` for the constants of two trainings."""
    model = bench.source / "examples" / "digits" / "digits.tflite"
    twin = bench.twin(model, "params_twin", "--seed", "7")
    network = Network(bench, model, "digits", ["--replaceable-weights"])
    folders = []
    for path in (model, twin):
        folders.append(bench.folder / f"params_{path.stem}")
        bench.run(bench.tenon, "compile", path, "--link-params=off", "--module-name=digits", "-o", folders[-1])
    codes = [(folder / "tvmgen_digits.c").read_text() for folder in folders]
    bench.checks.expect(codes[0] == codes[1], "the code depends on weights that are inputs")
    program = bench.folder / "params"
    bench.run("gcc", "-std=c11", "-O1", *SANITIZERS, *WARNINGS,
              '-DPARAMS_HEADER="tvmgen_digits_params.h"', "-I", folders[0], FOLDER / "params.c",
              folders[0] / "tvmgen_digits.c", "-lm", "-o", program)
    files = [folder / "tvmgen_digits.params.safetensors" for folder in folders]
    lines = (bench.run(program, network.input, *files) or "").splitlines()
    wanted = [network.fresh(model), network.fresh(twin)]
    bench.checks.expect(lines == wanted and lines[0] != lines[1], f"expected {wanted}, found {lines}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tenon", required=True, type=pathlib.Path)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("what", choices=["digits", "models", "operators", "refused", "files", "slots", "params"])
    options = parser.parse_args()
    if shutil.which("gcc") is None:
        print("skipped: no gcc")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.tenon.resolve(), options.source.resolve(), pathlib.Path(folder))
        skipped = globals()[options.what](bench)
        code = bench.checks.finish()
        return code if code != 0 or skipped is None else skipped


if __name__ == "__main__":
    sys.exit(main())
