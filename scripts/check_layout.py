#!/usr/bin/env python3
"""Checks the rules for the layout of this tree; docs/internals/testing.md gives the reason for each rule.

Use: scripts/check_layout.py [--root DIR] [--rules includes,sizes,...]
Prints `file:line: text [rule]` for each finding and exits with 1 if there are findings.
"""

import argparse
import ast
import functools
import pathlib
import re
import subprocess
import sys

import attribute_table
import english
import instruction_table
import onnx_table

MAX_FILE_LINES = 800
MAX_FUNCTION_LINES = 60

# The folders that a folder may include, besides itself.
BASE = "support ir arith analysis"
BACKEND = f"{BASE} schedule lowering lowering/entry lowering/image"
BELOW_COMPILE = f"{BACKEND} parser printer passes interp report lowering/c lowering/llvm planner"
# tools/options, tools/commands and tools/main are libraries in tools/: what does not include the IR, the
# commands with their options, and main() of the two tenon programs.
TOOLS = f"{BELOW_COMPILE} frontends/graph frontends/tflite frontends/onnx byoc compile compile/llvm tools/options"
ALLOWED = {folder: set(others.split()) for folder, others in {
    "support": "", "runtime": "", "planner": "support",
    "ir": "support", "arith": "support ir", "analysis": "support ir arith", "schedule": BASE, "schedule/check": BASE,
    "frontends/relax": "support ir", "frontends/graph": "support ir",
    "frontends/tflite": "support ir frontends/graph", "frontends/onnx": "support ir frontends/graph",
    "parser": f"{BASE} frontends/relax", "printer": BASE, "interp": BASE,
    "passes": f"{BASE} schedule schedule/check planner", "report": f"{BASE} planner",
    "lowering": f"{BASE} schedule", "lowering/entry": f"{BASE} lowering", "lowering/image": f"{BASE} lowering",
    "lowering/c": BACKEND, "lowering/llvm": BACKEND,
    "byoc": f"{BASE} schedule parser printer passes planner lowering lowering/entry",
    "compile": f"{BELOW_COMPILE} byoc",
    "compile/llvm": f"{BELOW_COMPILE} byoc compile runtime",
    "tools": TOOLS, "tools/options": "support", "tools/commands": f"{TOOLS} tools",
    "tools/main": "tools/commands opt_main", "opt_main": "tools",
    # The Python module has the options of the programs' commands.
    "python": f"{TOOLS} tools",
    # The code generator of oneDNN is a program of its own.
    "tools/onednn": "support ir analysis planner byoc runtime",
}.items()}
# Single files that may include one folder more. A back end lists the passes that bring a module into
# its form.
EXTRA = {"passes": ("passes/pipeline/runner", "printer"),
         "lowering/c": ("lowering/c/c_backend.cc", "passes"),
         "lowering/llvm": ("lowering/llvm/llvm_backend.cc", "passes")}
NAME = "scripts/check_layout.py"
ABOVE = {"tests", "benchmarks", "examples"}
UMBRELLA = "tenon.h"

# The files that judge memory plans, and those that planning takes its facts from: see judge_errors.
JUDGES = ("planner/check/", "analysis/access_", "analysis/index_program", "analysis/function_buffer",
          "passes/memory/verify_plan", "passes/memory/placed_", "passes/memory/pair_state",
          "passes/memory/value_watch", "passes/memory/overlap_record")
JUDGED = ("ir/analysis/live", "ir/analysis/full_store", "ir/analysis/byte_range", "ir/analysis/digits",
          "ir/analysis/linear_index", "ir/analysis/pointers",
          "analysis/safe_distances", "passes/memory/dying_pairs", "passes/memory/in_place_relations",
          "passes/memory/overlap_relations", "passes/memory/plan_")

