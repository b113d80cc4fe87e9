#!/usr/bin/env python3
"""Checks the links of the documents, and the documents that sources name.

- A relative link of a Markdown file leads to a file, and its anchor to a heading of that file.
- A document that a source names, such as docs/index.md, exists, and so does its heading.
- Every document below docs/ is at most two clicks away from docs/index.md.

Links to other sites are not followed. Use: scripts/check_links.py [ROOT]
"""

import collections
import pathlib
import re
import subprocess
import sys

INDEX = "docs/index.md"
MAX_CLICKS = 2
# Text that is data: another file's links, or documents of another project.
IGNORED = re.compile(r"^(tests/lit/|scripts/\w+_test\.py$|docs/internals/testing\.md$)")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)|<(?:img|source)\b[^>]*?\b(?:src|srcset)=\"([^\"]+)\"")
NAMED = re.compile(r"(?<![\w/.])docs/[\w/]+\.md(?:#[\w-]+)?")


def without_code(text):
    """The text with fenced blocks and code spans blanked; lines keep their numbers."""
    text = re.sub(r"^(\s*)(`{3,}).*?^\s*\2\s*$", lambda found: "\n" * found[0].count("\n"), text, flags=re.M | re.S)
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", lambda found: "`" * len(found[0]) if "\n" not in found[0]
                  else "\n" * found[0].count("\n"), text, flags=re.S)


def anchors(text):
    """The anchors of a document's headings, as GitHub makes them."""
    found = collections.Counter()
    out = set()
    blanked = re.sub(r"^(\s*)(`{3,}).*?^\s*\2\s*$", "", text, flags=re.M | re.S)
    for heading in re.findall(r"^#{1,6}\s+(.*?)\s*#*$", blanked, re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        out.add(f"{slug}-{found[slug]}" if found[slug] else slug)
        found[slug] += 1
    return out | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


class Tree:
    """The files of a tree, and the anchors of its documents."""

    def __init__(self, root):
        self.root = root
        listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], text=True,
                                capture_output=True, check=False).stdout.split("\n")
        names = [name for name in listed if name] or [
            str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]
        self.files = sorted(name for name in names if (root / name).is_file())
        self.known = set(self.files) | {str(parent) for name in self.files
                                        for parent in pathlib.PurePath(name).parents}
        self.anchors = {}

    def text(self, name):
        try:
            return (self.root / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            return ""

    def problem(self, target):
        """What is wrong with a path of the tree and its anchor, or None."""
        path, _, anchor = target.partition("#")
        if path not in self.known:
            return f"`{path}` does not exist"
        if anchor and path.endswith(".md"):
            if path not in self.anchors:
                self.anchors[path] = anchors(self.text(path))
            if anchor not in self.anchors[path]:
                return f"`{path}` has no heading `#{anchor}`"
        return None

    def links(self, name):
        """(line, path in the tree with anchor) for each relative link of a document."""
        text = without_code(self.text(name))
        for found in LINK.finditer(text):
            link = found[1] or found[2]
            if re.match(r"[a-z]+:", link):
                continue
            path, sharp, anchor = link.partition("#")
            folder = pathlib.PurePosixPath(name).parent
            parts = []
            for part in (*folder.parts, *path.split("/")) if path else pathlib.PurePosixPath(name).parts:
                if part == "..":
                    parts = parts[:-1] if parts else [".."]
                elif part not in ("", "."):
                    parts.append(part)
            yield text.count("\n", 0, found.start()) + 1, ("/".join(parts) or ".") + sharp + anchor


def check(root):
    """All problems, one line each."""
    tree = Tree(root)
    problems, clicks = [], {}
    for name in tree.files:
        if name.endswith(".md"):
            clicks[name] = set()
            for line, target in tree.links(name):
                clicks[name].add(target.partition("#")[0])
                problem = tree.problem(target)
                if problem:
                    problems.append(f"{name}:{line}: {problem}")
        if IGNORED.match(name) or name.endswith((".svg", ".json", ".html")):
            continue
        text = tree.text(name)
        for found in NAMED.finditer(text):
            problem = tree.problem(found[0])
            if problem:
                problems.append(f"{name}:{text.count(chr(10), 0, found.start()) + 1}: {problem}")
    reached, level = {INDEX}, {INDEX}
    for _ in range(MAX_CLICKS):
        level = set().union(*(clicks.get(name, ()) for name in level)) - reached
        reached |= level
    problems += [f"{name}: more than {MAX_CLICKS} clicks away from {INDEX}" for name in tree.files
                 if name.startswith("docs/") and name.endswith(".md") and name not in reached]
    return problems


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    problems = check(root)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
