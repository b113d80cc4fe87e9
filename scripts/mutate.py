#!/usr/bin/env python3
"""Mutation testing: how many small faults in the code do its tests find?

Copies the tree to build/mutation, makes one change at a time in the sources of a group (a comparison
flipped, a term dropped, off by one), and runs the tests of that group: of parts that must be exact, the
unit tests alone; of folders, also the cases of lit, and some entries of ctest. A mutant is killed when a test fails, crashes or does
not end. Mutants do not count if the compiler refuses them, or makes the same program. The choice is the
same in every run. Survivors are printed as path:line and the changed line; with `--again=FILE`, only
survivors that FILE lists are judged. Whole groups are named; `folders` stands for all folders.

The group `plans` switches off one rule of memory planning at a time (plan_mutants.py). Its programs plan
random modules in many ways; verify-plan or a run at the planned places must notice.
"""

import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import plan_mutants

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutation"
# The limit on the memory that a test program may write to.
MOST_BYTES = 4 << 30
# The limit on a test program's wall time, in its limit on processor time: a mutant may also wait forever.
MOST_WAITING = 30
MOST_SECONDS_OF_A_CASE = 300

# The sources of a group, and the programs that must notice.
GROUPS = {
    "planner": (["planner/**/*.cc"], ["planner_test", "planner_random_test"]),
    "checker": (["planner/check/*.cc"], ["planner_test", "planner_random_test"]),
    "distances": (["analysis/safe_distances.cc", "ir/analysis/digits.cc", "analysis/access_trace.cc"],
                  ["analysis_test"]),
    "contractions": (["analysis/contraction.cc", "analysis/computation.cc", "analysis/reroll.cc"],
                     ["analysis_test", "byoc_test"]),
    "verify-plan": (["passes/memory/verify_plan.cc", "passes/memory/placed_module.cc",
                     "passes/memory/pair_state.cc", "passes/memory/placed_constants.cc",
                     "passes/memory/value_watch.cc", "analysis/access_program.cc",
                     "analysis/index_program.cc", "analysis/access_trace.cc"],
                    ["passes_test", "analysis_test", "random_test"], ["passes"]),
    "externals": (["byoc/check_externals.cc", "compile/run/external_checker.cc"],
                  ["externals_test", "byoc_test"], ["byoc"]),
    "plans": (sorted({path for path, _, _ in plan_mutants.RULES}), ["random_test"]),
}

# The cases of lit that must notice, in folders of tests/lit, after the programs; then entries of ctest.
FOLDERS = {
    "ir": (["ir_test", "parser_test", "printer_test"], ["parser", "printer", "passes"]),
    "analysis": (["analysis_test", "passes_test", "byoc_test"], ["passes", "byoc"]),
    "passes": (["passes_test"], ["passes", "constants", "tools"]),
    "schedule": (["schedule_test", "passes_test"], ["passes"]),
    "parser": (["parser_test"], ["parser", "dialects", "relax"]),
    "printer": (["printer_test"], ["printer", "parser", "dialects", "relax"]),
    "planner": (["planner_test", "planner_random_test"], ["planner", "tools"]),
    "lowering": (["lowering_llvm_test", "lowering_image_test", "targets_test"], ["lowering"]),
    "compile": (["compile_test", "packages_test", "externals_test"], ["tools", "lowering", "constants"]),
    "byoc": (["byoc_test", "externals_test"], ["byoc"]),
    "arith": (["arith_test", "passes_test"], ["passes"]),
    "interp": (["interp_test"], ["interp", "passes"]),
    "frontends": (["frontends_tflite_test", "frontends_graph_test", "frontends_onnx_test"],
                  ["frontends"], "^(tflite\\.|onnx\\.)"),
    "report": (["report_test"], ["report", "tools"]),
    "support": (["support_test"], ["parser", "tools"]),
    "tools": ([], ["tools", "parser"]),
}
for folder, tests in FOLDERS.items():
    GROUPS[f"folder:{folder}"] = ([f"{folder}/**/*.cc"], *tests)
