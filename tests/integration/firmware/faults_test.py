#!/usr/bin/env python3
"""Builds faulty images, and checks that scripts/firmware.py and the linker scripts of the examples
refuse each for the right reason.

Use: faults_test.py --board=cortex-m|riscv --tenon=BIN
Exit code 77 (skipped) without the board's tools.
"""

import argparse
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
import firmware  # noqa: E402

ALLOCATES = """#include <stdlib.h>
void* taken;
void take(void);
void take(void) { taken = malloc(16); }
"""
OWN_MALLOC = """#include <stddef.h>
void* malloc(size_t bytes);
void* __attribute__((used)) malloc(size_t bytes) { return bytes == 0 ? 0 : (void*)4; }
"""
CONSTRUCTOR = """extern int ready;
int ready;
void __attribute__((constructor)) get_ready(void);
void get_ready(void) { ready = 1; }
"""
VARIABLE = """extern int tvmgen_digits_count;
int tvmgen_digits_count;
"""
TRAP = """#include <stdint.h>
int32_t __wrap_tvmgen_digits_run(void* inputs, void* outputs);
int32_t __wrap_tvmgen_digits_run(void* inputs, void* outputs) {
  (void)inputs;
  (void)outputs;
  __builtin_trap();
}
"""


class Faults:
    """Builds the digits classifier with one thing changed at a time."""

    def __init__(self, board, tenon, folder):
        self.board, self.tenon, self.folder = board, tenon, pathlib.Path(folder)
        self.run = firmware.Runner()
        self.failures = 0

    def source(self, name, text):
        path = self.folder / f"{name}.c"
        path.write_text(text)
        return path

    def image(self, **options):
        return firmware.build(self.run, self.board, self.tenon, "digits", "gcc -Os",
                              self.folder / "image", **options)

    def refused(self, what, because, action):
        try:
            action()
        except firmware.Failed as failed:
            good = because in str(failed)
            print(f"{what}: {'refused' if good else f'refused, but not as expected: {failed}'}")
        else:
            good = False
            print(f"{what}: FAILED, nobody noticed")
        self.failures += not good

    def emulate(self, **options):
        return firmware.emulate(self.run, self.board, self.image(**options)[0])

    def check(self, **options):
        firmware.check_image(self.run, self.board, *self.image(**options))

    def without_assertions(self):
        """A board whose linker script accepts everything, so that the checks of images must find
        the fault."""
        folder = firmware.EXAMPLES / self.board.folder
        lines = (folder / self.board.script).read_text().splitlines()
        script = self.folder / "lenient.ld"
        script.write_text("\n".join(line for line in lines if not line.startswith("ASSERT")) + "\n")
        return script


def run_all(faults):
    stack, *_ = faults.emulate()  # Unchanged, it is bit-exact.
    constructor = faults.source("constructor", CONSTRUCTOR)
    allocator = faults.source("allocator", OWN_MALLOC)
    keep = ["-Wl,--undefined=get_ready", "-Wl,--undefined=malloc"]
    faults.refused("an initialiser, by the linker", "something is initialised before main",
                   lambda: faults.image(extra=[constructor, keep[0]]))
    faults.refused("malloc, by the linker", "something allocates memory",
                   lambda: faults.image(extra=[allocator, keep[1]]))
    faults.refused("the library's malloc, by the linker", "something allocates memory",
                   lambda: faults.image(extra=[faults.source("library", ALLOCATES), "-Wl,--undefined=take"]))

    expected = bytearray((firmware.EXAMPLES / "digits" / "expected0.npy").read_bytes())
    expected[-1] ^= 1
    wrong = faults.folder / "wrong.npy"
    wrong.write_bytes(expected)
    faults.refused("a wrong bit in the last byte", "first byte that differs: 9",
                   lambda: faults.emulate(expected=wrong))
    wrong.write_bytes(expected[:-1])
    faults.refused("an output of another size", "test vectors of another model",
                   lambda: faults.emulate(expected=wrong))
    # Slightly less than the image uses, in steps of the alignment: QEMU may ignore writes far below
    # the RAM.
    faults.refused("too little stack", "exit code",
                   lambda: faults.emulate(extra=[f"-Wl,--defsym=STACK_SIZE={stack // 16 * 16}"]))
    faults.refused("RAM that no report has", "tvmgen_digits_count is in RAM, and not in .ram_pool",
                   lambda: faults.check(extra=[faults.source("variable", VARIABLE),
                                               "-Wl,--undefined=tvmgen_digits_count"]))
    trap = faults.source("trap", TRAP)
    faults.refused("a fault in the model", "fault\n",
                   lambda: faults.emulate(extra=[trap, "-Wl,--wrap=tvmgen_digits_run"]))

    lenient = faults.without_assertions()
    faults.board = firmware.dataclasses.replace(faults.board, script=str(lenient))
    faults.refused("an initialiser, in the image", "initialised before main: .init_array",
                   lambda: faults.check(extra=[constructor, keep[0], "-Wl,--no-warn-rwx-segments"]))
    faults.refused("malloc, in the image", "memory is allocated: malloc",
                   lambda: faults.check(extra=[allocator, keep[1]]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--board", choices=firmware.BOARDS, required=True)
    parser.add_argument("--tenon", required=True)
    options = parser.parse_args()
    board = firmware.BOARDS[options.board]
    missing = firmware.missing_tools(board)
    if missing:
        print(f"skipped: {', '.join(missing)} not found")
        return firmware.SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        faults = Faults(board, options.tenon, folder)
        run_all(faults)
    print(f"{faults.failures} failures")
    return 1 if faults.failures else 0


if __name__ == "__main__":
    sys.exit(main())
