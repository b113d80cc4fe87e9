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


def main() -> None:
    what = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    made = {"indents": indents, "brackets": brackets, "unary": unary, "sum": total, "names": names}
    if what in made:
        text = made[what](count)
    elif what == "nul":
        text = function("    T.evaluate(n\0)")
    elif what == "utf8":
        text = b'@T.prim_func\ndef f(n: T.int32):\n    T.call_extern("int32", "abcd\xff")\n'
    elif what == "outside-ascii":
        text = function("    T.evaluate(\u00e9)")
    elif what == "windows":
        text = function("    T.evaluate(n)").replace(b"\n", b"\r\n")
    else:
        sys.exit(f"unknown: {what}")
    sys.stdout.buffer.write(text)


main()
