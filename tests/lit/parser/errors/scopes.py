# Errors inside of brackets, scopes, assertions and realizations; each is one error at its place.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    # expected-error@+1 at `]` {{`]` closes no bracket}}
    x: ] = 3
    T.evaluate(x)

# -----

@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    # expected-error@+1 at `]` {{`]` does not close `(`}}
    with T.block(]) as vi_1:
        T.evaluate(vi_1)

# -----

@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    # expected-error@+1 at `n` {{the condition has dtype `int32`, expected bool}}
    with T.Assert(n, "a"):
        T.evaluate(n)
    # expected-error@+1 at `3` {{the message of the assertion is an integer, expected a string}}
    with T.Assert(n < 1, 3):
        T.evaluate(n)
    # expected-error@+1 at `n` {{found an expression, expected a region of a buffer}}
    with T.realize(n, "s"):
        T.evaluate(n)
    # expected-error@+1 at `3` {{the storage scope is an integer, expected a string}}
    with T.realize(A[0:4], 3):
        T.evaluate(n)
    # expected-error@+1 at `T.realize(A[0:4], "s", n)` {{the condition has dtype `int32`, expected bool}}
    with T.realize(A[0:4], "s", n):
        T.evaluate(n)
    # expected-error@+1 at `3` {{the operator is an integer, expected a string}}
    T.Call("float32", 3, [])
    # expected-error@+1 at `A` {{the list of arguments is a buffer, expected a list}}
    T.Call("float32", "tir.exp", A)
    # expected-error@+1 at `A.access_ptr()` {{`access_ptr` lacks its argument `access_mask`}}
    A.access_ptr()
    # expected-error@+1 at `A` {{expected an element of the buffer or its `.data`, found the buffer}}
    A.access_ptr("rw", extent=A)
    # expected-error@+1 at `"int33"` {{expected a dtype such as `float32`, found `int33`}}
    T.evaluate(T.likely(n, dtype="int33"))
    # expected-error@+1 at `A` {{expected an element of the buffer or its `.data`, found the buffer}}
    T.iter_var(n, A, "Opaque", "")
    # expected-error@+1 at `"a"` {{operand is a string, expected a number}}
    A[0] = "a" & n
    # expected-error@+1 at `1.5` {{end of a loop is of dtype `float32`, expected an integer}}
    for i in range(n, 1.5):
        T.evaluate(i)

# -----

# expected-error@+1 at `{` {{the root of the metadata is not a map of arrays}}
metadata = tvm.ir.load_json("""{\"root\": 0, \"nodes\": [{\"type_key\": \"\"}]}""")
# expected-error@+2 at `metadata` {{`metadata` is given already}}
# expected-error@+1 at `{` {{the root of the metadata is not a map of arrays}}
metadata = tvm.ir.load_json("""{\"root\": 0, \"nodes\": [{\"type_key\": \"\"}]}""")
@T.prim_func
def f(n: T.int32):
    T.evaluate(n)

# -----

# from tvm.script import ir as I
@I.ir_module
class Module:
    # expected-error@+1 at `A` {{statement in the module, expected `I.module_attrs(...)` or a function}}
    A = T.alloc_buffer((3,))
    @T.prim_func
    def f(n: T.int32):
        T.evaluate(n)

# -----

# from tvm.script import ir as I
@I.ir_module
class Module:
    @T.prim_func
    # expected-error@+1 at `T.alloc_buffer((3,))` {{expected an element of the buffer or its `.data`, found the buffer}}
    def f(A: T.Buffer((T.alloc_buffer((3,)),))):
        T.evaluate(0)

# -----

@T.prim_func
def f(n: T.int32):
    # expected-error@+1 at `[1]` {{constants of handle cannot be written as a list}}
    c = T.allocate_const([1], "handle", [1])
    # expected-error@+1 at `T.broadcast(1, 3)` {{the data is an expression, expected a list or `I.constant(...)`}}
    d = T.allocate_const(T.broadcast(1, 3), "handle", [1])
