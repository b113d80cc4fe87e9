#!/usr/bin/env python3
"""Computes how much stack functions of the C library need, and compares that with Tenon's table.

Use: scripts/library_stack.py [--write] [BOARD...]
BOARD is cortex-m or riscv; the default is both. The functions are the rows of lowering/llvm/library_stack.def. For each C library
and each processor below, links all functions that the library has, disassembles the image, and adds the frames along the deepest
chain of calls. A frame is what all instructions of a function subtract from the stack pointer, including those on paths that
exclude each other, so the sum is a bound. The table needs the largest bound of a board. It is an error if the table allows less.
--write rewrites the table. The exit code is 0, or 1 if anything was wrong; 77 without compilers.
"""

import argparse
import pathlib
import re
import sys
import tempfile

import firmware

TABLE = firmware.SOURCE / "lowering" / "llvm" / "library_stack.def"
ROW = re.compile(r"^TENON_LIBRARY_STACK\((\w+), (-?\d+), (-?\d+)\)$", re.M)
BOARDS = {  # a column of the table: gcc's prefix, the processors, the C libraries
    "cortex-m": ("arm-none-eabi-",
                 [("-mthumb", f"-mcpu=cortex-{core}", *floats) for core, floats in (
                     ("m0plus", ()), ("m3", ()), ("m4", ()), ("m4", ("-mfloat-abi=hard", "-mfpu=fpv4-sp-d16")),
                     ("m7", ("-mfloat-abi=hard", "-mfpu=fpv5-d16")), ("m55", ("-mfloat-abi=hard",)))],
                 [("--specs=nano.specs", "--specs=nosys.specs"), ("--specs=nosys.specs",)]),
    "riscv": ("riscv64-unknown-elf-",
              [(f"-march={march}", "-mabi=ilp32") for march in ("rv32i", "rv32im", "rv32imac")] +
              [("-march=rv32imafc", "-mabi=ilp32f")],
              [("--specs=picolibc.specs",)]),
}
FALLS_NOT = re.compile(r"\t(b|b\.n|b\.w|bx|pop\S*|ldmia\S*|ldr\.?\w*\tpc|tbb|tbh|udf|j|jr|ret|tail|mret|ebreak|\.word|\.short)\b")
CALL = re.compile(r"\t(bl|b[a-z]{0,2}|cbn?z|jal|j|tail|call|[bc]\S*z|b(?:eq|ne|lt|ge|ltu|geu|gt|le|gtu|leu))(?:\.[nw])?\t.*<([\w.$]+)(?:\+0x\w+)?>")


RISCV_SAVE = 64  # bytes that __riscv_save_... of libgcc subtracts at most, which are part of its caller's frame


class Unknown(firmware.Failed):
    """A use of the stack whose size the disassembly does not show."""


def pushed(line):
    """The bytes that an instruction subtracts from the stack pointer."""
    if "<__riscv_save_" in line:
        return RISCV_SAVE
    listed = re.search(r"\t(?:push\S*|stmdb\S*\tsp!,|vpush\S*)\s+\{(.*?)\}", line)
    if listed:
        return sum(size_of(part) for part in listed[1].split(", "))
    moved = re.search(r"\tsub(?:w|\.w)?\tsp,(?: sp,)? *#(\d+)", line) or re.search(r"\t(?:addi?|c\.addi16sp)\tsp,(?:sp,)?-(\d+)", line) or \
        re.search(r"\tstrd?(?:\.w)?\t.*\[sp, #-(\d+)\]!", line)
    if moved:
        return int(moved[1])
    if re.search(r"\tsub\S*\tsp,", line) or re.search(r"\tadd\tsp,sp,[a-z]", line) or re.search(r"\t(blx\tr|jalr\t)", line):
        raise Unknown(f"the size of the stack is not seen in: {line}")
    return 0


def size_of(registers):
    """Of one register, or of a range like r4-r7 or d8-d10."""
    first, _, last = registers.partition("-")
    count = int(last[1:]) - int(first[1:]) + 1 if last else 1
    return count * (8 if first[0] == "d" else 4)


