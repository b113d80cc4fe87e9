#!/usr/bin/env python3
"""Line coverage of each folder by the tests, measured by clang's source-based coverage.

Builds the preset `coverage`, and runs all tests but the slowest: of the real models, the passes on
three. Prints a table: lines, covered lines, the share, and the least covered files.
`--uncovered=FILE` lists the lines of a source that no test runs; `--no-run` uses the results of the last
run.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "coverage"
PROFILE = BUILD / "tenon.profdata"
# The goal holds for these folders.
FOLDERS = ["ir", "analysis", "passes", "parser", "printer", "planner", "lowering", "compile"]
OTHER_FOLDERS = ["support", "arith", "interp", "byoc", "frontends", "report", "tools"]
GOAL = 95.0
RANDOM_MODULES = 40
# These tests measure time, or take most of it.
SKIPPED = "-ManyFitTest.ALimit*:ManyFitTest.IsClose*:ManyFitTest.Tells*:ManyFitTest.TwoPools"
TESTS = ["-R", "^(" + "|".join([
    "unit", "lit", "random", r"corpus\.(ad_float|ad_int8|kws_int8)\.passes", r"constant_storage\.(kinds|wrong|objects)",
    "c_interface", r"generated_c\.(warnings|symbols)", "externals", r"overlap\.types", r"share_workspace\.small",
    r"parallel\.(pool|generated|hooks|shared)", r"targets\.claims", "tflite", "packages", "docs", "readme",
    r"firmware\.cortex-m\.(digits|cores|faults)"]) + r")(\.|$)"]


def llvm_tool(name):
    """The tool of the clang that built the tests: another version can't read its files."""
    path = subprocess.run(["clang", f"--print-prog-name={name}"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()
    found = shutil.which(path)
    if found is None:
        sys.exit(f"coverage: expected {name} next to clang (`apt-get install llvm`)")
    return found


def run_tests(jobs, tests):
    subprocess.run(["cmake", "--preset", "coverage", "--log-level=WARNING"], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "coverage", "-j", str(jobs)], cwd=ROOT, check=True)
    raw = BUILD / "profiles"
    shutil.rmtree(raw, ignore_errors=True)
    # %4m: processes of one program merge their counts into four files.
    os.environ["LLVM_PROFILE_FILE"] = str(raw / "%4m.profraw")
    os.environ["GTEST_FILTER"] = SKIPPED
    os.environ["TENON_RANDOM_COUNT"] = str(RANDOM_MODULES)
    status = subprocess.run(["scripts/run_tests.sh", "build/coverage", str(jobs), *tests], cwd=ROOT,
                            check=False).returncode
    files = sorted(raw.glob("*.profraw"))
    subprocess.run([llvm_tool("llvm-profdata"), "merge", "-sparse", "-o", PROFILE, *files], check=True)
    return status


def llvm_cov(*arguments):
    programs = sorted(path for path in (BUILD / "bin").iterdir()
                      if path.is_file() and os.access(path, os.X_OK)
                      and path.read_bytes()[:4] == b"\x7fELF")
    objects = [str(programs[0])]
    for program in programs[1:]:
        objects += ["-object", str(program)]
    return subprocess.run([llvm_tool("llvm-cov"), arguments[0], f"-instr-profile={PROFILE}", *objects,
                           *arguments[1:]], check=True, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def share(covered, count):
    return 100.0 * covered / count if count else 100.0


def print_table(worst):
    files = json.loads(llvm_cov("export", "-summary-only"))["data"][0]["files"]
    lines = {}
    for file in files:
        path = pathlib.Path(os.path.normpath(file["filename"]))
        if path.is_relative_to(ROOT) and not path.is_relative_to(BUILD):
            summary = file["summary"]["lines"]
            lines[str(path.relative_to(ROOT))] = (summary["covered"], summary["count"])
    if not lines:
        sys.exit("coverage: the programs have no lines of this tree")
    print("| folder | lines | covered | share |\n|---|---:|---:|---:|")
    missed = False
    for folder in FOLDERS + OTHER_FOLDERS:
        inside = [counts for path, counts in lines.items() if path.startswith(folder + "/")]
        covered, count = sum(c for c, _ in inside), sum(n for _, n in inside)
        print(f"| {folder} | {count:,} | {covered:,} | {share(covered, count):.1f} % |")
        missed |= folder in FOLDERS and share(covered, count) < GOAL
    least = sorted((path for path in lines if path.split("/")[0] in FOLDERS),
                   key=lambda path: lines[path][0] - lines[path][1])
    print("\nMost lines that no test runs:")
    for path in least[:worst]:
        covered, count = lines[path]
        print(f"  {count - covered:5} of {count:5}  {path}")
    return missed


def print_uncovered(sources):
    wanted = {str(ROOT / source): source for source in sources}
    source = None
    for line in llvm_cov("export", "-format=lcov").splitlines():
        key, _, value = line.partition(":")
        if key == "SF":
            source = wanted.get(os.path.normpath(value))
            text = (ROOT / source).read_text().splitlines() if source else []
        elif key == "DA" and source and value.endswith(",0"):
            number = int(value.split(",")[0])
            print(f"{source}:{number}: {text[number - 1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--no-run", action="store_true", help="use the results of the last run")
    parser.add_argument("--worst", type=int, default=20, help="how many files to list (20)")
    parser.add_argument("--uncovered", action="append", default=[], metavar="FILE",
                        help="list the lines of a source that no test runs")
    parser.add_argument("tests", nargs="*", help="options of ctest that choose other tests, after --")
    args = parser.parse_args()
    status = 0 if args.no_run or args.uncovered else run_tests(args.jobs, args.tests or TESTS)
    if args.uncovered:
        print_uncovered(args.uncovered)
    elif print_table(args.worst):
        print(f"coverage: expected at least {GOAL:.0f} % in {' '.join(FOLDERS)}")
        status = 1
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
