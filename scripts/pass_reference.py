#!/usr/bin/env python3
"""Writes docs/reference/pass_reference.md and docs/reference/passes/*.md from the headers of the passes.

A pass documents itself in the comment above its function. Paragraphs, lists, tables and fenced
blocks are Markdown. A picture is a module before and after the pass:

    ///   before:
    ///     def f(A: T.Buffer((4,), "int32")):
    ///         A[0] = 1 + 2
    ///   after:
    ///     def f(...):
    ///         A[0] = 3

The script runs the pass on the module, and compares the result with the picture. `...` stands for
any text. Lines may be broken in brackets. The decorators of functions and modules may be left out.
"before `a,b{c=1}`:" runs this pipeline; a file w.safetensors with an int8 tensor `w` is there.

The script also compares two runs with one if the comment says `Idempotent.`, and refuses a counter
of the sources that the comment does not name.

Use: scripts/pass_reference.py --bin FOLDER [--check]
"""

import argparse
import collections
import pathlib
import posixpath
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
INDEX = "docs/reference/pass_reference.md"
PAGES = "docs/reference/passes"
# Each list of passes, and the folder of their headers.
LISTS = (("passes/pass_list.def", "passes/{group}"), ("byoc/pass_list.def", "byoc"))
FORMS = "passes/pipeline/form.h"

HEAD = """# Reference of the passes

`make reference` writes this page and those of the groups from the headers of the passes and from `tenon-opt --list-passes`.
[passes.md](passes.md) says which pass runs when, and how to run passes yourself.

The examples of the pages omit decorators: put `@T.prim_func` before a function, and several functions into a `class Module` with
`@I.ir_module`. `...` stands for text that is left out, mostly because it is unchanged. The test suite runs every example.

"""

GROUP_HEAD = """# Passes: {group}

[All passes](../pass_reference.md) · [how to read the examples](../pass_reference.md) · [which pass runs when](../passes.md)

"""

Pass = collections.namedtuple("Pass", "name group function header comment")
Listed = collections.namedtuple("Listed", "summary needs gives options")
Option = collections.namedtuple("Option", "name default kind help")
Picture = collections.namedtuple("Picture", "pipeline before after")


class Stale(Exception):
    """An error in a header, or a picture that is not true."""


def comment_before(text, function):
    """The lines of the /// comment above the declaration of a pass, without the slashes."""
    declared = text.find(f"\nabsl::StatusOr<IRModule> {function}(")
    if declared < 0:
        return None
    lines = []
    for line in reversed(text[:declared].splitlines()):
        if not line.startswith("///"):
            break
        lines.insert(0, line[4:])
    return lines


def passes(root):
    """All passes, in the order of the lists."""
    found = []
    for where, folder in LISTS:
        rows = re.finditer(r'^TENON_PASS\((\w+),\s*"([\w-]+)",\s*(\w+),',
                           (root / where).read_text(encoding="utf-8"), re.M)
        for group, name, function in (row.groups() for row in rows):
            header = f"{folder.format(group=group)}/{name.replace('-', '_')}.h"
            comment = comment_before((root / header).read_text(encoding="utf-8"), function)
            if not comment:
                raise Stale(f"{header}: {function} has no /// comment")
            found.append(Pass(name, group, function, header, comment))
    return found


def listed(tool):
    """What --list-passes says about each pass, by name."""
    done = subprocess.run([tool, "--list-passes"], stdout=subprocess.PIPE, text=True, check=True)
    found = {}
    for block in re.split(r"\n(?=\S)", done.stdout.strip("\n")):
        head, summary, *lines = [line.strip() for line in block.splitlines()]
        facts = dict(line.split(": ", 1) for line in lines)
        options = []
        for key, value in facts.items():
            match = re.fullmatch(r"([\w-]+)=(.*) \(([a-z ]+)\)", key)
            if match:
                options.append(Option(match[1], match[2], match[3], value))
        found[head.split(" ")[0]] = Listed(summary, facts.get("needs", ""), facts.get("gives", ""),
                                           options)
    return found


# Pictures.

def parts(comment):
    """The comment as a list of texts (lists of lines) and pictures."""
    found, text, i = [], [], 0
    while i < len(comment):
        match = re.fullmatch(r"  before(?: `(.*)`)?:", comment[i])
        if not match:
            text.append(comment[i])
            i += 1
            continue
        blocks = []
        for _ in range(2):
            i += 1
            block = []
            while i < len(comment) and (comment[i].startswith("    ") or
                                        not comment[i] and comment[i + 1:i + 2] != [] and
                                        comment[i + 1].startswith("    ")):
                block.append(comment[i])
                i += 1
            blocks.append(textwrap.dedent("\n".join(block)))
            if len(blocks) == 1 and comment[i:i + 1] != ["  after:"]:
                raise Stale(f"expected `  after:` after a picture, found `{comment[i:i + 1]}`")
        found += [text, Picture(match[1], *blocks)]
        text = []
    return found + [text]


