#!/usr/bin/env python3
"""A module of BERT's shape with its constants in a side file, for tests with gigabytes.

Use: benchmarks/bert_module.py FOLDER [--layers 24 --hidden 1024 --heads 16 --ffn 4096
     --vocabulary 30522 --positions 512 --tokens 8 --compute 2 --seed 1]

Writes bert.py, bert.safetensors (1.3 GB with the defaults), and for a run of the first `--compute`
layers ids.npy, depth.npy and expected.npy, the result of NumPy. The program contains all layers;
its input `depth` is the number of layers to run, so that a test is quick. Needs NumPy. The weights
are a function of the seed and their names. They are made piece by piece and are never in memory as
a whole.
"""

import argparse
import pathlib
import zlib

import numpy as np
import runner

PIECE = 1 << 20  # elements that are in memory at once


class Sizes:
    """The parameters of the module, from the command line."""

    def __init__(self, args):
        self.layers, self.hidden, self.heads, self.ffn = args.layers, args.hidden, args.heads, args.ffn
        self.vocabulary, self.positions, self.tokens = args.vocabulary, args.positions, args.tokens
        self.compute, self.seed = min(args.compute, args.layers), args.seed
        self.conditional = not args.all_layers
        if args.all_layers:
            self.compute = args.layers

    def tensors(self):
        """Name, shape, mean and deviation of each weight, in the order of the file."""
        h, f = self.hidden, self.ffn
        yield "words", (self.vocabulary, h), 0, 0.5
        yield "places", (self.positions, h), 0, 0.1
        yield "embed_scale", (h,), 1, 0.1
        yield "embed_shift", (h,), 0, 0.1
        for layer in range(self.layers):
            p = f"layer{layer}_"
            for name in ("query", "key", "value", "project"):
                yield p + name, (h, h), 0, 1 / h**0.5
                yield p + name + "_bias", (h,), 0, 0.1
            yield p + "attend_scale", (h,), 1, 0.1
            yield p + "attend_shift", (h,), 0, 0.1
            yield p + "widen", (h, f), 0, 1 / h**0.5
            yield p + "widen_bias", (f,), 0, 0.1
            yield p + "narrow", (f, h), 0, 1 / f**0.5
            yield p + "narrow_bias", (h,), 0, 0.1
            yield p + "output_scale", (h,), 1, 0.1
            yield p + "output_shift", (h,), 0, 0.1

    def pieces(self, name, shape, mean, deviation):
        """The elements of a weight, float32, piece by piece."""
        source = np.random.default_rng([self.seed, zlib.crc32(name.encode())])
        left = int(np.prod(shape))
        while left > 0:
            count = min(left, PIECE)
            piece = source.standard_normal(count, dtype=np.float32)
            piece *= np.float32(deviation)
            piece += np.float32(mean)
            yield piece
            left -= count


def write_weights(sizes, path):
    """The safetensors file; its data starts at a multiple of 4096. Returns the bytes of the data."""
    tensors = list(sizes.tensors())
    return runner.write_safetensors(
        path, [(name, "F32", shape, 4 * int(np.prod(shape))) for name, shape, _, _ in tensors],
        (piece.tobytes() for tensor in tensors for piece in sizes.pieces(*tensor)))


