"""Modules for the code generator `cuda`: operators in shapes that kernels find hard.

A case is a name, the text of its functions, the inputs and outputs of `main`, and the calls. Integers and elementwise
results must have equal bits; sums of floats may be in another order.
"""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "benchmarks"))
import cuda_bert_module  # pylint: disable=import-error,wrong-import-position

HEAD = "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n@I.ir_module\nclass Module:\n"
NOALIAS = '        T.func_attr({"tir.noalias": T.bool(True)})\n'


class Case:
    """A module. `exact`: True if results must have the interpreter's bits; False if each operator is compared with its
    body; "norm" for several operators in one kernel, whose float16 results have a small difference."""

    def __init__(self, name, functions, tensors, calls, exact=True, temporaries=()):
        self.name, self.exact = name, exact
        self.inputs = [(n, s, d) for n, s, d, is_output in tensors if not is_output]
        self.outputs = [n for n, _, _, is_output in tensors if is_output]
        params = ", ".join(f'{n}: T.Buffer({tuple(s)}, "{d}")' for n, s, d, _ in tensors)
        main = f"    @T.prim_func\n    def main({params}):\n{NOALIAS}"
        for buffer, size in temporaries:
            main += f'        {buffer} = T.allocate([{size}], "int8", "global")\n'
        for function, *args in calls:
            main += (f'        T.tvm_check_return(0, -1, T.call_extern("int32", "{function}", '
                     f'{", ".join(args)}))\n')
        self.text = HEAD + "\n".join(functions) + "\n" + main


def nest(name, params, loops, body, before="", allocations=""):
    """A function with one nest. `params` are (name, shape, dtype), `loops` (name, extent)."""
    text = f"    @T.prim_func\n    def {name}(" + ", ".join(
        f'{n}: T.Buffer({tuple(s)}, "{d}")' for n, s, d in params) + f"):\n{NOALIAS}{allocations}{before}"
    if len(loops) == 1:
        text += f"        for {loops[0][0]} in range({loops[0][1]}):\n"
    else:
        text += (f"        for {', '.join(n for n, _ in loops)} in "
                 f"T.grid({', '.join(str(e) for _, e in loops)}):\n")
    return text + "".join(f"            {line}\n" for line in body)


def simple(name, params, loops, body, exact=True, outputs=1):
    """A case of one nest, whose last parameters are outputs."""
    inputs = len(params) - outputs
    tensors = [(n, s, d, i >= inputs) for i, (n, s, d) in enumerate(params)]
    return Case(name, [nest("op", params, loops, body)], tensors,
                [("op", *(f"{n}.data" for n, _, _ in params))], exact)


ACC = '        acc = T.allocate([1], "{0}", "local")\n        a = T.Buffer((1,), "{0}", data=acc, scope="local")\n'


def product(name, m, n, k, dtype, sums, result, store, extra=(), b_shape=None, b_index="j, k", exact=False):
    """y[i, j] = store(sum of a[i, k] * b[j, k])."""
    params = [("x", (m, k), dtype), ("w", b_shape or (n, k), dtype), *extra, ("y", (m, n), result)]
    cast = lambda v: v if dtype == sums else f'T.Cast("{sums}", {v})'
    zero = f"T.{sums}(0)" if "float" in sums else "0"
    function = nest("op", params, (("i", m), ("j", n)),
                    [f"a[0] = {zero}", f"for k in range({k}):",
                     f"    a[0] = a[0] + {cast('x[i, k]')} * {cast(f'w[{b_index}]')}", f"y[i, j] = {store}"],
                    allocations=ACC.format(sums))
    tensors = [(p, s, d, p == "y") for p, s, d in params]
    return Case(name, [function], tensors, [("op", *(f"{p}.data" for p, _, _ in params))], exact)


