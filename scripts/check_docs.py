#!/usr/bin/env python3
"""Runs the examples of the documents through tenon-opt.

An example is a fenced block whose info string is `python tenon`, followed by tenon-opt's options:

    ```python tenon --pipeline=simplify
    ...a module...
    ```

tenon-opt must exit with code 0, or with 1 if `fails` comes before the options. If the next block's
info string is `python output`, tenon-opt must print exactly that block (apart from surrounding
blank lines). Blocks with other info strings are ignored.

Use: scripts/check_docs.py --bin build/release/bin docs [FILE.md|FOLDER]...
"""

import argparse
import difflib
import pathlib
import re
import shlex
import subprocess
import sys

TIME_LIMIT_SECONDS = 60


def blocks(text):
    """Yields (line, info string, content) for each fenced block."""
    fence, start, info, content = None, 0, "", []
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r"^(\s*)(`{3,})(.*)$", line)
        if fence is None and match:
            fence, start, info, content = match[2], number, match[3].strip(), []
            indent = len(match[1])
        elif fence is not None and match and match[2] == fence and not match[3].strip():
            yield start, info, "\n".join(content) + "\n"
            fence = None
        elif fence is not None:
            content.append(line[indent:] if not line[:indent].strip() else line)
    if fence is not None:
        yield start, info, None


def run_example(tool, info, content):
    """Returns (the output, problem or None)."""
    options = shlex.split(info)[2:]
    wanted = 0
    if options[:1] == ["fails"]:
        wanted, options = 1, options[1:]
    try:
        done = subprocess.run([str(tool), "-", *options], input=content, capture_output=True,
                              text=True, timeout=TIME_LIMIT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "", f"still running after {TIME_LIMIT_SECONDS} s"
    if done.returncode != wanted:
        return "", f"exit code {done.returncode}, not {wanted}\n{done.stderr}"
    return done.stdout, None


def check_file(tool, path):
    """Returns (number of examples, list of problems)."""
    count, problems, printed = 0, [], None
    for line, info, content in blocks(path.read_text(encoding="utf-8")):
        where = f"{path}:{line}"
        if content is None:
            problems.append(f"{where}: block without end")
        elif info == "python output":
            if printed is None:
                problems.append(f"{where}: output without an example before it")
            elif printed.strip("\n") != content.strip("\n"):
                difference = difflib.unified_diff(content.strip("\n").splitlines(),
                                                  printed.strip("\n").splitlines(),
                                                  "shown", "printed", lineterm="")
                problems.append(f"{where}: prints something else\n" + "\n".join(difference))
            printed = None
        elif info.split()[:2] == ["python", "tenon"]:
            count += 1
            printed, problem = run_example(tool, info, content)
            if problem:
                problems.append(f"{where}: {problem}")
                printed = None
    return count, problems


def markdown_files(paths):
    """The Markdown files of paths, which are files and folders."""
    for path in paths:
        yield from sorted(path.rglob("*.md")) if path.is_dir() else [path]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of tenon-opt")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    files = list(markdown_files(args.paths))
    count, problems = 0, []
    for path in files:
        found, wrong = check_file(args.bin / "tenon-opt", path)
        count += found
        problems.extend(wrong)
    for problem in problems:
        print(problem)
    print(f"{count} examples in {len(files)} documents, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
