"""Prints a function with many statements in a row: long_function.py KIND COUNT.

Kinds: `nested`, where each allocation stands in the scope of the one before; `apart`, where each has a scope of its own; `first`, where
all allocations come before all other statements; `kept`, where the address of `y` is in memory; `asserts`, where all assertions hold; `lets`, of constants; `mixed`, with variables, conditions, assertions and a result as well.
"""

import sys

HEAD = '''# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):'''

LOOPS = '''{space}for i in range(4):
{space}    b{n}[i] = x[i] * {n}
{space}for i in range(4):
{space}    y[i] = y[i] + b{n}[3 - i]'''


def allocation(n, bytes_=16):
    return f'    a{n} = T.allocate([{bytes_ // 4}], "int32", "global")'


def view(n, space):
    return f'{space}b{n} = T.Buffer((4,), "int32", data=a{n})'


def nested(count):
    for n in range(count):
        print(allocation(n), view(n, "    "), LOOPS.format(space="    ", n=n), sep="\n")


def apart(count):
    for n in range(count):
        space = " " * 8
        print(f'    with T.allocate([4], "int32", "global") as a{n}:', view(n, space),
              LOOPS.format(space=space, n=n), sep="\n")


def first(count):
    for n in range(count):
        print(allocation(n))
    for n in range(count):
        print(view(n, "    "), LOOPS.format(space="    ", n=n), sep="\n")


def mixed(count):
    print("    for i in range(4):\n        y[i] = 0")
    for n in range(count):
        print(allocation(n, 1024 if n % 3 == 0 else 16))
        print(f'    b{n} = T.Buffer(({256 if n % 3 == 0 else 4},), "int32", data=a{n})')
        print(LOOPS.format(space="    ", n=n))
        if n % 5 == 0:
            print(f"    v{n}: T.int32 = y[{n % 4}] % 97")
        if n % 7 == 0:
            print(f"    if v{n // 5 * 5} < 50:\n        y[{n % 4}] = v{n // 5 * 5} - b{n}[1]")
        if n % 11 == 0:
            print(f'    assert x[0] < 100, "x is too large"')
    print("    if x[1] == 77:\n        T.ret(0)\n    y[0] = y[0] + b0[2]")


def asserts(count):
    for n in range(count):
        print(f'    assert 0 < {n + 1}, "positive"', f"    y[{n % 4}] = x[{n * 3 % 4}]", sep="\n")


def lets(count):
    for n in range(count):
        print(f"    v{n}: T.int32 = {n}",
              f"    y[{n % 4}] = v{n} + x[{n * 3 % 4}]", sep="\n")


def kept(count):
    print('    T.func_attr({"global_symbol": "main", "tir.noalias": T.bool(True)})',
          '    k = T.allocate([1], "handle", "global")',
          '    k_1 = T.Buffer((1,), "handle", data=k)', '    k_1[0] = y.data', sep="\n")
    for n in range(count):
        print(f"    y[{n % 4}] = x[{n * 3 % 4}] + {n}")
    print('    p: T.handle("int32") = k_1[0]', '    p_1 = T.Buffer((4,), "int32", data=p)',
          "    for i in range(4):", "        y[i] = x[i]", "        p_1[i] = p_1[i] + 5",
          "        y[i] = y[i] + p_1[i]", "        p_1[i] = p_1[i] * 3", sep="\n")


print(HEAD)
{"kept": kept, "lets": lets, "asserts": asserts, "nested": nested, "apart": apart, "first": first, "mixed": mixed}[sys.argv[1]](int(sys.argv[2]))
