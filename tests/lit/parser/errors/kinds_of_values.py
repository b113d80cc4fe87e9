# Values of every kind where another kind is expected: the message names the kind.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def f(A: T.Buffer((16,), "float32"), N: T.Buffer((4,), "int32"), n: T.int32):
    # expected-error@+1 {{found something that opens a scope, expected an expression}}
    T.evaluate(T.allocate([4], "int8", "global"))
    # expected-error@+1 {{found a loop's range, expected an expression}}
    T.evaluate(T.serial(3))
    # expected-error@+1 {{found a reducer, expected an expression}}
    T.evaluate(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]))
    # expected-error@+1 {{found a list of extents or strides, expected an expression}}
    T.evaluate(A.shape)
    # expected-error@+1 {{found a function that is not called, expected an expression}}
    T.evaluate(A.vload)
    # expected-error@+1 {{found a range, expected an expression}}
    T.evaluate(T.Range(0, 4))
    # expected-error@+1 {{found `None`, expected an expression}}
    T.evaluate(None)
    # expected-error@+1 {{found a dict, expected an expression}}
    T.evaluate({})
    # expected-error@+1 {{found a function that is not called, expected an expression}}
    T.evaluate(range)
    # expected-error@+1 {{the thread tag is a bool, expected a string}}
    T.env_thread(True)
    # expected-error@+1 {{the thread tag is an integer, expected a string}}
    T.env_thread(3)
    # expected-error@+1 {{the thread tag is a floating number, expected a string}}
    T.env_thread(1.5)
    # expected-error@+1 {{the thread tag is an expression, expected a string}}
    T.env_thread(n)
    # expected-error@+1 {{the thread tag is a buffer, expected a string}}
    T.env_thread(N)
    # expected-error@+1 {{the thread tag is an element or region of a buffer, expected a string}}
    T.env_thread(N[0])
    # expected-error@+1 {{the thread tag is an iteration variable, expected a string}}
    T.env_thread(T.iter_var(T.var("int32"), None, "Opaque", ""))
    # expected-error@+1 {{the thread tag is a list, expected a string}}
    T.env_thread([])
    # expected-error@+1 {{the thread tag is a tuple, expected a string}}
    T.env_thread(())
    # expected-error@+1 {{the thread tag is a namespace, expected a string}}
    T.env_thread(T)
    # expected-error@+1 {{the thread tag is a dtype, expected a string}}
    T.env_thread(T.int8)
    # expected-error@+1 {{the thread tag is `T.axis` without a kind, expected a string}}
    T.env_thread(T.axis)
    # expected-error@+1 {{a statement has no value}}
    x = T.evaluate(n)
    # expected-error@+1 {{found a statement, expected an expression}}
    T.evaluate(T.buffer_store(N, 1, [0]))

# -----

@T.prim_func
def f(A: T.Buffer((16,), "float32"), N: T.Buffer((4,), "int32"), n: T.int32, h: T.handle):
    # expected-error@+1 {{a reducer has pairs of parameters: all left sides, then all right sides}}
    r = T.comm_reducer(lambda x, y, z: x + y, [T.float32(0)])

# -----

@T.prim_func
def f(n: T.int32):
    # expected-error@+1 {{2 identity elements for 1 pairs of parameters}}
    r = T.comm_reducer(lambda x, y: x + y, [T.float32(0), T.float32(1)])

# -----

@T.prim_func
def f(n: T.int32):
    # expected-error@+1 {{2 results for 1 pairs of parameters}}
    r = T.comm_reducer(lambda x, y: (x + y, x), [T.float32(0)])

# -----

@T.prim_func
def f(n: T.int32):
    # expected-error@+1 {{found `3`, expected `)`}}
    r = T.comm_reducer(lambda x, y: x + y, [T.float32(0)], 3)

# -----

@T.prim_func
def f(n: T.int32):
    # expected-error@+1 {{a reducer has pairs of parameters: all left sides, then all right sides}}
    r = T.comm_reducer(lambda: 1, [T.float32(0)])

