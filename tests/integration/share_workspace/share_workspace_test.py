#!/usr/bin/env python3
"""Compiles models with --share-workspace, links them into one program, and runs them alternately.

Use: share_workspace_test.py --tenon BIN --source DIR [--cc CC] corpus|small|constants
`constants` uses one model twice, whose constants must be stored once, and different models, with
every --constant-storage. The program has one static arena, which it fills with other bytes before
each run. It compares every output with the expected one, bit for bit, under AddressSanitizer. Exit
code 77 (skipped) without the corpus.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
PLAIN = ("--fuse=off", "--narrow=off", "--overlap=off")
ROUNDS = 5


def run(command, cwd=None):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, cwd=cwd)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def data_of(npy):
    """The bytes after the header of a .npy file of version 1."""
    raw = pathlib.Path(npy).read_bytes()
    return raw[10 + int.from_bytes(raw[8:10], "little"):]


def write_npy(path, shape, values):
    header = f"{{'descr': '|i1', 'fortran_order': False, 'shape': {shape}}}".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") +
                     header.encode() + bytes(value % 256 for value in values))


class Model:
    """A module, its name in C, its input, and the bytes of each output by name."""

    def __init__(self, tenon, name, module, input_file, expected, folder):
        self.name = name
        self.module = module
        tensors = json.loads(run([tenon, "report", module, "--json"]))["tensors"]
        self.inputs = [t["name"] for t in tensors if t["kind"] == "input"]
        outputs = [t["name"] for t in tensors if t["kind"] == "output"]
        self.value = data_of(input_file)
        if expected is None:
            files = [folder / f"{name}_{output}.npy" for output in outputs]
            run([tenon, "run", module, "--input", input_file] +
                [f"--output={output}={file}" for output, file in zip(outputs, files)])
        else:
            files = [expected]
        self.outputs = {output: data_of(file) for output, file in zip(outputs, files)}


def array(name, data):
    numbers = ", ".join(str(byte) for byte in data)
    return (f"static const uint8_t {name}[{len(data)}] __attribute__((aligned(16))) = "
            f"{{{numbers}}};\n")


def run_function(model, mapped):
    """C that runs a model once and compares; the result is 0, or an error number."""
    prefix = f"tvmgen_{model.name}"
    source = array(f"{model.name}_value", model.value)
    for output, data in model.outputs.items():
        source += array(f"{model.name}_{output}_expected", data)
        if not mapped:
            source += (f"static uint8_t {model.name}_{output}_got[{len(data)}] "
                       "__attribute__((aligned(16)));\n")
    source += f"static int run_{model.name}(void) {{\n"
    source += f"  struct {prefix}_workspace_pools pools = {prefix.upper()}_SHARED_POOLS;\n"
    [image] = model.inputs
    size = len(model.value)
    if mapped:
        source += f"  struct {prefix}_inputs inputs = {prefix}_map_inputs(&pools);\n"
        source += f"  struct {prefix}_outputs outputs = {prefix}_map_outputs(&pools);\n"
        source += f"  memcpy(inputs.{image}, {model.name}_value, {size});\n"
        source += f"  if ({prefix}_run(&pools) != 0) return 1;\n"
    else:
        source += f"  struct {prefix}_inputs inputs;\n  struct {prefix}_outputs outputs;\n"
        source += f"  inputs.{image} = (void*){model.name}_value;\n"
        for output in model.outputs:
            source += f"  outputs.{output} = {model.name}_{output}_got;\n"
        source += f"  if ({prefix}_run(&inputs, &outputs, &pools) != 0) return 1;\n"
    for output, data in model.outputs.items():
        source += (f"  if (memcmp(outputs.{output}, {model.name}_{output}_expected, {len(data)}) "
                   "!= 0) return 2;\n")
        if not mapped:
            source += f"  memset({model.name}_{output}_got, 0x77, {len(data)});\n"
    return source + "  return 0;\n}\n"


def program(models, mapped):
    source = "#include <stdio.h>\n#include <string.h>\n#include \"tvmgen_shared.h\"\n"
    for model in models:
        source += f"#include \"tvmgen_{model.name}.h\"\n"
    for model in models:
        source += run_function(model, mapped)
    source += ("int main(void) {\n  int round;\n"
               f"  for (round = 0; round < {ROUNDS}; ++round) {{\n    int failed;\n")
    for model in models:
        source += ("    memset(tvmgen_shared_global_workspace, 0x55 + 37 * round, "
                   "sizeof(tvmgen_shared_global_workspace));\n"
                   f"    failed = run_{model.name}();\n"
                   f"    if (failed) {{ printf(\"{model.name}: %d in round %d\\n\", failed, round); "
                   "return 1; }\n")
    return source + "  }\n  return 0;\n}\n"


def compile_all(args, models, out, *flags):
    """The report."""
    report_file = out.parent / "report.json"
    run([args.tenon, "compile", *[model.module for model in models], "--share-workspace",
         *[f"--module-name={model.name}" for model in models], "--emit=c", "-o", out,
         f"--report={report_file}", *flags])
    return json.loads(report_file.read_text(encoding="utf-8"))


def sources(out):
    return sorted(path for path in out.iterdir() if path.suffix in (".c", ".S", ".o"))


def check(args, models, mapped, folder, flags=()):
    """Compiles the models with `flags`, runs them one after the other, and checks the report."""
    out = folder / "_".join(["mapped" if mapped else "apart", *(flag.strip("-") for flag in flags)])
    report = compile_all(args, models, out, *(["--use-workspace-io"] if mapped else []), *flags)
    pool = report["pools"]["global_workspace"]
    needs = [model["pools"]["global_workspace"]["size_bytes"] for model in report["models"]]
    bounds = [model["pools"]["global_workspace"]["lower_bound_bytes"] for model in report["models"]]
    assert [model["name"] for model in report["models"]] == [model.name for model in models]
    assert pool["size_bytes"] == max(needs), (pool, needs)
    assert pool["lower_bound_bytes"] == max(bounds) and pool["proven_optimal"], (pool, bounds)
    assert report["sharing"] == {"separate_bytes": sum(needs), "shared_bytes": max(needs),
                                 "saved_bytes": sum(needs) - max(needs)}
    (out / "main.c").write_text(program(models, mapped), encoding="utf-8")
    run([args.cc, "-std=c99", "-O1", "-g", "-Wall", "-Wextra", "-Werror",
         "-fsanitize=address,undefined", "-fno-sanitize-recover=all", f"-I{out}",
         *sources(out), "-o", out / "program", "-lm"])
    run([out / "program"])
    print(f"{'mapped' if mapped else 'plain'}: {needs} bytes alone, {pool['size_bytes']} shared")
    # A comparison that accepts anything would pass all of the above.
    output = next(iter(models[1].outputs))
    wrong = bytearray(models[1].outputs[output])
    wrong[-1] ^= 1
    models[1].outputs[output], right = bytes(wrong), models[1].outputs[output]
    (out / "main.c").write_text(program(models, mapped), encoding="utf-8")
    models[1].outputs[output] = right
    run([args.cc, "-std=c99", "-O1", f"-I{out}", *sources(out), "-o", out / "wrong",
         "-lm"])
    assert subprocess.run([out / "wrong"], check=False, stdout=subprocess.DEVNULL).returncode == 1


def constant_bytes(args, out):
    """Bytes in the constant sections of all files that the models are linked from."""
    total = 0
    for path in sources(out):
        if path.name == "main.c":
            continue
        made = path
        if path.suffix != ".o":
            made = out / (path.name + ".made")
            run([args.cc, f"-I{out}", "-c", path, "-o", made])
        for line in run(["size", "-A", "-d", made]).splitlines():
            if line.split()[:1] == [".rodata.tvm"]:
                total += int(line.split()[1])
    return total


def has_embed(cc):
    probe = "#if defined(__has_embed)\nyes_it_has\n#endif\n"
    done = subprocess.run([cc, "-E", "-"], input=probe, capture_output=True, text=True, check=False)
    return "yes_it_has" in done.stdout


def with_embed(args):
    """The arguments with a compiler that has #embed; None without one."""
    for cc in (args.cc, "clang-19", "clang", "gcc-15"):
        if shutil.which(cc) and has_embed(cc):
            return argparse.Namespace(**{**vars(args), "cc": cc})
    return None


