#!/usr/bin/env python3
"""BERT in float16 as a module of text, for the code generator `cuda`.

Use: benchmarks/cuda_bert_module.py FOLDER [--layers 24 --hidden 1024 --heads 16 --ffn 4096 --batch 1
     --sequence 128 --mask] [--weights | --no-weights]

Writes bert.py and, unless told otherwise, bert.safetensors. Weights are a formula of their place in the file
(`values`), so that another machine can make the same file. With --mask, the program has one more input: a number
for each key, which is added to its scores.
"""

import argparse
import json
import pathlib
import struct

GAIN, SHIFT = 0x9E3779B1, 0x85EBCA77


class Sizes:
    """The parameters of the module, from the command line."""

    def __init__(self, args):
        self.layers, self.hidden, self.heads, self.ffn = args.layers, args.hidden, args.heads, args.ffn
        self.batch, self.sequence, self.mask = args.batch, args.sequence, args.mask
        self.rows, self.head = self.batch * self.sequence, self.hidden // self.heads

    def tensors(self):
        """Name, shape, middle and largest deviation of each weight, in the order of the file."""
        h, f = self.hidden, self.ffn
        for layer in range(self.layers):
            p = f"l{layer}_"
            yield p + "qkv", (3 * h, h), 0, 0.06
            yield p + "qkv_bias", (3 * h,), 0, 0.1
            yield p + "proj", (h, h), 0, 0.06
            yield p + "proj_bias", (h,), 0, 0.1
            yield p + "gain1", (h,), 1, 0.1
            yield p + "shift1", (h,), 0, 0.1
            yield p + "up", (f, h), 0, 0.06
            yield p + "up_bias", (f,), 0, 0.1
            yield p + "down", (h, f), 0, 0.03
            yield p + "down_bias", (h,), 0, 0.1
            yield p + "gain2", (h,), 1, 0.1
            yield p + "shift2", (h,), 0, 0.1


def values(numpy, start, count, middle, deviation):
    """Elements `start` to `start + count` of the file: equal on every machine."""
    x = numpy.arange(start, start + count, dtype=numpy.uint64).astype(numpy.uint32)
    x = x * numpy.uint32(GAIN) + numpy.uint32(SHIFT)
    x ^= x >> numpy.uint32(15)
    x *= numpy.uint32(0x2C1B3C6D)
    x ^= x >> numpy.uint32(12)
    x = (x >> numpy.uint32(8)).astype(numpy.float32) * numpy.float32(2.0**-23) - numpy.float32(1)
    return (x * numpy.float32(deviation) + numpy.float32(middle)).astype(numpy.float16)


