# Forms of numbers, vectors and variables with arguments that have no meaning.
# RUN: tenon-opt --verify-diagnostics %s

@T.prim_func
def f(A: T.Buffer((16,), "float32"), N: T.Buffer((4,), "int32"), h: T.handle, n: T.int32):
    # expected-error@+1 at `T.void(3)` {{expected a value of dtype `void`, found an integer}}
    A[0] = T.void(3)
    # expected-error@+1 at `T.bool("1")` {{expected a value of dtype `bool`, found a string}}
    A[0] = T.bool("1")
    # expected-error@+1 at `T.int32("1")` {{expected a value of dtype `int32`, found a string}}
    A[0] = T.int32("1")
    # expected-error@+1 at `"x1"` {{expected a number, found "x1"}}
    A[0] = T.float32("x1")
    # expected-error@+1 at `T.isinf(h)` {{`T.isinf` of `handle`, expected a number}}
    A[0] = T.isinf(h)
    # expected-error@+1 at `T.max_value("float32x4")` {{`float32x4` has no `T.max_value`}}
    A[0] = T.max_value("float32x4")
    # expected-error@+1 at `T.Broadcast(T.int32(1), 8) & T.Broadcast(1, 4)` {{operands have dtypes `int32x8` and `int32x4`}}
    A[0] = T.Broadcast(T.int32(1), 8) & T.Broadcast(1, 4)
    # expected-error@+1 at `T.pow(T.Broadcast(T.float32(1), 8), T.Broadcast(T.float32(1), 4))` {{operands have dtypes `float32x8` and `float32x4`}}
    A[0] = T.pow(T.Broadcast(T.float32(1), 8), T.Broadcast(T.float32(1), 4))
    # expected-error@+1 at `T.Broadcast(1, 4)` {{vector of `int32x4`, expected a scalar}}
    A[0] = T.Broadcast(T.Broadcast(1, 4), 4)
    # expected-error@+1 at `N[0]` {{`T.Shuffle` of `float32` and `int32`, expected one element type}}
    A[0] = T.Shuffle([A[0], N[0]], [0])
    # expected-error@+1 at `T.Shuffle([], [])` {{`T.Shuffle` expected 1 to 32767 vectors, found 0}}
    A[0] = T.Shuffle([], [])
    # expected-error@+1 at `A` {{the list of vectors is a buffer, expected a list}}
    A[0] = T.Shuffle(A, [])
    # expected-error@+1 at `T.Let(A[0], where={1: 2})` {{what `T.Let` binds, expected a variable}}
    A[0] = T.Let(A[0], where={1: 2})
    # expected-error@+1 at `T.Let(A[0], where={n: A[1]})` {{`T.Let` of a `int32` to a value of `float32`}}
    A[0] = T.Let(A[0], where={n: A[1]})
    # expected-error@+1 at `T.let(1, n, n)` {{what `T.Let` binds, expected a variable}}
    A[0] = T.let(1, n, n)
    # expected-error@+1 at `"Odd"` {{unknown kind `Odd` of an iteration variable}}
    A[0] = T.iter_var(n, None, "Odd", "")
    # expected-error@+1 at `1` {{expected a variable}}
    A[0] = T.iter_var(1, None, "Opaque", "")
    # expected-error@+1 at `T.func_name()` {{`T.func_name` is not supported}}
    A[0] = T.func_name()
    # expected-error@+1 at `T.ceildiv(h, n)` {{operands have dtypes `handle` and `int32`}}
    A[0] = T.ceildiv(h, n)
    # expected-error@+1 at `"c"` {{`Var` has 3 arguments, expected at most 2}}
    A[0] = T.Var("a", "b", "c")
    # expected-error@+1 at `T.meta_var()` {{`meta_var` lacks its argument `value`}}
    A[0] = T.meta_var()
    # expected-error@+1 at `3` {{found an integer, expected a buffer}}
    T.buffer_store(3, 1, [0])
    # expected-error@+1 at `N` {{the indices is a buffer, expected a list}}
    T.buffer_store(A, 1, N)
