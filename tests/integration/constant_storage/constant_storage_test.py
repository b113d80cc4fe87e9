#!/usr/bin/env python3
"""Tests programs with every --constant-storage.

Use: constant_storage_test.py --tenon BIN --source DIR kinds|models|wrong|objects|large
- kinds: a model of the corpus through gcc and clang as C99 and C++17: the output equals TVM's.
- models: all other models, each kind through one suitable compiler: the outputs equal TVM's, for
  float32 approximately.
- wrong: a file of constants that is missing, too short, too long, another model's or damaged, or
  passed at a wrong address: returns the error code and runs nothing, under the sanitizers; checked
  as a whole and constant by constant.
- objects: objects for other machines link with the C that clang compiles for them, if ld.lld is
  available.
- large: an object of 5 GiB, if the disk has room; too large for 32 bits.
The models are in the corpus ($TENON_CORPUS_DIR, or shared/corpus next to the source folder). Exit
code 77 (skipped) without models, or without compilers.
"""

import argparse
import array
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
KINDS = ["c-array", "incbin", "object", "embed", "file"]
OTHER_MODELS = ["vww_int8", "resnet_int8", "ad_int8", "sww_int8", "ad_float", "resnet_float", "vww_float"]
LAZY = "-DTENON_CONSTANTS_CHECK_AT_ONCE=0"  # a file is checked constant by constant
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]

PROGRAM = """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tvmgen_default.h"
#ifdef HANDED_OVER
static _Alignas(4096) unsigned char constants[1 << 22];
#endif
int main(int argc, char** argv) {
  static unsigned char input[@IN@], output[@OUT@];
  struct tvmgen_default_inputs inputs = {input};
  struct tvmgen_default_outputs outputs = {output};
  FILE* file = fopen(argv[1], "rb");
  int32_t code;
  if (argc < 2 || file == NULL || fread(input, 1, sizeof input, file) != sizeof input) return 2;
  fclose(file);
  memset(output, 0x5a, sizeof output);
#ifdef HANDED_OVER
  {
    const int offset = atoi(argv[3]);
    size_t size;
    file = fopen(argv[2], "rb");
    if (file == NULL) return 2;
    size = fread(constants + offset, 1, sizeof constants - (size_t)offset, file);
    fclose(file);
    code = tvmgen_default_set_constants(constants + offset, size);
    /* A refused file stays refused. */
    if (code != 0 && tvmgen_default_run(&inputs, &outputs) != -16) return 3;
    if (code == 0) code = tvmgen_default_run(&inputs, &outputs);
    if (code == -19 && argc > 4) {
      /* A run finds errors in bytes that were not read yet, and forgets them with the bytes. */
      FILE* other = fopen(argv[4], "rb");
      if (other == NULL || fread(constants + offset, 1, size, other) != size) return 2;
      fclose(other);
      if (tvmgen_default_run(&inputs, &outputs) != -19) return 3;
      code = tvmgen_default_set_constants(constants + offset, size);
      if (code == 0) code = tvmgen_default_run(&inputs, &outputs);
    }
  }
#else
  code = tvmgen_default_run(&inputs, &outputs);
  /* Until other constants are there. */
  if (code == -19 && tvmgen_default_run(&inputs, &outputs) != -19) return 3;
#endif
  if (code != 0) {
    size_t i;
    for (i = 0; i < sizeof output; ++i) if (output[i] != 0x5a) return 4;
    printf("code %d\\n", (int)code);
    return 0;
  }
  fwrite(output, 1, sizeof output, stdout);
  return 0;
}
"""


def fail(text):
    print(f"FAILED: {text}", flush=True)
    return 1


def run(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, check=False, **options)
    if done.returncode != 0:
        fail(f"{' '.join(map(str, command))}: exit code {done.returncode}\n"
             f"{(done.stdout[:2000] + done.stderr[:4000]).decode(errors='replace')}")
        return None
    return done.stdout


def find_models(source, names):
    corpus = pathlib.Path(os.environ.get("TENON_CORPUS_DIR")
                          or pathlib.Path(source).parent / "shared" / "corpus")
    return [corpus / "models" / name for name in names if (corpus / "models" / name).is_dir()]


