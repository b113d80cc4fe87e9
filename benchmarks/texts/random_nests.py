"""Random nests: contractions, reductions, windows, elementwise loops and changes of layout."""

import random

from texts.layouts import Lines, cast, index
from texts.nest import Buffer, Nest


def strides(names, extents):
    """The terms of an index of a dense tensor, and its number of elements."""
    terms, stride = [], 1
    for name in reversed(names):
        terms.insert(0, (name, stride))
        stride *= extents[name]
    return terms, stride


def shuffled(dice, names):
    names = list(names)
    dice.shuffle(names)
    return names


def blocked(dice, names, extents):
    """The index of a tensor, and its size. An axis may be in blocks, which are innermost."""
    split = [name for name in names if extents[name] % 4 == 0]
    if not split or dice.random() < 0.75:
        terms, count = strides(names, extents)
        return index(*terms), count
    name = dice.choice(split)
    block = dice.choice([n for n in (3, 4, 8, 16) if extents[name] % n == 0])
    names = [f"{name} // {block}" if other == name else other for other in names]
    extents = {**extents, f"{name} // {block}": extents[name] // block,
               f"{name} % {block}": block}
    terms, count = strides([*names, f"{name} % {block}"], extents)
    return index(*((f"({text})" if " " in text else text, stride) for text, stride in terms)), count


def pick(dice, most):
    """An extent: often a multiple of 4, sometimes odd or tiny."""
    return min(most, dice.choice([1, 2, 3, 4, 5, 7, 8, 8, 12, 16, 16, 16, 24, 31, 32, 32, 48, 64, 64,
                                  96, 100, 128, 250]))


def extents_of(dice, names, work):
    """Extents whose product is about `work`."""
    extents = {name: pick(dice, 64) for name in names}
    product = 1
    for extent in extents.values():
        product *= extent
    for name in shuffled(dice, names):
        while product < work and extents[name] < 200:
            extents[name], product = extents[name] * 2, product * 2
        while product > 4 * work and extents[name] > 4:
            product //= extents[name]
            extents[name] //= 2
            product *= extents[name]
    return extents


TYPES = [("float32", "float32"), ("float32", "float32"), ("float32", "float32"), ("int8", "int8"),
         ("uint8", "int8"), ("int16", "int16"), ("int32", "int32")]


def loops(out, names, extents):
    for name in names:
        out.loop(name, extents[name])


def contraction(dice, name):
    """The sum of products of two tensors, with axes in any order."""
    rows, columns = ["i", "j"][:dice.choice([1, 2, 2])], ["m", "n"][:dice.choice([1, 1, 2])]
    batch = ["b"] if dice.random() < 0.2 else []
    summed = ["k", "l"][:dice.choice([1, 1, 2])]
    free = shuffled(dice, batch + rows + columns)
    extents = extents_of(dice, free + summed, 100_000)
    first, second = dice.choice(TYPES)
    sums = "float32" if first == "float32" else "int32"
    x, x_count = blocked(dice, shuffled(dice, batch + rows + summed), extents)
    f, f_count = blocked(dice, shuffled(dice, batch + columns + summed), extents)
    y, y_count = blocked(dice, free if dice.random() < 0.6 else shuffled(dice, free), extents)
    zero = dice.choice([0, 0, 3]) if sums == "int32" else 0
    term = f"{cast(first, f'x[{x}]', zero)} * {cast(second, f'f[{f}]')}"
    start = "T.float32(0)" if sums == "float32" else "0"
    out = Lines()
    form = dice.choice(["scalar", "output", "mixed"])
    if form == "scalar":
        loops(out, free, extents)
        out.local("s", 1, sums)
        out.add(f"s[0] = {start}")
        inside = out.depth
        loops(out, shuffled(dice, summed), extents)
        out.add(f"s[0] = s[0] + {term}")
        out.depth = inside
        out.add(f"y[{y}] = s[0]")
    else:
        loops(out, free, extents)
        out.add(f"y[{y}] = {start}")
        if form == "mixed":
            out.depth = 0
            loops(out, shuffled(dice, free + summed), extents)
        else:
            loops(out, shuffled(dice, summed), extents)
        out.add(f"y[{y}] = y[{y}] + {term}")
    kind = "constant" if dice.random() < 0.5 and f_count <= 40_000 else "input"
    return Nest(name, [Buffer("x", first, x_count), Buffer("f", second, f_count, kind),
                       Buffer("y", sums, y_count, "output")], out.lines)