def rows(name, count, length, dtype="float32"):
    """softmax and the variance of rows."""
    value = "x[i, j]" if dtype == "float32" else 'T.Cast("float32", x[i, j])'
    round_ = (lambda v: v) if dtype == "float32" else (lambda v: f'T.Cast("{dtype}", {v})')
    n, s = count, count * length
    text = f"""    @T.prim_func
    def op(x: T.Buffer(({n}, {length}), "{dtype}"), y: T.Buffer(({n}, {length}), "{dtype}")):
{NOALIAS}        m = T.allocate([{n}], "float32", "global")
        m1 = T.Buffer(({n},), "float32", data=m)
        e = T.allocate([{s}], "float32", "global")
        e1 = T.Buffer(({n}, {length}), "float32", data=e)
        t = T.allocate([{n}], "float32", "global")
        t1 = T.Buffer(({n},), "float32", data=t)
        for i in range({n}):
            m1[i] = T.float32(-3.4e38)
            for j in range({length}):
                m1[i] = T.max(m1[i], {value})
        for i, j in T.grid({n}, {length}):
            e1[i, j] = T.exp({value} - m1[i])
        for i in range({n}):
            t1[i] = T.float32(0)
            for j in range({length}):
                t1[i] = t1[i] + e1[i, j]
        for i, j in T.grid({n}, {length}):
            y[i, j] = {round_("e1[i, j] / t1[i]")}
"""
    return Case(name, [text], [("x", (n, length), dtype, False), ("y", (n, length), dtype, True)],
                [("op", "x.data", "y.data")], False)


def elementwise_cases():
    """One nest each; results must have equal bits."""
    one = lambda name, dtype, size, value, result=None: simple(
        name, [("x", (size,), dtype), ("y", (size,), result or dtype)], (("i", size),), [f"y[i] = {value}"])
    yield one("exp_f32", "float32", 1000, "T.exp(x[i])")
    yield one("erf_f32", "float32", 4096, "T.float32(0.5) * x[i] * (T.float32(1) + T.erf(x[i] * T.float32(0.70710678)))")
    yield one("sigmoid_f32", "float32", 77, "T.sigmoid(x[i])")
    yield one("roots_f32", "float32", 130, "T.rsqrt(T.fabs(x[i]) + T.float32(1)) + T.sqrt(T.fabs(x[i])) + T.floor(x[i])")
    yield one("gelu_f16", "float16", 1024, 'T.Cast("float16", T.float32(0.5) * T.Cast("float32", x[i]) * '
              '(T.float32(1) + T.erf(T.Cast("float32", x[i]) * T.float32(0.70710678))))')
    yield one("tanh_f16", "float16", 1001, "T.tanh(x[i])")
    yield one("tanh_bf16", "bfloat16", 264, "T.tanh(x[i])")
    yield one("arithmetic_f16", "float16", 300, "x[i] * x[i] + x[i] / T.float16(3) - T.max(x[i], T.float16(0.5))")
    yield one("casts", "float32", 129, 'T.Cast("int8", x[i] * T.float32(1000))', "int8")
    yield one("integers", "int32", 515, "T.floordiv(x[i], 7) * T.floormod(x[i], -5) + T.truncdiv(x[i], 3) + "
              "T.shift_right(x[i], 2) + T.shift_left(x[i], 3) + x[i] * 1000003")
    yield one("bytes", "uint8", 1600, "x[i] * T.uint8(7) + T.uint8(200)")
    yield one("f64", "float64", 65, "T.sqrt(T.fabs(x[i])) * x[i] - T.float64(0.1)")
    yield simple("transpose", [("x", (24, 40), "int8"), ("y", (40, 24), "int8")], (("i", 40), ("j", 24)),
                 ["y[i, j] = x[j, i]"])
    yield simple("pad", [("x", (5, 9), "float32"), ("y", (8, 16), "float32")], (("i", 8), ("j", 16)),
                 ["y[i, j] = T.if_then_else(1 <= i and i < 6 and 3 <= j and j < 12, x[i - 1, j - 3], T.float32(-1))"])
    yield simple("take", [("x", (50, 16), "float16"), ("n", (7,), "int32"), ("y", (7, 16), "float16")],
                 (("i", 7), ("j", 16)), ["y[i, j] = x[T.max(T.min(n[i], 49), 0), j]"])
    yield simple("broadcast", [("x", (6, 64), "float16"), ("b", (64,), "float16"), ("y", (6, 64), "float16")],
                 (("i", 6), ("j", 64)), ["y[i, j] = x[i, j] + b[j]"])