def emit(tenon, model, kind, folder, *flags):
    return run([tenon, "compile", model / "module.py", "--emit=c", f"--constant-storage={kind}",
                "--module-name=default", "-o", folder, *flags])


def sizes(folder):
    """Sizes in bytes of the only input and the only output."""
    return [next(line.split()[2] for line in lines if "_SIZE" in line) for lines in (
        [line for line in block.splitlines() if line.startswith("#define")]
        for block in (folder / "tvmgen_default.h").read_text().split("/* Bytes of ")[1:3])]


def write_program(folder):
    size_in, size_out = sizes(folder)
    (folder / "main.c").write_text(PROGRAM.replace("@IN@", size_in).replace("@OUT@", size_out))


def read_npy(path):
    """The type and the bytes of a tensor."""
    data = path.read_bytes()
    begin = 10 + int.from_bytes(data[8:10], "little")
    return re.search(r"'descr': '([^']+)'", data[10:begin].decode()).group(1), data[begin:]


def input_of(model, folder):
    """The bytes of the tensor in input0.npy, without the header."""
    path = folder / f"{model.name}.in"
    path.write_bytes(read_npy(model / "input0.npy")[1])
    return path


def is_output_of(model, got):
    """Whether these bytes equal TVM's output; sums of floats may have another order."""
    dtype, wanted = read_npy(model / "expected0.npy")
    if got is None or len(got) != len(wanted):
        return False
    if dtype != "<f4":
        return got == wanted
    return all(abs(a - b) <= 1e-5 + 1e-4 * abs(b) for a, b in zip(array.array("f", got), array.array("f", wanted)))


def sources(folder, suffixes=(".c", ".S", ".o")):
    return sorted(path for path in folder.iterdir()
                  if path.suffix in suffixes and path.name not in ("main.c", "main.o"))


def has_embed(compiler):
    probe = "#if defined(__has_embed)\nyes_it_has\n#endif\n"
    done = subprocess.run([*compiler, "-E", "-"], input=probe, capture_output=True, text=True, check=False)
    return "yes_it_has" in done.stdout


def compilers():
    found = []
    for names in (["gcc"], ["clang-19", "clang"]):
        name = next((n for n in names if shutil.which(n)), None)
        if name is not None:
            found.append((name, [name, "-std=c99"]))
    for names in (["g++"], ["clang++-19", "clang++"]):
        name = next((n for n in names if shutil.which(n)), None)
        if name is not None:
            found.append((f"{name} (C++)", [name, "-x", "c++", "-std=c++17"]))
    return found


def build(compiler, folder, *flags):
    """Compiles with `compiler` and links as C. C++ compilers only get the C sources, not assembler
    sources."""
    name, command = compiler
    objects = []
    for path in sources(folder):
        if path.suffix == ".o":
            objects.append(path)
            continue
        words = command if path.suffix == ".c" else [command[0]]
        out = folder / (path.name + ".obj")
        if run([*words, *WARNINGS, *flags, "-O1", f"-I{folder}", "-c", path, "-o", out]) is None:
            return None
        objects.append(out)
    main = folder / "main.obj"
    if run(["cc", "-std=c99", "-O1", f"-I{folder}", "-c", folder / "main.c", "-o", main]) is None:
        return None
    program = folder / "program"
    linked = run(["cc", "-Wl,--fatal-warnings", main, *objects, "-o", program, "-lm"])
    return None if linked is None else program


def check_model(model, options, folder, choose):
    """Failures of one model, and the number of programs. `choose` selects the compilers for a kind,
    with flags."""
    given = input_of(model, folder)
    failures = runs = 0
    for kind in KINDS:
        out = folder / f"{model.name}.{kind}"
        if emit(options.tenon, model, kind, out) is None:
            return 1, runs
        write_program(out)
        for compiler, *flags in choose(kind):
            program = build(compiler, out, *flags)
            got = None if program is None else run([program, given], cwd=out)
            if not is_output_of(model, got):
                failures += fail(f"{model.name}, {kind}, {compiler[0]} {flags}: another output")
            runs += 1
    return failures, runs