# -----

@T.prim_func
def f(A: T.Buffer((16,), "float32"), N: T.Buffer((4,), "int32"), n: T.int32, h: T.handle):
    # expected-error@+1 {{more than one target of an assignment}}
    x = A[0] = 3

# -----

@T.prim_func
def f(A: T.Buffer((16,), "float32"), N: T.Buffer((4,), "int32"), n: T.int32, h: T.handle):
    # expected-error@+1 {{assignment to an expression, expected an element of a buffer}}
    n += 1
    # expected-error@+1 {{assignment to a buffer, expected an element of a buffer}}
    A += 1
    # expected-error@+1 {{variable of dtype `int32` is bound to a value of `handle`}}
    x: T.int32 = h
    # expected-error@+1 {{found an integer, expected a type such as `T.int32`}}
    y: 3 = n
    # expected-error@+1 {{found a statement, expected an expression}}
    z: T.int32 = T.evaluate(0)
    # expected-error@+1 {{`T.prefetch` takes a buffer and a list of ranges}}
    T.prefetch(A, 3)
    # expected-error@+1 {{`T.prefetch` takes a buffer and a list of ranges}}
    T.prefetch(3, [n])
    # expected-error@+1 {{the key is an integer, expected a string}}
    T.attr(0, 3, 1)
    # expected-error@+1 {{the value has no dtype}}
    w = T.call_extern("void", "f")
    with T.block("b"):
        # expected-error@+1 {{index is of dtype `float32`, expected an integer}}
        T.reads(A[n:1.5])
        A[0] = 1
    # expected-error@+1 {{start of a loop is of dtype `handle`, expected an integer}}
    for i in T.serial(h, n):
        A[0] = 1
    # expected-error@+1 {{the dtype is an expression, expected a string}}
    N[0] = T.Cast(n, 3)
    # expected-error@+1 {{operands have dtypes `handle` and `int32`}}
    N[0] = A.access_ptr("r", extent=h + 1)
    # expected-error@+1 {{the dtype is an integer, expected a string}}
    N[0] = T.handle(3)
    # expected-error@+1 {{expected a dtype such as `float32`, found `floot`}}
    N[0] = n.astype("floot")
    # expected-error@+1 {{the storage scope is an integer, expected a string}}
    N[0] = T.handle("int32", 3)

# -----

@T.prim_func
def f(n: T.int32):
    # expected-error@+1 {{value of the attribute `tenon.tensor_scales`, expected a dict of lists of a float, the scale, and an integer, the zero point}}
    T.func_attr({"tenon.tensor_scales": 3})

# -----

@T.prim_func
def f(n: T.int32):
    # expected-error@+1 {{value of the attribute `tenon.tensor_scales`, expected a dict of lists of a float, the scale, and an integer, the zero point}}
    T.func_attr({"tenon.tensor_scales": {"a": [1, 2]}})

# -----

@T.prim_func
def f(n: T.int32):
    # expected-error@+1 {{host of a target is an integer, expected a dict or a string}}
    T.func_attr({"target": T.target({"kind": "c"}, 3)})

# -----

@T.prim_func
def f(n: T.int32):
    # expected-error@+1 {{the target has a host in its dict and as an argument, expected one of them}}
    T.func_attr({"target": T.target({"kind": "c", "host": "llvm"}, "llvm")})

# -----

@T.prim_func
def f(n: T.int32):
    # expected-error@+1 {{found a function that is not called, expected an expression}}
    T.func_attr({"a": [T.evaluate]})

# -----

# from tvm.script import ir as I
# from tvm.script import tir as T
@I.ir_module
# expected-error@+1 {{found `n`, expected end of line}}
class Module: n

# -----

# from tvm.script import ir as I
# from tvm.script import tir as T
@I.ir_module
class Module: pass
# expected-error@+1 {{expected no function after the module}}
@T.prim_func
def f(n: T.int32):
    T.evaluate(n)