def reduction_cases():
    """Sums and maxima, by rows and by threads of their own."""
    yield rows("softmax_warp", 9, 64)
    yield rows("softmax_odd", 3, 333)
    yield rows("softmax_block", 5, 1024, "float16")
    yield rows("softmax_long", 2, 20000)
    yield simple("sum_i32", [("x", (33, 257), "int32"), ("y", (33,), "int32")], (("i", 33),),
                 ["y[i] = 0", "for j in range(257):", "    y[i] = y[i] + x[i, j]"])
    yield simple("max_columns", [("x", (40, 12), "float32"), ("y", (12,), "float32")], (("i", 12),),
                 ["y[i] = T.float32(-3.4e38)", "for j in range(40):", "    y[i] = T.max(y[i], x[j, i])"])
    yield simple("global_pool", [("x", (1, 7, 7, 20), "float32"), ("y", (1, 20), "float32")], (("n", 1), ("c", 20)),
                 ["y[n, c] = T.float32(0)", "for i, j in T.grid(7, 7):", "    y[n, c] = y[n, c] + x[n, i, j, c]"], False)
    yield simple("max_pool", [("x", (1, 8, 8, 12), "int8"), ("y", (1, 4, 4, 12), "int8")],
                 (("n", 1), ("h", 4), ("w", 4), ("c", 12)),
                 ["y[n, h, w, c] = T.int8(-128)", "for i, j in T.grid(2, 2):",
                  "    y[n, h, w, c] = T.max(y[n, h, w, c], x[n, h * 2 + i, w * 2 + j, c])"])
    yield simple("conv", [("x", (1, 6, 6, 3), "float32"), ("k", (3, 3, 3, 8), "float32"), ("y", (1, 4, 4, 8), "float32")],
                 (("n", 1), ("h", 4), ("w", 4), ("c", 8)),
                 ["y[n, h, w, c] = T.float32(0)", "for i, j, d in T.grid(3, 3, 3):",
                  "    y[n, h, w, c] = y[n, h, w, c] + x[n, h + i, w + j, d] * k[i, j, d, c]"])


def product_cases():
    """Products for cuBLASLt, and those that it does not have."""
    f16 = lambda v: f'T.Cast("float16", {v})'
    bias = (("b", (24,), "float16"),)
    yield product("dense_f32", 17, 24, 40, "float32", "float32", "float32", "a[0]")
    yield product("dense_f16_bias_relu", 16, 24, 64, "float16", "float32", "float16",
                  f16('T.max(a[0] + T.Cast("float32", b[j]), T.float32(0))'), bias)
    yield product("dense_f16_residual", 8, 24, 64, "float16", "float32", "float16",
                  f16('a[0] + T.Cast("float32", b[j]) + T.Cast("float32", r[i, j])'), (*bias, ("r", (8, 24), "float16")))
    yield product("dense_bf16", 9, 16, 32, "bfloat16", "float32", "bfloat16", 'T.Cast("bfloat16", a[0] * T.float32(0.5))')
    yield product("dense_f16_gelu", 8, 24, 64, "float16", "float32", "float16",
                  f16('T.exp(a[0] * T.float32(0.01)) + T.Cast("float32", b[j])'), bias)
    yield product("matmul_f16_plain", 12, 20, 36, "float16", "float32", "float32", "a[0]", b_shape=(36, 20), b_index="k, j")
    yield product("dense_i8", 16, 24, 64, "int8", "int32", "int32", "a[0]", exact=True)
    yield product("dense_i8_scaled", 16, 24, 64, "int8", "int32", "int8",
                  'T.Cast("int8", T.max(T.min(T.shift_right(a[0] + b[j], 7), 127), -128))', (("b", (24,), "int32"),), exact=True)
    yield product("dense_i8_odd", 3, 5, 7, "int8", "int32", "int32", "a[0]", exact=True)
    yield product("dense_f16_odd", 7, 5, 9, "float16", "float32", "float16", f16("a[0]"))
    # A matrix that begins at its second element, and whose rows have an odd number of elements.
    shifted = nest("op", [("x", (8, 65), "float16"), ("w", (16, 64), "float16"), ("y", (8, 16), "float16")],
                   (("i", 8), ("j", 16)),
                   ["a[0] = T.float32(0)", "for k in range(64):",
                    '    a[0] = a[0] + T.Cast("float32", x[i, k + 1]) * T.Cast("float32", w[j, k])',
                    f"y[i, j] = {f16('a[0]')}"], allocations=ACC.format("float32"))
    yield Case("dense_f16_shifted", [shifted],
               [("x", (8, 65), "float16", False), ("w", (16, 64), "float16", False), ("y", (8, 16), "float16", True)],
               [("op", "x.data", "w.data", "y.data")], False)
    yield product("vector_f16", 1, 24, 64, "float16", "float32", "float16", f16("a[0]"))