def reduction(dice, name):
    """The sum, the maximum or the sum of squares over some axes."""
    names = ["i", "j", "k"]
    free = shuffled(dice, names)[:dice.choice([1, 2])]
    summed = [n for n in names if n not in free]
    extents = extents_of(dice, names, 60_000)
    dtype = dice.choice(["float32", "float32", "int8", "uint8", "int16", "int32"])
    sums = "float32" if dtype == "float32" else "int32"
    x, count = blocked(dice, shuffled(dice, names), extents)
    y, y_count = blocked(dice, free, extents)
    value = cast(dtype, f"x[{x}]")
    form = dice.choice(["{0} + {1}", "{0} + {1}", "{0} + {1} * {1}", "T.max({0}, {1})"])
    start = "T.float32(-100000)" if sums == "float32" else "-100000"
    start = start if "max" in form else "T.float32(0)" if sums == "float32" else "0"
    out = Lines()
    loops(out, free, extents)
    out.add(f"y[{y}] = {start}")
    if dice.random() < 0.4:
        out.depth = 0
        loops(out, shuffled(dice, names), extents)
    else:
        loops(out, shuffled(dice, summed), extents)
    out.add(f"y[{y}] = {form.format(f'y[{y}]', value)}")
    return Nest(name, [Buffer("x", dtype, count), Buffer("y", sums, y_count, "output")], out.lines)


def elementwise(dice, name):
    """Arithmetic on elements and on a row that all rows share; layouts may differ."""
    names = ["i", "j", "k"]
    extents = extents_of(dice, names, 30_000)
    dtype = dice.choice(["float32", "float32", "int8", "uint8", "int16", "int32"])
    result = dtype if dtype == "float32" else dice.choice(["int32", "int8"])
    same = dice.random() < 0.5
    order = shuffled(dice, names)
    x, count = blocked(dice, order if same else shuffled(dice, names), extents)
    y, _ = (x, count) if same else blocked(dice, shuffled(dice, names), extents)
    row = dice.choice(names)
    value, shared = cast(dtype, f"x[{x}]"), cast(dtype, f"f[{row}]")
    if dtype == "float32":
        forms = ["{0} + {1}", "T.max({0} * {1}, T.float32(0))", "{0} * {1} + T.float32(0.5)",
                 "T.sqrt(T.abs({0} - {1}))", "T.if_then_else({0} > {1}, {0}, {1} * {0})"]
    else:
        forms = ["{0} + {1}", "T.shift_right({0} * 77 + {1}, 4)", "T.max({0} - {1}, 0)",
                 "T.max(T.min({0} * {1}, 127), -128)", "T.if_then_else({0} > {1}, {0}, {1} - {0})"]
    text = dice.choice(forms).format(value, shared)
    if result == "int8":
        text = f'T.Cast("int8", T.max(T.min({text}, 127), -128))'
    out = Lines()
    loops(out, order if dice.random() < 0.7 else shuffled(dice, names), extents)
    out.add(f"y[{y}] = {text}")
    return Nest(name, [Buffer("x", dtype, count), Buffer("f", dtype, extents[row]),
                       Buffer("y", result, count, "output")], out.lines)


