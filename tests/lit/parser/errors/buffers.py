# Declarations of buffers, and accesses.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def match_buffer_arguments(a: T.handle, b: T.handle):
    # expected-error@+1 at `foo` {{`match_buffer` has no argument `foo` [arguments]}}
    A = T.match_buffer(a, (8,), foo=3)
    # expected-error@+1 at `T.match_buffer(b)` {{`match_buffer` lacks its argument `shape` [arguments]}}
    B = T.match_buffer(b)
    # expected-error@+1 at `T.match_buffer()` {{`match_buffer` lacks its argument `param` [arguments]}}
    C = T.match_buffer()
    # expected-error@+1 at `z` {{`z` is not defined here [undefined-name]}}
    D = T.match_buffer(z, (8,))
    # expected-error@+1 at `3` {{the storage scope is an integer, expected a string [arguments]}}
    E = T.match_buffer(a, (8,), "float32", scope=3)
    T.evaluate(0)

# -----

@T.prim_func
def offsets(a: T.handle, x: T.float32):
    # expected-error@+1 at `"x"` {{the offset is a string, expected an integer [type]}}
    A = T.match_buffer(a, (8,), elem_offset="x")
    # expected-error@+1 at `x` {{the offset is of dtype `float32`, expected an integer [type]}}
    B = T.match_buffer(a, (8,), elem_offset=x)
    # expected-error@+1 at `-1` {{offset factor -1, expected 0 to 2^30 [arguments]}}
    C = T.match_buffer(a, (8,), offset_factor=-1)
    # expected-error@+1 at `"x"` {{the offset factor is a string, expected an integer [arguments]}}
    D = T.match_buffer(a, (8,), offset_factor="x")
    T.evaluate(0)

# -----

@T.prim_func
def data(a: T.handle, n: T.int32):
    # expected-error@+1 at `3` {{the data of a buffer, expected a variable of pointer type such as `T.handle("float32")` [type]}}
    A = T.decl_buffer((8,), "float32", data=3)
    # expected-error@+1 at `a` {{the data of a buffer, expected a variable of pointer type such as `T.handle("float32")` [type]}}
    B = T.Buffer((8,), "float32", data=a)
    # expected-error@+1 at `"x"` {{the data of a buffer, expected a variable of pointer type such as `T.handle("float32")` [type]}}
    C = T.Buffer((8,), "float32", data="x")
    # expected-error@+1 at `n + 1` {{the data of a buffer, expected a variable of pointer type such as `T.handle("float32")` [type]}}
    D = T.Buffer((8,), "float32", data=n + 1)
    A[0] = B[0] + C[0] + D[0]

# -----

@T.prim_func
def strides():
    # expected-error@+1 at `("a", 3, 4)` {{3 strides for 1 dimensions [arguments]}}
    A = T.Buffer((8,), strides=("a", 3, 4))
    # expected-error@+1 at `3` {{1 strides for 2 dimensions [arguments]}}
    B = T.Buffer((8, 8), strides=3)
    # expected-error@+1 at `"x"` {{the list of strides is a string, expected a list [arguments]}}
    C = T.Buffer((8,), strides="x")
    T.evaluate(0)

# -----

@T.prim_func
def alignment():
    # expected-error@+1 at `48` {{alignment 48, expected a power of two [arguments]}}
    A = T.Buffer((8,), align=48)
    # expected-error@+1 at `"x"` {{the alignment is a string, expected an integer [arguments]}}
    B = T.Buffer((8,), align="x")
    # expected-error@+1 at `4294967296` {{alignment 4294967296, expected a power of two [arguments]}}
    C = T.Buffer((8,), align=4294967296)
    T.evaluate(0)

# -----

@T.prim_func
def extents(n: T.int32):
    # expected-error@+1 at `-1` {{extent -1, expected 0 or more [constant-shape]}}
    A = T.Buffer((8, -1))
    # expected-error@+1 at `"x"` {{extent is a string, expected an integer [type]}}
    B = T.Buffer((8, "x"))
    # expected-error@+1 at `0.5` {{extent of dtype `float32`, expected an integer [type]}}
    C = T.Buffer((8, 0.5))
    # expected-error@+1 at `T.Broadcast(n, 4)` {{extent of dtype `int32x4`, expected an integer [type]}}
    D = T.Buffer((n < 1, T.Broadcast(n, 4)))
    T.evaluate(0)

# -----

