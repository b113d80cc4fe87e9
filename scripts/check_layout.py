#!/usr/bin/env python3
"""Checks the rules for the layout of this tree; docs/testing.md gives the reason for each rule.

Use: scripts/check_layout.py [--root DIR] [--rules includes,sizes,...]
Prints `file:line: text [rule]` for each finding and exits with 1 if there are findings.
"""

import argparse
import ast
import collections
import pathlib
import re
import subprocess
import sys

import attribute_table
import english

MAX_FILE_LINES = 800
MAX_COLUMNS = 100
MAX_FUNCTION_LINES = 60

# The folders that a folder may include, besides itself. A folder of the middle row may include
# support, ir, arith and analysis.
BASE = {"support", "ir", "arith", "analysis"}
MIDDLE = {"parser", "printer", "passes", "interp", "report", "lowering", "lowering/entry",
          "lowering/image", "lowering/c", "lowering/llvm"}
BELOW_COMPILE = BASE | MIDDLE | {"planner"}
ALLOWED = {
    "support": set(),
    "ir": {"support"},
    "arith": {"support", "ir"},
    "analysis": {"support", "ir", "arith"},
    "planner": {"support"},
    "frontends/relax": {"support", "ir"},
    **{folder: set(BASE) for folder in MIDDLE},
    "frontends/graph": {"support", "ir"},
    "frontends/tflite": {"support", "ir", "frontends/graph"},
    "byoc": BASE | {"parser", "printer", "passes", "planner", "lowering", "lowering/entry"},
    "compile": BELOW_COMPILE | {"byoc"},
    "compile/llvm": BELOW_COMPILE | {"byoc", "compile", "runtime"},
    "tools": BELOW_COMPILE | {"frontends/graph", "frontends/tflite", "byoc", "compile",
                              "compile/llvm"},
    "runtime": set(),
}
# Separate libraries (tools/CMakeLists.txt): what the two tenon programs share, and what does not
# include the IR.
ALLOWED["tools/options"] = {"support"}
ALLOWED["tools"] |= {"tools/options"}
# The code generator of oneDNN is a program of its own.
ALLOWED["tools/onednn"] = {"support", "ir", "analysis", "planner", "byoc", "runtime"}
ALLOWED["opt_main"] = {"tools"}
ALLOWED["tools/main"] = ALLOWED["tools"] | {"tools"}
ALLOWED["parser"] |= {"frontends/relax"}
ALLOWED["passes"] |= {"planner"}
ALLOWED["report"] |= {"planner"}
for _part in ("lowering/entry", "lowering/image", "lowering/c", "lowering/llvm"):
    ALLOWED[_part] |= {"lowering"}
for _backend in ("lowering/c", "lowering/llvm"):
    ALLOWED[_backend] |= {"lowering/entry", "lowering/image"}
ANYTHING = {"tests", "benchmarks", "examples"}
UMBRELLA = "tenon.h"

CODE = {".cc", ".h", ".c", ".def"}
SIZED = CODE | {".py", ".sh", ".cmake"}
PROSE = {".md", ".txt", ".in", ".json", ".yaml", ".yml"}

# The files that judge memory plans, and those that planning takes its facts from: see check_judges.
JUDGES = ("planner/check/", "analysis/access_", "analysis/index_program", "analysis/function_buffer",
          "passes/memory/verify_plan", "passes/memory/placed_", "passes/memory/pair_state",
          "passes/memory/value_watch", "passes/memory/overlap_record")
JUDGED = ("ir/analysis/live", "ir/analysis/full_store", "ir/analysis/index_form", "ir/analysis/pointers",
          "analysis/safe_distances", "passes/memory/dying_pairs", "passes/memory/in_place_relations",
          "passes/memory/overlap_relations", "passes/memory/plan_")

# The files that list phrases of docs/style.md, or have them as test data.
ENGLISH_EXEMPT = {"scripts/english.py", "scripts/check_layout_test.py"}

Finding = collections.namedtuple("Finding", "path line text rule")


