#!/usr/bin/env python3
"""Asks whether tenon-opt reads, and prints byte for byte, what TVM prints of its own tests.

Use: tvm_texts.py --tenon-opt BIN --tests DIR [--notes FILE] [--keep DIR]

DIR has TVM's tests (tests/python of its repository). The script takes each function and each module
there that stands alone, lets the TVM of this environment read and print it, and gives the text to
tenon-opt. Functions of modules that are not TIR are left out. Kernels without `s_tir=True` are
counted apart: they have layouts and scopes of threads, which Tenon refuses. FILE gets the texts
that are not read, and those that come back changed, by reason. The exit code is 1 if a share is
below its minimum. `make judges` calls this with each release.
"""

import argparse
import ast
import collections
import concurrent.futures
import contextlib
import difflib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

# The minimum in percent: of all texts, and of the texts that are read.
READ_BAR, SAME_BAR = 98, 98
DECORATORS = ("T.prim_func", "Tx.prim_func", "tirx.prim_func", "I.ir_module", "ir_module",
              "tvm.script.ir_module")
SECONDS = 60


def sources(path):
    """The functions and modules of a file, as (line, text)."""
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
    except (SyntaxError, UnicodeDecodeError):
        return
    lines = text.split("\n")
    waiting = list(ast.iter_child_nodes(tree))
    while waiting:
        node = waiting.pop()
        names = [ast.unparse(item.func if isinstance(item, ast.Call) else item)
                 for item in getattr(node, "decorator_list", [])]
        if any(name in DECORATORS for name in names):
            first = min(item.lineno for item in node.decorator_list)
            yield node.lineno, textwrap.dedent("\n".join(lines[first - 1:node.end_lineno])) + "\n"
        else:
            waiting += ast.iter_child_nodes(node)


def printed(text):
    """TVM's text of a function or module, or None if it does not stand alone."""
    import tvm
    from tvm.script import from_source

    hidden = io.StringIO()
    try:
        with contextlib.redirect_stderr(hidden), contextlib.redirect_stdout(hidden):
            module = from_source(text, check_well_formed=False)
            if isinstance(module, tvm.IRModule):
                kept = {name: function for name, function in module.functions.items()
                        if isinstance(function, tvm.tirx.PrimFunc)}
                if not kept:
                    return None
                module = tvm.IRModule(kept, attrs=module.attrs)
            return module.script(show_meta=True) + "\n"
    except Exception:  # names of the surrounding test, or a test of an error
        return None


def is_scheduled(text):
    """Whether all functions are TIR of loops and blocks, not kernels with layouts."""
    return all("s_tir=True" in line for line in re.findall(r"@T\.prim_func.*", text))


def collect(tests, folder):
    """Writes the texts to `folder`; returns the number of functions that do not stand alone."""
    seen = set()
    dependent = 0
    for path in sorted(tests.rglob("*.py")):
        for line, text in sorted(sources(path)):
            result = printed(text)
            dependent += result is None
            if result is None or result in seen:
                continue
            seen.add(result)
            kind = "scheduled" if is_scheduled(result) else "kernels"
            name = f"{path.relative_to(tests).with_suffix('')}".replace(os.sep, "-")
            (folder / kind / f"{name}-{line}.py").write_text(result, encoding="utf-8")
    return dependent


def judge(program, path):
    """(path, reason): the reason is empty for a text that comes back byte for byte."""
    text = path.read_bytes()
    done = subprocess.run([program, path], capture_output=True, check=False, timeout=SECONDS)
    if done.returncode != 0:
        messages = re.findall(r"error: (.*)", done.stderr.decode("utf-8", "replace"))
        return path, "not read: " + (messages or ["no message"])[0]
    if done.stdout == text:
        return path, ""
    before, after = (data.decode("utf-8", "replace").split("\n") for data in (text, done.stdout))
    changes = [line for line in difflib.unified_diff(before, after, n=0, lineterm="")
               if line[:3] not in ("---", "+++", "@@ ")]
    return path, "changed: " + re.sub(r"\s+", " ", changes[0] if changes else "line ends")[:150]


def report(kind, program, folder, notes):
    """Prints the shares of one kind of texts; returns them."""
    reasons = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, reason in pool.map(lambda path: judge(program, path), sorted(folder.glob("*.py"))):
            reasons[reason].append(path.name)
    total = sum(map(len, reasons.values()))
    unread = sum(len(names) for reason, names in reasons.items() if reason.startswith("not read"))
    same = len(reasons.pop("", []))
    read_share = 100 * (total - unread) / max(total, 1)
    same_share = 100 * same / max(total - unread, 1)
    print(f"  {kind}: {total} texts, {read_share:.1f} % read, {same_share:.1f} % of these back byte "
          "for byte")
    for reason, names in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])):
        notes.append(f"{kind}: {len(names)} {reason}\n    {' '.join(names[:5])}")
    return read_share, same_share


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--tenon-opt", required=True, type=pathlib.Path)
    parser.add_argument("--tests", required=True, type=pathlib.Path)
    parser.add_argument("--notes", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, help="a folder that keeps the texts")
    args = parser.parse_args()
    notes = []
    with tempfile.TemporaryDirectory() as name:
        folder = args.keep or pathlib.Path(name)
        for kind in ("scheduled", "kernels"):
            (folder / kind).mkdir(parents=True, exist_ok=True)
        dependent = collect(args.tests, folder)
        print(f"TVM's tests: {dependent} functions and modules do not stand alone")
        program = args.tenon_opt.resolve()
        read, same = report("with s_tir=True", program, folder / "scheduled", notes)
        report("other kernels", program, folder / "kernels", notes)
    if args.notes:
        args.notes.write_text("\n".join(notes) + "\n", encoding="utf-8")
    return 0 if read >= READ_BAR and same >= SAME_BAR else 1


if __name__ == "__main__":
    sys.exit(main())
