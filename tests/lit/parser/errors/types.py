# Dtypes, ranks, and the kinds of values at each place.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def comparison(n: T.int32, m: T.int64, x: T.float32):
    T.evaluate(n < m)  # expected-error {{comparison of `int32` with `int64`, expected equal dtypes [type]}}
    T.evaluate(x == n)  # expected-error {{comparison of `float32` with `int32`}}
    T.evaluate(n == 1.5)  # expected-error {{comparison of `int32` with `float32`}}

# -----

@T.prim_func
def logic(n: T.int32, b: T.bool):
    T.evaluate(n and b)  # expected-error {{operands of `and` have dtypes `int32` and `bool`, expected bool}}
    T.evaluate(not n)  # expected-error {{operand of `not` has dtype `int32`, expected bool}}
    if n:  # expected-error {{the condition has dtype `int32`, expected bool}}
        T.evaluate(0)
    if 1:  # expected-error {{the condition is an integer, expected bool}}
        T.evaluate(0)
    while n:  # expected-error {{the condition has dtype `int32`}}
        T.evaluate(0)
    while T.bool(True):  # expected-error {{the condition of `while` is a constant}}
        T.evaluate(0)
    assert n, "text"  # expected-error {{the condition has dtype `int32`}}

# -----

@T.prim_func
def arithmetic(n: T.int32, x: T.float32, v: T.float32x4, w: T.float32x8, h: T.handle):
    T.evaluate(n / n)  # expected-error {{`/` on integers, expected `//`, `T.Div` or `T.truncdiv`}}
    T.evaluate(v + w)  # expected-error {{operands have dtypes `float32x4` and `float32x8`}}
    T.evaluate(h + n)  # expected-error {{operands have dtypes `handle` and `int32`}}
    T.evaluate(x << n)  # expected-error {{operands of `T.shift_left` have dtypes `float32` and `int32`, expected integers}}
    T.evaluate(-h)  # expected-error {{operand of `-` has dtype `handle`}}
    T.evaluate(~x)  # expected-error {{operand of `~` has dtype `float32`}}
    T.evaluate(T.Add(n, x))  # expected-error {{operands of `T.Add` have dtypes `int32` and `float32`, expected equal dtypes}}
    T.evaluate(T.pow(n, n))  # expected-error {{`T.pow` of `int32`, expected a floating dtype}}
    T.evaluate(T.Select(n, x, x))  # expected-error {{the condition has dtype `int32`}}
    T.evaluate(T.Select(n < 1, x, n))  # expected-error {{`T.Select` of `float32` and `int32` by `bool`}}

# -----

@T.prim_func
def rank(A: T.Buffer((8, 8), "float32")):
    A[0] = 1  # expected-error {{wrong number of indices of `A`: expected 2, found 1}}
    A[0, 0] = A[0, 1, 2]  # expected-error {{wrong number of indices of `A`: expected 2, found 3}}
    A[()] = 1  # expected-error {{wrong number of indices of `A`: expected 2, found 0}}
    A[0, 0] = A  # expected-error {{expected an element of the buffer or its `.data`, found the buffer}}

# -----

@T.prim_func
def lanes(A: T.Buffer((8,), "float32"), v: T.float32x4, n: T.int32):
    A[0] = v  # expected-error {{expected a value of dtype `float32`, found `float32x4`}}
    A[0:8] = v  # expected-error {{expected a value of dtype `float32x8`, found `float32x4`}}
    A[0:n] = v  # expected-error {{the number of elements of the slice is not a constant}}
    A[4:0] = v  # expected-error {{slice of 0 elements, expected 1 to 32767}}
    A[:4] = v  # expected-error {{expected a slice with both ends (only a region may omit them)}}

# -----

@T.prim_func
def lets(n: T.int32):
    x: T.float32 = n  # expected-error {{variable of dtype `float32` is bound to a value of `int32`}}
    y: 3 = n  # expected-error {{found an integer, expected a type such as `T.int32`}}
    z: T.int8 = 300  # expected-error {{300 is out of the range of `int8` [literal]}}
    w = T.evaluate(n)  # expected-error {{a statement has no value}}

# -----

@T.prim_func
def loops(x: T.float32, n: T.int32):
    for i in range(x):  # expected-error {{end of a loop is of dtype `float32`, expected an integer}}
        T.evaluate(i)
    for i, j in range(4):  # expected-error {{2 loop variables for 1 extents}}
        T.evaluate(i)
    for i in T.grid(4, 4):  # expected-error {{1 loop variables for 2 extents}}
        T.evaluate(i)
    for i in [1, 2]:  # expected-error {{loop over a list, expected `range`, `T.grid` or the like}}
        T.evaluate(i)
    for i in range():  # expected-error {{`range` lacks its argument `start`}}
        T.evaluate(i)

# -----

@T.prim_func
def scopes(n: T.int32):
    with n:  # expected-error {{`with` of an expression, expected something that opens a scope}}
        T.evaluate(n)
    with T.attr(0, "key", n) as x:  # expected-error {{this scope has no value that `as` could name}}
        T.evaluate(n)
    T.block("b")  # expected-error {{a block needs `with`}}
    T.reads()  # expected-error {{`T.reads` outside of a block}}
    with T.init():  # expected-error {{`T.init` outside of a block}}
        T.evaluate(n)
    T.axis.spatial(4, n)  # expected-error {{`T.spatial` outside of a block}}
