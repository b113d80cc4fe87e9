#!/usr/bin/env python3
"""Takes the images of docs/images that show pages of reports and plans. Needs Chromium (scripts/setup.sh browser).

Use: scripts/page_images.py [--bin build/release/bin] [--corpus DIR] [--out docs/images]
Without the corpus, constants_map.png stays as it is.
"""

import argparse
import pathlib
import subprocess
import tempfile

import browser

SOURCE = pathlib.Path(__file__).resolve().parents[1]

# The first card of a pool with its map and its legend, without what follows.
MAP_ONLY = """document.querySelectorAll('.peak, .why, .hint, #facts, .sub').forEach((e) => e.remove());
[...document.getElementById('pools').children].slice(1).forEach((e) => e.remove());"""
CONSTANTS_ONLY = """document.getElementById('facts').remove();
[...document.getElementById('pools').children].slice(0, -1).forEach((e) => e.remove());"""


def shoot(page, element, path, edge=10):
    """The image of an element and a few points around it."""
    x, y, width, height = page.evaluate(f"""(() => {{
      const box = document.querySelector({element!r}).getBoundingClientRect();
      return [box.left, box.top + scrollY, box.width, box.height]; }})()""")
    page.screenshot(path, (x - edge, y - edge, width + 2 * edge, height + 2 * edge))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=SOURCE / "build/release/bin")
    parser.add_argument("--corpus", type=pathlib.Path, default=SOURCE.parent / "shared/corpus")
    parser.add_argument("--out", type=pathlib.Path, default=SOURCE / "docs/images")
    options = parser.parse_args()
    path = browser.find()
    if path is None:
        parser.error("no Chromium here; scripts/setup.sh browser installs it")
    with tempfile.TemporaryDirectory() as name, browser.Browser(path) as browsing:
        html = pathlib.Path(name) / "page.html"

        def page(width, theme, *arguments):
            subprocess.run([options.bin / "tenon", *arguments, "-q", f"--html={html}"], check=True, cwd=SOURCE)
            return browsing.open(html, width, theme)

        for theme, suffix in (("light", ""), ("dark", "_dark")):
            report = page(1400, theme, "report", "examples/digits/digits.tflite")
            report.evaluate(MAP_ONLY + "choose(report.steps[2]);")
            shoot(report, "#model", options.out / f"memory_map{suffix}.png")
        for algorithm, image in (("optimal", "plan_optimal"), ("greedy_by_size", "plan_greedy")):
            plan = page(960, "light", "plan", "examples/buffers.csv", f"--algorithm={algorithm}")
            plan.evaluate(MAP_ONLY)
            shoot(plan, "#pools .card", options.out / f"{image}.png")
        module = options.corpus / "models/kws_int8/module.py"
        if module.exists():
            constants = page(1400, "light", "report", module, "--merge-constants=subrange", "--fuse=off", "--narrow=off")
            constants.evaluate(CONSTANTS_ONLY)
            shoot(constants, "#pools .card", options.out / "constants_map.png")


if __name__ == "__main__":
    main()
