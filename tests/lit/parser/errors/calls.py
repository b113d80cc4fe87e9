# Arguments of calls.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def builtins(n: T.int32, x: T.float32):
    T.evaluate(T.exp())  # expected-error {{`T.exp` has 0 arguments, expected 1 [arguments]}}
    T.evaluate(T.exp(x, x))  # expected-error {{`T.exp` has 2 arguments, expected 1}}
    T.call_extern()  # expected-error {{`T.call_extern` lacks its dtype}}
    T.call_extern("int33", "f")  # expected-error {{expected a dtype such as `float32`, found `int33`}}
    T.evaluate(T.exp(x, flag=1))  # expected-error {{`T.exp` has no argument `flag`}}
    T.evaluate(T.Cast("float32"))  # expected-error {{`Cast` lacks its argument `value`}}
    T.evaluate(T.Ramp(n, 1, 0))  # expected-error {{0 lanes, expected 2 to 32767}}
    T.evaluate(T.Ramp(x, 1, 4))  # expected-error {{`T.Ramp` from `float32` by `int32`, expected integers}}
    T.evaluate(T.Broadcast(x, n))  # expected-error {{the number of lanes is an expression, expected an integer}}
    T.evaluate(T.Shuffle([x], [1]))  # expected-error {{index of `T.Shuffle`, expected a constant from 0 to 0}}
    T.evaluate(T.Let(x, where={}))  # expected-error {{`where` of `T.Let`, expected a dict of one variable}}
    T.evaluate(n(1))  # expected-error {{an expression can't be called}}
    T.evaluate(n.shape)  # expected-error {{an expression has no attribute `shape`}}
    T.evaluate(n[0])  # expected-error {{an expression has no elements}}
    T.evaluate(T.min(n, b=n, b=n))  # expected-error {{argument `b` is given twice}}
    T.evaluate(T.min(a=n, n))  # expected-error {{positional argument after a keyword argument}}
    T.evaluate(T.exp)  # expected-error {{found a function that is not called, expected an expression}}
    T.evaluate(T.infinity("int32"))  # expected-error {{`int32` has no `T.infinity`}}
    T.evaluate(T.index_map(n))  # expected-error {{found `n`, expected `lambda`}}

# -----

@T.prim_func
def buffers(a: T.handle, n: T.int32):
    A = T.match_buffer(n, (4,))  # expected-error {{`T.match_buffer` expects a parameter that is a handle, or a region}}
    B = T.match_buffer(a, (4,), align=3)  # expected-error {{alignment 3, expected a power of two}}
    C = T.match_buffer(a, (-4,))  # expected-error {{extent -4, expected 0 or more [constant-shape]}}
    D = T.match_buffer(a, (1.5,))  # expected-error {{extent of dtype `float32`, expected an integer}}
    E = T.match_buffer(a, (4, 4), strides=(1,))  # expected-error {{1 strides for 2 dimensions}}
    F = T.Buffer((4,), data=n)  # expected-error {{the data of a buffer, expected a variable of pointer type}}
    G = T.Buffer((4,), buffer_type="odd")  # expected-error {{expected the buffer type "auto" or "default", found `odd`}}
    H = T.Buffer((4,), "flaot32")  # expected-error {{expected a dtype such as `float32`, found `flaot32`}}
    J = T.Buffer("x")  # expected-error {{the shape is a string, expected a list}}
    K = T.Buffer((1000000000000000000, 1000000000000000000))  # expected-error {{the size is 2^62 bytes or more [limit]}}
    L = T.allocate([4611686018427387904], "int8", "global")  # expected-error {{the size is 2^62 bytes or more}}

# -----

@T.prim_func
def blocks(A: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("b"):
            v = T.axis.spatial(8)  # expected-error {{axis without a binding}}
            w = T.axis.other(8, i)  # expected-error {{unknown axis `T.axis.other`}}
            x = T.axis.remap("SS", [i])  # expected-error {{2 kinds of axes for 1 loop variables}}
            y = T.axis.remap("S", [i + 1])  # expected-error {{expected a loop variable for the axis}}
            T.reads(3)  # expected-error {{found an integer, expected a region of a buffer}}
            T.writes(A[0:8:2])  # expected-error {{region with a step, expected step 1}}
            T.where(i)  # expected-error {{the condition has dtype `int32`}}
            A[0] = 1

# -----

@T.prim_func(private=True)
def private_symbol(n: T.int32):
    T.func_attr({"global_symbol": "f"})  # expected-error {{a private function has no `global_symbol`}}
    T.evaluate(n)
