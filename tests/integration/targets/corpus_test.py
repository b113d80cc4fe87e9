#!/usr/bin/env python3
"""Runs models of the corpus with operators on targets, and compares external functions with their bodies.

Use: corpus_test.py --tenon BIN --source DIR --model NAME [--without jit|blas|onednn]...
Every model gives its expected results, and no external function differs from its body: for each
generator, in C and through LLVM, with constants inside, as inputs of the model, or in a file. The
daily run samples texts and ways; with TENON_NIGHTLY=1 all combinations run. Exit code 77 (skipped)
without a corpus.
"""

import argparse
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "corpus"))
from corpus_test import SKIPPED, Checks, find_corpus, is_nightly, run  # noqa: E402

# Engine, targets, and the place of constants.
WAYS = [
    ("c", "reference", []),
    ("c", "reference", ["--constant-storage=file"]),
    ("c", "blas,reference", []),
    ("jit", "reference", []),
    ("c", "reference", ["--link-params=off"]),
    ("jit", "reference", ["--link-params=off"]),
    ("c", "blas", ["--constant-storage=file"]),
    ("jit", "blas,reference", ["--link-params=off"]),
]
# For float models. All operators that the library has go to it, whether this is faster or not. With
# --link-params=off, the rule of profit decides: `partition` has run before constants become inputs.
PARTITION = "recognise-ops,annotate-targets{targets=onednn},merge-regions{min-macs=0},partition"
FLOAT_WAYS = [
    ("c", "onednn", []),
    ("jit", "onednn", []),
    ("c", "onednn", ["--constant-storage=file"]),
    ("c", "onednn", ["--link-params=off"]),
]
TEXTS = ["module.py", "module_llvm.py"]


def values_of(folder):
    words = []
    for flag, files in (("--input", "input*.npy"), ("--expect", "expected*.npy")):
        for value in sorted(folder.glob(files)):
            words += [flag, value]
    return words


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--model", required=True)
    parser.add_argument("--without", action="append", default=[], choices=["jit", "blas", "onednn"])
    options = parser.parse_args()
    corpus = find_corpus(options.source)
    if corpus is None:
        print("no corpus: skipped")
        return SKIPPED
    checks = Checks()
    folder = corpus / "models" / options.model
    number = sorted(os.listdir(corpus / "models")).index(options.model)
    for text_number, text in enumerate(TEXTS):
        ways = [*(FLOAT_WAYS if options.model.endswith("_float") else []), *WAYS]
        for way_number, (engine, targets, flags) in enumerate(ways):
            if not is_nightly() and (number + text_number + way_number) % 4 != 0:
                continue
            if any(word in options.without for word in (engine, targets.split(",")[0])):
                continue
            name = f"{options.model}/{text} {engine} {targets} {flags}"
            with tempfile.TemporaryDirectory() as temporary:
                module, words = folder / text, [f"--targets={targets}"]
                is_cut = targets == "onednn" and "--link-params=off" not in flags
                if is_cut:
                    module, words = pathlib.Path(temporary) / "module.py", []
                    cut = run([pathlib.Path(options.tenon).with_name("tenon-opt"), folder / text,
                               f"--pipeline={PARTITION}", "-o", module])
                    checks.expect(cut.returncode == 0, f"{name}: {cut.stderr.strip()[:2000]}")
                done = run([options.tenon, "run", module, f"--engine={engine}",
                            *([f"--cc={options.cc}"] if engine == "c" else []),
                            *words, "--externals=both", *flags, *values_of(folder)])
            checks.expect(done.returncode == 0, f"{name}: {done.stderr.strip()[:2000]}")
            if is_cut:
                checks.expect("1 function called 1 time, all equal" in done.stderr,
                              f"{name}: {done.stderr.strip()[:2000]}")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