def functions_of(text):
    """The frame and the callees of each function of a disassembly."""
    found, order = {}, []
    for part in re.split(r"\n(?=[0-9a-f]+ <)", text):
        head = re.match(r"[0-9a-f]+ <([\w.$]+)>:\n", part)
        if head is None:
            continue
        lines = [line for line in part.splitlines()[1:] if re.match(r" *[0-9a-f]+:\t", line)]
        calls = {match[2] for match in map(CALL.search, lines) if match} - {head[1]}
        calls = {callee for callee in calls if not callee.startswith("__riscv_save_")}
        order.append((head[1], lines))
        found[head[1]] = (lines, calls)
    for (name, lines), (after, _) in zip(order, order[1:]):
        code = [line for line in lines if not re.search(r"\t(\.word|\.short|nop)", line)]
        if code and not FALLS_NOT.search(code[-1]):
            found[name][1].add(after)
    return found


def bound_of(functions, name, open_=()):
    """The bytes of the deepest chain of calls from a function."""
    if name in open_:
        raise Unknown(f"{name} calls itself: {' > '.join(open_)}")
    lines, calls = functions[name]
    return sum(map(pushed, lines)) + max((bound_of(functions, callee, (*open_, name)) for callee in calls if callee in functions), default=0)


def bounds_of(run, prefix, machine, library, names, folder):
    """The bounds of those functions that a C library has."""
    source, image = folder / "calls.S", folder / "calls.elf"
    options = (*machine, *library, "-nostartfiles", "-Wl,--gc-sections", "-Wl,-e,start", "-Wl,--no-warn-rwx-segments", "-Wl,--unresolved-symbols=ignore-all",
               "-Wl,--defsym=__flash_size=0x1000000")
    source.write_text(".section .text.start, \"ax\"\n.globl start\nstart:\n.section .rodata.start, \"a\"\n" +
                      "".join(f".word {name}\n" for name in names) +
                      ".section .text.start\n.word .rodata.start\n")
    run(prefix + "gcc", *options, source, "-lm", "-o", image)
    functions = functions_of(run(prefix + "objdump", "-d", "--no-show-raw-insn", image))
    symbols = {}
    for address, name in re.findall(r"^(\w+) [tTwW] (\S+)$", run(prefix + "nm", image), re.M):
        symbols.setdefault(int(address, 16) & ~1, []).append(name)
    same = {name: next((other for other in group if other in functions), None) for group in symbols.values() for name in group}
    found = {}
    for name in names:
        try:
            if same.get(name):
                found[name] = bound_of(functions, same[name])
        except Unknown as unknown:
            found[name] = None
            print(f"{' '.join(machine)}: {name}: {unknown}")
    return found


def measure(run, board, names, folder):
    """The largest bound of each function on a board; None if it is not known everywhere."""
    prefix, machines, libraries = BOARDS[board]
    largest = {}
    for machine in machines:
        for library in libraries:
            for name, bound in bounds_of(run, prefix, machine, library, names, folder).items():
                before = largest.get(name, 0)
                largest[name] = None if bound is None or before is None else max(bound, before)
    return largest


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("boards", nargs="*", metavar="BOARD")
    options = parser.parse_args()
    if set(options.boards) - set(BOARDS):
        parser.error(f"expected boards of {', '.join(BOARDS)}")
    rows = {name: [int(arm), int(riscv)] for name, arm, riscv in ROW.findall(TABLE.read_text())}
    failures, done = 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for column, board in enumerate(BOARDS):
            if options.boards and board not in options.boards:
                continue
            missing = firmware.missing_tools(firmware.BOARDS[board])
            if missing:
                print(f"{board}: skipped: {', '.join(missing)} not found; scripts/setup.sh {board} installs it")
                continue
            done += 1
            found = measure(firmware.Runner(), board, list(rows), pathlib.Path(scratch))
            for name, row in rows.items():
                bound = -1 if found.get(name) is None else found[name]
                if options.write:
                    row[column] = bound
                elif bound > row[column] or (bound < 0 <= row[column] and name in found):
                    print(f"{board}: {name} needs {bound} bytes, the table allows {row[column]}")
                    failures += 1
            print(f"{board}: {sum(bound is not None for bound in found.values())} functions")
    if options.write:
        TABLE.write_text(ROW.sub(lambda match: f"TENON_LIBRARY_STACK({match[1]}, {rows[match[1]][0]}, {rows[match[1]][1]})", TABLE.read_text()))
    return 1 if failures else 0 if done else firmware.SKIPPED


if __name__ == "__main__":
    sys.exit(main())
