"""Memory planning next to its peers: published problems, synthetic problems, and buffers of models."""

import json
import math
import pathlib
import time

import scale_plot
import synthetic_problems
from runner import CORPUS, needs_corpus, process

CAPACITY = 1048576
# Seconds of minimalloc on one core of a similar machine, from the README of the corpus.
MINIMALLOC = dict(zip("ABCDEFGHIJK", (4.7, 3.7, 0.7, 3.4, 3.7, 5.1, 1.1, 1.5, 3.0, 1.3, 0.6)))
# The smallest known packings, found by running minimalloc for single capacities.
KNOWN = {"C": 1039360, "D": 1031168, "J": 1037312}
# The best of eight simple heuristics, as a multiple of the bound.
IDEALLOC = {"G_1": 1.0, "resnet50": 1.0030, "pangu_2.6B": 1.0076}
TVM = ("greedy_by_size", "greedy_by_conflicts", "hill_climb")
ALGORITHMS = ("optimal", "best_fit", "first_fit", *TVM)
COUNTS = (10**3, 10**4, 10**5, 10**6)


class Planner:
    """Makes plans in separate processes."""

    def __init__(self, session, seconds, most):
        self.session, self.seconds, self.most = session, seconds, most

    def plan(self, problem, *flags, limit=None):
        """The cost of a plan and its figures, which are None after `limit` seconds without a plan. CPU time
        depends little on other load."""
        out = self.session.folder / "plan.json"
        out.unlink(missing_ok=True)
        cost = process([self.session.tenon, "plan", problem, f"--json={out}", *flags], limit=limit, check=False)
        return cost, self.read(out) if cost.status == 0 else None

    @staticmethod
    def read(path):
        """All members except the list of buffers, which would increase this process's memory, and
        thus the reported memory of the next child processes."""
        members = {}
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                if line.startswith('   "found_by"') or (line.startswith(' "') and not line.endswith(("[\n", "{\n"))):
                    members.update(json.loads("{" + line.rstrip(",\n") + "}"))
        return members

    def synthetic(self, laws):
        """Law, number of buffers and file of each synthetic problem, see synthetic_problems.py."""
        for law in laws:
            for count in (count for count in COUNTS if count <= self.most):
                problem = self.session.folder / "problem.csv"
                with problem.open("w", encoding="utf-8") as out:
                    synthetic_problems.write(out, law, count)
                yield law, count, problem


def minimalloc(name):
    return CORPUS / "planning" / "minimalloc" / f"{name}.{CAPACITY}.csv"


def feasible(planner):
    table = planner.session.table(f"Fitting minimalloc's problems into {CAPACITY} bytes, CPU seconds of whole "
                                  "processes", "problem", "tenon:.3f", "minimalloc:.1f", "found")
    total = 0
    for name, theirs in MINIMALLOC.items():
        cost, found = planner.plan(minimalloc(name), f"--capacity={CAPACITY}")
        total += cost.cpu
        table.add(name, {"tenon": cost.cpu, "minimalloc": theirs, "found": "yes" if found else "NOT FOUND"})
    table.add("sum", {"tenon": total, "minimalloc": sum(MINIMALLOC.values())})


def smallest(planner):
    if planner.seconds <= 0:
        return
    table = planner.session.table(
        f"The same, as small as possible within {planner.seconds:g} s each; `known` is the smallest known before",
        "problem", "peak", "known", "bound", "by", "gap %:.2f", "seconds:.3f")
    for name in MINIMALLOC:
        cost, found = planner.plan(minimalloc(name), f"--time-limit={planner.seconds:g}")
        table.add(name, {"peak": found["peak_bytes"], "known": KNOWN.get(name, CAPACITY), "seconds": cost.seconds,
                         "bound": found["lower_bound_bytes"], "gap %": found["gap_percent"],
                         "by": "search" if found["bound_by_search"] else "live"})


def idealloc(planner):
    table = planner.session.table("idealloc's problems, in times the bound; `plain` is the best of eight plain "
                                  "heuristics", "problem", "tenon", "plain", "CPU s:.3f", "clock s:.3f")
    for name, plain in IDEALLOC.items():
        cost, found = planner.plan(CORPUS / "planning" / "idealloc" / f"{name}.csv")
        table.add(name, {"tenon": found["peak_bytes"] / found["lower_bound_bytes"], "plain": plain, "CPU s": cost.cpu,
                         "clock s": cost.seconds})


