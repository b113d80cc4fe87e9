#!/usr/bin/env python3
"""The workspace that `tenon compile` needs without any flag, for the models of the corpus.

Use: workspace_test.py --tenon BIN --source DIR [--cc CC] [--engine E]... [--model NAME]
For each model:
- The workspace is at most LIMITS, also with inputs and outputs counted, and proven least.
- `tenon plan --check` repeats each proof. The header of the C and the report agree.
- The steps alone, `--overlap=off` and `--overlap=in-place`, are at most STEPS.
- A function has at most 512 bytes of local arrays.
- Each engine gives the bits that it gives for the module as it is written.
See corpus_test.py for the corpus and for exit code 77.
"""

import argparse
import json
import pathlib
import re
import sys
import tempfile

from corpus_test import (CHOSEN, INT8_MODELS, SKIPPED, Checks, data_of, find_corpus, models_of,
                         run)

# Bytes of workspace: with inputs and outputs outside of it, and counted.
LIMITS = {
    "kws_int8": (8384, 8384),
    "vww_int8": (36864, 36864),
    "resnet_int8": (32768, 32768),
    "ad_int8": (256, 768),
    "sww_int8": (3584, 3584),
    "ad_float": (992, 3040),
    "resnet_float": (131072, 131072),
    "vww_float": (147456, 147456),
}
# Bytes without overlaps, and with outputs in the place of inputs.
STEPS = {
    "kws_int8": (16000, 16000),
    "vww_int8": (55296, 55296),
    "resnet_int8": (49152, 32768),
    "ad_int8": (256, 256),
    "sww_int8": (6656, 6144),
    "ad_float": (1024, 1024),
    "resnet_float": (196608, 131072),
    "vww_float": (221184, 221184),
}
PLAIN = ["--fuse=off", "--narrow=off", "--overlap=off"]
MOST_STACK = 512


class WorkspaceTest:
    """Checks on one model, with a folder for files."""

    def __init__(self, args, model, folder, checks):
        self.tenon, self.model, self.checks = args.tenon, model, checks
        self.text = model / "module.py"
        self.folder = pathlib.Path(folder)
        self.engines = {"interp": ["--engine=interp"], "jit": ["--engine=jit"],
                        "c": ["--engine=c", f"--cc={args.cc}", "--cflags=-std=c99 -O1"]}
        self.chosen = args.engine or ["interp", "c"]

    def expect(self, good, text):
        self.checks.expect(good, f"{self.model.name}: {text}")

    def tenon_says(self, *command):
        """What a command prints; None after an error."""
        done = run([self.tenon, *command])
        self.expect(done.returncode == 0, f"{command[0]}: {done.stderr.strip()[:2000]}")
        self.expect("warning" not in done.stderr, f"{command[0]}: {done.stderr.strip()[:2000]}")
        return done.stdout if done.returncode == 0 else None

    def report(self, *options):
        text = self.tenon_says("report", self.text, *options, "--json")
        return None if text is None else json.loads(text)

    def proven(self, pools, limit, what):
        """Checks the pools of a plan that are workspace."""
        size = sum(pool["size_bytes"] for pool in pools)
        self.expect(pools and size <= limit, f"{size} bytes {what}, at most {limit} expected")
        for pool in pools:
            self.expect(pool["proven_optimal"] and pool["lower_bound_bytes"] == pool["size_bytes"],
                        f"not proven least {what}")

    def defaults(self):
        outside, counted = LIMITS[self.model.name]
        report = self.report()
        if report is None:
            return
        pools = [pool for pool in report["pools"].values() if pool["kind"] == "workspace"]
        self.proven(pools, outside, "by default")
        for way, limit in (("io_outside", outside), ("io_counted", counted)):
            accounting = report["accountings"][way]
            self.expect(accounting["fits"], f"{way}: no plan")
            self.proven(list(accounting["pools"].values()), limit, way)
        stack = report["stack"]["local_array_bytes"]
        self.expect(stack <= MOST_STACK, f"{stack} bytes of local arrays")
        out = self.folder / "c"
        if self.tenon_says("compile", self.text, "--emit=c", "-o", out) is None:
            return
        header = (out / "tvmgen_default.h").read_text(encoding="utf-8")
        size = int(re.search(r"#define TVMGEN_DEFAULT_WORKSPACE_SIZE (\d+)", header)[1])
        self.expect(size == report["workspace_bytes"],
                    f"the header says {size} bytes, the report {report['workspace_bytes']}")

    def steps(self):
        for overlap, limit in zip(("off", "in-place"), STEPS[self.model.name]):
            report = self.report(f"--overlap={overlap}")
            if report is not None:
                pools = [p for p in report["pools"].values() if p["kind"] == "workspace"]
                self.proven(pools, limit, f"with --overlap={overlap}")

    def certificate(self):
        problem, plan = self.folder / "problem.json", self.folder / "plan.json"
        if self.tenon_says("report", self.text, f"--problem={problem}") is None or \
                self.tenon_says("plan", problem, "-o", self.folder / "plan.csv",
                                f"--json={plan}") is None:
            return
        said = self.tenon_says("plan", problem, f"--check={plan}")
        self.expect(said is not None and "trust" not in said, f"the check says: {said}")

    def output(self, engine, *options):
        out = self.folder / "out.npy"
        out.unlink(missing_ok=True)
        said = self.tenon_says("run", self.text, *self.engines[engine], *options, "--input",
                               self.model / "input0.npy", "--output", out)
        return None if said is None else data_of(out)

    def outputs(self):
        expected = data_of(self.model / "expected0.npy")
        for engine in self.chosen:
            # The interpreter plans, and so runs these passes, where a planner is named.
            planned = ["--planner=optimal"] if engine == "interp" else []
            got = self.output(engine, *planned)
            if self.model.name in INT8_MODELS:
                self.expect(got == expected, f"{engine}: other bits than expected")
                continue
            plain = self.output(engine, *planned, *PLAIN)
            self.expect(got == plain and got is not None,
                        f"{engine}: other bits than the module as it is written")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--engine", action="append", default=[], choices=["interp", "c", "jit"])
    parser.add_argument("--model", action="append", default=[], help="only this model")
    args = parser.parse_args()
    corpus = find_corpus(args.source)
    if corpus is None:
        print("no corpus: skipped")
        return SKIPPED
    CHOSEN.extend(args.model)
    checks = Checks()
    for model in models_of(corpus):
        with tempfile.TemporaryDirectory() as folder:
            test = WorkspaceTest(args, model, folder, checks)
            test.defaults()
            test.steps()
            test.certificate()
            test.outputs()
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