def gelu_cases():
    """A product and a gelu of its result: one product in the form with tanh, two steps in others."""
    value = 'T.Cast("float32", t[i, j])'
    forms = {"tanh": f"T.tanh(T.float32(0.79788456) * ({value} + T.float32(0.044715) * {value} * {value} * {value}))",
             "other": f"T.tanh(T.float32(0.79788456) * ({value} + T.float32(0.048) * {value} * {value} * {value}))",
             "erf": f"T.erf({value} * T.float32(0.70710678))"}
    params = [("x", (16, 64), "float16"), ("w", (24, 64), "float16"), ("b", (24,), "float16"), ("t", (16, 24), "float16")]
    dense = nest("dense", params, (("i", 16), ("j", 24)),
                 ["a[0] = T.float32(0)", "for k in range(64):",
                  '    a[0] = a[0] + T.Cast("float32", x[i, k]) * T.Cast("float32", w[j, k])',
                  't[i, j] = T.Cast("float16", a[0] + T.Cast("float32", b[j]))'], allocations=ACC.format("float32"))
    tensors = [(n, s, d, False) for n, s, d in params[:3]]
    for name, form in forms.items():
        gelu = nest("gelu", [("t", (16, 24), "float16"), ("y", (16, 24), "float16")], (("i", 16), ("j", 24)),
                    [f'y[i, j] = T.Cast("float16", T.float32(0.5) * {value} * (T.float32(1) + {form}))'])
        calls = [("dense", "x.data", "w.data", "b.data", "t"), ("gelu", "t", "y.data")]
        yield Case(f"dense_gelu_{name}", [dense, gelu], [*tensors, ("y", (16, 24), "float16", True)], calls, "norm",
                   (("t", 768),))
        if name == "tanh":
            keep = nest("keep", [("t", (16, 24), "float16"), ("z", (16, 24), "float16")], (("i", 16), ("j", 24)),
                        ["z[i, j] = t[i, j]"])
            yield Case("dense_gelu_kept", [dense, gelu, keep],
                       [*tensors, ("y", (16, 24), "float16", True), ("z", (16, 24), "float16", True)],
                       [*calls, ("keep", "t", "z.data")], "norm", (("t", 768),))