def synthetic(planner, plot):
    table = planner.session.table("Synthetic problems: whole processes; `us` is microseconds of CPU for each buffer, "
                                  "`us/log` the same divided by log2 of the number of buffers", "law, buffers",
                                  "CPU s:.3f", "clock s:.3f", "us:.2f", "us/log:.3f", "MiB:.0f", "gap %:.4f", width=20)
    costs = {}
    for law, count, problem in planner.synthetic(synthetic_problems.LAWS):
        cost, found = planner.plan(problem)
        each = cost.cpu / count * 1e6
        costs.setdefault(law, []).append((count, each))
        table.add(f"{law}, {count}", {
            "CPU s": cost.cpu, "clock s": cost.seconds, "us": each, "us/log": each / math.log2(count),
            "MiB": cost.megabytes * 1e6 / 2**20, "gap %": found["gap_percent"]})
    if plot:
        picture = scale_plot.svg(costs, "microseconds of CPU a buffer", "buffers")
        pathlib.Path(plot).write_text(picture, encoding="utf-8")


def laws(planner):
    """The default next to every other algorithm, with the same time."""
    table = planner.session.table(f"Gaps in percent of the bound, within {planner.seconds:g} s each; `-`: no plan in "
                                  "that time", "law, buffers", *(f"{name}:.3f" for name in ALGORITHMS), "found by",
                                  width=20)
    planner.most = min(planner.most, 10**5)
    for law, count, problem in planner.synthetic(synthetic_problems.LAWS):
        found = {}
        for name in ALGORITHMS:
            limit = [] if name in TVM else [f"--time-limit={planner.seconds:g}"]
            found[name] = planner.plan(problem, f"--algorithm={name}", *limit, limit=4 * planner.seconds)[1] or {}
        table.add(f"{law}, {count}", {"found by": found["optimal"].get("found_by"),
                                      **{name: figures.get("gap_percent") for name, figures in found.items()}})


def buffers(planner):
    table = planner.session.table(
        "The models' own buffers, in bytes: the default plan, its bound, TVM's algorithms here and in TVM, and "
        "TensorFlow Lite Micro's arena without its structures; ms of reading, planning and reporting", "model",
        "tenon", "bound", "proven", "ms:.0f", *TVM, *(f"{name} in TVM" for name in TVM), "TFLM")
    for name, expected in json.loads((CORPUS / "expected.json").read_bytes()).items():
        module = CORPUS / "models" / name / "module.py"
        start = time.monotonic()
        pool = planner.session.report(module)["global_workspace"]
        seconds = time.monotonic() - start
        ours = {algorithm: planner.session.report(module, f"--planner={algorithm}")["global_workspace"]["size_bytes"]
                for algorithm in TVM}
        theirs = {f"{algorithm} in TVM": expected["tvm_usmp"][algorithm]["workspace_bytes"] for algorithm in TVM}
        table.add(name, {"tenon": pool["size_bytes"], "bound": pool["lower_bound_bytes"], **ours, **theirs,
                         "proven": pool["proven_optimal"], "ms": seconds * 1e3,
                         "TFLM": expected["tflite_micro"]["arena_head_bytes"]})


def plan(session, seconds=60.0, only="feasible,smallest,idealloc,synthetic,models", most=COUNTS[-1], plot=""):
    """Memory planning next to its peers: published problems, synthetic problems, and buffers of models.

    `seconds` is the time for making each of minimalloc's problems as small as possible; 0 skips that. `only`
    names parts: feasible, smallest, idealloc, synthetic, models and laws, which compares all algorithms. `most`
    is the number of buffers of the largest synthetic problem. `plot` is an SVG file for the cost of these.
    """
    planner = Planner(session, seconds, most)
    parts = {"synthetic": lambda: synthetic(planner, plot), "laws": lambda: laws(planner),
             **{name: lambda part=part: needs_corpus() or part(planner) for name, part in (
                 ("feasible", feasible), ("smallest", smallest), ("idealloc", idealloc), ("models", buffers))}}
    for name in only.split(","):
        parts[name]()
