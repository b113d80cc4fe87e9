#!/usr/bin/env python3
"""Builds one static site: README and the documents with a search, the reference of the public headers, and pages of models.

Use: scripts/docs_site.py [--bin build/release/bin] [--out build/site]
Needs the network once, for the packages of packaging/site/requirements.txt, and doxygen (scripts/setup.sh site). Checks all
links between pages; exit code 1 if one leads nowhere.
"""

import argparse
import html.parser
import os
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import urllib.parse
import venv

SOURCE = pathlib.Path(__file__).resolve().parents[1]
SITE = SOURCE / "packaging/site"
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
# The groups of the site's contents, by the folders of documents.
GROUPS = (("Documents", "docs"), ("Guide", "docs/guide"), ("Reference", "docs/reference"), ("Internals", "docs/internals"),
          ("External code generators", "docs/byoc"), ("Examples", "examples"))
MODELS = (("digits", "The digits classifier, from TensorFlow Lite", ["report", "examples/digits/digits.tflite", "--workspace-pools=ram:64K"]),
          ("digits_onnx", "The digits classifier, from ONNX", ["report", "examples/digits/digits.onnx"]),
          ("buffers", "A plan of ten buffers", ["plan", "examples/buffers.csv"]))


def documents():
    """The documents of the site, relative to the tree."""
    found = [pathlib.Path(name) for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
    for folder, pattern in (("docs", "**/*.md"), ("examples", "*/README.md"), (".", "tests/README.md")):
        found += sorted(path.relative_to(SOURCE) for path in (SOURCE / folder).glob(pattern))
    return found


def staged_name(path):
    # The first page of the site is README.
    return "index.md" if path == pathlib.Path("README.md") else str(path)


def staged_text(path, known, stage):
    """The text of a document with the links of the site. Files of the tree that it links to are copied."""
    def link(match):
        target, _, fragment = match[2].partition("#")
        if not target or urllib.parse.urlsplit(target).scheme:
            return match[0]
        there = pathlib.Path(posixpath.normpath((path.parent / target).as_posix()))
        if there in known:
            name = os.path.relpath(staged_name(there), path.parent)
            return f"{match[1]}{name}{'#' + fragment if fragment else ''}{match[3]}"
        if (SOURCE / there).is_dir():
            return f"{match[1]}#{match[3]}" if fragment else "]"
        copy = stage / there
        copy.parent.mkdir(parents=True, exist_ok=True)
        if (SOURCE / there).is_file():
            shutil.copy(SOURCE / there, copy)
        return match[0]

    lines, in_block = [], False
    for line in (SOURCE / path).read_text().splitlines():
        if line.lstrip().startswith("```"):
            in_block = not in_block
        lines.append(line if in_block else LINK.sub(link, line))
    # A link to a folder has become its text.
    return re.sub(r"\[([^][]*)\](?=\])\]", r"\1", "\n".join(lines)) + "\n"


def contents(known):
    """The contents of the site for its first page, as directives."""
    names = [path.with_suffix("").as_posix() for path in known if path != pathlib.Path("README.md")]
    left, parts = set(names), []
    for title, folder in GROUPS:
        deep = folder in ("docs/byoc", "examples") or folder.count("/") > 0
        mine = [name for name in names if name in left and (name.startswith(folder + "/") if deep else posixpath.dirname(name) == folder)]
        left -= set(mine)
        parts.append((title, [f"/{name}" for name in mine]))
    parts.append(("More", [f"/{name}" for name in names if name in left]))
    parts.append(("Made by Tenon", ["/made_pages"]))
    return "".join(f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n" + "\n".join(rows) + "\n```\n" for title, rows in parts if rows)


def made_pages():
    """The page that leads to the pages of models and to the reference of the headers."""
    rows = [f'<li><a href="models/{name}.html">{title}</a>: <code>tenon {" ".join(arguments)} --html</code></li>'
            for name, title, arguments in MODELS]
    return ("# Pages of models, and the headers\n\n<ul>\n" + "\n".join(rows) +
            '\n<li><a href="api/index.html">The public headers of the library</a></li>\n</ul>\n')


def write_stage(stage):
    if stage.exists():
        shutil.rmtree(stage)
    (stage / "extra").mkdir(parents=True)
    shutil.copy(SITE / "conf.py", stage)
    known = documents()
    for path in known:
        to = stage / staged_name(path)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(staged_text(path, set(known), stage))
    (stage / "made_pages.md").write_text(made_pages())
    shutil.copytree(SOURCE / "docs/images", stage / "extra/docs/images")
    with (stage / "index.md").open("a") as index:
        index.write(contents(known))


def write_models(program, folder):
    folder.mkdir(parents=True)
    for name, _, arguments in MODELS:
        subprocess.run([program, *arguments, "-q", f"--html={folder / name}.html"], check=True, cwd=SOURCE)


def write_reference(folder):
    """The reference of the public headers, by doxygen."""
    script = f'include({SOURCE}/cmake/PublicHeaders.cmake)\ntenon_public_headers(found {SOURCE})\nmessage("${{found}}")\n'
    listing = folder.parent / "headers.cmake"
    folder.parent.mkdir(parents=True, exist_ok=True)
    listing.write_text(script)
    found = subprocess.run(["cmake", "-P", listing], check=True, capture_output=True, text=True).stderr.strip().split(";")
    listing.unlink()
    headers = [name for name in found if name.endswith(".h")]
    settings = {"PROJECT_NAME": "Tenon", "INPUT": " ".join(f'"{SOURCE / name}"' for name in headers), "STRIP_FROM_PATH": f'"{SOURCE}"',
                "OUTPUT_DIRECTORY": f'"{folder.parent}"', "HTML_OUTPUT": folder.name, "GENERATE_LATEX": "NO", "QUIET": "YES",
                "WARNINGS": "NO", "EXTRACT_ALL": "YES", "JAVADOC_AUTOBRIEF": "YES", "SEARCHENGINE": "YES", "HTML_TIMESTAMP": "NO",
                "HAVE_DOT": "NO", "CLASS_GRAPH": "NO", "ENABLE_PREPROCESSING": "YES", "MACRO_EXPANSION": "YES", "EXCLUDE_SYMBOLS": "*::internal *::detail",
                "SHOW_INCLUDE_FILES": "NO", "GENERATE_TREEVIEW": "YES"}
    text = "\n".join(f"{key} = {value}" for key, value in settings.items())
    # Its remarks on Markdown in comments are for nobody.
    subprocess.run(["doxygen", "-"], input=text, text=True, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return len(headers)


class Links(html.parser.HTMLParser):
    """The links of a page, and the places in it."""

    def __init__(self, text):
        super().__init__()
        self.links, self.places = [], {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key in ("href", "src", "srcset") and value:
                self.links.append(value)
            if key in ("id", "name") and value:
                self.places.add(value)


def broken_links(out):
    """Links between pages that lead nowhere. The reference checks its own."""
    pages = {path: Links(path.read_text(errors="replace")) for path in out.rglob("*.html")
             if "api" not in path.relative_to(out).parts[:1] and "models" not in path.relative_to(out).parts[:1]}
    count = 0
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            there = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if there.is_dir():
                there = there / "index.html"
            where = path.relative_to(out)
            if not there.exists():
                yield f"{where}: no {link}"
            elif there in pages and urllib.parse.unquote(parts.fragment) not in pages[there].places:
                yield f"{where}: no place {link}"
    print(f"{count} links in {len(pages)} pages")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=SOURCE / "build/release/bin")
    parser.add_argument("--out", type=pathlib.Path, default=SOURCE / "build/site")
    options = parser.parse_args()
    if shutil.which("doxygen") is None:
        parser.error("no doxygen here; scripts/setup.sh site installs it")
    out, work = options.out.resolve(), options.out.resolve().with_name(options.out.name + "_work")
    environment = work / "env"
    if not (environment / "bin/sphinx-build").exists():
        venv.create(environment, with_pip=True, clear=True)
    subprocess.run([environment / "bin/pip", "install", "-q", "-r", SITE / "requirements.txt"], check=True)
    stage = work / "source"
    write_stage(stage)
    write_models(options.bin.resolve() / "tenon", stage / "extra/models")
    count = write_reference(stage / "extra/api")
    if out.exists():
        shutil.rmtree(out)
    built = subprocess.run([environment / "bin/sphinx-build", "-q", "-W", "--keep-going", "-d", work / "doctrees", stage, out])
    if built.returncode != 0:
        print("the documents have the faults above")
        return 1
    broken = list(broken_links(out))
    print("\n".join(broken) + f"\n{len(broken)} links lead nowhere" if broken else "all links between pages lead somewhere")
    print(f"site: {out / 'index.html'}, with {count} public headers")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
