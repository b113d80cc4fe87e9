#!/usr/bin/env python3
"""Takes the constants out of the models of the corpus, puts them back, and runs the results.

Use: params_test.py --tenon BIN --source DIR [--cc CC]
See corpus_test.py.
"""

import argparse
import pathlib
import sys
import tempfile

from corpus_test import (CHOSEN, INT8_MODELS, SKIPPED, TEXTS, Checks, data_of, find_corpus, is_nightly,
                         is_sampled, models_of, run)


class ParamChecks:
    """Checks on the models, with a folder for files."""

    def __init__(self, args, folder, checks):
        self.tenon = pathlib.Path(args.tenon)
        self.opt = self.tenon.with_name("tenon-opt")
        self.engines = [["--engine=interp"],
                        ["--engine=c", f"--cc={args.cc}", "--cflags=-std=c99 -O1"]]
        self.folder = pathlib.Path(folder)
        self.checks = checks
        self.ways = 0

    def good(self, command, name):
        done = run(command)
        self.checks.expect(done.returncode == 0, f"{name}: {done.stderr.strip()[:2000]}")
        return done

    def runs(self, model, text, name, *options):
        """Checks that both engines give the model's outputs; in the daily run each way uses one
        engine."""
        out = self.folder / "out.npy"
        self.ways += 1
        for number, engine in enumerate(self.engines):
            if not is_sampled(model, self.ways + number):
                continue
            done = self.good([self.tenon, "run", text, *engine, *options, "--input",
                              model / "input0.npy", "--expect", model / "expected0.npy",
                              "--output", out], f"{name} {engine[0]} {options}")
            if model.name in INT8_MODELS and done.returncode == 0:
                self.checks.expect(data_of(out) == data_of(model / "expected0.npy"),
                                   f"{name} {engine[0]} {options}: not bit for bit")

    def equal(self, text, pipeline, other, name):
        done = run([self.opt, text, f"--pipeline={pipeline}", f"--compare={other}"])
        self.checks.expect(done.stdout == "equal\n", f"{name}: {done.stderr.strip()[:2000]}")

    def lift_and_bind(self, model, text):
        """A lifted module has no constants left. Lifting and binding gives the extracted module,
        which runs."""
        name = f"{model.name}/{text}"
        lifted, bound, values = (self.folder / file for file in
                                 ("lifted.py", "bound.py", "w.safetensors"))
        self.good([self.opt, model / text, f"--pipeline=lift-params{{file={values}}}",
                   "-o", lifted], name)
        self.checks.expect("allocate_const" not in lifted.read_text(encoding="utf-8"),
                           f"{name}: a constant was not lifted")
        self.good([self.opt, lifted, f"--pipeline=bind-params{{file={values}}}", "-o", bound],
                  name)
        self.equal(model / text, "extract-constants", bound, name)
        self.runs(model, bound, f"{name} bound")

    def link(self, model, text):
        """The two older ways to lift and bind give the extracted module and run. The module with
        constants as inputs also runs."""
        name = f"{model.name}/{text}"
        linked, back = self.folder / "linked.py", self.folder / "back.py"
        for way in ("attrs", "params"):
            self.good([self.opt, model / text, f"--pipeline=convert-link-params{{to={way}}}",
                       "-o", linked], f"{name} {way}")
            self.checks.expect("allocate_const" not in linked.read_text(encoding="utf-8"),
                               f"{name} {way}: a constant is as it was")
            self.good([self.opt, linked, "--pipeline=convert-link-params", "-o", back],
                      f"{name} {way} back")
            self.equal(model / text, "extract-constants", back, f"{name} {way}")
            self.runs(model, linked, f"{name} {way}")
        self.runs(model, model / text, name, "--link-params=off")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--model", action="append", default=[], help="only this model")
    args = parser.parse_args()
    corpus = find_corpus(args.source)
    if corpus is None:
        print("no corpus: skipped")
        return SKIPPED
    CHOSEN.extend(args.model)
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        params = ParamChecks(args, folder, checks)
        for model in models_of(corpus):
            for text in TEXTS[:2] if is_nightly() else TEXTS[:1]:
                params.lift_and_bind(model, text)
                params.link(model, text)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
