#!/usr/bin/env python3
"""Downloads the public models and planning problems of benchmarks/models.csv.

Each file must have the hash of the list; a file that is already there is not downloaded again.

Use: scripts/get_models.py FOLDER [PART OF A NAME]...
"""

import argparse
import csv
import hashlib
import pathlib
import sys
import urllib.error
import urllib.parse
import urllib.request

LIST = pathlib.Path(__file__).resolve().parent.parent / "benchmarks" / "models.csv"
SITE = "https://raw.githubusercontent.com"
TIMEOUT_SECONDS = 60


def git_hash(data):
    """The name of a file's object in git."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def get(row, site):
    """The bytes of a row's file, which have the hash of the list."""
    url = f"{site}/{row['repository']}/{row['commit']}/{urllib.parse.quote(row['path'])}"
    with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as answer:
        data = answer.read(int(row["bytes"]) + 1)
    if git_hash(data) != row["hash"]:
        raise ValueError(f"{url}: expected {row['bytes']} bytes with hash {row['hash']}, found other bytes")
    return data


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="where the files go; TENON_CORPUS_DIR for benchmarks and tests")
    parser.add_argument("parts", nargs="*", help="download only files whose name contains one of these")
    parser.add_argument("--site", default=SITE, help="where repositories are (default: %(default)s)")
    args = parser.parse_args()
    with LIST.open(newline="", encoding="utf-8") as text:
        rows = [row for row in csv.DictReader(text) if not args.parts or any(part in row["file"] for part in args.parts)]
    if not rows:
        print("no file of benchmarks/models.csv has such a name", file=sys.stderr)
        return 1
    failed = 0
    for row in rows:
        path = args.folder / row["file"]
        if path.is_file() and git_hash(path.read_bytes()) == row["hash"]:
            continue
        try:
            data = get(row, args.site)
        except (OSError, ValueError) as error:
            print(f"{row['file']}: {error}", file=sys.stderr)
            failed += 1
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        print(path)
    print(f"{len(rows) - failed} of {len(rows)} files are in {args.folder}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