CXX = r".*\.(cc|h)$"
OWN_CXX = rf"(?!{'|'.join(sorted(ABOVE))}){CXX}"
SIZED = r".*\.(cc|h|c|def|py|sh|cmake)$"
WORDED = rf"{SIZED}|.*\.(md|txt|in|json|ya?ml)$|(.*/)?[^./]+$"

# Lines that must not be: rule, files, pattern, message. Rows of `language` do not see comments and
# strings. Brackets around single letters keep this file from its own rules.
REFUSED = (
    ("includes", CXX, r'\s*#\s*include\s*[<"]absl/strings/',
     "absl/strings is not used: its string_view is not std::string_view everywhere"),
    ("includes", rf"(?!lowering/llvm/){CXX}", r'\s*#\s*include\s*[<"](llvm|llvm-c|clang|mlir)/',
     "LLVM headers belong into lowering/llvm alone"),
    ("includes", r".*\.h$", r"\s*#\s*include\s*<(regex|iostream)>", "<iostream> or <regex> in a header"),
    ("includes", r"planner/check/", r'\s*#\s*include\s*"planner/(?!check/|problem/problem\.h)',
     "planner/check judges planners: of planner it may include problem/problem.h alone"),
    ("columns", r"(?!tests/).*\.(cc|h|c)$", r".{101}", "more than 100 columns"),
    ("language", OWN_CXX, r".*(\bdynamic_cast\s*<|\btypeid\s*\(|\bthrow\b(?!\()|\bstd::regex\b)",
     "dynamic_cast, typeid, throw and std::regex are not used here"),
    ("cmake", r"(.*/)?CMakeLists.txt$", r".*\bfile\s*\(\s*GLOB", "sources are listed, not globbed"),
    ("words", SIZED, r".*(\b(TO[D]O|FIX[M]E|XX[X])\b|\b(not |un)imple[m]ented\b)",
     "is left open: finish it, or describe it in the docs"),
    ("words", WORDED, r".*((?<![\w.])/(wor[k]|roo[t]|hom[e]/\w+|tmp/bash_job[s])/|/far[m]/|\.librar[y]\b|"
     r"far[m]-(bench|studio)|before-sto[p])", "names a path of a building machine"),
)

# Names with a counterpart: rule, file, pattern of the names, files and patterns of the counterpart, message.
NAMED = (
    ("nodes", r"ir/nodes\.def$", r"^\s*TENON_\w+\(\s*(\w+)", r"docs/reference/ir\.md$", (r"^#+ .*\b{0}\b",),
     "node {0} has no section in docs/reference/ir.md: write a heading with `{0}`"),
    ("diagnostics", r"support/diagnostic_kinds\.def$", r'^\s*TENON_\w+\(\s*(\w+)\s*,\s*"([^"]*)"',
     r"tests/", (r"\[{1}\]", r"DiagnosticKind::{0}\b"),
     "diagnostic {0} is not named in any test: write one that expects `[{1}]`"),
    ("report", r"report/.*\.h$",
     r'\.(?:Required|Optional|IfSet|OrNull|Derived|DerivedIfSet)\(\s*"(\w+)"', r"docs/reference/(?:compile|report)\.md$", ("`{0}`",),
     "the member `{0}` of a report is not in docs/reference/report.md"),
)

# Each list of passes, the folder of the passes' sources, and the folder of their lit tests.
PASS_LISTS = (("passes/pass_list.def", "passes/{group}", "tests/lit/passes"),
              ("byoc/pass_list.def", "byoc", "tests/lit/byoc"))

# The files that list phrases of docs/internals/style.md, or have them as test data.
ENGLISH_EXEMPT = {"scripts/english.py", "scripts/check_layout_test.py"}


