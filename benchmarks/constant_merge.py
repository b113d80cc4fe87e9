#!/usr/bin/env python3
"""Merging of constants: speed and peak memory of merge-constants, next to LLVM's constmerge.

Use: benchmarks/constant_merge.py BIN_DIR [MEGABYTES [LLVM_MEGABYTES]]

Half of the constants are copies: a third of the copies have the same type, a third another type,
and a third are in a section. The whole process counts: reading the text and the side file with the
data, and writing the text. LLVM gets the same bytes as bitcode, and writes bitcode, or nothing.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time


COUNT = 384  # constants; half of them are unique


def run(command):
    """Wall-clock seconds, CPU seconds and peak MB of one run."""
    start = time.monotonic()
    pid = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"{command[0]} failed")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def place(index):
    """Type and section of a constant. A third of the copies (the odd ones) have another type, and a
    third another section than the original."""
    kind = index // 2 % 3
    if index % 2 == 0:
        return ("uint8", ".rodata.w" if kind == 2 else "")
    return ("int8" if kind == 1 else "uint8", ".rodata.w" if kind == 2 else "")


def data_of(index, size):
    return random.Random(index // 2).randbytes(size)


def write_module(folder, size, side_file):
    """Writes the text, and the data next to it."""
    with open(f"{folder}/{side_file}", "wb") as out:
        table = {}
        for i in range(COUNT):
            offsets = [i * size, (i + 1) * size]
            table[f"w{i}"] = {"dtype": "U8" if place(i)[0] == "uint8" else "I8", "shape": [size],
                              "data_offsets": offsets}
        header = json.dumps(table).encode()
        header += b" " * (-(8 + len(header)) % 4096)
        out.write(len(header).to_bytes(8, "little") + header)
        for i in range(COUNT):
            out.write(data_of(i, size))
    entries = []
    body = []
    for i in range(COUNT):
        dtype, section = place(i)
        where = f', section="{section}"' if section else ""
        entries.append(f'I.constant("w{i}", I.file("{side_file}", "w{i}"), "{dtype}", [{size}]{where})')
        body.append(f'        w{i} = T.allocate_const(I.constant("w{i}"), "{dtype}", [{size}])')
    for i in range(COUNT):
        dtype, _ = place(i)
        body.append(f'        w{i}_1 = T.Buffer(({size},), "{dtype}", data=w{i})')
        body.append(f'        out[{i}] = T.Cast("int8", w{i}_1[0])')
    text = "\n".join(["# from tvm.script import ir as I", "# from tvm.script import tir as T", "",
                      "@I.ir_module", "class Module:",
                      '    I.module_attrs({"tenon.constants": [' + ", ".join(entries) + "]})",
                      "    @T.prim_func", f'    def main(out: T.Buffer(({COUNT},), "int8")):'] + body)
    with open(f"{folder}/module.py", "w", encoding="utf-8") as out:
        out.write(text + "\n")


def write_bitcode(folder, size):
    """Writes the same constants as globals that a function uses."""
    with open(f"{folder}/module.ll", "w", encoding="ascii") as out:
        for i in range(COUNT):
            text = "".join(f"\\{byte:02x}" for byte in data_of(i, size))
            # Another type of the same width: LLVM's integers have no sign.
            dtype, section = place(i)
            array = f'[{size} x i8] c"{text}"'
            value = f"<{{ [{size} x i8] }}> <{{ {array} }}>" if dtype == "int8" else array
            where = f', section "{section}"' if section else ""
            out.write(f"@w{i} = private unnamed_addr constant {value}{where}, align 16\n")
        out.write("define void @main(ptr %out) {\n")
        for i in range(COUNT):
            out.write(f"  store volatile ptr @w{i}, ptr %out\n")
        out.write("  ret void\n}\n")
    subprocess.run(["llvm-as-19", f"{folder}/module.ll", "-o", f"{folder}/module.bc"], check=True)
    os.remove(f"{folder}/module.ll")


def show(name, megabytes, result):
    seconds, busy, peak = result
    rate = megabytes / 1000 / max(busy, 0.001)
    print(f"| {name} | {seconds:.3f} | {busy:.3f} | {rate:.1f} | {peak:.0f} |")


def merge(bin_dir, folder, level, output="/dev/null"):
    return min(run([f"{bin_dir}/tenon-opt", f"{folder}/module.py", "--constants=keep", "-o", output,
                    f"--pipeline=merge-constants{{level={level}}}"]) for _ in range(3))


def main():
    bin_dir = sys.argv[1]
    megabytes = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    llvm_megabytes = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    print("| | s | CPU s | GB per CPU s | peak MB |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        write_module(folder, megabytes * 1000000 // COUNT // 64 * 64, "weights.safetensors")
        for level in ("exact", "subrange"):
            show(f"{megabytes} MB: merge-constants, {level}", megabytes, merge(bin_dir, folder, level))
        show(f"{megabytes} MB: cp", megabytes,
             min(run(["cp", f"{folder}/weights.safetensors", f"{folder}/copy"]) for _ in range(2)))
    with tempfile.TemporaryDirectory() as folder:
        size = llvm_megabytes * 1000000 // COUNT // 64 * 64
        write_module(folder, size, "weights.safetensors")
        write_bitcode(folder, size)
        show(f"{llvm_megabytes} MB: merge-constants, exact", llvm_megabytes,
             merge(bin_dir, folder, "exact", f"{folder}/out.py"))
        opt = ["opt-19", "-passes=constmerge", f"{folder}/module.bc"]
        show(f"{llvm_megabytes} MB: opt -passes=constmerge", llvm_megabytes,
             min(run(opt + ["-o", f"{folder}/out.bc"]) for _ in range(3)))
        show(f"{llvm_megabytes} MB: the same, writing nothing", llvm_megabytes,
             min(run(opt + ["-disable-output"]) for _ in range(3)))
        with open(f"{folder}/out.py", encoding="utf-8") as text:
            bases = set(re.findall(r'I\.constant\("(w\d+)", I\.file', text.read()))
        merged = COUNT - len(bases)
        # Only the text has names of private globals.
        with subprocess.Popen(["llvm-dis-19", f"{folder}/out.bc", "-o", "-"],
                              stdout=subprocess.PIPE) as dis:
            kept = sum(1 for line in dis.stdout if line.startswith(b"@"))
        print(f"\nOf {COUNT // 2} copies Tenon merged {merged}, LLVM {COUNT - kept}.")


if __name__ == "__main__":
    main()