KERNELS = """
    @T.prim_func(private=True)
    def embed(ids: T.Buffer(({S},), "int32"), words: T.Buffer(({V}, {H}), "float32"), \
places: T.Buffer(({P}, {H}), "float32"), x: T.Buffer(({S}, {H}), "float32")):
        for i, j in T.grid({S}, {H}):
            x[i, j] = words[ids[i], j] + places[i, j]

    @T.prim_func(private=True)
    def layer_norm(x: T.Buffer(({S}, {H}), "float32"), scale: T.Buffer(({H},), "float32"), \
shift: T.Buffer(({H},), "float32")):
        sums = T.allocate([2], "float32", "global")
        s = T.Buffer((2,), "float32", data=sums)
        for i in range({S}):
            s[0] = T.float32(0)
            for j in range({H}):
                s[0] = s[0] + x[i, j]
            s[0] = s[0] / T.float32({H})
            s[1] = T.float32(0)
            for j in range({H}):
                s[1] = s[1] + (x[i, j] - s[0]) * (x[i, j] - s[0])
            s[1] = T.float32(1) / T.sqrt(s[1] / T.float32({H}) + T.float32(1e-5))
            for j in range({H}):
                x[i, j] = (x[i, j] - s[0]) * s[1] * scale[j] + shift[j]

    @T.prim_func(private=True)
    def add(x: T.Buffer(({S}, {H}), "float32"), y: T.Buffer(({S}, {H}), "float32")):
        for i, j in T.grid({S}, {H}):
            x[i, j] = x[i, j] + y[i, j]

    @T.prim_func(private=True)
    def attend(q: T.Buffer(({S}, {A}, {D}), "float32"), k: T.Buffer(({S}, {A}, {D}), "float32"), \
v: T.Buffer(({S}, {A}, {D}), "float32"), y: T.Buffer(({S}, {A}, {D}), "float32")):
        scores = T.allocate([{S}], "float32", "global")
        w = T.Buffer(({S},), "float32", data=scores)
        sums = T.allocate([2], "float32", "global")
        s = T.Buffer((2,), "float32", data=sums)
        for i, a in T.grid({S}, {A}):
            s[0] = T.float32(-1e30)
            for t in range({S}):
                w[t] = T.float32(0)
                for d in range({D}):
                    w[t] = w[t] + q[i, a, d] * k[t, a, d]
                w[t] = w[t] * T.float32({scale})
                s[0] = T.max(s[0], w[t])
            s[1] = T.float32(0)
            for t in range({S}):
                w[t] = T.exp(w[t] - s[0])
                s[1] = s[1] + w[t]
            for d in range({D}):
                y[i, a, d] = T.float32(0)
            for t, d in T.grid({S}, {D}):
                y[i, a, d] = y[i, a, d] + w[t] / s[1] * v[t, a, d]

    @T.prim_func(private=True)
    def gelu(x: T.Buffer(({S}, {F}), "float32")):
        for i, j in T.grid({S}, {F}):
            x[i, j] = T.float32(0.5) * x[i, j] * (T.float32(1) + T.tanh(T.float32(0.7978845608) * \
(x[i, j] + T.float32(0.044715) * x[i, j] * x[i, j] * x[i, j])))
"""

DENSE = """
    @T.prim_func(private=True)
    def {name}(x: T.Buffer(({S}, {K}), "float32"), w: T.Buffer(({K}, {N}), "float32"), \
b: T.Buffer(({N},), "float32"), y: T.Buffer(({S}, {N}), "float32")):
        for i in range({S}):
            for j in range({N}):
                y[i, j] = b[j]
            for k, j in T.grid({K}, {N}):
                y[i, j] = y[i, j] + x[i, k] * w[k, j]
"""

MAIN = """
    @T.prim_func
    def main(ids: T.Buffer(({S},), "int32"), depth: T.Buffer((1,), "int32"), \
y: T.Buffer(({S}, {H}), "float32")):
        T.func_attr({{"global_symbol": "tvmgen_bert_main", "runner_function": T.bool(True)}})
"""


def call(name, *args):
    return f'T.evaluate(T.call_extern("int32", "{name}", {", ".join(args)}))\n'


def layer_text(layer, conditional):
    """The calls of one layer; `x` is its input and then its output."""
    def w(name):
        return f"layer{layer}_{name}"

    out = [f"        if depth[0] > {layer}:\n"] if conditional else []
    for name in ("query", "key", "value"):
        out.append(call("dense", "x", w(name), w(name + "_bias"), name[0]))
    out.append(call("attend", "q", "k", "v", "t"))
    out.append(call("dense", "t", w("project"), w("project_bias"), "q"))
    out.append(call("add", "x", "q"))
    out.append(call("layer_norm", "x", w("attend_scale"), w("attend_shift")))
    out.append(call("widen", "x", w("widen"), w("widen_bias"), "u"))
    out.append(call("gelu", "u"))
    out.append(call("narrow", "u", w("narrow"), w("narrow_bias"), "q"))
    out.append(call("add", "x", "q"))
    out.append(call("layer_norm", "x", w("output_scale"), w("output_shift")))
    return (" " * 12).join(out) if conditional else "".join(" " * 8 + line for line in out)