def check_kinds(options, folder):
    models = find_models(options.source, ["kws_int8"])
    if not models or not shutil.which("cc"):
        return None
    found = compilers()
    embedding = [compiler for compiler in found if has_embed(compiler[1])]
    print("#embed:", [compiler[0] for compiler in embedding])

    def choose(kind):
        lazy = [(compiler, LAZY) for compiler in found] if kind == "file" else []
        return [(compiler,) for compiler in (embedding if kind == "embed" else found)] + lazy

    failures, runs = check_model(models[0], options, folder, choose)
    print(f"{runs} programs")
    return failures


def check_models(options, folder):
    models = find_models(options.source, OTHER_MODELS)
    found = compilers()
    if not models or not found or not shutil.which("cc"):
        return None
    embedding = [compiler for compiler in found if has_embed(compiler[1])]

    def choose(kind):
        if kind == "embed":
            return [(compiler,) for compiler in embedding[:1]]
        return [(found[0],)] + ([(found[0], LAZY)] if kind == "file" else [])

    failures = runs = 0
    for model in models:
        failed, programs = check_model(model, options, folder, choose)
        failures, runs = failures + failed, runs + programs
    print(f"{len(models)} models, {runs} programs; #embed: {[compiler[0] for compiler in embedding]}")
    return failures


def trace(out):
    """The source of the model in a folder, with functions that print that they have run."""
    source = (out / "tvmgen_default.c").read_text()
    traced = "#include <stdio.h>\n" + source
    for function in re.findall(r"^static int32_t (tvmgen_default_\w+)\(", source, re.M):
        head, body = traced.split(f"static int32_t {function}(", 1)
        traced = head + f"static int32_t {function}(" + body.replace(
            "\n  return 0;\n}", f'\n  fputs("{function}\\n", stderr);\n  return 0;\n}}', 1)
    (out / "traced").mkdir()
    (out / "traced" / "tvmgen_default.c").write_text(traced)
    return out / "traced" / "tvmgen_default.c"


def check_every_constant(out, folder, given, program):
    """Flips a bit of each constant in turn: the function that reads the constant must not run."""
    name = "tvmgen_default_constants.safetensors"
    good = (out / name).read_bytes()
    begin = 8 + int.from_bytes(good[:8], "little")
    tensors = {key: value["data_offsets"] for key, value in json.loads(good[8:begin]).items()
               if key != "__metadata__" and not key.startswith("__pad_")}
    whole = subprocess.run([program, given], cwd=out, capture_output=True, text=False, check=False)
    order = whole.stderr.decode().split()
    failures, reached = 0, []
    path = folder / "constants.bin"
    environment = {**os.environ, "TVMGEN_DEFAULT_CONSTANTS": str(path)}
    for tensor, (first, last) in tensors.items():
        at = begin + (first + last) // 2
        path.write_bytes(good[:at] + bytes([good[at] ^ 4]) + good[at + 1:])
        done = subprocess.run([program, given], env=environment, capture_output=True, check=False)
        ran = done.stderr.decode().split()
        if done.returncode != 0 or done.stdout != b"code -19\n" or ran != order[:len(ran)]:
            failures += fail(f"{tensor} damaged: {done.stdout[:40]!r} after {ran}")
        reached.append(len(ran))
    print(f"{len(tensors)} constants, found wrong after {min(reached)} to {max(reached)} of {len(order)} functions")
    return failures + (0 if max(reached) > min(reached) else fail("they are all checked at once"))


def wrong_files(good, foreign):
    """Invalid files: the bytes, and the code that a run returns."""
    middle = len(good) - 1000
    return {
        "good": (good, None),
        "short": (good[:-1], -17),
        "empty": (b"", -17),
        "long": (good + b"\0", -17),
        "flipped": (good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1:], -19),
        "last": (good[:-1] + bytes([good[-1] ^ 0x80]), -19),
        "header": (good[:8] + b"[" + good[9:], -18),
        "length": (bytes([good[0] ^ 8]) + good[1:], -18),
        "another model's": (foreign, -18),
        "a part of the header": (good[:1000], -17),
        "another model's, of this size": ((foreign + good)[:len(good)], -18),
    }


