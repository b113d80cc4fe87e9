#!/usr/bin/env python3
"""Counts test cases in the folders of JUnit files that scripts/run_tests.sh leaves.

A ctest entry whose name has a prefix in CONTAINERS (a GoogleTest program, a folder of lit tests)
counts as the cases inside it; every other entry counts as one. An entry that failed without a
failing case inside it (a crash, a timeout) counts as one failure. Exits with 1 if anything failed
or nothing ran.
"""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree

CONTAINERS = ("unit.", "random.", "lit.")


def count_cases(path):
    """Returns (passed, failed, skipped) over the <testcase> elements of one file."""
    passed = failed = skipped = 0
    for case in ElementTree.parse(path).iter("testcase"):
        tags = {child.tag for child in case}
        if tags & {"failure", "error"}:
            failed += 1
        elif "skipped" in tags or case.get("status") in ("notrun", "disabled"):
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def count_all(results):
    inner = [*sorted((results / "gtest").glob("*.xml")), *sorted((results / "lit").glob("*.xml"))]
    total = [0, 0, 0]
    for path in inner:
        try:
            counts = count_cases(path)
        except ElementTree.ParseError:  # The program died while writing; ctest reports the failure.
            continue
        total = [a + b for a, b in zip(total, counts)]

    inner_failures = total[1]
    ctest = results / "ctest.xml"
    if not ctest.exists():
        return total[0], total[1] + 1, total[2]
    entry_failures = 0
    for case in ElementTree.parse(ctest).iter("testcase"):
        stands_for_cases = case.get("name", "").startswith(CONTAINERS)
        if case.get("status") == "fail":
            entry_failures += 1
            if not stands_for_cases:
                total[1] += 1
        elif case.get("status") in ("notrun", "disabled"):
            total[2] += 1
        elif not stands_for_cases:
            total[0] += 1
    if entry_failures and not total[1]:
        total[1] = entry_failures - inner_failures
    return tuple(total)


def main():
    counts = [count_all(pathlib.Path(folder)) for folder in sys.argv[1:]]
    passed, failed, skipped = (sum(column) for column in zip(*counts))
    if skipped:
        print(f"({skipped} skipped)")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
