#!/usr/bin/env python3
"""Runs models of the corpus with operators on targets, and compares external functions with their bodies.

Use: corpus_test.py --tenon BIN --source DIR --model NAME [--without jit|blas]...
Every model gives its expected results, and no external function differs from its body: for each
generator, in C and through LLVM, with constants inside, as inputs of the model, or in a file. The
daily run samples texts and ways; with TENON_NIGHTLY=1 all combinations run. Exit code 77 (skipped)
without a corpus.
"""

import argparse
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "corpus"))
from corpus_test import SKIPPED, Checks, find_corpus, is_nightly, run  # noqa: E402

# Engine, targets, and the place of constants.
WAYS = [
    ("c", "c", []),
    ("c", "reference", ["--constant-storage=file"]),
    ("c", "blas,c", []),
    ("jit", "c", []),
    ("c", "c", ["--link-params=off"]),
    ("jit", "reference", ["--link-params=off"]),
    ("c", "blas", ["--constant-storage=file"]),
    ("jit", "blas,c", ["--link-params=off"]),
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
    parser.add_argument("--without", action="append", default=[], choices=["jit", "blas"])
    options = parser.parse_args()
    corpus = find_corpus(options.source)
    if corpus is None:
        print("no corpus: skipped")
        return SKIPPED
    checks = Checks()
    folder = corpus / "models" / options.model
    number = sorted(os.listdir(corpus / "models")).index(options.model)
    for text_number, text in enumerate(TEXTS):
        for way_number, (engine, targets, flags) in enumerate(WAYS):
            if not is_nightly() and (number + text_number + way_number) % 4 != 0:
                continue
            if any(word in options.without for word in (engine, targets.split(",")[0])):
                continue
            done = run([options.tenon, "run", folder / text, f"--engine={engine}",
                        *([f"--cc={options.cc}"] if engine == "c" else []),
                        f"--targets={targets}", "--externals=both", *flags, *values_of(folder)])
            name = f"{options.model}/{text} {engine} {targets} {flags}"
            checks.expect(done.returncode == 0, f"{name}: {done.stderr.strip()[:2000]}")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
