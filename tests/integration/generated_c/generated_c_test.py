#!/usr/bin/env python3
"""Checks the C that `tenon compile` generates for real models.

Use: generated_c_test.py --tenon BIN --source DIR [--cc CC] warnings|symbols|sanitizers
- warnings: gcc and clang as C99, g++ as C++17, with warnings as errors; also for the lit tests of
  the lowering, which contain every construct. In the daily run each model of the corpus uses one of
  these compilers; with TENON_NIGHTLY=1 all of them.
- symbols: only globals with the prefix or tenon_*; only memory and math functions are undefined.
- sanitizers: a model runs under ASan and UBSan, and gives the expected bytes.
The models are those of the corpus ($TENON_CORPUS_DIR, or shared/corpus next to the source folder)
and of examples. Exit code 77 (skipped) without models, or without compilers.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
COMPILERS = [["gcc", "-std=c99"], ["clang-19" if shutil.which("clang-19") else "clang", "-std=c99"], ["g++", "-x", "c++", "-std=c++17"]]
# Functions that C compilers call implicitly, and <math.h>.
NEEDED = re.compile(r"mem(cpy|set|move|cmp)|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|"
                    r"(exp|exp2|log|log2|log10|log1p|sqrt|tanh|sin|cos|tan|pow|erf|floor|ceil|trunc|"
                    r"round|nearbyint|fabs|fmod|fma|atan|atan2|ldexp)f?")


def find_models(source):
    corpus = pathlib.Path(os.environ.get("TENON_CORPUS_DIR")
                          or pathlib.Path(source).parent / "shared" / "corpus")
    models = []
    if (corpus / "models").is_dir():
        for name in ("module.py", "module_llvm.py"):
            models += sorted((corpus / "models").glob(f"*/{name}"))
    return models + sorted(pathlib.Path(source).glob("examples/digits/digits.py"))


def find_families(source):
    """The modules of the lowering's lit tests: files with one module that C can express."""
    folder = pathlib.Path(source) / "tests" / "lit" / "lowering" / "c"
    return [path for path in sorted(folder.glob("*.py"))
            if not path.stem.startswith("errors") and "split-file" not in path.read_text()]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"FAILED: {' '.join(map(str, command))}\n{(done.stdout + done.stderr)[:4000]}",
              flush=True)
        return None
    return done.stdout


def emit(tenon, model, folder, vectors="loops"):
    out = pathlib.Path(folder) / f"{model.parent.name}.{model.stem}.{vectors}"
    good = run([tenon, "compile", model, "--emit=c", f"--c-vectors={vectors}",
                "--constant-storage=c-array", "-o", out]) is not None
    return out if good else None


def check_warnings(options, models, folder):
    compilers = [c for c in COMPILERS if shutil.which(c[0])]
    if not compilers:
        return None
    failures = 0
    families = find_families(options.source)
    models = [(model, "loops") for model in models + families]
    models += [(model, "gnu") for model, _ in models if model.stem in ("module_llvm", "vectors",
                                                                       "vectors_gnu")]
    for number, (model, vectors) in enumerate(models):
        out = emit(options.tenon, model, folder, vectors)
        is_whole = model in families or os.environ.get("TENON_NIGHTLY")
        for compiler in compilers if is_whole else [compilers[number % len(compilers)]]:
            # Compilers find unused functions after parsing, so this makes an object.
            failures += out is None or run([*compiler, *FLAGS, "-O0", "-c", *out.glob("*.c"),
                                            "-o", out / "model.o"]) is None
        if out is not None:
            shutil.rmtree(out)
    print(f"{len(models)} models, {len(compilers)} compilers")
    return failures


