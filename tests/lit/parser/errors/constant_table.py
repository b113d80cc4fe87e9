# The table of constants, and references to it.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@I.ir_module
class Module:
    # expected-error@+1 at `3` {{`tenon.constants` is not a list of `I.constant(...)` [arguments]}}
    I.module_attrs({"tenon.constants": 3})

# -----

@I.ir_module
class Module:
    # expected-error@+1 at `[3]` {{`tenon.constants` is not a list of `I.constant(...)` [arguments]}}
    I.module_attrs({"tenon.constants": [3]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-note@+1 at `I.constant("a", [1, 2, 3], "int8", [3])` {{first here}}
        I.constant("a", [1, 2, 3], "int8", [3]),
        # expected-error@+1 at `"a"` {{constant `a` is declared twice [duplicate-name]}}
        I.constant("a", [1, 2, 3], "int8", [3])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `[1, 2]` {{expected 3 elements, found 2; docs/guide/tvm.md shows how to print all, --allow-truncated-constants fills the rest with zeros [truncated-constant]}}
        I.constant("a", [1, 2], "int8", [3]),
        # expected-error@+1 at `[1, 2]` {{expected 6 elements, found 2; docs/guide/tvm.md shows how to print all, --allow-truncated-constants fills the rest with zeros [truncated-constant]}}
        I.constant("b", [1, 2], "int8", [2, 3]),
        # expected-error@+1 at `[1, 2, 3]` {{expected 2 elements, as the extents say; found 3 [constant-shape]}}
        I.constant("c", [1, 2, 3], "int8", [2]),
        # expected-error@+1 at `[[1], [2]]` {{expected lists of the extents [2], found [2, 1] [constant-shape]}}
        I.constant("d", [[1], [2]], "int8", [2]),
        # expected-error@+1 at `]` {{a list of 2 elements after lists of 1 [syntax]}}
        I.constant("e", [[1], [2, 3]], "int8", [3]),
        # expected-error@+1 at `[1, 2, 3]` {{expected 4 elements, found 3; docs/guide/tvm.md shows how to print all, --allow-truncated-constants fills the rest with zeros [truncated-constant]}}
        I.constant("f", [1, 2, 3], "int8x4", [1]),
        # expected-error@+1 at `[1]` {{expected 4294967296 elements, found 1; docs/guide/tvm.md shows how to print all, --allow-truncated-constants fills the rest with zeros [truncated-constant]}}
        I.constant("g", [1], "int8", [4294967296])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `300` {{`300` is out of range of int8, -128 to 127 [literal]}}
        I.constant("a", [1, 300], "int8", [2]),
        # expected-error@+1 at `"x"` {{`"x"` is not an integer, expected an element of int8 [literal]}}
        I.constant("b", [1, "x"], "int8", [2]),
        # expected-error@+1 at `1.5` {{`1.5` is not an integer, expected an element of int8 [literal]}}
        I.constant("c", [1.5], "int8", [1]),
        # expected-error@+1 at `1e39` {{`1e39` is out of range of float32 [literal]}}
        I.constant("d", [1e39], "float32", [1]),
        # expected-error@+1 at `2` {{`2` is out of range of bool, 0 to 1 [literal]}}
        I.constant("e", [True, 2], "bool", [2]),
        # expected-error@+1 at `,` {{`,` where an element was expected [syntax]}}
        I.constant("f", [1,,2], "int8", [2]),
        # expected-error@+1 at `2` {{expected `,` or `]` after an element [syntax]}}
        I.constant("g", [1 2], "int8", [2]),
        # expected-error@+1 at `z` {{`z` is not a number, expected an element of int8 [syntax]}}
        I.constant("h", [z], "int8", [1]),
        # expected-error@+1 at `-1` {{`-1` is out of range of uint8, 0 to 255 [literal]}}
        I.constant("i", [-1], "uint8", [1]),
        # expected-error@+1 at `70000.0` {{`70000.0` is out of range of float16 [literal]}}
        I.constant("j", [70000.0], "float16", [1]),
        # expected-error@+1 at `18446744073709551616` {{`18446744073709551616` is out of range of uint64, 0 to 18446744073709551615 [literal]}}
        I.constant("k", [18446744073709551616], "uint64", [1]),
        # expected-error@+1 at `--1` {{`--1` is not a number, expected an element of int8 [syntax]}}
        I.constant("l", [--1], "int8", [1])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `"int33"` {{expected a dtype such as `float32`, found `int33` [type]}}
        I.constant("a", [1, 2], "int33", [2]),
        # expected-error@+1 at `I.constant("b", [1, 2], "handle", [2])` {{expected a dtype that constants can have, found `handle` [arguments]}}
        I.constant("b", [1, 2], "handle", [2]),
        # expected-error@+1 at `-2` {{the extent -2 is negative [constant-shape]}}
        I.constant("c", [1, 2], "int8", [-2]),
        # expected-error@+1 at `2` {{the shape is an integer, expected a list of integers [arguments]}}
        I.constant("d", [1, 2], "int8", 2),
        # expected-error@+1 at `"x"` {{an extent is a string, expected an integer [arguments]}}
        I.constant("e", [1, 2], "int8", ["x"]),
        # expected-error@+1 at `n` {{`n` is not defined here [undefined-name]}}
        I.constant("f", [1, 2], "int8", [n]),
        # expected-error@+1 at `I.constant("", [1, 2], "int8", [2])` {{a constant without a name [arguments]}}
        I.constant("", [1, 2], "int8", [2]),
        # expected-error@+1 at `3` {{the name of the constant is an integer, expected a string [arguments]}}
        I.constant(3, [1, 2], "int8", [2])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `3` {{`align` is 3, expected a power of two of at most 268435456 [arguments]}}
        I.constant("a", [1, 2], "int8", [2], align=3),
        # expected-error@+1 at `"x"` {{`align` is a string, expected an integer [arguments]}}
        I.constant("b", [1, 2], "int8", [2], align="x"),
        # expected-error@+1 at `2147483648` {{`align` is 2147483648, expected a power of two of at most 268435456 [arguments]}}
        I.constant("c", [1, 2], "int8", [2], align=2147483648),
        # expected-error@+1 at `4` {{`section` is an integer, expected a string [arguments]}}
        I.constant("d", [1, 2], "int8", [2], section=4),
        # expected-error@+1 at `"x"` {{`pools` is a string, expected a list of names [arguments]}}
        I.constant("e", [1, 2], "int8", [2], pools="x"),
        # expected-error@+1 at `1` {{the name of a pool is an integer, expected a string [arguments]}}
        I.constant("f", [1, 2], "int8", [2], pools=[1]),
        # expected-error@+1 at `2` {{`address_significant` is an integer, expected True or False [arguments]}}
        I.constant("g", [1, 2], "int8", [2], address_significant=2),
        # expected-error@+1 at `foo` {{`constant` has no argument `foo` [arguments]}}
        I.constant("h", [1, 2], "int8", [2], foo=1)]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `300` {{`300` is out of range of int8, -128 to 127 [literal]}}
        I.constant("a", I.splat(300), "int8", [2]),
        # expected-error@+1 at `"x"` {{`"x"` is not an integer, expected an element of int8 [literal]}}
        I.constant("b", I.splat("x"), "int8", [2]),
        # expected-error@+1 at `1.5` {{`1.5` is not an integer, expected an element of int8 [literal]}}
        I.constant("c", I.splat(1.5), "int8", [2]),
        # expected-error@+1 at `I.splat()` {{`splat` lacks its argument `value` [arguments]}}
        I.constant("d", I.splat(), "int8", [1]),
        # expected-error@+1 at `1e39` {{`1e39` is out of range of float32 [literal]}}
        I.constant("e", I.splat(1e39), "float32", [2])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `[4611686018427387904]` {{the constant has 2^62 bytes or more [limit]}}
        I.constant("a", I.splat(0), "int8", [4611686018427387904]),
        # expected-error@+1 at `[1000000000000000000, 1000000000000000000]` {{the constant has 2^62 bytes or more [limit]}}
        I.constant("b", I.splat(0), "int8", [1000000000000000000, 1000000000000000000]),
        # expected-error@+1 at `I.splat(0)` {{`I.splat` of more than 1073741824 bytes [limit]}}
        I.constant("c", I.splat(0), "int8", [2147483648]),
        # expected-error@+1 at `[1000000000000000000]` {{the constant has 2^62 bytes or more [limit]}}
        I.constant("d", I.hash("xxh3:00000000000000000000000000000000"), "int64", [1000000000000000000])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `"xxh3:zz"` {{a hash is `xxh3:` and 32 hexadecimal digits [literal]}}
        I.constant("a", I.hash("xxh3:zz"), "int8", [2]),
        # expected-error@+1 at `3` {{the hash is an integer, expected a string [arguments]}}
        I.constant("b", I.hash(3), "int8", [2]),
        # expected-error@+1 at `"md5:00000000000000000000000000000000"` {{a hash is `xxh3:` and 32 hexadecimal digits [literal]}}
        I.constant("c", I.hash("md5:00000000000000000000000000000000"), "int8", [2]),
        # expected-error@+1 at `"xxh3:0000000000000000000000000000000g"` {{character 36 of the hash is not a hexadecimal digit [literal]}}
        I.constant("d", I.hash("xxh3:0000000000000000000000000000000g"), "int8", [2])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        I.constant("a", [1, 2, 3], "int8", [3]),
        # expected-error@+1 at `I.slice("a", 2)` {{expected a part of the 3 bytes of `a`, found 2 bytes from 2 on [constant-shape]}}
        I.constant("b", I.slice("a", 2), "int8", [2]),
        # expected-error@+1 at `I.slice("a", -1)` {{expected a part of the 3 bytes of `a`, found 2 bytes from -1 on [constant-shape]}}
        I.constant("c", I.slice("a", -1), "int8", [2]),
        # expected-error@+1 at `I.slice("a", 1)` {{expected an offset that is a multiple of 2, the size of an element of int16; found 1 [constant-shape]}}
        I.constant("d", I.slice("a", 1), "int16", [1]),
        # expected-error@+1 at `"x"` {{the offset is a string, expected an integer [arguments]}}
        I.constant("e", I.slice("a", "x"), "int8", [1]),
        # expected-error@+1 at `I.slice("a", 9223372036854775807)` {{expected a part of the 3 bytes of `a`, found 1 bytes from 9223372036854775807 on [constant-shape]}}
        I.constant("f", I.slice("a", 9223372036854775807), "int8", [1]),
        # expected-error@+1 at `I.slice("a")` {{`slice` lacks its argument `offset` [arguments]}}
        I.constant("g", I.slice("a"), "int8", [1])]})