def window(dice, name):
    """Sums, maxima or weighted sums of windows, with strides, dilation and borders."""
    kernel, stride, dilation = dice.choice([2, 3, 3, 5]), dice.choice([1, 1, 2]), dice.choice([1, 1, 2])
    extents = {"c": dice.choice([1, 3, 4, 8, 16, 24, 32]), "h": dice.choice([6, 8, 13, 16]),
               "w": dice.choice([7, 8, 15, 16, 28]), "p": kernel, "q": kernel}
    border = dice.choice([0, 0, 1])
    height, width = ((extents[n] - 1) * stride + (kernel - 1) * dilation + 1 - 2 * border
                     for n in "hw")
    if min(height, width) < 3:
        border, height, width = 0, height + 2 * border, width + 2 * border
    dtype = dice.choice(["float32", "float32", "int8", "int16"])
    sums = "float32" if dtype == "float32" else "int32"
    layout = shuffled(dice, "chw") if dice.random() < 0.3 else dice.choice([list("chw"), list("hwc")])
    row, column = (f"({index((n, stride), (t, dilation))}" + (f" - {border})" if border else ")")
                   for n, t in (("h", "p"), ("w", "q")))
    terms, count = strides(layout, {"c": extents["c"], "h": height, "w": width})
    place = {"c": "c", "h": row, "w": column}
    load = cast(dtype, f"x[{index(*((place[n], s) for n, s in terms))}]")
    form = dice.choice(["sum", "max", "weights", "weights"])
    taps = ["c", "p", "q"] if dice.random() < 0.5 else ["p", "q", "c"]
    weight = cast(dtype, f"f[{index(*strides(taps, extents)[0])}]")
    free = layout if dice.random() < 0.6 else shuffled(dice, "chw")
    y = index(*strides(layout if dice.random() < 0.7 else shuffled(dice, "chw"), extents)[0])
    inside = f"{row} >= 0 and {row} < {height} and {column} >= 0 and {column} < {width}"
    zero = "T.float32(0)" if sums == "float32" else "0"
    out = Lines()
    loops(out, free, extents)
    local = dice.random() < 0.5
    if local:
        out.local("s", 1, sums)
    total = "s[0]" if local else f"y[{y}]"
    out.add(f"{total} = {zero}")
    depth = out.depth
    loops(out, ["p", "q"], extents)
    if border:
        out.add(f"if {inside}:")
        out.depth += 1
    text = {"sum": f"{total} + {load}", "max": f"T.max({total}, {load})",
            "weights": f"{total} + {load} * {weight}"}[form]
    out.add(f"{total} = {text}")
    out.depth = depth
    if local:
        out.add(f"y[{y}] = s[0]")
    buffers = [Buffer("x", dtype, count)]
    if form == "weights":
        buffers.append(Buffer("f", dtype, extents["c"] * kernel**2,
                              dice.choice(["constant", "input"])))
    count = extents["c"] * extents["h"] * extents["w"]
    return Nest(name, [*buffers, Buffer("y", sums, count, "output")], out.lines)


def layout_change(dice, name):
    """A copy from one order of axes to another, perhaps with another type or a border."""
    names = ["i", "j", "k"]
    extents = extents_of(dice, names, 30_000)
    dtype = dice.choice(["float32", "float32", "int8", "int16", "int32"])
    result = dtype if dice.random() < 0.7 else {"int8": "int32", "int16": "int32"}.get(dtype, dtype)
    x, count = blocked(dice, shuffled(dice, names), extents)
    y, _ = blocked(dice, shuffled(dice, names), extents)
    value = f"x[{x}]"
    if dice.random() < 0.25:
        axis = dice.choice(names)
        empty = "T.float32(0)" if dtype == "float32" else f'T.Cast("{dtype}", 0)'
        value = f"T.if_then_else({axis} >= 1 and {axis} < {extents[axis] - 1}, {value}, {empty})"
    if result != dtype:
        value = f'T.Cast("{result}", {value})'
    out = Lines()
    loops(out, shuffled(dice, names), extents)
    out.add(f"y[{y}] = {value}")
    return Nest(name, [Buffer("x", dtype, count), Buffer("y", result, count, "output")], out.lines)


KINDS = [contraction, contraction, contraction, reduction, elementwise, window, window,
         layout_change]


def nests(seed, count):
    """`count` nests; nest number i of a seed is the same for every count."""
    for number in range(count):
        dice = random.Random(f"nest {seed} {number}")
        kind = dice.choice(KINDS)
        yield kind(dice, f"random_{number}_{kind.__name__}")
