# Forms of `T.` with arguments that they do not accept, and values in the wrong place.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def vectors(n: T.int32, x: T.float32, v: T.int32x4, y: T.float32x4, A: T.Buffer((8,), "float32"), B: T.Buffer((8, 4), "int32")):
    # expected-error@+1 at `v` {{vector of `int32x4`, expected a scalar [type]}}
    T.evaluate(T.Ramp(v, 1, 4))
    # expected-error@+1 at `v` {{vector of `int32x4`, expected a scalar [type]}}
    T.evaluate(T.Broadcast(v, 4))
    # expected-error@+1 at `1` {{1 lanes, expected 2 to 32767 [arguments]}}
    T.evaluate(T.Ramp(n, 1, 1))
    # expected-error@+1 at `T.Shuffle([], [])` {{`T.Shuffle` expected 1 to 32767 vectors, found 0 [arguments]}}
    T.evaluate(T.Shuffle([], []))
    # expected-error@+1 at `T.Shuffle([v], [])` {{`T.Shuffle` expected 1 to 32767 indices, found 0 [arguments]}}
    T.evaluate(T.Shuffle([v], []))
    # expected-error@+1 at `4` {{index of `T.Shuffle`, expected a constant from 0 to 3 [arguments]}}
    T.evaluate(T.Shuffle([v], [4]))
    # expected-error@+1 at `0:n` {{the number of elements of the slice is not a constant [type]}}
    A[0:n] = y
    # expected-error@+1 at `0:4:0` {{the number of elements of the slice is not a constant [type]}}
    A[0:4:0] = y
    # expected-error@+1 at `4:4` {{slice of 0 elements, expected 1 to 32767 [type]}}
    A[4:4] = y
    # expected-error@+1 at `x` {{index is of dtype `float32`, expected an integer [type]}}
    A[0:x] = y

# -----

@T.prim_func
def lets(n: T.int32, x: T.float32, v: T.int32x4, y: T.float32x4, A: T.Buffer((8,), "float32"), B: T.Buffer((8, 4), "int32")):
    # expected-error@+1 at `T.let(n + 1, n, n)` {{what `T.Let` binds, expected a variable [arguments]}}
    T.evaluate(T.let(n + 1, n, n))
    # expected-error@+1 at `T.Let(n, where={n: x})` {{`T.Let` of a `int32` to a value of `float32` [type]}}
    T.evaluate(T.Let(n, where={n: x}))
    # expected-error@+1 at `T.Let(n, where={3: n})` {{what `T.Let` binds, expected a variable [arguments]}}
    T.evaluate(T.Let(n, where={3: n}))

# -----