def folder_of(path):
    """The component of a file: its first folder, or its first two if ALLOWED contains them."""
    parts = path.split("/")
    if len(parts) == 1:
        return UMBRELLA if path == UMBRELLA else ""
    if "/".join(parts[:2]) in ALLOWED and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0]


class Tree:
    """The files under version control, and new files; each is read once."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.paths = sorted(self._list())
        self._text = {}

    def _list(self):
        listed = subprocess.run(
            ["git", "-C", str(self.root), "ls-files", "-co", "--exclude-standard"],
            capture_output=True, text=True, check=False)
        if listed.returncode == 0 and listed.stdout:
            names = listed.stdout.splitlines()
        else:
            names = [str(p.relative_to(self.root)) for p in self.root.rglob("*")]
            names = [n for n in names if not n.startswith(("build/", ".git/"))]
        return [n for n in names if (self.root / n).is_file()]

    def text(self, path):
        if path not in self._text:
            self._text[path] = (self.root / path).read_text(encoding="utf-8", errors="replace")
        return self._text[path]

    def lines(self, path):
        return self.text(path).splitlines()

    def has(self, path):
        return path in set(self.paths)

    def with_suffix(self, suffixes):
        return [p for p in self.paths if pathlib.PurePosixPath(p).suffix in suffixes]


INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def check_includes(tree):
    for path in tree.with_suffix(CODE):
        for number, line in enumerate(tree.lines(path), 1):
            match = INCLUDE.match(line)
            if match:
                for text in include_errors(tree, path, match[1], match[2]):
                    yield Finding(path, number, text, "includes")
    yield from check_judges(tree)


def includes_of(tree, path):
    """The includes of a file with quotes: line numbers and names."""
    matches = ((number, INCLUDE.match(line)) for number, line in enumerate(tree.lines(path), 1))
    return [(number, match[2]) for number, match in matches if match and match[1] == '"']


def check_judges(tree):
    """A judge that reaches what it judges, through any number of headers, could share its mistakes."""
    known = set(tree.paths)
    reached = {}

    def reach(path):
        """A file of JUDGED that a header leads to, or None."""
        if path not in reached:
            reached[path] = path if path.startswith(JUDGED) else None
            if reached[path] is None and path in known:
                found = (reach(name) for _, name in includes_of(tree, path))
                reached[path] = next(filter(None, found), None)
        return reached[path]

    for path in tree.with_suffix({".cc", ".h"}):
        if not path.startswith(JUDGES):
            continue
        for number, name in includes_of(tree, path):
            if reach(name):
                text = f"{path} judges plans: its include {name} may not lead to {reach(name)}"
                yield Finding(path, number, text, "includes")


def include_errors(tree, path, quote, target):
    folder = folder_of(path)
    if target.startswith("absl/strings/"):
        yield "absl/strings is not used: its string_view is not std::string_view everywhere"
    if target.startswith(("llvm/", "llvm-c/", "clang/", "mlir/")) and folder != "lowering/llvm":
        yield f"<{target}>: LLVM headers belong into lowering/llvm alone"
    if path.endswith(".h") and target in ("regex", "iostream"):
        yield f"<{target}> in a header"
    if folder not in ALLOWED:
        return
    if quote == "<":
        return
    to = folder_of(target)
    if to == UMBRELLA:
        if folder != "tools":
            yield f"{target}: the umbrella header is for users, tools and tests"
        return
    if to not in ALLOWED:
        if to in ANYTHING:
            yield f"{folder} may not include {to}"
        # Files of the runtime are written to one folder of the user.
        elif folder != "runtime" and "/" not in target and tree.has(f"{folder}/{target}"):
            yield f'"{target}": write it from the root of the tree, "{folder}/{target}"'
        return
    if path.startswith("planner/check/") and to == "planner" and not (
            target.startswith("planner/check/") or target == "planner/problem/problem.h"):
        yield f"planner/check judges planners: of planner it may include problem/problem.h alone"
    if to == folder or to in ALLOWED[folder]:
        return
    if to == "printer" and path.startswith("passes/pipeline/runner"):
        return
    # A back end lists the passes that bring a module into its form.
    if to == "passes" and re.fullmatch(r"lowering/(\w+)/\1_backend\.cc", path):
        return
    yield (f"{folder} may not include {to} (\"{target}\"): ALLOWED in scripts/check_layout.py "
           "lists what it may")


# For single files: see include_errors.
EXTRA_DEPS = {"passes": {"printer"}, "lowering/c": {"passes"}, "lowering/llvm": {"passes"}}
LIBRARY = re.compile(r"tenon_library\(\s*([\w/]+)([^)]*)\)")


def check_deps(tree):
    """Checks tenon_library's DEPS: they are allowed, and cover the includes of the folder."""
    declared, where = {}, {}
    for path in tree.paths:
        if not path.endswith("CMakeLists.txt") or folder_of(path) not in ALLOWED:
            continue
        text = re.sub(r"#.*", "", tree.text(path))
        for match in LIBRARY.finditer(text):
            deps = re.search(r"\bDEPS\b((?:(?!\b(?:LINK|PRIVATE|SRCS)\b).)*)", match[2], re.S)
            declared[match[1]] = set(deps[1].split()) if deps else set()
            where[match[1]] = (path, text[:match.start()].count("\n") + 1)
    for folder, deps in sorted(declared.items()):
        allowed = ALLOWED.get(folder, set()) | EXTRA_DEPS.get(folder, set())
        for dep in sorted(deps - allowed):
            yield Finding(*where[folder], f"{folder} may not depend on {dep}", "deps")
    for path in tree.with_suffix({".cc", ".h"}):
        folder = folder_of(path)
        if folder not in declared or folder == "tools":
            continue
        reach = closure(folder, declared)
        for number, line in enumerate(tree.lines(path), 1):
            match = INCLUDE.match(line)
            to = folder_of(match[2]) if match and match[1] == '"' else ""
            if to in declared and to not in reach:
                yield Finding(path, number, f"{folder} includes {to}, which DEPS in "
                              f"{where[folder][0]} does not name", "deps")


