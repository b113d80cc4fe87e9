# Parameters and results of functions.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
# expected-error@+1 at `(` {{found `(`, expected the name of a function [syntax]}}
def (n: T.int32):
    T.evaluate(n)
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
# expected-error@+1 at `n` {{found `n`, expected `(` [syntax]}}
def f n: T.int32:
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
# expected-error@+1 at `:` {{found `:`, expected the name of a parameter [syntax]}}
def f(n: T.int32, :
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
# expected-error@+1 at `T` {{found `T`, expected `:` and a type [syntax]}}
def f(n T.int32):
    T.evaluate(n)
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
# expected-error@+1 at `:` {{found `:`, expected an expression [syntax]}}
def f(n: T.int32) -> :
    T.evaluate(n)

# -----

@T.prim_func
# expected-error@+1 at `3` {{found an integer, expected a type such as `T.int32` [type]}}
def f(n: T.int32) -> 3:
    T.evaluate(n)

# -----

@T.prim_func
# expected-error@+1 at `` {{found end of line, expected `:` [syntax]}}
def f(n: T.int32)
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
def f(
    # expected-error@+1 at `int33` {{expected a dtype such as `float32`, found `int33` [type]}}
    a: T.int33,
    # expected-error@+1 at `T.Buffer` {{found a function that is not called, expected a type such as `T.int32` [type]}}
    b: T.Buffer,
    # expected-error@+1 at `3` {{found an integer, expected a type such as `T.int32` [type]}}
    c: 3,
    # expected-error@+1 at `None` {{expected the type of a parameter, found `None` [type]}}
    d: None,
    # expected-error@+1 at `z` {{`z` is not defined here [undefined-name]}}
    e: z,
    # expected-error@+1 at `-1` {{extent -1, expected 0 or more [constant-shape]}}
    g: T.Buffer((-1,), "int8"),
    # expected-error@+1 at `"int33"` {{expected a dtype such as `float32`, found `int33` [type]}}
    h: T.handle("int33"),
    # expected-error@+1 at `"int33"` {{expected a dtype such as `float32`, found `int33` [type]}}
    i: "int33",
    # expected-error@+1 at `T.evaluate(0)` {{found a statement, expected a type such as `T.int32` [type]}}
    j: T.evaluate(0),
):
    T.evaluate(0)

# -----

@T.prim_func
# expected-error@+1 at `3` {{found `3`, expected the name of a parameter [syntax]}}
def f(3: T.int32, A.b: T.int32):
    T.evaluate(0)

# -----

@T.prim_func
# expected-error@+1 at `**` {{`**` among the parameters [unsupported]}}
def f(n: T.int32, **kwargs):
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

@T.prim_func
# expected-error@+1 at `/` {{`/` among the parameters [unsupported]}}
def f(n: T.int32, /, m: T.int32):
    T.evaluate(n)

# -----

@T.prim_func
# expected-error@+2 at `n` {{`n` is already defined [duplicate-name]}}
# expected-note@+1 at `n` {{the earlier definition is here}}
def f(n: T.int32, A: T.Buffer((n,), "float32"), n: T.int64):
    A[0] = 1

# -----

@T.prim_func
# expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
def f(A: T.Buffer((m,), "float32"), m: T.int32):
    A[0] = 1

# -----

@T.prim_func

# expected-error@+1 at `` {{found end of text, expected `class` or `def` after a decorator [syntax]}}
# -----

# expected-error@+1 at `` {{found end of line, expected an expression [syntax]}}
@