def region_cases():
    """Several calls, memory that is read and written, parts of tensors."""
    double = nest("double", [("x", (64,), "int32"), ("y", (64,), "int32")], (("i", 64),), ["y[i] = x[i] * 2"])
    half = nest("half", [("x", (32,), "int32"), ("y", (64,), "int32")], (("i", 32),), ["y[i] = x[i] + 1"])
    update = nest("update", [("x", (64,), "int32"), ("y", (64,), "int32")], (("i", 64),), ["y[i] = y[i] + x[i]"])
    tensors = [("x", (64,), "int32", False), ("y", (64,), "int32", True), ("z", (64,), "int32", True)]
    yield Case("chain", [double], tensors,
               [("double", "x.data", "t"), ("double", "t", "u"), ("double", "u", "y.data"), ("double", "t", "z.data")],
               temporaries=(("t", 256), ("u", 256)))
    yield Case("updated", [double, update], tensors,
               [("double", "x.data", "y.data"), ("update", "x.data", "y.data"), ("double", "y.data", "z.data"),
                ("update", "y.data", "z.data")])
    yield Case("part", [double, half], tensors,
               [("double", "x.data", "y.data"), ("half", "x.data", "y.data"), ("double", "y.data", "z.data")])


def attention_cases():
    """Scores, softmax and context, which are one kernel."""
    for name, words in (("attention", []), ("attention_mask", ["--mask"]), ("attention_128", ["--hidden", "256"])):
        args = cuda_bert_module.parser().parse_args(
            ["--layers", "1", "--hidden", "128", "--heads", "2", "--ffn", "64", "--batch", "2", "--sequence", "72", *words])
        sizes = cuda_bert_module.Sizes(args)
        mask = [("m", (2, 72), "float16", False)] if args.mask else []
        tensors = [("qkv", (144, 3 * sizes.hidden), "float16", False), *mask,
                   ("c", (144, sizes.hidden), "float16", True)]
        count = 2 * 2 * 72 * 72 * 2
        yield Case(name, [cuda_bert_module.attention(sizes)], tensors,
                   [("scores", "qkv.data", *(["m.data"] if args.mask else []), "s"), ("softmax", "s", "p"),
                    ("context", "p", "qkv.data", "c.data")], "norm", (("s", count), ("p", count)))
    # Three operators that differ from an attention in one place.
    sizes = cuda_bert_module.Sizes(cuda_bert_module.parser().parse_args(
        ["--hidden", "128", "--heads", "2", "--batch", "2", "--sequence", "72"]))
    for name, old, new in (("attention_transposed", "p[e, h, i, j]) *", "p[e, h, j, i]) *"),
                           ("attention_negative", "T.float32(0.125)", "T.float32(-0.125)"),
                           ("attention_shifted", "T.exp(T.Cast(\"float32\", s[i, j]) - m1[i])",
                            "T.exp(T.Cast(\"float32\", s[i, j]) - m1[i] * T.float32(0.5))"),
                           ("attention_heads", "128 + h * 64 + k", "128 + (1 - h) * 64 + k")):
        text = cuda_bert_module.attention(sizes)
        assert old in text, (name, text)
        yield Case(name, [text.replace(old, new)],
                   [("qkv", (144, 384), "float16", False), ("c", (144, 128), "float16", True)],
                   [("scores", "qkv.data", "s"), ("softmax", "s", "p"), ("context", "p", "qkv.data", "c.data")],
                   "norm", (("s", count), ("p", count)))
    # Something else reads the probabilities as well, so they must be in memory.
    shape = (2, 2, 72, 72)
    keep = nest("keep", [("p", shape, "float16"), ("z", shape, "float16")],
                (("b", 2), ("h", 2), ("i", 72), ("j", 72)), ["z[b, h, i, j] = p[b, h, i, j]"])
    yield Case("attention_kept", [cuda_bert_module.attention(sizes), keep],
               [("qkv", (144, 384), "float16", False), ("z", shape, "float16", True), ("c", (144, 128), "float16", True)],
               [("scores", "qkv.data", "s"), ("softmax", "s", "p"), ("keep", "p", "z.data"),
                ("context", "p", "qkv.data", "c.data")], "norm", (("s", count), ("p", count)))


def all_cases():
    """Every case, by name."""
    made = [*elementwise_cases(), *reduction_cases(), *product_cases(), *gelu_cases(), *region_cases(),
            *attention_cases()]
    return {case.name: case for case in made}