def check_wrong(options, folder):
    models = find_models(options.source, ["kws_int8", "ad_int8"])
    if len(models) < 2 or not shutil.which("cc"):
        return None
    out, other = folder / "file", folder / "other"
    if emit(options.tenon, models[0], "file", out) is None:
        return 1
    if emit(options.tenon, models[1], "file", other) is None:
        return 1
    write_program(out)
    given = input_of(models[0], folder)
    name = "tvmgen_default_constants.safetensors"
    good = (out / name).read_bytes()
    foreign = (other / name).read_bytes()
    files = wrong_files(good, foreign)
    sanitize = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-O1", "-std=c11",
                f"-I{out}"]
    host, device = out / "host", out / "device"
    mapping = out / "tvmgen_default_constants_host.c"
    for program, *words in ((host, out / "tvmgen_default.c", mapping),
                            (out / "host_lazy", LAZY, trace(out), mapping),
                            (device, "-DHANDED_OVER", out / "tvmgen_default.c"),
                            (out / "device_lazy", LAZY, "-DHANDED_OVER", out / "tvmgen_default.c")):
        if run(["cc", *sanitize, out / "main.c", *words, "-o", program, "-lm"]) is None:
            return 1
    failures = 0
    wanted = run([host, given], cwd=out)

    def expect(what, got, code):
        right = wanted if code is None else f"code {code}\n".encode()
        return 0 if got is not None and got == right else fail(f"{what}: {got!r}, not {code}")

    failures += not wanted or wanted.startswith(b"code")
    for what, (data, code) in files.items():
        path = folder / "constants.bin"
        path.write_bytes(data)
        environment = {**os.environ, "TVMGEN_DEFAULT_CONSTANTS": str(path)}
        for suffix in ("", "_lazy"):
            failures += expect(f"mapped{suffix}, {what}",
                               run([out / f"host{suffix}", given], env=environment), code)
            failures += expect(f"handed over{suffix}, {what}",
                               run([out / f"device{suffix}", given, path, 64]), code)
    # Damage that a run has found is forgotten when the bytes are replaced.
    path.write_bytes(files["flipped"][0])
    failures += expect("right at last", run([out / "device_lazy", given, path, 64, out / name]), None)
    failures += check_every_constant(out, folder, given, out / "host_lazy")
    environment = {**os.environ, "TVMGEN_DEFAULT_CONSTANTS": str(folder / "nowhere")}
    failures += expect("missing", run([host, given], env=environment), -16)
    environment["TVMGEN_DEFAULT_CONSTANTS"] = str(folder)
    failures += expect("a folder", run([host, given], env=environment), -16)
    failures += expect("not aligned", run([device, given, out / name, 8]), -20)
    # Without the source for hosts, and without constants set.
    alone = out / "alone"
    if run(["cc", *sanitize, out / "main.c", out / "tvmgen_default.c", "-o", alone, "-lm"]) is None:
        return 1
    failures += expect("not handed over", run([alone, given], cwd=out), -16)
    return failures


TARGETS = {  # tenon's target and ABI, clang's target and flags
    "x86_64": ("x86_64-linux-gnu", "", ["--target=x86_64-linux-gnu"]),
    "aarch64": ("aarch64-linux-gnu", "", ["--target=aarch64-linux-gnu"]),
    "arm": ("armv7m-none-eabi", "", ["--target=armv7m-none-eabi", "-mfloat-abi=soft"]),
    "armhf": ("thumbv7em-none-eabihf", "hard", ["--target=thumbv7em-none-eabihf"]),
    "riscv32": ("riscv32-unknown-elf", "", ["--target=riscv32-unknown-elf"]),
    "riscv32f": ("riscv32-unknown-elf", "ilp32f",
                 ["--target=riscv32-unknown-elf", "-march=rv32imf", "-mabi=ilp32f"]),
    "riscv64": ("riscv64-linux-gnu", "", ["--target=riscv64-linux-gnu"]),
    "riscv64 soft": ("riscv64-unknown-elf", "", ["--target=riscv64-unknown-elf", "-mabi=lp64"]),
}
BARE = """#include <stdint.h>
#include "tvmgen_default_constants.h"
const void* address_of_constants(void) { return &@NAME@; }
"""


