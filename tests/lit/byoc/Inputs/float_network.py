"""Prints a network of float operators with constant weights; each operator has another form.

Use: float_network.py INPUT   writes a file .npy for the network
"""
import struct
import sys

HEAD = """from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
"""
# name, input shape, output shape
STEPS = []
FUNCTIONS = []


def numbers(count, seed):
    """Numbers between -0.5 and 0.5, each other than its neighbours."""
    values = []
    for _ in range(count):
        seed = (seed * 1103515245 + 12345) % 2**31
        values.append(round(seed / 2**31 - 0.5, 4))
    return values


def operator(name, source, result, constants, lines, residual=False):
    args = [f"x: T.Buffer({source}, \"float32\")"]
    if residual:
        args.append(f"r: T.Buffer({result}, \"float32\")")
    args.append(f"y: T.Buffer({result}, \"float32\")")
    text = [f"    @T.prim_func\n    def {name}({', '.join(args)}):",
            '        T.func_attr({"tir.noalias": T.bool(True)})']
    for index, (constant, shape) in enumerate(constants):
        count = 1
        for extent in shape:
            count *= extent
        text.append(f"        {constant}_data = T.allocate_const({numbers(count, len(FUNCTIONS) * 8 + index)}, "
                    f"\"float32\", {list(shape)})")
        text.append(f"        {constant} = T.Buffer({shape}, data={constant}_data)")
    FUNCTIONS.append("\n".join([*text, *("        " + line for line in lines)]))
    STEPS.append((name, source, result, residual))


def window(name, size, channels, kernel, stride, groups, last, dilation=1):
    """A convolution with padding; `last` is the stored value of `a`, the sum."""
    (ci, co), pad = channels, dilation * (kernel // 2)
    out = (size + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1
    h, w = f"h * {stride} + kh * {dilation}", f"w * {stride} + kw * {dilation}"
    inside = f"{pad} <= {h} and {h} < {size + pad} and {pad} <= {w} and {w} < {size + pad}"
    part_in, part_out = ci // groups, co // groups
    lines = [f"for h, w, g, c in T.grid({out}, {out}, {groups}, {part_out}):",
             f"    y[0, h, w, g * {part_out} + c] = T.float32(0)",
             f"    for kh, kw, k in T.grid({kernel}, {kernel}, {part_in}):",
             f"        y[0, h, w, g * {part_out} + c] = y[0, h, w, g * {part_out} + c] + T.if_then_else("
             f"{inside}, x[0, {h} - {pad}, {w} - {pad}, g * {part_in} + k], T.float32(0)) * "
             f"f[kh, kw, k, g * {part_out} + c]",
             f"for h, w, c in T.grid({out}, {out}, {co}):",
             "    y[0, h, w, c] = " + last.replace("{a}", "(y[0, h, w, c] + b[c])")]
    operator(name, (1, size, size, ci), (1, out, out, co),
             [("f", (kernel, kernel, part_in, co)), ("b", (co,))], lines, "r[" in last)


def pool(name, size, channels, kernel, stride, first, update, last):
    out = (size - kernel) // stride + 1
    operator(name, (1, size, size, channels), (1, out, out, channels), [], [
        f"for h, w, c in T.grid({out}, {out}, {channels}):",
        f"    y[0, h, w, c] = {first}",
        f"    for kh, kw in T.grid({kernel}, {kernel}):",
        "        y[0, h, w, c] = " + update.replace("{a}", "y[0, h, w, c]").replace(
            "{b}", f"x[0, h * {stride} + kh, w * {stride} + kw, c]"),
        f"for h, w, c in T.grid({out}, {out}, {channels}):",
        "    y[0, h, w, c] = " + last.replace("{a}", "y[0, h, w, c]")])


window("first", 12, (4, 16), 3, 1, 1, "T.max({a}, T.float32(0))")
window("residual", 12, (16, 16), 3, 1, 1, "T.max({a} + r[0, h, w, c], T.float32(0))")
window("clipped", 12, (16, 32), 3, 2, 1, "T.max(T.min({a}, T.float32(6)), T.float32(0))")
window("depthwise", 6, (32, 32), 3, 1, 32, "T.sigmoid({a})")
window("grouped", 6, (32, 32), 3, 1, 2, "{a}")
window("dilated", 6, (32, 16), 3, 1, 1, "{a} * T.float32(0.5)", 2)
window("rows", 6, (16, 24), 1, 1, 1, "T.tanh({a})")
pool("maximum", 6, 24, 2, 2, "T.float32(-3.4028234663852886e+38)", "T.max({a}, {b})", "{a}")
pool("mean", 3, 24, 3, 1, "T.float32(0)", "{a} + {b}", "{a} * T.float32(0.11111111111111111)")
operator("dense", (1, 1, 1, 24), (1, 10), [("f", (10, 24)), ("b", (10,))], [
    "for n in range(10):",
    "    y[0, n] = T.float32(0)",
    "    for k in range(24):",
    "        y[0, n] = y[0, n] + x[0, 0, 0, k] * f[n, k]",
    "for n in range(10):",
    "    y[0, n] = y[0, n] + b[n]"])
operator("half", (1, 10), (1, 10), [("b", (10,))], [
    "for n in range(10):",
    "    y[0, n] = T.max(x[0, n] * b[n], T.float32(-0.25))"])
operator("soft", (1, 10), (1, 10), [], [
    "m = T.allocate([1], \"float32\")",
    "e = T.allocate([10], \"float32\")",
    "s = T.allocate([1], \"float32\")",
    "m_1 = T.Buffer((1,), data=m)",
    "e_1 = T.Buffer((10,), data=e)",
    "s_1 = T.Buffer((1,), data=s)",
    "m_1[0] = T.float32(-3.4028234663852886e+38)",
    "for k in range(10):",
    "    m_1[0] = T.max(m_1[0], x[0, k])",
    "for k in range(10):",
    "    e_1[k] = T.exp(x[0, k] - m_1[0])",
    "s_1[0] = T.float32(0)",
    "for k in range(10):",
    "    s_1[0] = s_1[0] + e_1[k]",
    "for k in range(10):",
    "    y[0, k] = e_1[k] / s_1[0]"])

steps = STEPS
with open(sys.argv[1], "wb") as file:
    header = str({"descr": "<f4", "fortran_order": False, "shape": steps[0][1]}).encode().ljust(117) + b"\n"
    count = 12 * 12 * 4
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header + struct.pack(f"<{count}f", *numbers(count, 99)))
main = [f"    @T.prim_func\n    def main(x: T.Buffer({steps[0][1]}, \"float32\"), "
        f"y: T.Buffer({steps[-1][2]}, \"float32\")):", '        T.func_attr({"tir.noalias": T.bool(True)})']
before = "x.data"
for index, (name, _, result, residual) in enumerate(steps):
    after = "y.data" if index + 1 == len(steps) else f"t{index}"
    if after != "y.data":
        count = 1
        for extent in result:
            count *= extent
        main.append(f"        {after} = T.allocate([{count}], \"float32\", \"global\")")
    args = ", ".join([f'"{name}"', before, *([before] if residual else []), after])
    main.append(f"        T.evaluate(T.call_extern(\"int32\", {args}))")
    before = after
print(HEAD + "\n\n".join([*FUNCTIONS, "\n".join(main)]))