def module_of(code):
    """A module that tenon-opt reads: the code of a picture with its decorators."""
    lines = code.splitlines()
    out = []
    for number, line in enumerate(lines):
        if line.startswith("def ") and not (number and lines[number - 1].startswith("@")):
            out.append("@T.prim_func")
        out.append(line)
    if sum(line.startswith("def ") for line in lines) > 1 or lines[0].startswith("I."):
        out = ["@I.ir_module", "class Module:"] + ["    " + line for line in out]
    return "\n".join(["# from tvm.script import ir as I", "# from tvm.script import tir as T", *out]) + "\n"


def squeezed(code):
    """The code without blanks inside of lines, decorators and line breaks in brackets."""
    code = re.sub(r'^metadata = .*?"""\)$', "", code, flags=re.M | re.S)
    lines = [line for line in code.splitlines() if line.strip() and not line.startswith("# from tvm")]
    if any(line == "class Module:" for line in lines):
        lines = [line[4:] if line.startswith("    ") else "" for line in lines]
    lines = [line for line in lines if line and line not in ("@T.prim_func", "@I.ir_module")]
    out, depth = [], 0
    for line in lines:
        indent = re.match(" *", line)[0]
        is_rest = depth > 0
        depth += sum(line.count(c) for c in "([{") - sum(line.count(c) for c in ")]}")
        text = re.sub(r"\s", "", line)
        out.append(text if is_rest or text == "..." else f"\n{indent}{text}")
    return "".join(out) + "\n"


def is_shown(picture, result):
    """Whether the squeezed result has the parts of the squeezed picture, in order."""
    wanted = picture.split("...")
    if len(wanted) == 1:
        return picture == result
    if not result.startswith(wanted[0]):
        return False
    at = len(wanted[0])
    for part in wanted[1:-1]:
        at = result.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return wanted[-1] in ("", "\n") or result.endswith(wanted[-1]) and at + len(wanted[-1]) <= len(result)


class Runner:
    """Runs pictures in a temporary folder."""

    def __init__(self, tool, folder):
        self.tool, self.folder = tool.resolve(), folder
        head = b'{"w":{"dtype":"I8","shape":[4],"data_offsets":[0,4]}}'
        data = len(head).to_bytes(8, "little") + head + bytes([1, 2, 3, 4])
        (pathlib.Path(folder) / "w.safetensors").write_bytes(data)

    def run(self, module, pipeline):
        done = subprocess.run([self.tool, "-", f"--pipeline={pipeline}"], input=module, text=True,
                              capture_output=True, check=False, cwd=self.folder)
        if done.returncode != 0:
            raise Stale(f"tenon-opt --pipeline={pipeline} fails:\n{done.stderr}{module}")
        return done.stdout

    def check(self, row, picture):
        pipeline = picture.pipeline or row.name
        module = module_of(picture.before)
        result = self.run(module, pipeline)
        if not is_shown(squeezed(picture.after), squeezed(result)):
            raise Stale(f"the picture is not true; {pipeline} gives\n{result}")
        says_idempotent = any(re.search(r"\bIdempotent\b", line) for line in row.comment)
        if says_idempotent and "," not in pipeline:
            if self.run(module, f"{pipeline},{pipeline}") != result:
                raise Stale("says `Idempotent`, but a second run changes the picture")


def check_pictures(tool, rows):
    """The errors of all pictures."""
    errors = []
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(tool, folder)
        for row in rows:
            try:
                for part in parts(row.comment):
                    if isinstance(part, Picture):
                        runner.check(row, part)
            except Stale as error:
                errors.append(f"{row.header}: {error}")
    return errors


def check_counters(root, rows):
    """An error for each counter that the comment of its pass does not name."""
    errors = []
    sources = [path.read_text(encoding="utf-8") for folder in ("passes", "byoc")
               for path in sorted((root / folder).rglob("*.cc"))]
    literals = set(re.findall(r'"([a-z0-9-]+\.[a-z_]+)"', "\n".join(sources)))
    for row in rows:
        comment = " ".join(row.comment)
        for literal in sorted(literals):
            name, counter = literal.split(".")
            if name == row.name and not re.search(rf"\.{counter}\b", comment):
                errors.append(f"{row.header}: does not name the counter `{literal}`")
    return errors


# The page.

def forms(root):
    """The forms of modules: (name, meaning), in order."""
    text = (root / FORMS).read_text(encoding="utf-8")
    found = re.findall(r"((?:  ///[^\n]*\n)+)  k(\w+) = 1 <<", text)
    if not found:
        raise Stale(f"{FORMS}: no forms")
    return [(re.sub(r"(?<!^)([A-Z])", r"-\1", name).lower(),
             " ".join(line.strip()[4:] for line in comment.splitlines())) for comment, name in found]


