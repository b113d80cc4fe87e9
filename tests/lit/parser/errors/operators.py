# Operators and builtins with operands that they do not accept.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def strings(n: T.int32):
    # expected-error@+1 at `"a"` {{operand is a string, expected a number [type]}}
    T.evaluate("a" + "b")
    # expected-error@+1 at `"a"` {{operand is a string, expected a number [type]}}
    T.evaluate("a" * 3)
    # expected-error@+1 at `"x"` {{operand is a string, expected a number [type]}}
    T.evaluate(n == "x")
    # expected-error@+1 at `"x"` {{operand is a string, expected a number [type]}}
    T.evaluate(not "x")
    # expected-error@+1 at `"x"` {{operand is a string, expected a number [type]}}
    T.evaluate(-"x")
    # expected-error@+1 at `"a"` {{operand is a string, expected a number [type]}}
    T.evaluate("a" and n < 1)

# -----

@T.prim_func
def pointers(p: T.handle("float32"), n: T.int32):
    # expected-error@+1 at `+` {{operands have dtypes `handle` and `int32` [type]}}
    T.evaluate(p + 1)
    # expected-error@+1 at `T.max(n, p)` {{operands have dtypes `int32` and `handle` [type]}}
    T.evaluate(T.max(n, p))
    # expected-error@+1 at `p & 1` {{operands of `T.bitwise_and` have dtypes `handle` and `int32`, expected integers [type]}}
    T.evaluate(p & 1)
    # expected-error@+1 at `p < n` {{comparison of `handle` with `int32`, expected equal dtypes [type]}}
    T.evaluate(p < n)

# -----

@T.prim_func
def unsupported(n: T.int32):
    # expected-error@+1 at `is` {{operator `is` is not supported [unsupported]}}
    T.evaluate(n is n)
    # expected-error@+1 at `not` {{found `not`, expected `,` or `)` [syntax]}}
    T.evaluate(n not in n)
    # expected-error@+1 at `@` {{operator `@` is not supported [unsupported]}}
    T.evaluate(n @ n)
    # expected-error@+1 at `**` {{operator `**` is not supported [unsupported]}}
    T.evaluate(n ** n)

# -----

@T.prim_func
def chained(n: T.int32):
    # expected-error@+1 at `1 < n < 3` {{comparison of `bool` with `int32`, expected equal dtypes [type]}}
    T.evaluate(1 < n < 3)

# -----

@T.prim_func
def raw_nodes(n: T.int32, x: T.float32, b: T.bool):
    # expected-error@+1 at `T.And(n, n)` {{operands of `T.And` have dtypes `int32` and `int32`, expected bool [type]}}
    T.evaluate(T.And(n, n))
    # expected-error@+1 at `T.Or(b, n)` {{operands of `T.Or` have dtypes `bool` and `int32`, expected bool [type]}}
    T.evaluate(T.Or(b, n))
    # expected-error@+1 at `T.Not(n)` {{operand of `T.Not` has dtype `int32`, expected bool [type]}}
    T.evaluate(T.Not(n))
    # expected-error@+1 at `T.LT(n, x)` {{operands of `T.LT` have dtypes `int32` and `float32`, expected equal dtypes [type]}}
    T.evaluate(T.LT(n, x))
    # expected-error@+1 at `T.FloorDiv(n, x)` {{operands of `T.FloorDiv` have dtypes `int32` and `float32`, expected equal dtypes [type]}}
    T.evaluate(T.FloorDiv(n, x))

# -----

@T.prim_func
def arity(n: T.int32, x: T.float32):
    # expected-error@+1 at `T.max(n)` {{`max` lacks its argument `b` [arguments]}}
    T.evaluate(T.max(n))
    # expected-error@+1 at `T.q_multiply_shift(1, 2, 3)` {{`T.q_multiply_shift` has 3 arguments, expected 4 [arguments]}}
    T.evaluate(T.q_multiply_shift(1, 2, 3))
    # expected-error@+1 at `T.if_then_else(n < 1, n)` {{`if_then_else` lacks its argument `false_value` [arguments]}}
    T.evaluate(T.if_then_else(n < 1, n))
    # expected-error@+1 at `T.Select(n < 1, x)` {{`Select` lacks its argument `false_value` [arguments]}}
    T.evaluate(T.Select(n < 1, x))
    # expected-error@+1 at `T.fma(x, x)` {{`T.fma` has 2 arguments, expected 3 [arguments]}}
    T.evaluate(T.fma(x, x))
    # expected-error@+1 at `T.sqrt(x, x)` {{`T.sqrt` has 2 arguments, expected 1 [arguments]}}
    T.evaluate(T.sqrt(x, x))
    # expected-error@+1 at `T.Add(n)` {{`Add` lacks its argument `b` [arguments]}}
    T.evaluate(T.Add(n))

# -----

