"""wrong_hash.py FOLDER: a module whose side file claims another hash than its data has."""

import json
import os
import struct
import sys

TEXT = """# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("w", I.file("w.safetensors", "w"), "float32", [4])]})
    @T.prim_func
    def main(y: T.Buffer((4,), "float32")):
        w = T.allocate_const(I.constant("w"), "float32", [4])
        w_1 = T.Buffer((4,), "float32", data=w)
        for i in range(4):
            y[i] = w_1[i]
"""


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    header = json.dumps({"__metadata__": {"xxh3.w": "xxh3:" + "0" * 32},
                         "w": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}).encode()
    with open(f"{folder}/w.safetensors", "wb") as out:
        out.write(struct.pack("<Q", len(header)) + header + struct.pack("<4f", 1, 2, 3, 4))
    with open(f"{folder}/m.py", "w", encoding="utf-8") as out:
        out.write(TEXT)
    with open(f"{folder}/elided.py", "w", encoding="utf-8") as out:
        out.write(TEXT.replace('I.file("w.safetensors", "w")', f'I.hash("xxh3:{"0" * 32}")'))


main()