class Links:
    """Turns names of other passes and of documents into links, for the page of one group (or the index: "")."""

    def __init__(self, rows, group):
        self.groups = {row.name: row.group for row in rows}
        self.group = group
        long = sorted((name for name in self.groups if "-" in name), key=len, reverse=True)
        self.names = re.compile(r"(`?)(?<![\w./#\[-])(" + "|".join(long) + r")(?![\w{=-]|\.[a-z_])\1")

    def target(self, name):
        """Where the section of a pass is, from this page."""
        group = self.groups[name]
        page = "" if group == self.group else f"{group}.md" if self.group else f"passes/{group}.md"
        return f"{page}#{name}"

    def line(self, text, own):
        text = re.sub(r"(?<!\]\()(?<![`/\w])docs/([\w/]+\.md)((?:#[\w-]+)?)", self.document, text)
        return self.names.sub(
            lambda found: found[0] if found[2] == own else f"[{found[0]}]({self.target(found[2])})", text)

    def document(self, found):
        page = posixpath.relpath(f"docs/{found[1]}", PAGES if self.group else posixpath.dirname(INDEX))
        return f"[{posixpath.basename(page)}]({page}{found[2]})"


def prose(lines, links, own):
    """Text of a comment as Markdown."""
    out, is_code = [], False
    for line in lines:
        is_fence = line.strip().startswith("```")
        out.append(line if is_code or is_fence else links.line(line, own))
        is_code ^= is_fence
    return "\n".join(out).strip("\n")


def fenced(code):
    return f"```python\n{code}\n```"


def options_table(options):
    out = ["| option | values | default | meaning |", "|---|---|---|---|"]
    for option in options:
        kind = re.sub(r"^an? ", "", option.kind)
        default = f"`{option.default}`" if option.default else ""
        meaning = option.help.replace("|", "\\|").replace("<", "\\<")
        out.append(f"| `{option.name}` | {kind} | {default} | {meaning} |".replace("|  |", "| |"))
    return "\n".join(out)


def section(row, facts, links):
    out = [f"## {row.name}"]
    for part in parts(row.comment):
        if isinstance(part, Picture):
            if part.pipeline:
                out.append(f"With `--pipeline='{part.pipeline}'`:")
            out += [fenced(part.before), "becomes", fenced(part.after)]
        elif prose(part, links, row.name):
            out.append(prose(part, links, row.name))
    if facts.options:
        out.append(links.line(options_table(facts.options), row.name))
    needs = f"Needs {facts.needs}." if facts.needs else ""
    gives = f"Gives {facts.gives}." if facts.gives else ""
    where = f"Header: `{row.header}`."
    out.append(" ".join(text for text in (needs, gives, where) if text))
    return "\n\n".join(out) + "\n\n"


def index(root, rows, facts):
    """The page that lists all passes by group, and the forms of modules."""
    links = Links(rows, "")
    groups = list(dict.fromkeys(row.group for row in rows))
    out = [HEAD]
    for group in groups:
        out.append(f"| [{group}](passes/{group}.md) | |\n|---|---|\n")
        out += [f"| [{row.name}]({links.target(row.name)}) | {facts[row.name].summary} |\n"
                for row in rows if row.group == group]
        out.append("\n")
    out.append("## Forms of modules\n\nA pass may require a form of the module, and may establish another. The module decides whether it has a "
               "form, not the list of passes.\n\n| form | meaning |\n|---|---|\n")
    out += [f"| {name} | {meaning} |\n" for name, meaning in forms(root)]
    return "".join(out)


def pages(root, rows, facts):
    """The text of every page, by its path."""
    found = {INDEX: index(root, rows, facts)}
    for group in dict.fromkeys(row.group for row in rows):
        links = Links(rows, group)
        text = GROUP_HEAD.format(group=group)
        text += "".join(section(row, facts[row.name], links) for row in rows if row.group == group)
        found[f"{PAGES}/{group}.md"] = text.rstrip("\n") + "\n"
    return found


def stale(root, texts):
    """The pages that differ from their text, and those of groups that are gone."""
    existing = {str(path.relative_to(root)) for path in (root / PAGES).glob("*.md")}
    return sorted((existing - texts.keys()) | {
        path for path, text in texts.items()
        if not (root / path).is_file() or (root / path).read_text(encoding="utf-8") != text})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of tenon-opt")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is stale")
    args = parser.parse_args()
    try:
        rows = passes(ROOT)
        errors = check_counters(ROOT, rows) + check_pictures(args.bin / "tenon-opt", rows)
        if errors:
            raise Stale("\n".join(errors))
        texts = pages(ROOT, rows, listed(args.bin / "tenon-opt"))
    except Stale as error:
        print(error, file=sys.stderr)
        return 1
    changed = stale(ROOT, texts)
    if args.check:
        for path in changed:
            print(f"{path} is stale: run `make reference`", file=sys.stderr)
        return 1 if changed else 0
    (ROOT / PAGES).mkdir(exist_ok=True)
    for path in changed:
        if path in texts:
            (ROOT / path).write_text(texts[path], encoding="utf-8")
        else:
            (ROOT / path).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