# The programs that the cases run.
TOOLS = ["tenon", "tenon-opt", "tenon-llvm"]

# These take most of the time of their program, and find nothing that the others do not.
FILTERS = {"random_test": "*Judged*",
           "planner_random_test": "-ManyFitTest.ALimit*:ManyFitTest.IsClose*:ManyFitTest.Tells*"}

# clang-format puts spaces around operators, but not around the brackets of templates.
SWAPS = [
    (" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "),
    (" == ", " != "), (" != ", " == "), (" && ", " || "), (" || ", " && "),
    (" + 1", ""), (" - 1", ""), (" + ", " - "), (" - ", " + "), (" * ", " + "),
    ("std::min(", "std::max("), ("std::max(", "std::min("),
    ("return true;", "return false;"), ("return false;", "return true;"),
    (" += ", " -= "), (" -= ", " += "), ("continue;", "break;"),
]
LITERAL = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//.*')
# These lines do not belong to the algorithm: messages, limits of memory, and invariants.
SKIPPED = re.compile(r"^\s*(#|static_assert|TENON_D?CHECK|using |namespace |template)|fmt::format|reserve\(")


def mutants_of(path):
    """All (line number, column, old text, new text) of a source."""
    for number, line in enumerate((ROOT / path).read_text().splitlines()):
        if SKIPPED.search(line):
            continue
        code = LITERAL.sub(lambda match: "\0" * len(match.group()), line)
        for old, new in SWAPS:
            at = code.find(old)
            while at >= 0:
                # `+ 1` of `+ 10` is another number.
                if not (old[-1].isdigit() and code[at + len(old):at + len(old) + 1].isalnum()):
                    yield number, at, old, new
                at = code.find(old, at + 1)


def rules():
    """The mutants of plan_mutants.py, in the form of mutants_of."""
    for path, old, new in plan_mutants.RULES:
        text = (ROOT / path).read_text()
        if text.count(old) != 1:
            sys.exit(f"mutate: {path}: expected this text once, found {text.count(old)} times: {old}")
        before = text[:text.index(old)]
        yield path, before.count("\n"), len(before) - before.rfind("\n") - 1, old, new


def sources_of(patterns):
    return sorted({path.relative_to(ROOT) for pattern in patterns for path in ROOT.glob(pattern)})


def choose(patterns, count):
    """`count` mutants that a hash of their places chooses, by source: each source is compiled again
    only for its own mutants."""
    every = [(str(path), *mutant) for path in sources_of(patterns) for mutant in mutants_of(path)]
    every.sort(key=lambda mutant: hashlib.sha256(repr(mutant).encode()).digest())
    return sorted(every[:count])


def described(mutant):
    path, number, at, old, new = mutant
    line = (ROOT / path).read_text().splitlines()[number]
    if "\n" in old + new or not new:
        return f"{path}:{number + 1}: `{' '.join(old.split())}` is now `{' '.join(new.split())}`"
    return (f"{path}:{number + 1}: `{old.strip()}` is now `{new.strip()}`:"
            f" {(line[:at] + new + line[at + len(old):]).strip()}")


def limit_time(seconds):
    # A bound that is wrong by one may count without end. The limit is processor time, so that a busy machine
    # kills no mutant.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def limit(seconds):
    # A bound that is wrong by one may also allocate without end. Mapped files may have any size.
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
    limit_time(seconds)


def resident_bytes(session):
    """The memory that the processes of a session hold."""
    kilobytes = subprocess.run(["ps", "-o", "rss=", "-s", str(session)], check=False, text=True,
                               stdout=subprocess.PIPE).stdout.split()
    return 1024 * sum(map(int, kilobytes))