def read_tree(root):
    """The texts of the files under version control, and of new files; empty for data."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"],
                            capture_output=True, text=True, check=False).stdout.splitlines()
    found = listed or (str(path.relative_to(root)) for path in root.rglob("*"))
    paths = [path for path in found if (root / path).is_file() and not path.startswith(("build/", ".git/"))]
    data = (".safetensors", ".npy", ".png", ".tflite")
    return {path: "" if path.endswith(data) else (root / path).read_text(encoding="utf-8", errors="replace")
            for path in sorted(paths)}


def matching(files, pattern):
    pattern = re.compile(pattern)
    return [(path, text) for path, text in files.items() if pattern.match(path)]


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def folder_of(path):
    """The component of a file: its first folder, or its first two if ALLOWED contains them."""
    parts = path.split("/")
    if len(parts) == 1:
        return UMBRELLA if path == UMBRELLA else ""
    two = "/".join(parts[:2])
    return two if two in ALLOWED and len(parts) > 2 else parts[0]


def code_of(text, strings=False):
    """The text without comments, and without strings unless they are wanted; its lines stay. Code
    after a string of several lines is indented."""
    return english.CODE_TOKEN.sub(
        lambda match: match[0] if strings and match[0][0] != "/" else match[0].count("\n") * ("\n" + 9 * " "),
        text)


def check_refused(rule, which, pattern, message, files):
    pattern = re.compile(pattern)
    for path, text in matching(files, which):
        lines = (code_of(text) if rule == "language" else text).splitlines()
        yield from ((path, number, message) for number, line in enumerate(lines, 1) if pattern.match(line))


def check_named(_, which, names, where, wanted, message, files):
    there = "\n".join(text for _, text in matching(files, where))
    for path, text in matching(files, which):
        for match in re.finditer(names, text, re.M):
            if not any(re.search(form.format(*match.groups()), there, re.M) for form in wanted):
                yield path, line_of(text, match.start(1)), message.format(*match.groups())


def includes_of(text):
    """The includes with quotes: line numbers and names."""
    return [(line_of(text, match.start()), match[1])
            for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', text, re.M)]


def check_includes(files):
    for path, text in matching(files, r".*\.(cc|h|c|def)$"):
        folder = folder_of(path)
        for number, target in includes_of(text) if folder in ALLOWED else ():
            to = folder_of(target)
            which, extra = EXTRA.get(folder, (path, None))
            if to in ALLOWED[folder] | {folder} or (to == extra and path.startswith(which)):
                continue
            if to == UMBRELLA and folder != "tools":
                yield path, number, f"{target}: the umbrella header is for users, tools and tests"
            elif to in ALLOWED or to in ABOVE:
                yield path, number, f'{folder} may not include {to} ("{target}"), see ALLOWED in {NAME}'
            # Files of the runtime are written to one folder of the user.
            elif folder != "runtime" and "/" not in target and f"{folder}/{target}" in files:
                yield path, number, f'write it from the root of the tree: "{folder}/{target}"'


def check_judges(files):
    """A judge that reaches what it judges, through any number of headers, could share its mistakes."""
    reached = {}

    def reach(path):
        """A file of JUDGED that a header leads to, or None."""
        if path not in reached:
            reached[path] = path if path.startswith(JUDGED) else None
            if reached[path] is None and path in files:
                found = (reach(name) for _, name in includes_of(files[path]))
                reached[path] = next(filter(None, found), None)
        return reached[path]

    for path, text in matching(files, CXX):
        for number, name in includes_of(text) if path.startswith(JUDGES) else ():
            if reach(name):
                yield path, number, f"{path} judges plans: its include {name} may not lead to {reach(name)}"


def check_deps(files):
    """Checks tenon_library's DEPS: they are allowed, and cover the includes of the folder."""
    declared, where = {}, {}
    for path, text in matching(files, r".*/CMakeLists\.txt$"):
        text = re.sub(r"#.*", "", text)
        for match in re.finditer(r"tenon_library\(\s*([\w/]+)([^)]*)\)", text):
            deps = re.search(r"\bDEPS\b((?:(?!\b(?:LINK|PRIVATE|SRCS)\b).)*)", match[2], re.S)
            declared[match[1]] = set(deps[1].split()) if deps else set()
            where[match[1]] = path, line_of(text, match.start())
    for folder, deps in declared.items():
        for dep in sorted(deps - ALLOWED.get(folder, set()) - {EXTRA.get(folder, (0, 0))[1]}):
            yield *where[folder], f"{folder} may not depend on {dep}"
    for path, text in matching(files, CXX):
        folder = folder_of(path)
        if folder not in declared or folder == "tools":
            continue
        reach, todo = {folder}, [folder]
        while todo:
            new = declared.get(todo.pop(), set()) - reach
            reach |= new
            todo += new
        for number, target in includes_of(text):
            if folder_of(target) in declared.keys() - reach:
                text = f"{folder} includes {folder_of(target)}, which DEPS in {where[folder][0]} does not name"
                yield path, number, text


