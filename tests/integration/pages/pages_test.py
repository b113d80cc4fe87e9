#!/usr/bin/env python3
"""Measures pages of `tenon report --html` and `tenon plan --html` in headless Chromium, in both themes, 1400 and 420 wide.

Use: pages_test.py --tenon BIN

measure.js says what counts as a fault. Pages: the digits classifier with and without a known size of the RAM, two models of
the corpus (many operators, long names), a plan above its lower bound, and a plan of 10,000 buffers. The test then plants faults in a page and
demands that each is found. Exit code 77 (skipped) without Chromium.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SKIPPED = 77
FOLDER = pathlib.Path(__file__).resolve().parent
SOURCE = FOLDER.parents[2]
sys.path[:0] = [str(FOLDER.parent), str(SOURCE / "scripts")]
import browser  # noqa: E402
import checks  # noqa: E402

WIDTHS, THEMES = (1400, 420), ("light", "dark")
MEASURE = (FOLDER / "measure.js").read_text()

# A script that plants a fault in a page, and words that the fault must have.
FAULTS = {
    "grey texts of low contrast": ("document.documentElement.style.setProperty('--muted', '#a8a8a8')", "contrast"),
    "pale buffers": ("document.documentElement.style.setProperty('--tensor-a', '#a9c8e6')", "of an area"),
    "lines as bright as buffers": ("document.documentElement.style.setProperty('--curve', '#4f9bb0')", "of a line"),
    "two labels at one place": (
        "for (const dx of [0, 3]) document.querySelector('.card canvas').getContext('2d').fillText('label' + dx, 300 + dx, 15)",
        "overlap"),
    "two texts of elements at one place": (
        "document.querySelector('.tile dd').style.cssText = 'position: absolute; left: 80px'", "overlap"),
    "a label beyond the edge": (
        "document.querySelector('.card canvas').getContext('2d').fillText('a long label', -20, 12)", "cut"),
    "a text in a box that is too small": (
        "document.querySelector('.row .name').style.cssText = 'width: 12px; overflow: hidden; flex: none'", "cut"),
    "a covered label": (
        "{ const g = document.querySelector('.card canvas').getContext('2d'); g.fillText('below', 300, 15); g.fillRect(290, 0, 60, 20); }",
        "covered"),
    "a page that is too wide": ("document.body.append(Object.assign(document.createElement('div'), {style: 'width: 2000px; height: 1px'}))",
                                "wide in a window"),
    "a script that fails": ("window.dispatchEvent(new ErrorEvent('error', {message: 'planted'}))", "planted"),
}


def write_problem(path, count=10_000):
    """A planning problem of many buffers, few of them large."""
    numbers = random.Random(5)
    rows = ["id,lower,upper,size"]
    for i in range(count):
        begin = numbers.randrange(2_000_000)
        rows.append(f"b{i},{begin},{begin + int(2 ** numbers.uniform(3, 17))},{64 * int(2 ** numbers.uniform(0, 12))}")
    path.write_text("\n".join(rows) + "\n")


def pages(folder, corpus):
    """Names, with the arguments that write each page."""
    write_problem(folder / "many.csv")
    digits = SOURCE / "examples/digits/digits.tflite"
    yield "digits", ["report", digits]
    yield "digits_in_64K", ["report", digits, "--workspace-pools=ram:64K"]
    yield "greedy", ["plan", SOURCE / "examples/buffers.csv", "--algorithm=greedy_by_size", "--capacity=65536"]
    yield "many", ["plan", folder / "many.csv"]
    if corpus.exists():
        yield "kws", ["report", corpus / "tflite/kws_ref_model.tflite"]
        yield "vww", ["report", corpus / "models/vww_int8/module.py"]
    else:
        print(f"no corpus at {corpus}: the pages of its models are skipped", flush=True)


def measure(page, width, theme, name, check):
    """Checks what a page shows, and then what it shows of a chosen operator."""
    found = page.evaluate("measured()")
    where = f"{name}, {width} wide, {theme}"
    for fault in found["faults"]:
        check.expect(False, f"{where}: {fault}")
    check.expect(found["texts"] > 100 and len(found["canvasTexts"]) > 5 and found["lines"] > 2 and found["marks"] > 5
                 and found["areas"] > 0, f"{where}: too little was measured: {found}")
    is_dark = page.evaluate("document.documentElement.dataset.theme") == "dark"
    check.expect(is_dark == (theme == "dark"), f"{where}: the page has the other theme")
    if page.evaluate("typeof graph === 'object' && graph !== null"):
        # The others are paler then, on purpose.
        page.evaluate("choose(report.steps[1])")
        for fault in page.evaluate("measured()")["faults"]:
            if "contrast" in fault and "line" not in fault and "area" not in fault:
                check.expect(False, f"{where}, an operator chosen: {fault}")
    return found


def plant(browsing, path, check):
    for name, (script, words) in FAULTS.items():
        page = browsing.open(path, 1400, before=MEASURE)
        check.expect(not page.evaluate("measured()")["faults"], f"faults before {name}")
        # A new size draws all pictures again; what is planted on a picture comes afterwards.
        on_canvas = "getContext" in script
        page.evaluate(f"(() => {{ {script} }})()")
        if not on_canvas:
            page.evaluate("window.dispatchEvent(new Event('resize'))")
        faults = page.evaluate("measured()")["faults"]
        check.expect(any(words in fault for fault in faults), f"not found: {name}: {faults}")
        page.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tenon", required=True)
    options = parser.parse_args()
    path = browser.find()
    if path is None:
        print("skipped: no Chromium here; scripts/setup.sh browser installs it")
        return SKIPPED
    corpus = pathlib.Path(os.environ.get("TENON_CORPUS_DIR", SOURCE.parent / "shared/corpus"))
    check = checks.Checks()
    with tempfile.TemporaryDirectory() as name, browser.Browser(path) as browsing:
        folder = pathlib.Path(name)
        for name, arguments in pages(folder, corpus):
            html = folder / f"{name}.html"
            subprocess.run([options.tenon, *map(str, arguments), "-q", f"--html={html}"], check=True)
            for width in WIDTHS:
                for theme in THEMES:
                    page = browsing.open(html, width, theme, MEASURE)
                    found = measure(page, width, theme, name, check)
                    print(f"{name}, {width} wide, {theme}: {found['texts']} texts, {len(found['canvasTexts'])} of them on canvases, "
                          f"{len(found['faults'])} faults", flush=True)
                    page.close()
        plant(browsing, folder / "digits.html", check)
    return check.finish()


if __name__ == "__main__":
    sys.exit(main())