def closure(folder, declared):
    reach, todo = {folder}, [folder]
    while todo:
        for dep in declared.get(todo.pop(), ()):
            if dep not in reach:
                reach.add(dep)
                todo.append(dep)
    return reach


def check_sizes(tree):
    for path in tree.with_suffix(SIZED):
        count = len(tree.lines(path))
        if count > MAX_FILE_LINES:
            yield Finding(path, count, f"{count} lines; at most {MAX_FILE_LINES}", "sizes")


def check_columns(tree):
    """Code in string literals of tests is text."""
    for path in tree.with_suffix({".cc", ".h", ".c"}):
        if path.startswith("tests/"):
            continue
        for number, line in enumerate(tree.lines(path), 1):
            if len(line) > MAX_COLUMNS:
                yield Finding(path, number, f"{len(line)} columns; at most {MAX_COLUMNS}",
                              "columns")


def check_functions(tree):
    for path in tree.with_suffix({".cc", ".h", ".c", ".py"}):
        if path.endswith(".py"):
            found = python_functions(tree.text(path)) if is_script(path, tree) else []
        else:
            found = cxx_functions(tree.text(path))
        for line, length, name in found:
            if length > MAX_FUNCTION_LINES:
                yield Finding(path, line, f"{name}: {length} lines; at most {MAX_FUNCTION_LINES}",
                              "functions")


def is_script(path, tree):
    """Whether a .py file is a Python program, and not a module in TVMScript."""
    in_tests = path.startswith("tests/lit/") and not path.endswith(".cfg.py")
    return not in_tests and "from tvm.script" not in tree.text(path)[:4096]


def python_functions(text):
    try:
        nodes = ast.walk(ast.parse(text))
    except SyntaxError:
        return
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno + 1, node.name


NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|^[A-Z][A-Z0-9_]*\([^\n]*\)$",
    re.S | re.M)


def blank(match):
    """The same number of lines, but empty."""
    return "\n" * match[0].count("\n") + ("0" if match[0][0] in "\"'R" else "")