def check_objects(options, folder):
    clang = shutil.which("clang-19") or shutil.which("clang")
    linker = shutil.which("ld.lld-19") or shutil.which("ld.lld")
    models = find_models(options.source, ["kws_int8"])
    if not clang or not linker or not models:
        print("no clang, no ld.lld, or no corpus")
        return None
    # The C library's headers are for this machine, but only declarations are needed.
    stub = folder / "include"
    stub.mkdir()
    (stub / "string.h").write_text("#include <stddef.h>\nvoid* memcpy(void*, const void*, size_t);\n")
    (stub / "math.h").write_text("float floorf(float); double floor(double); double fabs(double);\n"
                                 "#define INFINITY __builtin_inff()\n#define NAN __builtin_nanf(\"\")\n")
    failures = 0
    for what, (triple, abi, flags) in TARGETS.items():
        out = folder / what.replace(" ", "_")
        if emit(options.tenon, models[0], "object", out, f"--target={triple}",
                *([f"--target-abi={abi}"] if abi else [])) is None:
            failures += 1
            continue
        text = (out / "tvmgen_default_constants.h").read_text()
        name = text.split("const tenon_uint8 ")[1].split("[")[0]
        (out / "bare.c").write_text(BARE.replace("@NAME@", name))
        compiled = run([clang, *flags, "-ffreestanding", "-O1", "-isystem", stub, f"-I{out}", "-c",
                        out / "bare.c", "-o", out / "bare.o"])
        linked = compiled is not None and run(
            [linker, "--fatal-warnings", "-e", "address_of_constants", out / "bare.o",
             out / "tvmgen_default_constants.o", "-o", out / "program"])
        if linked is None or compiled is None:
            failures += fail(f"{what}: does not link")
    print(f"{len(TARGETS)} machines")
    return failures


def large_module(constants, size):
    """Constants of `size` bytes each; a splat may have 1 GiB. All differ, so that they are not
    merged."""
    names = [f"w{i}" for i in range(constants)]
    table = ", ".join(f'I.constant("{name}", I.splat({i + 1}), "uint8", [{size}])'
                      for i, name in enumerate(names))
    lines = ["# from tvm.script import ir as I", "# from tvm.script import tir as T", "",
             "@I.ir_module", "class Module:", f'    I.module_attrs({{"tenon.constants": [{table}]}})',
             "    @T.prim_func",
             '    def main(x: T.Buffer((4,), "uint8"), y: T.Buffer((4,), "uint8")):',
             '        T.func_attr({"global_symbol": "main"})']
    for name in names:
        lines.append(f'        {name} = T.allocate_const(I.constant("{name}"), "uint8", [{size}])')
        lines.append(f'        {name}_1 = T.Buffer(({size},), "uint8", data={name})')
    total = " + ".join(f"{name}_1[i]" for name in names)
    return "\n".join([*lines, "        for i in range(4):", f"            y[i] = x[i] + {total}", ""])


def check_large(options, folder):
    constants, size = 5, 1 << 30
    if shutil.disk_usage(folder).free < 2 * constants * size:
        print("the disk has no room for an object of 5 GB")
        return None
    module = folder / "large.py"
    module.write_text(large_module(constants, size))
    command = [options.tenon, "compile", module, "--emit=c", "--constant-storage=object",
               "--workspace-pools=ws", "--fuse=off", "--narrow=off", "-o", folder / "out"]
    failures = 0
    done = subprocess.run([*command, "--target=armv7-linux-gnueabihf"], capture_output=True, text=True,
                          check=False)
    if done.returncode != 1 or "more than a 32-bit object of arm can have" not in done.stderr:
        failures += fail(f"32 bits: {done.stderr}")
    if (folder / "out").exists():
        failures += fail("something was written for 32 bits")
    if run([*command, "--target=x86_64"]) is None:
        return 1
    found = folder / "out" / "tvmgen_default_constants.o"
    for reader in ("readelf", "llvm-readelf-19"):
        if not shutil.which(reader):
            continue
        text = run([reader, "-SsW", found])
        if text is None or b".lrodata.tvm" not in text or f"{constants * size:x}".encode() not in text:
            failures += fail(f"{reader}: {text!r}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("what", choices=["kinds", "models", "wrong", "objects", "large"])
    options = parser.parse_args()
    options.tenon = str(pathlib.Path(options.tenon).resolve())
    check = {"kinds": check_kinds, "models": check_models, "wrong": check_wrong, "objects": check_objects,
             "large": check_large}[options.what]
    with tempfile.TemporaryDirectory() as folder:
        failures = check(options, pathlib.Path(folder))
    if failures is None:
        print("skipped")
        return SKIPPED
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
