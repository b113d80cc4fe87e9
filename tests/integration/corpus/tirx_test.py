#!/usr/bin/env python3
"""Runs the models as printed by current TVM, and compares their outputs and their text with TVM's.

Use: tirx_test.py --tenon BIN --source DIR [--cc CC] [--model NAME] text|interp|c|jit...
See corpus_test.py.
"""

import argparse
import pathlib
import re
import sys
import tempfile

from corpus_test import SKIPPED, Checks, find_corpus, run

FUNCTION = re.compile(r"^    @(?=[TR]\.)", re.M)


def tir_functions(text):
    """The TIR functions, each from its decorator to its last line, in order."""
    parts = ["    @" + part.rstrip() for part in FUNCTION.split(text)[1:]]
    is_main = re.compile(r"^    def main\(", re.M)
    return [part for part in parts if not is_main.search(part)]


def check_text(tenon, model, checks):
    """Every TIR function is printed byte for byte as it was read."""
    opt = pathlib.Path(tenon).with_name("tenon-opt")
    done = run([opt, model / "module.py", f"--constants-from={model / 'constants.safetensors'}",
                "--constants=elide"])
    checks.expect(done.returncode == 0, f"{model.name}: {done.stderr.strip()[:2000]}")
    if done.returncode != 0:
        return
    before = tir_functions((model / "module.py").read_text(encoding="utf-8"))
    after = tir_functions(done.stdout)
    checks.expect(len(before) == len(after) and before != [],
                  f"{model.name}: {len(after)} functions, expected {len(before)}")
    for one, two in zip(before, after):
        checks.expect(one == two, f"{model.name}: another text\n{one[:400]}\n{two[:400]}")


def check_runs(tenon, model, engine, cc, folder, checks):
    """The outputs equal those of TVM's virtual machine."""
    options = [f"--engine={engine}"]
    if engine == "c":
        options += [f"--cc={cc}", "--cflags=-std=c99 -O1"]
    done = run([tenon, "run", model / "module.py",
                f"--constants-from={model / 'constants.safetensors'}", *options, "--input",
                model / "input0.npy", "--expect", model / "tvm0.npy", "--output",
                pathlib.Path(folder) / "out.npy"])
    checks.expect(done.returncode == 0, f"{model.name} {engine}: {done.stderr.strip()[:2000]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--model")
    parser.add_argument("whats", nargs="+", choices=["text", "interp", "c", "jit"])
    args = parser.parse_args()
    corpus = find_corpus(args.source)
    if corpus is None or not (corpus / "tirx").is_dir():
        print(f"no corpus at {corpus}/tirx: nothing was checked")
        return SKIPPED
    checks = Checks()
    models = [model for model in sorted((corpus / "tirx").iterdir())
              if args.model in (None, model.name)]
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            for what in args.whats:
                if what == "text":
                    check_text(args.tenon, model, checks)
                else:
                    check_runs(args.tenon, model, what, args.cc, folder, checks)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