def check_constants(args, models, storage, folder):
    """Runs models that share constants; returns the bytes without and with sharing."""
    flags = [f"--constant-storage={storage}"]
    out = folder / "-".join([storage, *[model.name for model in models]])
    report = compile_all(args, models, out, *flags)
    (out / "main.c").write_text(program(models, False), encoding="utf-8")
    # The sanitizers are slow and give the same result for each kind, so they only run for one.
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    run([args.cc, "-std=gnu99", "-O1", "-Wall", "-Wextra", "-Werror",
         *(sanitizers if storage == "c-array" else []), f"-I{out}", *sources(out), "-o",
         out / "program", "-lm"])
    run([out / "program"], cwd=out)
    if storage == "file":
        assert not (out / "tvmgen_shared_constants.h").exists()
        return None
    apart = 0
    for model in models:
        alone = folder / f"{storage}-{model.name}"
        compile_all(args, [model], alone, *flags)
        apart += constant_bytes(args, alone)
    together = constant_bytes(args, out)
    print(f"{out.name}: {apart} bytes of constants apart, {together} together")
    # The report counts each byte once; there may be padding between sections of objects.
    assert 0 <= together - report["constant_bytes"] <= 64, (together, report["constant_bytes"])
    again = folder / f"{out.name}-again"
    compile_all(args, models, again, *flags)
    for path in again.iterdir():
        assert path.read_bytes() == (out / path.name).read_bytes(), f"{path.name} differs"
    return apart, together