# -----

# Slices of undefined constants: of themselves, of each other, of undeclared ones.
@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `"a"` {{unknown constant `a`, expected one of `tenon.constants` [undefined-name]}}
        I.constant("a", I.slice("a", 0), "int8", [1]),
        # expected-error@+1 at `"c"` {{unknown constant `c`, expected one of `tenon.constants` [undefined-name]}}
        I.constant("b", I.slice("c", 0), "int8", [1]),
        # `b` was declared, although incorrectly: its uses are not reported again.
        I.constant("c", I.slice("b", 0), "int8", [1]),
        # expected-error@+1 at `"nowhere"` {{unknown constant `nowhere`, expected one of `tenon.constants` [undefined-name]}}
        I.constant("d", I.slice("nowhere", 0), "int8", [1])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `"a"` {{unknown constant `a`, expected one of `tenon.constants` [undefined-name]}}
        I.constant("a"),
        # expected-error@+1 at `I.constant("b", [1])` {{`constant` lacks its argument `dtype` [arguments]}}
        I.constant("b", [1]),
        # expected-error@+1 at `I.constant()` {{`constant` lacks its argument `name` [arguments]}}
        I.constant(),
        # expected-error@+1 at `3` {{the data is an integer, expected a list, `I.file`, `I.slice`, `I.splat` or `I.hash` [arguments]}}
        I.constant("c", 3, "int8", [1]),
        # expected-error@+1 at `I.foo("a")` {{`I.foo` is not supported [unsupported]}}
        I.constant("d", I.foo("a"), "int8", [1]),
        # expected-error@+1 at `3` {{the name of the file is an integer, expected a string [arguments]}}
        I.constant("e", I.file(3, "x"), "int8", [1]),
        # expected-error@+1 at `I.file("a")` {{`file` lacks its argument `key` [arguments]}}
        I.constant("f", I.file("a"), "int8", [1])]})