@T.prim_func
def numbers(n: T.int32, x: T.float32, v: T.int32x4, y: T.float32x4, A: T.Buffer((8,), "float32"), B: T.Buffer((8, 4), "int32")):
    # expected-error@+1 at `"abc"` {{expected a number, found "abc" [literal]}}
    T.evaluate(T.int32("abc"))
    # expected-error@+1 at `300` {{300 is out of the range of `uint8` [literal]}}
    T.evaluate(T.uint8(300))
    # expected-error@+1 at `"abc"` {{expected a number, found "abc" [literal]}}
    T.evaluate(T.float32("abc"))
    # expected-error@+1 at `T.int32("inf")` {{expected a value of dtype `int32`, found a string [type]}}
    T.evaluate(T.int32("inf"))
    # expected-error@+1 at `1 // 0` {{division of a number by zero [literal]}}
    T.evaluate(1 // 0)
    # expected-error@+1 at `1.5 % 0` {{division of a number by zero [literal]}}
    T.evaluate(1.5 % 0)
    # expected-error@+1 at `1.5 & 1` {{bitwise operator on a floating number [type]}}
    T.evaluate(1.5 & 1)
    # expected-error@+1 at `9223372036854775807 + 1` {{the result does not fit 64 bits [literal]}}
    T.evaluate(9223372036854775807 + 1)
    # expected-error@+1 at `1 << 63` {{the result does not fit 64 bits [literal]}}
    T.evaluate(1 << 63)
    # expected-error@+1 at `1 << -1` {{the result does not fit 64 bits [literal]}}
    T.evaluate(1 << -1)
    # expected-error@+1 at `1 >> -1` {{the result does not fit 64 bits [literal]}}
    T.evaluate(1 >> -1)
    # expected-error@+1 at `n << 32` {{shift of `int32` by 32 bits [literal]}}
    T.evaluate(n << 32)
    # expected-error@+1 at `n // 0` {{division by the constant zero [literal]}}
    T.evaluate(n // 0)
    # expected-error@+1 at `n % 0` {{division by the constant zero [literal]}}
    T.evaluate(n % 0)
    # expected-error@+1 at `/` {{`/` on integers, expected `//`, `T.Div` or `T.truncdiv` [type]}}
    T.evaluate(n / 2)
    # expected-error@+1 at `x & 1` {{operands of `T.bitwise_and` have dtypes `float32` and `int32`, expected integers [type]}}
    T.evaluate(x & 1)

# -----

@T.prim_func
def iteration_variables(n: T.int32, x: T.float32, v: T.int32x4, y: T.float32x4, A: T.Buffer((8,), "float32"), B: T.Buffer((8, 4), "int32")):
    # expected-error@+1 at `"Sideways"` {{unknown kind `Sideways` of an iteration variable [arguments]}}
    T.evaluate(T.iter_var("i", None, "Sideways", ""))
    # expected-error@+1 at `3` {{expected a variable [arguments]}}
    T.evaluate(T.iter_var(3, None, "ThreadIndex", ""))
    # expected-error@+1 at `T.Range(5)` {{found a range, expected an expression [type]}}
    T.evaluate(T.Range(5))

# -----

@T.prim_func
def values_of_other_kinds(n: T.int32, x: T.float32, v: T.int32x4, y: T.float32x4, A: T.Buffer((8,), "float32"), B: T.Buffer((8, 4), "int32")):
    # expected-error@+1 at `T.serial(4)` {{found a loop's range, expected an expression [type]}}
    T.evaluate(T.serial(4))
    # expected-error@+1 at `T.block("b")` {{found something that opens a scope, expected an expression [type]}}
    T.evaluate(T.block("b"))
    # expected-error@+1 at `T` {{found a namespace, expected an expression [type]}}
    T.evaluate(T)
    # expected-error@+1 at `I` {{found a namespace, expected an expression [type]}}
    T.evaluate(I)
    # expected-error@+1 at `T.axis` {{found `T.axis` without a kind, expected an expression [type]}}
    T.evaluate(T.axis)
    # expected-error@+1 at `None` {{found `None`, expected an expression [type]}}
    T.evaluate(None)
    # expected-error@+1 at `[1]` {{found a list, expected an expression [type]}}
    T.evaluate([1])
    # expected-error@+1 at `(1, 2)` {{found a tuple, expected an expression [type]}}
    T.evaluate((1, 2))
    # expected-error@+1 at `{"a": 1}` {{found a dict, expected an expression [type]}}
    T.evaluate({"a": 1})
    # expected-error@+1 at `A` {{expected an element of the buffer or its `.data`, found the buffer [type]}}
    T.evaluate(A)
    # expected-error@+1 at `A.shape` {{found a list of extents or strides, expected an expression [type]}}
    T.evaluate(A.shape)
    # expected-error@+1 at `T.evaluate` {{found a function that is not called, expected an expression [type]}}
    T.evaluate(T.evaluate)
    # expected-error@+1 at `T.comm_reducer(lambda p, q: p + q, [T.float32(0)])` {{found a reducer, expected an expression [type]}}
    T.evaluate(T.comm_reducer(lambda p, q: p + q, [T.float32(0)]))
    # expected-error@+1 at `T.let` {{found a function that is not called, expected an expression [type]}}
    T.evaluate(T.let)
    # expected-error@+1 at `metadata` {{found `metadata` without a key or an index, expected an expression [type]}}
    T.evaluate(metadata)

# -----

@T.prim_func
def statements(n: T.int32, x: T.float32, v: T.int32x4, y: T.float32x4, A: T.Buffer((8,), "float32"), B: T.Buffer((8, 4), "int32")):
    # expected-error@+1 at `n + 1` {{assignment to an expression, expected a name or an element of a buffer [syntax]}}
    n + 1 = 3
    # expected-error@+1 at `T.serial(4)` {{found a loop's range, expected an expression [type]}}
    T.serial(4)
    # expected-error@+1 at `n` {{assignment to an expression, expected an element of a buffer [syntax]}}
    n += 1
    # expected-error@+1 at `A` {{assignment to a buffer, expected an element of a buffer [syntax]}}
    A += 1
    # expected-error@+1 at `@=` {{operator `@=` is not supported [unsupported]}}
    A @= 2
    # expected-error@+1 at `**=` {{operator `**=` is not supported [unsupported]}}
    A[0] **= 2
    # expected-error@+1 at `A` {{expected a statement, found the name of a buffer [type]}}
    A
    # expected-error@+1 at `if` {{conditional expression, expected `T.if_then_else` or `T.Select` [unsupported]}}
    x = 3 if True else 4
    # expected-error@+1 at `T` {{found a namespace, expected an expression [type]}}
    f = T
    # expected-error@+1 at `T.block("b")` {{a block needs `with` [type]}}
    T.block("b")
    # expected-error@+1 at `A[0], n` {{assignment to a tuple, expected a name or an element of a buffer [syntax]}}
    A[0], n = 1, 2
    # expected-error@+1 at `del` {{`del` is not supported [unsupported]}}
    del A
    # expected-error@+1 at `import` {{`import` is not supported [unsupported]}}
    import os
    # expected-error@+1 at `lambda` {{`lambda` is supported only in `T.comm_reducer` and `T.index_map` [unsupported]}}
    lambda p: p

# -----

@T.prim_func
def scopes(n: T.int32, x: T.float32, v: T.int32x4, y: T.float32x4, A: T.Buffer((8,), "float32"), B: T.Buffer((8, 4), "int32")):
    # expected-error@+1 at `T.attr({})` {{`attr` lacks its argument `attr_key` [arguments]}}
    T.attr({})
    # expected-error@+1 at `T.attr({"a": 1}, n)` {{`attr` lacks its argument `value` [arguments]}}
    T.attr({"a": 1}, n)
    # expected-error@+1 at `T.prefetch(n, [])` {{`T.prefetch` takes a buffer and a list of ranges [arguments]}}
    T.prefetch(n, [])
    # expected-error@+1 at `T.prefetch(A, 3)` {{`T.prefetch` takes a buffer and a list of ranges [arguments]}}
    T.prefetch(A, 3)
    # expected-error@+1 at `T.realize(A[0:4], "x", n)` {{the condition has dtype `int32`, expected bool [type]}}
    T.realize(A[0:4], "x", n)
    # expected-error@+1 at `n` {{found an expression, expected a region of a buffer [type]}}
    T.realize(n, "x")
    # expected-error@+1 at `n` {{the condition has dtype `int32`, expected bool [type]}}
    T.Assert(n, "m")
    # expected-error@+1 at `3` {{the message of the assertion is an integer, expected a string [arguments]}}
    T.Assert(n < 1, 3)

# -----

@T.prim_func
def buffers(n: T.int32, x: T.float32, v: T.int32x4, y: T.float32x4, A: T.Buffer((8,), "float32"), B: T.Buffer((8, 4), "int32")):
    # expected-error@+1 at `A.view` {{a buffer has no attribute `view` [type]}}
    C = A.view()
    # expected-error@+1 at `A.view` {{a buffer has no attribute `view` [type]}}
    C = A.view("int3")
    # expected-error@+1 at `A.view` {{a buffer has no attribute `view` [type]}}
    C = A.view("int8", extra=1)
    # expected-error@+1 at `"x"` {{access mask, expected "r", "w" or "rw", or 1 to 3 [arguments]}}
    T.evaluate(A.access_ptr("x"))
    # expected-error@+1 at `0` {{access mask, expected "r", "w" or "rw", or 1 to 3 [arguments]}}
    T.evaluate(A.access_ptr(0))
    # expected-error@+1 at `n` {{the access mask is an expression, expected an integer [arguments]}}
    T.evaluate(A.access_ptr(n))
    # expected-error@+1 at `3` {{`T.match_buffer` expects a parameter that is a handle, or a region of a buffer [type]}}
    C = T.match_buffer(3, (4,))
    # expected-error@+1 at `n` {{`T.match_buffer` expects a parameter that is a handle, or a region of a buffer [type]}}
    C = T.match_buffer(n, (4,))
    # expected-error@+1 at `0:8:2` {{region with a step, expected step 1 [type]}}
    C = T.match_buffer(A[0:8:2], (4,))
    # expected-error@+1 at `A.nothing` {{a buffer has no attribute `nothing` [type]}}
    T.evaluate(A.nothing)
    # expected-error@+1 at `nothing` {{an element or region of a buffer has no attribute `nothing` [type]}}
    T.evaluate(A[0].nothing)
    # expected-error@+1 at `A.vload()` {{`vload` lacks its argument `begin` [arguments]}}
    T.evaluate(A.vload())
    # expected-error@+1 at `[0, 0]` {{wrong number of indices of `A`: expected 1, found 2 [type]}}
    T.evaluate(A[0, 0])

# -----

@T.prim_func
def calls(n: T.int32, x: T.float32, v: T.int32x4, y: T.float32x4, A: T.Buffer((8,), "float32"), B: T.Buffer((8, 4), "int32")):
    # expected-error@+1 at `T.call_intrin("tir.exp")` {{arguments of `T.call_intrin`, expected a dtype, the name of a builtin, and its arguments [arguments]}}
    T.evaluate(T.call_intrin("tir.exp"))
    # expected-error@+1 at `3` {{the operator is an integer, expected a string [arguments]}}
    T.evaluate(T.call_intrin("float32", 3, x))
    # expected-error@+1 at `n` {{the dtype is an expression, expected a string [arguments]}}
    T.evaluate(T.call_intrin(n, "tir.exp", x))
    # expected-error@+1 at `3` {{the operator is an integer, expected a string [arguments]}}
    T.evaluate(T.Call("float32", 3, [x]))
    # expected-error@+1 at `other` {{`T.exp` has no argument `other` [arguments]}}
    T.evaluate(T.exp(x, dtype="float32", other=1))
    # expected-error@+1 at `n` {{the dtype is an expression, expected a string [arguments]}}
    T.evaluate(T.call_extern(n, "g"))
    # expected-error@+1 at `T.call_extern()` {{`T.call_extern` lacks its dtype [arguments]}}
    T.evaluate(T.call_extern())
    # expected-error@+1 at `x` {{the dtype is an expression, expected a string [arguments]}}
    T.evaluate(T.reinterpret(x))
    # expected-error@+1 at `n` {{the dtype is an expression, expected a string [arguments]}}
    T.evaluate(n.astype(n))

# -----

@T.prim_func
def reducers(n: T.int32, x: T.float32, v: T.int32x4, y: T.float32x4, A: T.Buffer((8,), "float32"), B: T.Buffer((8, 4), "int32")):
    # expected-error@+1 at `T.comm_reducer(lambda p:` {{a reducer has pairs of parameters: all left sides, then all right sides [arguments]}}
    T.evaluate(T.comm_reducer(lambda p: p, [T.float32(0)]))
    # expected-error@+1 at `[T.float32(0), T.float32(0)]` {{2 identity elements for 1 pairs of parameters [arguments]}}
    T.evaluate(T.comm_reducer(lambda p, q: p + q, [T.float32(0), T.float32(0)]))
    # expected-error@+1 at `(p, q)` {{2 results for 1 pairs of parameters [arguments]}}
    T.evaluate(T.comm_reducer(lambda p, q: (p, q), [T.float32(0)]))
    # expected-error@+1 at `3` {{found `3`, expected `lambda` [syntax]}}
    T.evaluate(T.comm_reducer(3, [T.float32(0)]))
    # expected-error@+1 at `T.comm_reducer(lambda p, q: p + q, 3)` {{found a reducer, expected an expression [type]}}
    T.evaluate(T.comm_reducer(lambda p, q: p + q, 3))
    # expected-error@+1 at `3` {{found `3`, expected `)` [syntax]}}
    T.evaluate(T.comm_reducer(lambda p, q: p + q, [T.float32(0)], 3))
    # expected-error@+1 at `)` {{found `)`, expected `,` and the identity elements [syntax]}}
    T.evaluate(T.comm_reducer(lambda p, q: p + q))