def check_sizes(files):
    for path, text in matching(files, SIZED):
        if (count := len(text.splitlines())) > MAX_FILE_LINES:
            yield path, count, f"{count} lines; at most {MAX_FILE_LINES}"


def check_functions(files):
    for path, text in matching(files, r".*\.(cc|h|c|py)$"):
        # Modules in TVMScript are not programs.
        if path.endswith(".py") and (path.startswith("tests/lit/") or "from tvm.script" in text[:4096]):
            continue
        for line, length in (python_functions if path.endswith(".py") else cxx_functions)(text):
            if length > MAX_FUNCTION_LINES:
                yield path, line, f"a function of {length} lines; at most {MAX_FUNCTION_LINES}"


def python_functions(text):
    try:
        nodes = ast.walk(ast.parse(text))
    except SyntaxError:  # the interpreter reports it
        return
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno + 1


def cxx_functions(text):
    """Line and length of blocks. With the indentation of clang-format, a block that ends with a lone
    brace begins at the last line with the brace's indentation. Types end with a semicolon."""
    last = {}
    for number, line in enumerate(code_of(text).splitlines(), 1):
        indent = len(line) - len(line.lstrip())
        if line.strip() == "}" and indent in last:
            yield last[indent], number - last[indent] + 1
        if line.strip() and line[indent] != "#":
            last[indent] = number


def check_guards(files):
    for path, text in matching(files, r"(?!tests/lit/).*\.h$"):
        guard = "TENON_" + re.sub(r"[^A-Za-z0-9]", "_", path).upper() + "_"
        if not re.search(rf"^#ifndef {guard}\n#define {guard}\b(.*\n)*#endif", text, re.M):
            yield path, 1, f"expected the header guard {guard}"


NAMESPACE = re.compile(r"^(?:inline )?namespace ?([\w:]*) ?\{|^\}  // namespace")
TYPE = re.compile(r"^(?:class|struct|union|enum class) (\w+)(?: final)?(?: : .*)? \{")


def check_types(files):
    """Two types of the same name have the same constructors and destructors for the linker, which
    keeps one of each."""
    seen = {}
    for path, text in matching(files, rf"(?!runtime/){OWN_CXX}"):
        around = []
        for number, line in enumerate(text.splitlines(), 1):
            if (name := NAMESPACE.match(line)) is not None:
                around = around[:-1] if line.startswith("}") else [*around, name[1]]
            if (found := TYPE.match(line)) is None or "" in around:
                continue
            full = "::".join([*around, found[1]])
            if seen.setdefault(full, path) != path:
                yield path, number, f"{full} is also a type of {seen[full]}"


def passes(files):
    """List, line, path without suffix, and possible lit tests of every pass."""
    for where, sources, tests in PASS_LISTS:
        text = files.get(where, "")
        for match in re.finditer(r'^\s*TENON_PASS\(\s*(\w+),\s*"([\w-]+)"', text, re.M):
            base = match[2].replace("-", "_")
            yield (where, line_of(text, match.start(1)), f"{sources.format(group=match[1])}/{base}",
                   (f"{tests}/{base}.py", f"{tests}/{match[1]}/{base}.py"))