@T.prim_func
def huge_extents():
    # expected-error@+1 at `(1000000000000000000,)` {{the size is 2^62 bytes or more [limit]}}
    A = T.Buffer((1000000000000000000,), "float64")
    # expected-error@+1 at `(3037000500, 3037000500)` {{the size is 2^62 bytes or more [limit]}}
    B = T.Buffer((3037000500, 3037000500), "int8")
    # expected-error@+1 at `(2147483648, 2147483648)` {{the size is 2^62 bytes or more [limit]}}
    C = T.Buffer((2147483648, 2147483648), "int8")
    # expected-error@+1 at `9223372036854775808` {{integer does not fit int64, expected it in `T.uint64(...)` [literal]}}
    D = T.Buffer((9223372036854775808,), "int8")
    E = T.Buffer((4294967296, 4294967296, 4294967296, 0), "int8")
    T.evaluate(0)

# -----

@T.prim_func
def huge_allocations(n: T.int32):
    # expected-error@+1 at `[1000000000000000000, n]` {{the size is 2^62 bytes or more [limit]}}
    a = T.allocate([1000000000000000000, n], "float64", "global")
    # expected-error@+1 at `[65536, 65536, 65536, 65536]` {{the size is 2^62 bytes or more [limit]}}
    b = T.allocate([65536, 65536, 65536, 65536], "int8", "global")
    T.evaluate(0)

# -----

@T.prim_func
def allocations(n: T.int32):
    # expected-error@+1 at `T.allocate()` {{`allocate` lacks its argument `extents` [arguments]}}
    a = T.allocate()
    # expected-error@+1 at `T.allocate([4])` {{`allocate` lacks its argument `dtype` [arguments]}}
    b = T.allocate([4])
    # expected-error@+1 at `"int33"` {{expected a dtype such as `float32`, found `int33` [type]}}
    c = T.allocate([4], "int33", "global")
    # expected-error@+1 at `3` {{the storage scope is an integer, expected a string [arguments]}}
    d = T.allocate([4], "int32", 3)
    # expected-error@+1 at `-4` {{extent -4, expected 0 or more [constant-shape]}}
    e = T.allocate([-4], "int32", "global")
    # expected-error@+1 at `"x"` {{the list of extents is a string, expected a list [arguments]}}
    f = T.allocate("x", "int32", "global")
    # expected-error@+1 at `[]` {{found a list, expected a dict [arguments]}}
    g = T.allocate([4], "int32", "global", annotations=[])
    T.evaluate(0)

# -----

@T.prim_func
def indices(A: T.Buffer((8,), "float32"), n: T.int32, x: T.float32):
    # expected-error@+1 at `"x"` {{index is a string, expected an integer [type]}}
    A["x"] = 1
    # expected-error@+1 at `1.5` {{index is of dtype `float32`, expected an integer [type]}}
    A[1.5] = 1
    # expected-error@+1 at `x` {{index is of dtype `float32`, expected an integer [type]}}
    A[x] = 1
    # expected-error@+1 at `n < 1.5` {{comparison of `int32` with `float32`, expected equal dtypes [type]}}
    A[n < 1.5] = 1
    # expected-error@+1 at `None` {{found `None`, expected an expression [type]}}
    A[None] = 1
    # expected-error@+1 at `"y"` {{index is a string, expected an integer [type]}}
    A[0] = A["y"]
    # expected-error@+1 at `A[0]` {{index is of dtype `float32`, expected an integer [type]}}
    A[A[0]] = 1
    # expected-error@+1 at `"x"` {{index is a string, expected an integer [type]}}
    A["x":n] = 1

# -----

@T.prim_func
def subscripts(A: T.Buffer((8,), "float32"), n: T.int32):
    # expected-error@+1 at `[]` {{wrong number of indices of `A`: expected 1, found 0 [type]}}
    A[] = 1
    # expected-error@+1 at `A[0][0]` {{an element or region of a buffer has no elements [type]}}
    A[0][0] = 1
    # expected-error@+1 at `[0, 0]` {{wrong number of indices of `A`: expected 1, found 2 [type]}}
    A[0, 0] = 1
    # expected-error@+1 at `n[0]` {{an expression has no elements [type]}}
    n[0] = 1
    # expected-error@+1 at `A.data[0]` {{an expression has no elements [type]}}
    A.data[0] = 1
    # expected-error@+1 at `3` {{index 3 of a list of 1 [arguments]}}
    T.evaluate(A.shape[3])
    # expected-error@+1 at `0` {{index 0 of a list of 0 [arguments]}}
    T.evaluate(A.strides[0])
    # expected-error@+1 at `"x"` {{the index is a string, expected an integer [arguments]}}
    T.evaluate(A.shape["x"])

# -----