def cxx_functions(text):
    """Yields (line, length, name) for function bodies: braces matched outside comments and strings.

    An estimate: a brace opens a function if the text before it, back to the last `;`, `{` or `}`,
    has a parameter list and is not a type, namespace or initializer.
    """
    clean = NOISE.sub(blank, text)
    line, head, head_line = 1, "", 1
    stack = []  # (is_function, line, name) of every open brace
    depth = 0   # the number of open functions
    for char in clean:
        if char == "\n":
            line += 1
        if char == "{":
            name = function_name(head) if depth == 0 else None
            stack.append((name is not None, head_line, name))
            depth += name is not None
            head = ""
        elif char == "}":
            if stack:
                was_function, start, name = stack.pop()
                depth -= was_function
                if was_function:
                    yield start, line - start + 1, name
            head = ""
        elif char == ";":
            head = ""
        elif head or not char.isspace():
            if not head:
                head_line = line
            head += char


NOT_FUNCTION = re.compile(r"^(?:template\s*<[^{]*>\s*)?(?:typedef\s+|export\s+|inline\s+)*"
                          r"(?:class|struct|enum|union|namespace|extern)\b")


def function_name(head):
    if "(" not in head or NOT_FUNCTION.match(head):
        return None
    if re.search(r"(?:=|,|\breturn)\s*$", head):
        return None
    names = re.findall(r"([~\w:]+)\s*\(", head)
    return names[0] if names else "function"


def check_guards(tree):
    for path in tree.with_suffix({".h"}):
        if path.startswith("tests/lit/"):
            continue
        guard = "TENON_" + re.sub(r"[^A-Za-z0-9]", "_", path).upper() + "_"
        text = tree.text(path)
        wanted = rf"^#ifndef {guard}\n#define {guard}\b"
        if not re.search(wanted, text, re.M) or not re.search(r"^#endif", text, re.M):
            yield Finding(path, 1, f"expected the header guard {guard}", "guards")


NAMESPACE = re.compile(r"^(?:inline )?namespace ?([\w:]*) ?\{|^\}  // namespace")
TYPE = re.compile(r"^(?:class|struct|union|enum class) (\w+)(?: final)?(?: : .*)? \{")


def check_types(tree):
    """Two types of the same name have the same constructors and destructors for the linker, which
    keeps one of each."""
    seen = {}
    for path in tree.with_suffix({".h", ".cc"}):
        if path.startswith(("tests/", "runtime/", "examples/", "benchmarks/")):
            continue
        around = []
        for number, line in enumerate(tree.lines(path), 1):
            if (name := NAMESPACE.match(line)) is not None:
                around = around[:-1] if line.startswith("}") else [*around, name[1]]
            if (found := TYPE.match(line)) is None or "" in around:
                continue
            full = "::".join([*around, found[1]])
            if seen.setdefault(full, path) != path:
                yield Finding(path, number, f"{full} is also a type of {seen[full]}", "types")


def macro_names(tree, path, pattern):
    """(line, first argument) of every macro call of an X-macro file that matches."""
    if not tree.has(path):
        return
    for number, line in enumerate(tree.lines(path), 1):
        match = re.match(pattern, line)
        if match:
            yield number, match[1]


# Each list of passes, the folder of the passes' sources, and the folder of their lit tests.
PASS_LISTS = (("passes/pass_list.def", "passes/{group}", "tests/lit/passes"),
              ("byoc/pass_list.def", "byoc", "tests/lit/byoc"))


def pass_rows(tree):
    """(list, line, path without suffix, name, possible lit tests) of every pass."""
    for where, sources, tests in PASS_LISTS:
        for number, row in macro_names(tree, where, r'\s*TENON_PASS\(\s*(\w+,\s*"[\w-]+)"'):
            group, name = re.split(r',\s*"', row)
            base = name.replace("-", "_")
            yield (where, number, f"{sources.format(group=group)}/{base}", name,
                   (f"{tests}/{base}.py", f"{tests}/{group}/{base}.py"))