def module_text(sizes, side_file):
    """The text of the module."""
    h, f, s = sizes.hidden, sizes.ffn, sizes.tokens
    numbers = {"S": s, "H": h, "F": f, "V": sizes.vocabulary, "P": sizes.positions, "A": sizes.heads,
               "D": h // sizes.heads, "scale": repr(1 / (h // sizes.heads) ** 0.5)}
    table = ", ".join(f'I.constant("{name}", I.file("{side_file}", "{name}"), "float32", {list(shape)})'
                      for name, shape, _, _ in sizes.tensors())
    out = ["# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n"
           "@I.ir_module\nclass Module:\n    I.module_attrs({"
           f'"tenon.constants": [{table}]' "})", MAIN.format(**numbers)]
    for name, shape, _, _ in sizes.tensors():
        out.append(f'        {name} = T.allocate_const(I.constant("{name}"), "float32", {list(shape)})\n')
    for name in ("x", "q", "k", "v", "t"):
        out.append(f'        {name} = T.allocate([{s * h}], "float32", "global")\n')
    out.append(f'        u = T.allocate([{s * f}], "float32", "global")\n')
    out.append(" " * 8 + call("embed", "ids.data", "words", "places", "x"))
    out.append(" " * 8 + call("layer_norm", "x", "embed_scale", "embed_shift"))
    out.extend(layer_text(layer, sizes.conditional) for layer in range(sizes.layers))
    out.append(f'        x_1 = T.Buffer(({s * h},), "float32", data=x)\n'
               f"        for i, j in T.grid({s}, {h}):\n            y[i, j] = x_1[i * {h} + j]\n")
    out.append(KERNELS.format(**numbers))
    for name, k, n in (("dense", h, h), ("widen", h, f), ("narrow", f, h)):
        out.append(DENSE.format(name=name, S=s, K=k, N=n))
    return "".join(out)


def expected(sizes, ids):
    """The output of the first layers, computed by NumPy in float64."""
    shapes = {name: (shape, mean, deviation) for name, shape, mean, deviation in sizes.tensors()}

    def weight(name):
        shape = shapes[name][0]
        return np.concatenate(list(sizes.pieces(name, *shapes[name]))).reshape(shape).astype(np.float64)

    def norm(x, name):
        x = x - x.mean(1, keepdims=True)
        x /= np.sqrt((x * x).mean(1, keepdims=True) + 1e-5)
        return x * weight(name + "_scale") + weight(name + "_shift")

    def dense(x, name):
        return x @ weight(name) + weight(name + "_bias")

    heads = (sizes.tokens, sizes.heads, sizes.hidden // sizes.heads)
    words = shapes["words"][0][1]
    rows = np.concatenate([piece for piece in sizes.pieces("words", *shapes["words"])]
                          ).reshape(-1, words)[ids].astype(np.float64)
    x = norm(rows + weight("places")[:sizes.tokens], "embed")
    for layer in range(sizes.compute):
        p = f"layer{layer}_"
        q, k, v = (dense(x, p + name).reshape(heads) for name in ("query", "key", "value"))
        scores = np.einsum("iad,tad->ait", q, k) / heads[2] ** 0.5
        scores = np.exp(scores - scores.max(2, keepdims=True))
        scores /= scores.sum(2, keepdims=True)
        t = np.einsum("ait,tad->iad", scores, v).reshape(x.shape)
        x = norm(x + dense(t, p + "project"), p + "attend")
        u = dense(x, p + "widen")
        u = 0.5 * u * (1 + np.tanh(0.7978845608 * (u + 0.044715 * u**3)))
        x = norm(x + dense(u, p + "narrow"), p + "output")
    return x.astype(np.float32)


def generate(sizes, folder):
    """Writes all files; returns the bytes of the constants."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    size = write_weights(sizes, folder / "bert.safetensors")
    (folder / "bert.py").write_text(module_text(sizes, "bert.safetensors"), encoding="utf-8")
    ids = np.random.default_rng(sizes.seed).integers(0, sizes.vocabulary, sizes.tokens, dtype=np.int32)
    np.save(folder / "ids.npy", ids)
    np.save(folder / "depth.npy", np.array([sizes.compute], dtype=np.int32))
    np.save(folder / "expected.npy", expected(sizes, ids))
    return size


def add_sizes(parser):
    for name, default in (("layers", 24), ("hidden", 1024), ("heads", 16), ("ffn", 4096),
                          ("vocabulary", 30522), ("positions", 512), ("tokens", 8), ("compute", 2),
                          ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--all-layers", action="store_true",
                        help="run all layers, whatever `depth` is: there are no conditions")


def main():
    parser = argparse.ArgumentParser(description="Writes a module of BERT's shape.")
    parser.add_argument("folder")
    add_sizes(parser)
    args = parser.parse_args()
    print(f"{generate(Sizes(args), args.folder) / 1e6:.1f} MB of constants")


if __name__ == "__main__":
    main()