def processor_time_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Tree:
    """A copy of the sources with a build folder. The build equals the preset `check`, so that ccache
    knows most of it; the sources with mutants are compiled alone, and stop at an index out of bounds."""

    def __init__(self, name, number):
        self.source = WORK / f"{name}{number}"
        self.build = self.source / "build" / "check"
        self.originals = {}

    def prepare(self, paths, programs):
        files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, text=True,
                               stdout=subprocess.PIPE).stdout.split("\0")
        for name in filter(None, files):
            source, target = ROOT / name, self.source / name
            if not source.is_file():
                continue
            data = source.read_bytes()
            # A file that stays as it is is not compiled again.
            if not target.exists() or target.read_bytes() != data:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
                shutil.copymode(source, target)
        alone = ";".join(str(self.source / path) for path in paths)
        # A mutant may have warnings, such as of `&&` within `||`.
        subprocess.run(["cmake", "--preset", "check", "--log-level=WARNING", f"-DTENON_UNITY_ALONE={alone}",
                        "-DTENON_UNITY_ALONE_OPTIONS=-O1;-w;-D_GLIBCXX_ASSERTIONS"],
                       cwd=self.source, check=True, stdout=subprocess.DEVNULL)
        if not self.compile(programs):
            sys.exit("mutate: the unchanged tree does not compile")
        self.originals = {program: self.digest(program) for program in programs}

    def compile(self, programs):
        return subprocess.run(["ninja", "-C", self.build, "-j", "1", *programs], check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def digest(self, program):
        return hashlib.sha256((self.build / "bin" / program).read_bytes()).digest()

    def passes(self, program, seconds):
        try:
            return subprocess.run([self.build / "bin" / program, "--gtest_fail_fast", "--gtest_brief=1",
                                   f"--gtest_filter={FILTERS.get(program, '*')}"],
                                  cwd=self.build, check=False, timeout=MOST_WAITING * seconds,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  preexec_fn=lambda: limit(seconds)).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def passes_cases(self, cases, seconds):
        """Whether lit's cases pass. Each process of a case has a limit, so that a mutant without end is
        killed: lit's own `--timeout` needs another module of Python. The memory is watched instead of limited,
        because the programs that cases build with AddressSanitizer reserve terabytes."""
        lit = subprocess.Popen([self.build / "bin" / "tenon-lit", "-q", "-j1", "--max-failures=1",
                                *[self.source / "tests" / "lit" / case for case in cases]],
                               cwd=self.source, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True, preexec_fn=lambda: limit_time(MOST_SECONDS_OF_A_CASE))
        end = time.monotonic() + seconds
        while time.monotonic() < end and resident_bytes(lit.pid) < MOST_BYTES:
            try:
                return lit.wait(timeout=0.5) == 0
            except subprocess.TimeoutExpired:
                pass
        os.killpg(lit.pid, signal.SIGKILL)
        lit.wait()
        return False

    def passes_entries(self, entries, seconds):
        """Whether the entries of ctest pass whose names match."""
        try:
            return subprocess.run(["ctest", "--test-dir", self.build, "-R", entries, "--stop-on-failure", "-Q"],
                                  check=False, timeout=seconds, preexec_fn=lambda: limit_time(MOST_SECONDS_OF_A_CASE),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def cases_named_after(self, path, cases):
        lit = self.source / "tests" / "lit"
        named = {case.relative_to(lit) for folder in cases
                 for case in (lit / folder).rglob(f"*{pathlib.PurePath(path).stem}*")
                 if case.suffix in (".py", ".test") and case.parent.name != "Inputs"}
        return sorted(named)

    def judge(self, mutant, programs, cases, entries, limits):
        """`killed`, `survived`, `refused` by the compiler, or `equal`: the same program."""
        path, number, at, old, new = mutant
        original = (self.source / path).read_text()
        begin = at + sum(len(line) for line in original.splitlines(keepends=True)[:number])
        (self.source / path).write_text(original[:begin] + new + original[begin + len(old):])
        try:
            if not self.compile(self.originals):
                return "refused"
            changed = [program for program in self.originals if self.digest(program) != self.originals[program]]
            if not changed:
                return "equal"
            reaches_cases = bool(cases) and bool(set(changed) & set(TOOLS))
            # Most mutants are killed by the cases named after their source, which take a moment.
            near = self.cases_named_after(path, cases) if reaches_cases else []
            if near and not self.passes_cases(near, limits["lit"]):
                return "killed"
            if not all(self.passes(program, limits[program]) for program in changed if program in programs):
                return "killed"
            if reaches_cases and not self.passes_cases(cases, limits["lit"]):
                return "killed"
            if reaches_cases and entries and not self.passes_entries(entries, limits["ctest"]):
                return "killed"
            return "survived"
        finally:
            (self.source / path).write_text(original)


def limits_of(tree, programs, cases, entries):
    limits = {}
    if entries:
        begin = time.monotonic()
        if not tree.passes_entries(entries, 3600):
            sys.exit(f"mutate: entries {entries} of ctest fail on the unchanged tree {tree.source}")
        limits["ctest"] = 60 + 5 * (time.monotonic() - begin)
    if cases:
        begin = time.monotonic()
        if not tree.passes_cases(cases, 3600):
            sys.exit(f"mutate: cases of {', '.join(cases)} fail on the unchanged tree {tree.source}")
        limits["lit"] = 60 + 5 * (time.monotonic() - begin)
    for program in programs:
        begin = processor_time_of_children()
        if not tree.passes(program, 600):
            sys.exit(f"mutate: {program} fails on the unchanged tree")
        limits[program] = 10 + round(5 * (processor_time_of_children() - begin))
    return limits


def mutants_of_group(name, count, again):
    mutants = list(rules()) if name == "plans" else choose(GROUPS[name][0], count)
    return [mutant for mutant in mutants if again is None or described(mutant) in again]


def run_group(name, mutants, paths, jobs):
    """Judges the mutants of a group. `paths` are the sources that its trees compile alone."""
    _, programs, *rest = GROUPS[name]
    cases = rest[0] if rest else []
    entries = rest[1] if len(rest) > 1 else None
    trees = [Tree(name.split(":")[0], number) for number in range(jobs)]
    with concurrent.futures.ThreadPoolExecutor(len(trees)) as pool:
        list(pool.map(lambda tree: tree.prepare(paths, programs + (TOOLS if cases else [])), trees))
    limits = limits_of(trees[0], programs, cases, entries)
    free = list(trees)
    totals = dict.fromkeys(("killed", "survived", "refused", "equal"), 0)

    def judge(mutant):
        tree = free.pop()
        try:
            return mutant, tree.judge(mutant, programs, cases, entries, limits)
        finally:
            free.append(tree)

    with concurrent.futures.ThreadPoolExecutor(len(trees)) as pool:
        for mutant, verdict in pool.map(judge, mutants):
            totals[verdict] += 1
            if verdict == "survived":
                print(described(mutant), flush=True)
    judged = totals["killed"] + totals["survived"]
    print(f"{name}: {totals['killed']} of {judged} mutants killed"
          f" ({100.0 * totals['killed'] / max(judged, 1):.0f} %), {totals['refused']} did not compile,"
          f" {totals['equal']} are the same program", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="*", default=list(GROUPS), metavar="GROUP",
                        help="of " + ", ".join(GROUPS) + "; `folders` for all folders; all by default")
    parser.add_argument("--count", type=int, default=100, help="mutants of each group (100)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="copies of the tree")
    parser.add_argument("--again", type=pathlib.Path, metavar="FILE",
                        help="judge only survivors that FILE, the output of an earlier run, lists")
    args = parser.parse_args()
    if "folders" in args.groups:
        args.groups = [name for name in GROUPS if name.startswith("folder:")]
    unknown = set(args.groups) - set(GROUPS)
    if unknown:
        parser.error(f"expected groups of {', '.join(GROUPS)}, found {', '.join(sorted(unknown))}")
    again = set(args.again.read_text().splitlines()) if args.again else None
    mutants = {name: mutants_of_group(name, args.count, again) for name in args.groups}
    for name in args.groups:
        # All folders share their trees, so each program is built once for all of them.
        sharing = [other for other in args.groups if other.split(":")[0] == name.split(":")[0]]
        paths = sorted({mutant[0] for other in sharing for mutant in mutants[other]})
        run_group(name, mutants[name], paths, args.jobs)


if __name__ == "__main__":
    main()