def check_passes(files):
    for where, number, base, tests in passes(files):
        for ways in ((f"{base}.h",), (f"{base}.cc",), tests):
            if not files.keys() & set(ways):
                yield where, number, f"the pass has no {ways[0]}"


def check_cmake(files):
    """A CMakeLists.txt names every source, or it follows from a list of passes."""
    from_rows = {f"{base}.cc" for _, _, base, _ in passes(files)}
    for path in files.keys() - from_rows:
        if not path.endswith(".cc"):
            continue
        lists = (parent / "CMakeLists.txt" for parent in pathlib.PurePosixPath(path).parents)
        above = next((found for found in lists if str(found) in files), None)
        if above is None:
            yield path, 1, "has no CMakeLists.txt above it"
            continue
        name = re.escape(str(pathlib.PurePosixPath(path).relative_to(above.parent)))
        if not re.search(rf"(?<![\w./-]){name}(?![\w.-])", files[str(above)]):
            yield path, 1, f"is not named in {above}"


def check_attributes(files):
    """Attribute keys are defined once, in ir/attributes.def; docs/reference/ir.md contains the table."""
    source, document = (files.get(path, "") for path in (attribute_table.SOURCE, attribute_table.DOCUMENT))
    names = {row.key: row.name for row in attribute_table.rows(source)}
    for path, text in matching(files, OWN_CXX) if names else ():
        for number, line in enumerate(code_of(text, strings=True).splitlines(), 1):
            for key in names.keys() & set(re.findall(r'"([\w.]+)"', line)):
                yield path, number, f'"{key}": write attr_key::k{names[key]} of ir/attributes.h'
    if source and document and attribute_table.with_table(document, source) != document:
        yield attribute_table.DOCUMENT, 1, "the table of attributes is stale: run scripts/attribute_table.py"
    rows, kinds, page = (files.get(path, "") for path in (*onnx_table.SOURCES, onnx_table.DOCUMENT))
    instructions, schedules = (files.get(path, "") for path in (instruction_table.SOURCE, instruction_table.DOCUMENT))
    if instructions and schedules and instruction_table.with_table(schedules, instructions) != schedules:
        yield instruction_table.DOCUMENT, 1, "the tables of instructions are stale: run scripts/instruction_table.py"
    if rows and page and onnx_table.with_list(page, rows, kinds) != page:
        yield onnx_table.DOCUMENT, 1, "the list of ONNX operators is stale: run scripts/onnx_table.py"


def check_english(files):
    """Phrases of docs/internals/style.md that are not plain English."""
    for path in files.keys() - ENGLISH_EXEMPT:
        for line, found, instead in english.findings(path, files[path]):
            yield path, line, f"`{found}`: write \"{instead}\" ({english.STYLE})"
    for phrase in english.PHRASES if english.STYLE in files else ():
        row = f"| {phrase.shown} | {phrase.instead} |"
        if row not in files[english.STYLE]:
            yield english.STYLE, 1, f"has no row `{row}` of scripts/english.py"


CHECKS = (*((row[0], functools.partial(check_refused, *row)) for row in REFUSED),
          *((row[0], functools.partial(check_named, *row)) for row in NAMED),
          ("includes", check_includes), ("judges", check_judges), ("deps", check_deps), ("sizes", check_sizes),
          ("functions", check_functions), ("guards", check_guards), ("types", check_types),
          ("passes", check_passes), ("cmake", check_cmake), ("attributes", check_attributes),
          ("english", check_english))


def findings(files, rules=None):
    """Path, line, text and rule of each finding."""
    return sorted((*finding, rule) for rule, check in CHECKS if rules is None or rule in rules
                  for finding in check(files))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--rules", type=lambda names: names.split(","), help="comma-separated, default all")
    args = parser.parse_args()
    found = findings(read_tree(args.root), args.rules)
    for path, line, text, rule in found:
        print(f"{path}:{line}: {text} [{rule}]")
    if found:
        print(f"{len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
