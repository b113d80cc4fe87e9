"""Writes a text at or beyond one of the parser's limits."""

import sys


def function(body: str, params: str = "n: T.int32") -> bytes:
    return f"@T.prim_func\ndef f({params}):\n{body}\n".encode()


def indents(count: int) -> bytes:
    lines = ["    " * level + f"if n > {level}:" for level in range(1, count)]
    return function("\n".join(lines) + "\n" + "    " * count + "T.evaluate(n)")


def brackets(count: int) -> bytes:
    return function("    T.evaluate(" + "(" * count + "n" + ")" * count + ")")


def unary(count: int) -> bytes:
    return function("    T.evaluate(" + "-" * count + "n)")


def total(count: int) -> bytes:
    return function("    T.evaluate(" + " + ".join(["n"] * count) + ")")


def names(count: int) -> bytes:
    return function("\n".join(f"    T.evaluate(x{i})" for i in range(count)))


def elifs(count: int) -> bytes:
    branches = [f"    elif n > {i}:\n        T.evaluate({i})" for i in range(1, count + 1)]
    return function("\n".join(["    if n > 0:\n        T.evaluate(0)"] + branches))


def lists(count: int) -> bytes:
    return function("    x = " + " + ".join(["[1]"] * count))


def doubled(count: int) -> bytes:
    """Each name stands for twice as many elements as the one before."""
    lines = [f"    x{i + 1} = x{i} + x{i}" for i in range(count)]
    return function("\n".join(["    x0 = [n]"] + lines))


def strings(count: int) -> bytes:
    return function('    T.call_extern("int32", ' + '"a" ' * count + ")")


def dots(count: int) -> bytes:
    return function("    T.evaluate(T" + ".a" * count + "())")


def open_definitions(count: int) -> bytes:
    lines = "\n".join("    def g(" for _ in range(count))
    return f"@I.ir_module\nclass Module:\n    @T.prim_func\n    def f():\n        Module.h()\n{lines}\n".encode()


def near_names(count: int) -> bytes:
    stem = "a" * 56
    lines = [f"    {stem}{i:04d} = T.int32()" for i in range(1500)]
    lines += [f"    T.evaluate({stem}x{i:05d})" for i in range(count)]
    return function("\n".join(lines))


def nested_lists(count: int) -> bytes:
    return function("    c = T.allocate_const(" + "[" * count + "1" + "]" * count + ', "int8", [1])')


def main() -> None:
    what = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    made = {"indents": indents, "brackets": brackets, "unary": unary, "sum": total, "names": names,
            "elifs": elifs, "lists": lists, "doubled": doubled, "strings": strings, "dots": dots,
            "open_definitions": open_definitions, "near_names": near_names,
            "nested_lists": nested_lists}
    if what in made:
        text = made[what](count)
    elif what == "nul":
        text = function("    T.evaluate(n\0)")
    elif what == "utf8":
        text = b'@T.prim_func\ndef f(n: T.int32):\n    T.call_extern("int32", "abcd\xff")\n'
    else:
        sys.exit(f"unknown: {what}")
    sys.stdout.buffer.write(text)


main()