# -----

@I.ir_module
class Module:
    # expected-note@+2 at `I.constant("a", [1, 2], "int8", [2])` {{declared here}}
    # expected-note@+1 at `I.constant("a", [1, 2], "int8", [2])` {{declared here}}
    I.module_attrs({"tenon.constants": [I.constant("a", [1, 2], "int8", [2])]})

    @T.prim_func
    def f(n: T.int32):
        # expected-error@+1 at `T.allocate_const(I.constant("a"), "int8", [1])` {{the constant `a` is int8 [2], expected int8 [1] [constant-shape]}}
        a = T.allocate_const(I.constant("a"), "int8", [1])
        # expected-error@+1 at `T.allocate_const(I.constant("a"), "int16", [2])` {{the constant `a` is int8 [2], expected int16 [2] [constant-shape]}}
        b = T.allocate_const(I.constant("a"), "int16", [2])
        # expected-error@+1 at `"b"` {{unknown constant `b`, expected one of `tenon.constants` [undefined-name]}}
        c = T.allocate_const(I.constant("b"), "int8", [2])
        # expected-error@+1 at `[n]` {{extent of a constant, expected an integer [constant-shape]}}
        d = T.allocate_const([1, 2], "int8", [n])
        # expected-error@+1 at `T.allocate_const([1, 2], "int8")` {{`allocate_const` lacks its argument `extents` [arguments]}}
        e = T.allocate_const([1, 2], "int8")
        # expected-error@+1 at `foo` {{`allocate_const` has no argument `foo` [arguments]}}
        g = T.allocate_const([1, 2], "int8", [2], foo=1)
        # expected-error@+1 at `3` {{found an integer, expected a dict [arguments]}}
        h = T.allocate_const([1, 2], "int8", [2], annotations=3)
        # expected-error@+1 at `"x"` {{the data is a string, expected a list or `I.constant(...)` [arguments]}}
        i = T.allocate_const("x", "int8", [2])
        # expected-error@+1 at `""` {{elements of `void` [type]}}
        j = T.allocate_const([1, 2], "", [2])
        # expected-error@+1 at `T.allocate_const()` {{`allocate_const` lacks its argument `data` [arguments]}}
        k = T.allocate_const()
        # expected-error@+1 at `I.splat(0)` {{the data is the data of a constant, expected a list or `I.constant(...)` [arguments]}}
        l = T.allocate_const(I.splat(0), "int8", [2])
        T.evaluate(0)