def check_symbols(options, models, folder):
    if not shutil.which("nm"):
        return None
    failures = 0
    for model in models:
        # Vectors change nothing else, so one of both forms is checked.
        out = emit(options.tenon, model, folder, "gnu" if model.stem == "module_llvm" else "loops")
        source = None if out is None else next(out.glob("*.c"))
        if source is None or run([options.cc, "-std=c99", "-O0", "-c", source, "-o",
                                  out / "model.o"]) is None:
            failures += 1
            continue
        defined = []
        for line in run(["nm", out / "model.o"]).splitlines():
            kind, name = line.split()[-2:]
            if kind == "U":
                good = NEEDED.fullmatch(name) is not None
            elif kind.isupper():
                good = name.startswith((source.stem + "_", "tenon_"))
                defined.append(name)
            else:
                good = True
            if not good:
                print(f"FAILED: {model}: symbol {kind} {name}")
                failures += 1
        if f"{source.stem}_run" not in defined:
            print(f"FAILED: {model}: no {source.stem}_run")
            failures += 1
        shutil.rmtree(out)
    return failures


def field_of(header, what):
    """The only field of struct <prefix>_<what>."""
    return re.search(rf"struct \w+_{what} {{\s*void\* (\w+);\s*}};", header)[1]


MAIN = """#include <stdio.h>
#include "{prefix}.h"
static unsigned char input[{macro}_{x_macro}_SIZE];
static unsigned char output[{macro}_{y_macro}_SIZE];
int main(int argc, char** argv) {{
  struct {prefix}_inputs inputs = {{input}};
  struct {prefix}_outputs outputs = {{output}};
  FILE* file = argc == 3 ? fopen(argv[1], "rb") : NULL;
  int32_t result;
  if (file == NULL || fread(input, 1, sizeof(input), file) != sizeof(input)) return 2;
  fclose(file);
  result = {prefix}_run(&inputs, &outputs);
  file = fopen(argv[2], "wb");
  if (file == NULL || fwrite(output, 1, sizeof(output), file) != sizeof(output)) return 2;
  fclose(file);
  return result == 0 ? 0 : 1;
}}
"""


def data_of(npy):
    """The bytes after the header of a .npy file of version 1."""
    raw = npy.read_bytes()
    return raw[10 + int.from_bytes(raw[8:10], "little"):]


def check_sanitizers(options, models, folder):
    probe = pathlib.Path(folder) / "probe.c"
    probe.write_text("int main(void) { return 0; }\n")
    sanitize = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    if run([options.cc, *sanitize, probe, "-o", probe.with_suffix("")]) is None:
        return None
    failures = 0
    for model in models:
        if model.parent.name not in ("digits", "sww_int8", "ad_int8", "kws_int8") or \
                model.stem == "module_llvm":
            continue
        out = emit(options.tenon, model, folder)
        if out is None:
            failures += 1
            continue
        source = next(out.glob("*.c"))
        header = source.with_suffix(".h").read_text()
        x, y = field_of(header, "inputs"), field_of(header, "outputs")
        (out / "main.c").write_text(MAIN.format(prefix=source.stem, macro=source.stem.upper(),
                                                x_macro=x.upper(), y_macro=y.upper()))
        (out / "input").write_bytes(data_of(model.parent / "input0.npy"))
        good = run([options.cc, "-std=c99", "-O1", "-g", *sanitize, source, out / "main.c", "-o",
                    out / "main", "-lm"]) is not None
        good = good and run([out / "main", out / "input", out / "output"]) is not None
        if good and (out / "output").read_bytes() != data_of(model.parent / "expected0.npy"):
            print(f"FAILED: {model}: not the expected bytes")
            good = False
        failures += not good
        shutil.rmtree(out)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--cc", default="cc")
    checks = {"warnings": check_warnings, "symbols": check_symbols, "sanitizers": check_sanitizers}
    parser.add_argument("what", choices=sorted(checks))
    options = parser.parse_args()
    models = find_models(options.source)
    if not models:
        print("no models: neither the corpus nor the examples are there")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        failures = checks[options.what](options, models, folder)
    if failures is None:
        print("the compilers for it are not there")
        return SKIPPED
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
