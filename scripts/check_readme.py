#!/usr/bin/env python3
"""Runs the commands that a document shows, against a build.

A fenced block with the info string `console` is a session. Lines that start with `$ ` are commands;
a backslash at the end continues the command. The lines after a command are its output, in which
`...` matches any text, and a time such as `0.02 s` matches any time. A command without lines after
it may print anything, but must succeed. Blocks with `console no-run` are not run: cloning,
building, and commands that take minutes. Blocks with `console needs PROGRAM...` are run where these
programs are installed.

The session runs in a scratch folder that looks like the root of the tree. Its build/release/bin is
the build under test and comes first in PATH.

Use: scripts/check_readme.py --bin build/dev/bin README.md [FILE.md]...
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import check_docs

TIME_LIMIT_SECONDS = 300
SCRATCH = "build"


def sessions(content):
    """Yields (command, expected lines) of one console block."""
    command, expected, more = None, [], False
    for line in content.splitlines():
        if more:
            command += "\n" + line
        elif line.startswith("$ "):
            if command is not None:
                yield command, expected
            command, expected = line[2:], []
        elif command is not None:
            expected.append(line)
        more = command is not None and not expected and command.endswith("\\")
    if command is not None:
        yield command, expected


def matches(expected, printed):
    """Whether the text matches the shown output: `...` matches anything, `0.02 s` any time."""
    shown = "\n".join(expected).strip()
    if not shown:
        return True
    pattern = r"[\s\S]*?".join(re.escape(part) for part in shown.split("..."))
    pattern = re.sub(r"\b\d+\\\.\d\d(\\)? s\b", r"\\d+(?:\\.\\d+)? s", pattern)
    return re.fullmatch(pattern, printed.strip()) is not None


def is_run(info):
    """Whether the commands of a block with this info string are run here."""
    words = info.split()
    if words[:1] != ["console"]:
        return False
    if words[1:2] == ["needs"]:
        return all(shutil.which(program) for program in words[2:])
    return len(words) == 1


def make_scratch(root, scratch, binaries):
    for entry in root.iterdir():
        if entry.name not in (SCRATCH, ".git"):
            (scratch / entry.name).symlink_to(entry)
    (scratch / SCRATCH / "release").mkdir(parents=True)
    (scratch / SCRATCH / "release" / "bin").symlink_to(binaries)


def check_file(path, folder):
    """Returns (number of commands, list of problems)."""
    count, problems = 0, []
    path_variable = os.pathsep.join([f"{folder}/{SCRATCH}/release/bin", os.environ["PATH"]])
    for line, info, content in check_docs.blocks(path.read_text(encoding="utf-8")):
        if content is None or not is_run(info):
            continue
        for command, expected in sessions(content):
            count += 1
            try:
                done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                      timeout=TIME_LIMIT_SECONDS, check=False,
                                      env={**os.environ, "PATH": path_variable})
            except subprocess.TimeoutExpired:
                problems.append(f"{path}:{line}: still running: {command}")
                continue
            if done.returncode:
                problems.append(f"{path}:{line}: exit code {done.returncode}: {command}\n"
                                f"{done.stdout}")
            elif not matches(expected, done.stdout):
                problems.append(f"{path}:{line}: prints something else: {command}\n{done.stdout}")
    return count, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of the tools")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    count, problems = 0, []
    with tempfile.TemporaryDirectory() as scratch:
        make_scratch(root, pathlib.Path(scratch), args.bin.resolve())
        for path in check_docs.markdown_files(args.paths):
            found, wrong = check_file(path, scratch)
            count += found
            problems.extend(wrong)
    for problem in problems:
        print(problem)
    print(f"{count} commands, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