@T.prim_func
def casts(n: T.int32):
    # expected-error@+1 at `""` {{cast to `void` [type]}}
    T.evaluate(T.Cast("", 3))
    # expected-error@+1 at `"void"` {{cast to `void` [type]}}
    T.evaluate(T.Cast("void", n))
    # expected-error@+1 at `"int31"` {{expected a dtype such as `float32`, found `int31` [type]}}
    T.evaluate(T.Cast("int31", n))
    # expected-error@+1 at `3` {{the dtype is an integer, expected a string [arguments]}}
    T.evaluate(T.Cast(3, n))
    # expected-error@+1 at `"x"` {{cast of a string, expected a number [type]}}
    T.evaluate(T.Cast("int32", "x"))
    # expected-error@+1 at `"foo"` {{expected a dtype such as `float32`, found `foo` [type]}}
    T.evaluate(n.astype("foo"))
    # expected-error@+1 at `n.astype()` {{`astype` lacks its argument `dtype` [arguments]}}
    T.evaluate(n.astype())
    # expected-error@+1 at `n.astype` {{found a function that is not called, expected an expression [type]}}
    T.evaluate(n.astype)

# -----

@T.prim_func
def choices(n: T.int32, x: T.float32, p: T.handle("float32")):
    # expected-error@+1 at `1` {{the condition has dtype `int32`, expected bool [type]}}
    T.evaluate(T.Select(1, 1, 2))
    # expected-error@+1 at `n` {{the condition has dtype `int32`, expected bool [type]}}
    T.evaluate(T.if_then_else(n, 1, 2))
    # expected-error@+1 at `T.if_then_else(n < 1, n, p)` {{operands have dtypes `int32` and `handle` [type]}}
    T.evaluate(T.if_then_else(n < 1, n, p))

# -----

@T.prim_func
def limits(n: T.int32):
    # expected-error@+1 at `"floaty"` {{expected a dtype such as `float32`, found `floaty` [type]}}
    T.evaluate(T.infinity("floaty"))
    # expected-error@+1 at `T.max_value("handle")` {{`handle` has no `T.max_value` [type]}}
    T.evaluate(T.max_value("handle"))
    # expected-error@+1 at `n` {{the dtype is an expression, expected a string [arguments]}}
    T.evaluate(T.min_value(n))

# -----

@T.prim_func
def rounding(p: T.handle("float32")):
    # expected-error@+1 at `T.floor(p)` {{`T.floor` of `handle`, expected a number [type]}}
    T.evaluate(T.floor(p))
    # expected-error@+1 at `"x"` {{operand is a string, expected a number [type]}}
    T.evaluate(T.isnan("x"))
    # expected-error@+1 at `T.abs(p)` {{`T.abs` of `handle`, expected a number [type]}}
    T.evaluate(T.abs(p))
    # expected-error@+1 at `"a"` {{operand is a string, expected a number [type]}}
    T.evaluate(T.pow("a", 1.0))

# -----

@T.prim_func
def keyword_arguments(n: T.int32):
    # expected-error@+1 at `n` {{`evaluate` has no argument `n` [arguments]}}
    T.evaluate(n=n)
    # expected-error@+1 at `c` {{`max` has no argument `c` [arguments]}}
    T.evaluate(T.max(a=n, c=n))
    # expected-error@+1 at `x` {{`T.exp` has no argument `x` [arguments]}}
    T.evaluate(T.exp(x=1.0))
    # expected-error@+1 at `value` {{argument `value` is given twice [arguments]}}
    T.evaluate(T.Cast(dtype="int32", value=n, value=n))

# -----

@T.prim_func
def calls(n: T.int32):
    # expected-error@+1 at `T.call_packed()` {{`T.call_packed` has 0 arguments, expected at least 1 [arguments]}}
    T.call_packed()
    # expected-error@+1 at `1` {{the dtype is an integer, expected a string [arguments]}}
    T.evaluate(T.tvm_struct_get(n, 0, 1))
    # expected-error@+1 at `"nope"` {{expected a dtype such as `float32`, found `nope` [type]}}
    T.evaluate(T.tvm_struct_get(n, 0, 1, "nope"))
    # expected-error@+1 at `3` {{the dtype is an integer, expected a string [arguments]}}
    T.evaluate(T.reinterpret(3, n))
    # expected-error@+1 at `"nope"` {{expected a dtype such as `float32`, found `nope` [type]}}
    T.evaluate(T.type_annotation("nope"))

# -----

@T.prim_func
def reductions(n: T.int32):
    # expected-error@+1 at `3` {{found `3`, expected `lambda` [syntax]}}
    T.evaluate(T.comm_reducer(3, [1]))
    # expected-error@+1 at `z` {{`z` is not defined here [undefined-name]}}
    T.evaluate(T.comm_reducer(lambda x, y: x + z, [T.float32(0)]))
    # expected-error@+1 at `T.reduce(n, n, n, n)` {{`reduce` lacks its argument `condition` [arguments]}}
    T.evaluate(T.reduce(n, n, n, n))