def check_passes(tree):
    for where, number, base, name, tests in pass_rows(tree):
        wanted = [f"{base}.h", f"{base}.cc"]
        if not any(tree.has(test) for test in tests):
            wanted.append(tests[0])
        for path in wanted:
            if not tree.has(path):
                yield Finding(where, number, f"pass {name} has no {path}", "passes")


def check_cmake(tree):
    """Every source file is listed explicitly in a CMakeLists.txt, or follows from a list of passes."""
    lists = {p for p in tree.paths if p.endswith("CMakeLists.txt")}
    from_rows = {f"{base}.cc" for _, _, base, _, _ in pass_rows(tree)}
    for path in sorted(lists):
        for number, line in enumerate(tree.lines(path), 1):
            if re.search(r"file\s*\(\s*GLOB", line):
                yield Finding(path, number, "sources are listed, not globbed", "cmake")
    for path in tree.with_suffix({".cc"}):
        if path in from_rows:
            continue
        parents = [str(p) for p in pathlib.PurePosixPath(path).parents]
        for parent in parents:
            candidate = "CMakeLists.txt" if parent == "." else f"{parent}/CMakeLists.txt"
            if candidate in lists:
                name = path if parent == "." else path[len(parent) + 1:]
                if not re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w.-])", tree.text(candidate)):
                    yield Finding(path, 1, f"is not named in {candidate}", "cmake")
                break
        else:
            yield Finding(path, 1, "has no CMakeLists.txt above it", "cmake")


def check_nodes(tree):
    where = "ir/nodes.def"
    docs = tree.text("docs/ir.md") if tree.has("docs/ir.md") else ""
    for number, name in macro_names(tree, where, r"\s*TENON_\w+\(\s*(\w+)"):
        if not re.search(rf"^#+ .*\b{name}\b", docs, re.M):
            yield Finding(where, number, f"node {name} has no section in docs/ir.md: write a "
                          f"heading with `{name}`", "nodes")


def check_diagnostics(tree):
    where = "support/diagnostic_kinds.def"
    kinds = list(macro_names(tree, where, r'\s*TENON_\w+\(\s*(\w+\s*,\s*"[^"]*)"'))
    named = set()
    for path in tree.paths:
        if path.startswith("tests/") and pathlib.PurePosixPath(path).suffix != ".safetensors":
            named.update(re.findall(r"DiagnosticKind::(\w+)|\[([\w-]+)\]", tree.text(path)))
    named = {name for pair in named for name in pair}
    for number, row in kinds:
        kind, text = re.split(r'\s*,\s*"', row)
        if kind not in named and text not in named:
            yield Finding(where, number, f"diagnostic {kind} is not named in any test: write one "
                          f"that expects `[{text}]`", "diagnostics")


REPORT_MEMBER = re.compile(
    r'\.(?:Required|Optional|IfSet|OrNull|Derived|DerivedIfSet)\(\s*"(\w+)"')


def check_report(tree):
    """docs/tools.md names the members that the structs of a report list."""
    docs = tree.text("docs/tools.md") if tree.has("docs/tools.md") else ""
    for path in tree.with_suffix({".h"}):
        if not path.startswith("report/"):
            continue
        text = tree.text(path)
        for match in REPORT_MEMBER.finditer(text):
            if f"`{match[1]}`" not in docs:
                number = text.count("\n", 0, match.start(1)) + 1
                yield Finding(path, number, f"the member `{match[1]}` of a report is not in "
                              "docs/tools.md", "report")


ATTRIBUTE_KEY = re.compile(r'"([\w.]+)"')


def check_attributes(tree):
    """Attribute keys are defined once, in ir/attributes.def; docs/ir.md contains the table."""
    where = attribute_table.SOURCE
    if not tree.has(where):
        return
    names = {row.key: row.name for row in attribute_table.rows(tree.text(where))}
    for path in tree.with_suffix({".cc", ".h"}):
        if folder_of(path) not in ALLOWED:
            continue
        for number, line in enumerate(without_comments(tree.text(path)).splitlines(), 1):
            for key in ATTRIBUTE_KEY.findall(line):
                if key in names:
                    yield Finding(path, number, f'"{key}": write attr_key::k{names[key]} of '
                                  f"ir/attributes.h", "attributes")
    document = attribute_table.DOCUMENT
    if tree.has(document) and attribute_table.with_table(
            tree.text(document), tree.text(where)) != tree.text(document):
        yield Finding(document, 1, "the table of attributes is stale: run "
                      "scripts/attribute_table.py", "attributes")


COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*")', re.S)


def without_comments(text):
    return COMMENT.sub(lambda match: match[1] or "\n" * match[0].count("\n"), text)


# Split in two halves, so that this file passes its own rule.
LEFT_OPEN = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b|\b(?:not |un)imple" r"mented\b")
PRIVATE_PATH = re.compile(r"(?<![\w.])/(?:wo" r"rk|ro" r"ot|ho" r"me/\w+|tmp/bash_jo" r"bs)/")
FORBIDDEN = re.compile(r"/fa" r"rm/|\.lib" r"rary\b|fa" r"rm-(?:bench|studio)|before-st" r"op")
SPACE = re.compile(r"[ \t]+$")


def check_words(tree):
    for path in tree.paths:
        suffix = pathlib.PurePosixPath(path).suffix
        if suffix not in SIZED | PROSE and suffix != "":
            continue
        for number, line in enumerate(tree.lines(path), 1):
            if PRIVATE_PATH.search(line) or FORBIDDEN.search(line):
                yield Finding(path, number, "names a path of a building machine", "words")
            if suffix in SIZED and LEFT_OPEN.search(line):
                yield Finding(path, number, f"`{LEFT_OPEN.search(line)[0]}` is left open: finish "
                              "it, or describe it in the docs", "words")


def check_language(tree):
    """Features that the code must not use: RTTI, exceptions, std::regex."""
    banned = [(re.compile(r"\bdynamic_cast\s*<"), "dynamic_cast"),
              (re.compile(r"\btypeid\s*\("), "typeid"),
              (re.compile(r"\bthrow\b(?!\()"), "throw"),
              (re.compile(r"\bstd::regex\b"), "std::regex")]
    for path in tree.with_suffix({".cc", ".h"}):
        if folder_of(path) not in ALLOWED:
            continue
        clean = NOISE.sub(blank, tree.text(path))
        for number, line in enumerate(clean.splitlines(), 1):
            for pattern, name in banned:
                if pattern.search(line):
                    yield Finding(path, number, f"{name} is not used here", "language")


def check_english(tree):
    """Phrases of docs/style.md that are not plain English."""
    for path in tree.paths:
        if path in ENGLISH_EXEMPT:
            continue
        for line, found, instead in english.findings(path, tree.text(path)):
            yield Finding(path, line, f"`{found}`: write \"{instead}\" (docs/style.md)", "english")
    if tree.has(english.STYLE):
        rows = tree.text(english.STYLE)
        for phrase in english.PHRASES:
            if f"| {phrase.shown} | {phrase.instead} |" not in rows:
                yield Finding(english.STYLE, 1, f"has no row `| {phrase.shown} | {phrase.instead} "
                              "|` of scripts/english.py", "english")


RULES = {
    "includes": check_includes, "deps": check_deps, "sizes": check_sizes,
    "columns": check_columns,
    "functions": check_functions, "guards": check_guards, "types": check_types, "cmake": check_cmake,
    "passes": check_passes, "nodes": check_nodes, "diagnostics": check_diagnostics,
    "report": check_report, "words": check_words, "language": check_language, "attributes": check_attributes,
    "english": check_english,
}


def check(root, rules=tuple(RULES)):
    tree = Tree(root)
    return [finding for rule in rules for finding in RULES[rule](tree)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--rules", default=",".join(RULES), help="comma-separated, default all")
    args = parser.parse_args()
    findings = check(args.root, args.rules.split(","))
    for finding in findings:
        print(f"{finding.path}:{finding.line}: {finding.text} [{finding.rule}]")
    if findings:
        print(f"{len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
