# Attributes, views, scalars and allocations of the dialect tirx with arguments of another kind.
# RUN: tenon-opt --verify-diagnostics %s

# from tvm.script import tirx as T
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    # expected-error@+1 at `T.attr({})` {{`T.attr` takes one argument, a dict with items}}
    T.attr({})
    # expected-error@+1 at `3` {{the key is an integer, expected a string}}
    T.attr({3: 4})
    # expected-error@+1 at `A` {{expected an element of the buffer or its `.data`, found the buffer}}
    T.attr({"a": A})
    B = A.view(3, layout=None)
    # expected-error@+1 at `A.view()` {{`view` takes the extents of the new shape, or a dtype}}
    C = A.view()
    # expected-error@+1 at `A.view(3, odd=3)` {{`view` takes the extents of the new shape, or a dtype}}
    D = A.view(3, odd=3)
    # expected-error@+1 at `"int33"` {{expected a dtype such as `float32`, found `int33`}}
    E = A.view("int33")
    # expected-error@+1 at `T.evaluate(n)` {{found a statement, expected an expression}}
    x: T.int32 = T.evaluate(n)
    x: T.int32
    x = 3
    (x) = 4
    x += 1
    # expected-error@+1 at `x` {{the thread tag is a scalar, expected a string}}
    T.env_thread(x)
    # expected-error@+1 at `x.buffer` {{expected an element of the buffer or its `.data`, found the buffer}}
    T.evaluate(x.buffer)
    # expected-error@+1 at `T.let` {{found a function that is not called, expected a type such as `T.int32`}}
    y: T.let = 3
    # expected-error@+1 at `T.let` {{the thread tag is a function that is not called, expected a string}}
    T.env_thread(T.let)
    # expected-error@+1 at `T.let[T.int32]` {{the thread tag is `T.let`, which is not a value, expected a string}}
    T.env_thread(T.let[T.int32])
    z: T.let[T.int32] = n + 1
    # expected-error@+1 at `n + 1` {{variable of dtype `int64` is bound to a value of `int32`}}
    w: T.let[T.int64] = n + 1
    # expected-error@+1 at `"void"` {{elements of `void`}}
    s = T.alloc_scalar("void")
    # expected-error@+1 at `3` {{the dtype is an integer, expected a string}}
    s = T.alloc_scalar(3)
    # expected-error@+1 at `3` {{found an integer, expected a dict}}
    q = T.alloc_buffer((1,), "int32", annotations=3)
    # expected-error@+1 at `T.alloc_buffer((1,), "int32", data=A.data)` {{`T.alloc_buffer` allocates, expected `T.decl_buffer` for existing `data`}}
    q = T.alloc_buffer((1,), "int32", data=A.data)
