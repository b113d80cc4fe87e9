"""shrink.py FOLDER: tenon-opt prints constants of a file which becomes shorter meanwhile."""

import os
import subprocess
import sys

TEXT = """# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("w", I.file("w.safetensors", "w"), "int8", [8388608])]})
    @T.prim_func
    def main(y: T.Buffer((1,), "int8")):
        w = T.allocate_const(I.constant("w"), "int8", [8388608])
        w_1 = T.Buffer((8388608,), "int8", data=w)
        y[0] = w_1[0]
"""

SIZE = 8388608


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/m.py", "w", encoding="utf-8") as out:
        out.write(TEXT)
    header = b'{"w":{"dtype":"I8","shape":[%d],"data_offsets":[0,%d]}}' % (SIZE, SIZE)
    with open(f"{folder}/w.safetensors", "wb") as out:
        out.write(len(header).to_bytes(8, "little") + header + bytes(range(256)) * (SIZE // 256))
    with subprocess.Popen(["tenon-opt", f"{folder}/m.py"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as opt:
        opt.stdout.read(1000)
        # The pipe is full long before the end: most of the file has not been read.
        os.truncate(f"{folder}/w.safetensors", 4096)
        opt.stdout.read()
        print(opt.stderr.read().decode(), end="")
        print("exit code", opt.wait())


main()