# -----

@I.ir_module
class Module:
    # expected-error@+1 at `[` {{`[` is not closed [syntax]}}
    I.module_attrs({"tenon.constants": [I.constant("a", [1, 2, 3

    @T.prim_func
    def f(n: T.int32):
        # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
        T.evaluate(m)

# -----

@T.prim_func
def lists_of_one_function():
    # expected-error@+2 at `]` {{`]` does not close `(` [syntax]}}
    # expected-note@+1 at `(` {{opened here}}
    a = T.allocate_const([1, 2, 3]], "int8", [3])
    # expected-error@+1 at `[` {{`[` is not closed [syntax]}}
    b = T.allocate_const([1, 2, 3), "int8", [3])
    # expected-error@+1 at `]` {{a list of 1 elements after lists of 2 [syntax]}}
    c = T.allocate_const([[1, 2], [3]], "int8", [2, 2])
    # expected-error@+1 at `2` {{an element among lists [syntax]}}
    d = T.allocate_const([[[1]], [2]], "int8", [2])
    # expected-error@+1 at `"int8"` {{found `"int8"`, expected `,` or `)` [syntax]}}
    e = T.allocate_const([1, 2, 3] "int8", [3])
    # expected-error@+1 at `1e` {{`1e` is not a number, expected an element of float32 [syntax]}}
    f = T.allocate_const([1e], "float32", [1])
    # expected-error@+1 at `T.float32(1)` {{`T.float32(1)` is not a number, expected an element of float32 [syntax]}}
    g = T.allocate_const([T.float32(1)], "float32", [1])
    T.evaluate(0)
