#!/usr/bin/env python3
"""Moves, merges, pools, loads and compresses the corpus models' constants; outputs must not change.

Use: constants_test.py --tenon BIN --source DIR [--cc CC] [--model NAME] placed|loaded...
See corpus_test.py. docs/guide/constants.md lists the other tests of constants there and in
params_test.py.
"""

import argparse
import json
import pathlib
import sys
import tempfile

from corpus_test import (CHOSEN, INT8_MODELS, SKIPPED, Checks, data_of, find_corpus, is_sampled,
                         models_of, run)

# Passes on the text, and strings that the result must not, or must, contain.
TEXTS = {
    "extracted": ("extract-constants", "allocate_const([", "allocate_const(I.constant("),
    "inlined": ("extract-constants,inline-constants", "I.constant(", "allocate_const(["),
}
# Options of `tenon run` and `tenon report`. With a planner's name, the interpreter also plans.
PLACED = {
    "merged exact": ["--planner=optimal", "--merge-constants=exact"],
    "merged subrange": ["--planner=optimal", "--merge-constants=subrange"],
    "pooled": ["--constant-pools=itcm:4096;flash", "--workspace-pools=dtcm:8192;sram"],
}
LOADED = {
    "promoted": ["--promote-constants=20000"],
    "lz4": ["--compress-constants=lz4:1.05"],
    "zstd": ["--compress-constants=zstd:1.05"],
    "both": ["--promote-constants=20000", "--compress-constants=zstd:1.05"],
}


class ConstantChecks:
    """Checks on the models, with a folder for files."""

    def __init__(self, args, corpus, folder, checks):
        self.tenon = pathlib.Path(args.tenon)
        self.opt = self.tenon.with_name("tenon-opt")
        self.engines = {"interp": ["--engine=interp"],
                        "c": ["--engine=c", f"--cc={args.cc}", "--cflags=-std=c99 -O1"]}
        self.folder = pathlib.Path(folder)
        self.checks = checks
        self.sizes = json.loads((corpus / "expected.json").read_text(encoding="utf-8"))
        self.plain = {}
        self.ways = 0

    def good(self, command, name):
        done = run(command)
        self.checks.expect(done.returncode == 0, f"{name}: {done.stderr.strip()[:2000]}")
        return done if done.returncode == 0 else None

    def output(self, model, text, engine, options, name):
        """The output's bytes, after a check that they are as expected; None after an error."""
        out = self.folder / "out.npy"
        done = self.good([self.tenon, "run", text, *self.engines[engine], *options, "--input",
                          model / "input0.npy", "--expect", model / "expected0.npy",
                          "--output", out], f"{name} {engine}")
        return data_of(out) if done else None

    def runs(self, model, text, options, name):
        """Checks that the outputs are the model's. Float outputs must also be bit-identical to
        those of each engine with unchanged constants. In the daily run each way uses one engine."""
        self.ways += 1
        for number, engine in enumerate(self.engines):
            if not is_sampled(model, self.ways + number):
                continue
            got = self.output(model, text, engine, options, name)
            if model.name in INT8_MODELS:
                wanted = data_of(model / "expected0.npy")
            else:
                if (model.name, engine) not in self.plain:
                    self.plain[model.name, engine] = self.output(
                        model, model / "module.py", engine, [], f"{model.name} as it is")
                wanted = self.plain[model.name, engine]
            if got is not None and wanted is not None:
                self.checks.expect(got == wanted, f"{name} {engine}: not bit for bit")

    def report(self, model, options, name):
        done = self.good([self.tenon, "report", model / "module.py", *options, "--json"], name)
        return json.loads(done.stdout) if done else None

    def placed(self, model):
        changed = self.folder / "module.py"
        for way, (pipeline, without, having) in TEXTS.items():
            name = f"{model.name} {way}"
            if not self.good([self.opt, model / "module.py", f"--pipeline={pipeline}",
                              "-o", changed], name):
                continue
            text = changed.read_text(encoding="utf-8")
            self.checks.expect(without not in text and having in text,
                               f"{name}: constants are not where they should be")
            self.runs(model, changed, [], name)
        most = min(sizes["constant_bytes"]
                   for sizes in self.sizes[model.name]["tvm_usmp"].values())
        for way, options in PLACED.items():
            name = f"{model.name} {way}"
            self.runs(model, model / "module.py", options, name)
            report = self.report(model, options, name)
            if report is None:
                continue
            if way == "pooled":
                used = {buffer["pool"] for buffer in report["buffers"]
                        if buffer["kind"] == "constant"}
                self.checks.expect(used == {"itcm", "flash"}, f"{name}: pools are {used}")
            else:
                # Each level is at most as large as the previous one, and finally at most TVM's.
                self.checks.expect(report["constant_bytes"] <= most,
                                   f"{name}: {report['constant_bytes']} bytes, before {most}")
                most = report["constant_bytes"]

    def loaded(self, model):
        plain = self.report(model, [], model.name)
        for way, options in LOADED.items():
            name = f"{model.name} {way}"
            self.runs(model, model / "module.py", ["--repeat=2", *options], name)
            report = self.report(model, options, name)
            if plain is None or report is None:
                continue
            loaded = [c for c in report["constants"] if "load" in c]
            packed = [c for c in loaded if "codec" in c]
            # LZ4 cannot compress float weights; zstd can, a little.
            few = way == "promoted" or (way == "lz4" and model.name not in INT8_MODELS)
            self.checks.expect(bool(loaded) == (not few or way == "promoted"), f"{name}: not loaded")
            self.checks.expect(bool(packed) == (not few), f"{name}: {len(packed)} compressed")
            for constant in packed:
                self.checks.expect(constant["stored_bytes"] * 1.05 <= constant["size_bytes"],
                                   f"{name}: {constant['name']} became {constant['stored_bytes']}")
            before, after = plain["constant_bytes"], report["constant_bytes"]
            if not few:
                self.checks.expect(after < before, f"{name}: {before} bytes stored, then {after}")
            most = min(sizes["constant_bytes"]
                       for sizes in self.sizes[model.name]["tvm_usmp"].values())
            self.checks.expect(after <= most, f"{name}: {after} bytes stored, TVM has {most}")
            room = report["workspace_bytes"] - plain["workspace_bytes"]
            self.checks.expect(room >= sum(c["size_bytes"] for c in loaded),
                               f"{name}: {room} bytes for what is loaded")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--model", action="append", default=[], help="only this model")
    parser.add_argument("what", nargs="+", choices=["placed", "loaded"])
    args = parser.parse_args()
    corpus = find_corpus(args.source)
    if corpus is None:
        print("no corpus: skipped")
        return SKIPPED
    CHOSEN.extend(args.model)
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        constants = ConstantChecks(args, corpus, folder, checks)
        for model in models_of(corpus):
            for what in args.what:
                getattr(constants, what)(model)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