def constants(args, corpus, folder):
    def model(name, full):
        path = corpus / full
        return Model(args.tenon, name, path / "module.py", path / "input0.npy",
                     path / "expected0.npy", folder)

    # The models in the other order, so that the two runs differ.
    kws = corpus / "kws_int8"
    raw = (kws / "input0.npy").read_bytes()
    data = data_of(kws / "input0.npy")
    (folder / "reversed.npy").write_bytes(raw[:len(raw) - len(data)] + data[::-1])
    twice = [model("kws", "kws_int8"),
             Model(args.tenon, "again", kws / "module.py", folder / "reversed.npy", None, folder)]
    assert twice[0].outputs != twice[1].outputs
    embeds = with_embed(args)
    if embeds is None:
        print("no compiler has #embed: that is not compiled")
    for storage in ["c-array", "incbin", "object", "file"] + (["embed"] if embeds else []):
        found = check_constants(embeds if storage == "embed" else args, twice, storage, folder)
        if found is not None:
            assert found[0] >= 2 * found[1] - 16, found
    three = [model("sww", "sww_int8"), *twice]
    apart, together = check_constants(args, three, "object", folder)
    assert together < apart
    # Other levels of merging, or none, do not change results.
    for level in ("subrange", "off"):
        out = folder / level
        compile_all(args, three, out, f"--merge-constants={level}")
        (out / "main.c").write_text(program(three, False), encoding="utf-8")
        run([args.cc, "-std=c99", "-O1", f"-I{out}", *sources(out), "-o", out / "program", "-lm"])
        run([out / "program"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("what", choices=["corpus", "small", "constants"])
    args = parser.parse_args()
    source = pathlib.Path(args.source)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if args.what != "small":
            corpus = pathlib.Path(os.environ.get("TENON_CORPUS_DIR")
                                  or source.parent / "shared" / "corpus") / "models"
            if not corpus.is_dir():
                print("no corpus: skipped")
                return SKIPPED
            if args.what == "constants":
                constants(args, corpus, folder)
                return 0
            models = [Model(args.tenon, short, corpus / full / "module.py",
                            corpus / full / "input0.npy", corpus / full / "expected0.npy", folder)
                      for short, full in (("kws", "kws_int8"), ("ad", "ad_int8"))]
        else:
            write_npy(folder / "dense.npy", (1, 4), [-128, 5, 0, 100])
            write_npy(folder / "scale.npy", (2, 2), [1, -2, 3, -4])
            tests = source / "tests"
            models = [Model(args.tenon, "dense", tests / "integration/c_interface/model.py",
                            folder / "dense.npy", None, folder),
                      Model(args.tenon, "scale", tests / "lit/tools/Inputs/scale.py",
                            folder / "scale.npy", None, folder)]
        # By default a small model needs no workspace except for its inputs and outputs.
        check(args, models, False, folder, PLAIN if args.what == "small" else ())
        check(args, models, True, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