def write_weights(sizes, path):
    """The safetensors file of all weights."""
    import numpy  # pylint: disable=import-outside-toplevel

    header, at = {}, 0
    for name, shape, _, _ in sizes.tensors():
        count = 1
        for extent in shape:
            count *= extent
        header[name] = {"dtype": "F16", "shape": list(shape), "data_offsets": [at, at + 2 * count]}
        at += 2 * count
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % 4096)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, _, middle, deviation in sizes.tensors():
            first, end = header[name]["data_offsets"]
            file.write(values(numpy, first // 2, (end - first) // 2, middle, deviation).tobytes())


def dense(name, rows, columns, summed):
    """y = x w^T + b, with sums in float32."""
    return f"""
    @T.prim_func
    def {name}(x: T.Buffer(({rows}, {summed}), "float16"), w: T.Buffer(({columns}, {summed}), "float16"), b: T.Buffer(({columns},), "float16"), y: T.Buffer(({rows}, {columns}), "float16")):
        T.func_attr({{"tir.noalias": T.bool(True)}})
        acc = T.allocate([1], "float32", "local")
        a = T.Buffer((1,), "float32", data=acc, scope="local")
        for i, j in T.grid({rows}, {columns}):
            a[0] = T.float32(0)
            for k in range({summed}):
                a[0] = a[0] + T.Cast("float32", x[i, k]) * T.Cast("float32", w[j, k])
            y[i, j] = T.Cast("float16", a[0] + T.Cast("float32", b[j]))
"""


def attention(sizes):
    """Scores, softmax and context of all heads, from one tensor of queries, keys and values."""
    n, b, s, h, d = sizes.heads, sizes.batch, sizes.sequence, sizes.hidden, sizes.head
    param = f', m: T.Buffer(({b}, {s}), "float16")' if sizes.mask else ""
    mask = ' + T.Cast("float32", m[e, j])' if sizes.mask else ""
    qkv = f'qkv: T.Buffer(({b * s}, {3 * h}), "float16")'
    head = '        T.func_attr({"tir.noalias": T.bool(True)})'
    accumulator = '''        acc = T.allocate([1], "float32", "local")
        a = T.Buffer((1,), "float32", data=acc, scope="local")'''
    return f"""
    @T.prim_func
    def scores({qkv}{param}, p: T.Buffer(({b}, {n}, {s}, {s}), "float16")):
{head}
{accumulator}
        for e, h, i, j in T.grid({b}, {n}, {s}, {s}):
            a[0] = T.float32(0)
            for k in range({d}):
                a[0] = a[0] + T.Cast("float32", qkv[e * {s} + i, h * {d} + k]) * T.Cast("float32", qkv[e * {s} + j, {h} + h * {d} + k])
            p[e, h, i, j] = T.Cast("float16", a[0] * T.float32({d**-0.5}){mask})

    @T.prim_func
    def softmax(s: T.Buffer(({b * n * s}, {s}), "float16"), p: T.Buffer(({b * n * s}, {s}), "float16")):
{head}
        m = T.allocate([{b * n * s}], "float32", "global")
        m1 = T.Buffer(({b * n * s},), "float32", data=m)
        e = T.allocate([{b * n * s * s}], "float32", "global")
        e1 = T.Buffer(({b * n * s}, {s}), "float32", data=e)
        t = T.allocate([{b * n * s}], "float32", "global")
        t1 = T.Buffer(({b * n * s},), "float32", data=t)
        for i in range({b * n * s}):
            m1[i] = T.float32(-3.4e38)
            for j in range({s}):
                m1[i] = T.max(m1[i], T.Cast("float32", s[i, j]))
        for i, j in T.grid({b * n * s}, {s}):
            e1[i, j] = T.exp(T.Cast("float32", s[i, j]) - m1[i])
        for i in range({b * n * s}):
            t1[i] = T.float32(0)
            for j in range({s}):
                t1[i] = t1[i] + e1[i, j]
        for i, j in T.grid({b * n * s}, {s}):
            p[i, j] = T.Cast("float16", e1[i, j] / t1[i])

    @T.prim_func
    def context(p: T.Buffer(({b}, {n}, {s}, {s}), "float16"), {qkv}, c: T.Buffer(({b * s}, {h}), "float16")):
{head}
{accumulator}
        for e, i, h, d in T.grid({b}, {s}, {n}, {d}):
            a[0] = T.float32(0)
            for j in range({s}):
                a[0] = a[0] + T.Cast("float32", p[e, h, i, j]) * T.Cast("float32", qkv[e * {s} + j, {2 * h} + h * {d} + d])
            c[e * {s} + i, h * {d} + d] = T.Cast("float16", a[0])
"""


def rowwise(sizes):
    """The sum of two tensors, normalised by rows; and gelu."""
    m, h, f = sizes.rows, sizes.hidden, sizes.ffn
    return f"""
    @T.prim_func
    def norm(x: T.Buffer(({m}, {h}), "float16"), r: T.Buffer(({m}, {h}), "float16"), g: T.Buffer(({h},), "float16"), b: T.Buffer(({h},), "float16"), y: T.Buffer(({m}, {h}), "float16")):
        T.func_attr({{"tir.noalias": T.bool(True)}})
        v = T.allocate([{m * h}], "float32", "global")
        v1 = T.Buffer(({m}, {h}), "float32", data=v)
        s = T.allocate([{m}], "float32", "global")
        s1 = T.Buffer(({m},), "float32", data=s)
        q = T.allocate([{m}], "float32", "global")
        q1 = T.Buffer(({m},), "float32", data=q)
        for i, j in T.grid({m}, {h}):
            v1[i, j] = T.Cast("float32", x[i, j]) + T.Cast("float32", r[i, j])
        for i in range({m}):
            s1[i] = T.float32(0)
            for j in range({h}):
                s1[i] = s1[i] + v1[i, j]
        for i in range({m}):
            q1[i] = T.float32(0)
            for j in range({h}):
                q1[i] = q1[i] + (v1[i, j] - s1[i] * T.float32({1 / h})) * (v1[i, j] - s1[i] * T.float32({1 / h}))
        for i, j in T.grid({m}, {h}):
            y[i, j] = T.Cast("float16", (v1[i, j] - s1[i] * T.float32({1 / h})) * T.rsqrt(q1[i] * T.float32({1 / h}) + T.float32(1e-12)) * T.Cast("float32", g[j]) + T.Cast("float32", b[j]))

    @T.prim_func
    def gelu(x: T.Buffer(({m}, {f}), "float16"), y: T.Buffer(({m}, {f}), "float16")):
        T.func_attr({{"tir.noalias": T.bool(True)}})
        for i, j in T.grid({m}, {f}):
            y[i, j] = T.Cast("float16", T.float32(0.5) * T.Cast("float32", x[i, j]) * (T.float32(1) + T.erf(T.Cast("float32", x[i, j]) * T.float32(0.70710678))))
"""


def entry(sizes):
    """The calls of all layers."""
    m, h, n, s = sizes.rows, sizes.hidden, sizes.heads, sizes.sequence
    params = [f'x: T.Buffer(({m}, {h}), "float16")']
    if sizes.mask:
        params.append(f'mask: T.Buffer(({sizes.batch}, {s}), "float16")')
    lines = [f'    @T.prim_func\n    def main({", ".join(params)}, y: T.Buffer(({m}, {h}), "float16")):',
             '        T.func_attr({"tir.noalias": T.bool(True)})']
    for name, shape, _, _ in sizes.tensors():
        lines.append(f'        {name} = T.allocate_const(I.constant("{name}"), "float16", {list(shape)})')
    parts = (("qkv", m * 3 * h), ("score", m * n * s), ("prob", m * n * s), ("ctx", m * h), ("prj", m * h),
             ("mid", m * h), ("inner", m * sizes.ffn), ("act", m * sizes.ffn), ("out", m * h), ("hid", m * h))
    calls, source = [], "x.data"
    for layer in range(sizes.layers):
        last = layer == sizes.layers - 1
        for name, count in parts:
            if not (last and name == "hid"):
                lines.append(f'        {name}{layer} = T.allocate([{2 * count}], "int8", "global")')
        target = "y.data" if last else f"hid{layer}"
        mask = ["mask.data"] if sizes.mask else []
        w = f"l{layer}_"
        calls += [("dense_qkv", source, w + "qkv", w + "qkv_bias", f"qkv{layer}"),
                  ("scores", f"qkv{layer}", *mask, f"score{layer}"), ("softmax", f"score{layer}", f"prob{layer}"),
                  ("context", f"prob{layer}", f"qkv{layer}", f"ctx{layer}"),
                  ("dense_proj", f"ctx{layer}", w + "proj", w + "proj_bias", f"prj{layer}"),
                  ("norm", f"prj{layer}", source, w + "gain1", w + "shift1", f"mid{layer}"),
                  ("dense_up", f"mid{layer}", w + "up", w + "up_bias", f"inner{layer}"),
                  ("gelu", f"inner{layer}", f"act{layer}"),
                  ("dense_down", f"act{layer}", w + "down", w + "down_bias", f"out{layer}"),
                  ("norm", f"out{layer}", f"mid{layer}", w + "gain2", w + "shift2", target)]
        source = target
    for name, *args in calls:
        lines.append(f'        T.tvm_check_return(0, -1, T.call_extern("int32", "{name}", {", ".join(args)}))')
    return "\n".join(lines) + "\n"


def module(sizes):
    """The whole text."""
    table = ",\n        ".join(f'I.constant("{name}", I.file("bert.safetensors", "{name}"), "float16", {list(shape)})'
                               for name, shape, _, _ in sizes.tensors())
    m, h, f = sizes.rows, sizes.hidden, sizes.ffn
    return f"""# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({{"tenon.constants": [
        {table}]}})
{dense("dense_qkv", m, 3 * h, h)}{dense("dense_proj", m, h, h)}{dense("dense_up", m, f, h)}{dense("dense_down", m, h, f)}{attention(sizes)}{rowwise(sizes)}
{entry(sizes)}"""


def parser():
    """The command line, which other scripts share."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, number in (("layers", 24), ("hidden", 1024), ("heads", 16), ("ffn", 4096), ("batch", 1),
                         ("sequence", 128)):
        made.add_argument(f"--{name}", type=int, default=number)
    made.add_argument("--mask", action="store_true")
    made.add_argument("--weights", action=argparse.BooleanOptionalAction, default=True)
    return made


def main():
    """Writes the files."""
    arguments = parser()
    arguments.add_argument("folder", type=pathlib.Path)
    args = arguments.parse_args()
    sizes = Sizes(args)
    args.folder.mkdir(parents=True, exist_ok=True)
    (args.folder / "bert.py").write_text(module(sizes), encoding="utf-8")
    if args.weights:
        write_weights(sizes, args.folder / "bert.safetensors")


if __name__ == "__main__":
    main()