@T.prim_func
def slices(A: T.Buffer((8,), "float32"), n: T.int32, m: T.int32):
    # expected-error@+1 at `0:8:0` {{the number of elements of the slice is not a constant [type]}}
    A[0:8:0] = T.Broadcast(T.float32(1), 8)
    # expected-error@+1 at `0:1000000` {{slice of 1000000 elements, expected 1 to 32767 [type]}}
    A[0:1000000] = T.Broadcast(T.float32(1), 8)
    # expected-error@+1 at `:` {{found `:`, expected `,` or `]` [syntax]}}
    A[0:2:3:4] = 1
    # expected-error@+1 at `0:n` {{the number of elements of the slice is not a constant [type]}}
    T.evaluate(A[0:n])
    # expected-error@+1 at `m:n + 4` {{the number of elements of the slice is not a constant [type]}}
    A[m:n + 4] = T.Broadcast(T.float32(1), 4)
    # expected-error@+1 at `m + 1:n + 4` {{the number of elements of the slice is not a constant [type]}}
    A[m + 1:n + 4] = T.Broadcast(T.float32(1), 3)
    # expected-error@+1 at `8:0` {{slice of 0 elements, expected 1 to 32767 [type]}}
    T.evaluate(A[8:0])
    # expected-error@+1 at `0:8:n` {{the number of elements of the slice is not a constant [type]}}
    T.evaluate(A[0:8:n])
    # expected-error@+1 at `:` {{only buffers can be sliced [type]}}
    T.evaluate((n, n)[0:1])

# -----

@T.prim_func
def stored_values(A: T.Buffer((8,), "float32"), p: T.handle("float32")):
    # expected-error@+1 at `"x"` {{expected a value of dtype `float32`, found a string [type]}}
    A[0] = "x"
    # expected-error@+1 at `p` {{expected a value of dtype `float32`, found `handle` [type]}}
    A[1] = p
    # expected-error@+1 at `A` {{expected an element of the buffer or its `.data`, found the buffer [type]}}
    A[2] = A
    # expected-error@+1 at `None` {{found `None`, expected an expression [type]}}
    A[3] = None
    # expected-error@+1 at `[1]` {{found a list, expected an expression [type]}}
    A[4] = [1]
    # expected-error@+1 at `T.evaluate(1)` {{found a statement, expected an expression [type]}}
    A[5] = T.evaluate(1)

# -----

@T.prim_func
def methods(A: T.Buffer((8,), "float32"), n: T.int32):
    # expected-error@+1 at `"float32x4x4"` {{expected a dtype such as `float32`, found `float32x4x4` [type]}}
    T.evaluate(A.vload([0], "float32x4x4"))
    # expected-error@+1 at `"int32x4"` {{access of `int32x4` to `A`, which has `float32` [type]}}
    T.evaluate(A.vload([0], "int32x4"))
    # expected-error@+1 at `A.vload([0, 0])` {{wrong number of indices of `A`: expected 1, found 2 [type]}}
    T.evaluate(A.vload([0, 0]))
    # expected-error@+1 at `"q"` {{access mask, expected "r", "w" or "rw", or 1 to 3 [arguments]}}
    T.evaluate(A.access_ptr("q"))
    # expected-error@+1 at `9` {{access mask, expected "r", "w" or "rw", or 1 to 3 [arguments]}}
    T.evaluate(A.access_ptr(9))
    # expected-error@+1 at `1.5` {{the access mask is a floating number, expected an integer [arguments]}}
    T.evaluate(A.access_ptr(1.5))
    # expected-error@+1 at `A.vstore([0])` {{`vstore` lacks its argument `value` [arguments]}}
    A.vstore([0])
    # expected-error@+1 at `["x"]` {{index is a string, expected an integer [type]}}
    A.vstore(["x"], 1.0)
    # expected-error@+1 at `A.vload` {{assignment to a function that is not called, expected a name or an element of a buffer [syntax]}}
    A.vload = 3

# -----

@T.prim_func
def more_than_all_lanes(A: T.Buffer((8,), "float32x4096"), v: T.int32x16):
    # expected-error@+1 at `A[v]` {{access of 65536 lanes, at most 32767 are possible [limit]}}
    T.evaluate(A[v])

# -----

@T.prim_func
def elements_of_nothing():
    # expected-error@+1 at `""` {{elements of `void` [type]}}
    A = T.Buffer((4,), "")
    # expected-error@+1 at `"void"` {{elements of `void` [type]}}
    B = T.allocate([4], "void", "global")
    # expected-error@+1 at `""` {{elements of `void` [type]}}
    C = T.allocate_const([1], "", [1])
    T.evaluate(0)
