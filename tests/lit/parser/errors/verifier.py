# The verifier's rules that a text can break: the parser itself refuses the rest.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

@T.prim_func
def v01_pointers_are_no_numbers(p: T.handle("float32"), q: T.handle("float32")):
    # expected-error@+1 at `p + q` {{operands of Add have dtype `handle` [V01-operand-dtypes]}}
    T.evaluate(p + q)
    # expected-error@+1 at `T.Mul(p, q)` {{operands of Mul have dtype `handle` [V01-operand-dtypes]}}
    T.evaluate(T.Mul(p, q))
    # expected-error@+1 at `p < q` {{operands of LT have dtype `handle` [V01-operand-dtypes]}}
    T.evaluate(p < q)

# -----

@T.prim_func
def v02_out_of_scope(A: T.Buffer((8,), "float32")):
    # expected-note@+1 at `T.int32()` {{it is declared here}}
    m = T.int32()
    # expected-error@+1 at `A[m] = T.float32(1)` {{variable `m` is used but never defined [V02-use-before-definition]}}
    A[m] = T.float32(1)
    c = T.decl_buffer((m,), "float32", data=A.data)
    A[1] = c[0]

# -----

@T.prim_func
def v02_fresh_pointer(A: T.Buffer((8,), "float32")):
    # expected-note@+1 at `T.Buffer((8,), "float32")` {{it is declared here}}
    B = T.Buffer((8,), "float32")
    # expected-error@+1 at `B[0]` {{variable `B` is used but never defined [V02-use-before-definition]}}
    A[0] = B[0]

# -----

@T.prim_func
def v03_let_of_a_parameter(n: T.int32):
    # expected-error@+1 at `with T.LetStmt(n, var=n)` {{variable `n` is defined twice [V03-redefinition]}}
    with T.LetStmt(n, var=n):
        T.evaluate(n)

# -----

@T.prim_func
def v03_two_lets(n: T.int32):
    m = T.int32()
    with T.LetStmt(n, var=m):
        T.evaluate(m)
    # expected-error@+1 at `with T.LetStmt(n + 1, var=m)` {{variable `m` is defined twice [V03-redefinition]}}
    with T.LetStmt(n + 1, var=m):
        T.evaluate(m)

# -----

@T.prim_func
def v05_vectors_of_indices(A: T.Buffer((8, 8), "float32"), v: T.int32x4):
    # expected-error@+1 at `A[v, 0] = T.float32(1)` {{only the last index may be a vector [V05-index-dtype]}}
    A[v, 0] = T.float32(1)
    # expected-error@+1 at `T.Ramp(0, 1, 4)` {{only the last index may be a vector [V05-index-dtype]}}
    T.evaluate(A[T.Ramp(0, 1, 4), v])

# -----

@T.prim_func
def size_with_lanes(n: T.int32):
    # expected-error@+1 at `(1073741824, 1073741824)` {{the size is 2^62 bytes or more [limit]}}
    B = T.Buffer((1073741824, 1073741824), "float32x4")
    T.evaluate(0)

# -----

@T.prim_func
def v24_through_a_flat_view(A: T.Buffer((4,), "int8")):
    c = T.allocate_const([1, 2, 3, 4], "int8", [2, 2])
    C = T.Buffer((4,), "int8", data=c)
    # expected-error@+1 at `5` {{index 5 of buffer `C` is out of bounds: dimension 0 has extent 4 [V24-constant-fault]}}
    A[0] = C[5]

# -----

@T.prim_func
def v11_store():
    # expected-note@+1 at `c = T.allocate_const([1, 2, 3], "float32", [3])` {{the constant is here}}
    c = T.allocate_const([1, 2, 3], "float32", [3])
    C = T.Buffer((3,), data=c)
    # expected-error@+1 at `C[0] = T.float32(1)` {{store to buffer `C`, which lies in the constant `c` [V11-store-to-constant]}}
    C[0] = T.float32(1)

# -----

@T.prim_func
def v11_store_through_an_alias():
    # expected-note@+1 at `c = T.allocate_const([1, 2, 3, 4], "int8", [4])` {{the constant is here}}
    c = T.allocate_const([1, 2, 3, 4], "int8", [4])
    p: T.handle("int8") = c
    C = T.Buffer((1,), "int32", data=p)
    # expected-error@+1 at `C[0] = 1` {{store to buffer `C`, which lies in the constant `c` [V11-store-to-constant]}}
    C[0] = 1

# -----

@T.prim_func
def v11_store_to_one_of_two_constants(n: T.int32):
    c = T.allocate_const([1, 2, 3, 4], "int32", [4])
    # expected-note@+1 at `d = T.allocate_const([5, 6, 7, 8], "int32", [4])` {{the constant is here}}
    d = T.allocate_const([5, 6, 7, 8], "int32", [4])
    a = T.allocate([4], "int32", "global")
    p: T.handle("int32") = T.Select(n > 0, c, d)
    P = T.Buffer((4,), "int32", data=p)
    # expected-error@+1 at `P[0] = 1` {{store to buffer `P`, which lies in the constant `d` [V11-store-to-constant]}}
    P[0] = 1
    # No constant if `n` is positive.
    q: T.handle("int32") = T.if_then_else(n > 0, a, d)
    Q = T.Buffer((4,), "int32", data=q)
    Q[0] = 1

# -----

@I.ir_module
class Module:
    @T.prim_func
    def v11_passed_to_a_writer():
        T.func_attr({"tenon.externs": {"read": ["r"], "write": ["w"]}})
        # expected-note@+2 at `c = T.allocate_const([1, 2, 3], "float32", [3])` {{the constant is here}}
        # expected-note@+1 at `c = T.allocate_const([1, 2, 3], "float32", [3])` {{the constant is here}}
        c = T.allocate_const([1, 2, 3], "float32", [3])
        T.call_extern("int32", "read", c)
        # expected-error@+1 at `T.call_extern("int32", "write", c)` {{constant `c` is passed to `write`, which writes to it [V11-store-to-constant]}}
        T.call_extern("int32", "write", c)
        # expected-error@+1 at `Module.stores(c)` {{constant `c` is passed to `stores`, which writes to it [V11-store-to-constant]}}
        Module.stores(c)

    @T.prim_func(private=True)
    def stores(a: T.handle):
        A = T.match_buffer(a, (3,))
        A[0] = T.float32(1)

# -----

@T.prim_func
def v12_loops(A: T.Buffer((8,), "float32")):
    # expected-error@+1 at `-1` {{loop extent -1 is negative [V12-loop]}}
    for i in range(-1):
        A[i] = T.float32(1)
    # expected-error@+1 at `2` {{loop extent -1 is negative [V12-loop]}}
    for i in range(3, 2):
        A[i] = T.float32(1)
    # expected-error@+1 at `for i in T.thread_binding(8, thread="")` {{a thread loop names no thread [V12-loop]}}
    for i in T.thread_binding(8, thread=""):
        A[i] = T.float32(1)

# -----

@I.ir_module
class Module:
    @T.prim_func
    def v14_calls_between_functions(n: T.int32, x: T.float32):
        # expected-error@+1 at `Module.g()` {{wrong number of arguments of `g`: expected 1, found 0 [V14-call]}}
        Module.g()
        # expected-error@+1 at `Module.g(n, n)` {{wrong number of arguments of `g`: expected 1, found 2 [V14-call]}}
        Module.g(n, n)
        # expected-error@+1 at `Module.g(x)` {{expected dtype `int32` for argument 1 of `g` (parameter `n`), found `float32` [V14-call]}}
        Module.g(x)
        # expected-error@+1 at `T.call_packed("g")` {{wrong number of arguments of `g`: expected 1, found 0 [V14-call]}}
        T.call_packed("g")
        # expected-error@+1 at `T.call_extern("int32", "g", n, n)` {{wrong number of arguments of `g`: expected 1, found 2 [V14-call]}}
        T.call_extern("int32", "g", n, n)

    @T.prim_func
    # expected-note@+4 at `g(n: T.int32)` {{it is defined here}}
    # expected-note@+3 at `g(n: T.int32)` {{it is defined here}}
    # expected-note@+2 at `g(n: T.int32)` {{it is defined here}}
    # expected-note@+1 at `g(n: T.int32)` {{it is defined here}}
    def g(n: T.int32):
        T.evaluate(n)

# -----

@T.prim_func
def v14_builtins(p: T.handle("float32"), n: T.int32):
    # expected-error@+1 at `T.call_extern("int32", 3)` {{the first argument of `call_extern` is not the name of a function [V14-call]}}
    T.call_extern("int32", 3)
    # expected-error@+1 at `T.call_packed(n)` {{the first argument of `call_packed` is not the name of a function [V14-call]}}
    T.call_packed(n)
    # expected-error@+1 at `T.exp(p)` {{argument of `exp` has dtype `handle`, expected a number [V14-call]}}
    T.evaluate(T.exp(p))
    # expected-error@+1 at `"x"` {{argument of `sqrt` is a string, expected a number [V14-call]}}
    T.evaluate(T.sqrt("x"))
    # expected-error@+1 at `T.popcount(p)` {{argument of `popcount` has dtype `handle`, expected a number [V14-call]}}
    T.evaluate(T.popcount(p))
    # expected-error@+1 at `3` {{argument of `lookup_param`, expected the name of a parameter [V14-call]}}
    T.evaluate(T.lookup_param(3))
    # expected-error@+1 at `T.address_of(n)` {{argument of `address_of`, expected an element of a buffer [V14-call]}}
    T.evaluate(T.address_of(n))
    # expected-error@+1 at `T.reinterpret("int64", n)` {{`reinterpret` of `int32` as `int64`, expected as many bits [V14-call]}}
    T.evaluate(T.reinterpret("int64", n))
    # expected-error@+1 at `T.reinterpret("float32x4", T.Broadcast(n, 2))` {{`reinterpret` of `int32x2` as `float32x4`, expected as many bits [V14-call]}}
    T.evaluate(T.reinterpret("float32x4", T.Broadcast(n, 2)))

# -----

@T.prim_func
def v14_dot_products(a: T.Buffer((8,), "int8"), b: T.Buffer((8,), "int16"), n: T.int32):
    # expected-error@+1 at `T.dp4a("int32", a[0:2], a[2:4], n)` {{`dp4a` of `int8x2`, `int8x2` and `int32`, expected two vectors of 4, 8 or 16 8-bit integers, and an `int32` to add to [V14-call]}}
    T.evaluate(T.dp4a("int32", a[0:2], a[2:4], n))
    # expected-error@+1 at `T.dp4a("int32", a[0:4], b[0:4], n)` {{`dp4a` of `int8x4`, `int16x4` and `int32`, expected two vectors of 4, 8 or 16 8-bit integers, and an `int32` to add to [V14-call]}}
    T.evaluate(T.dp4a("int32", a[0:4], b[0:4], n))
    # expected-error@+1 at `T.dp4a("uint32", a[0:4], a[4:8], n)` {{`dp4a` of `int8x4`, `int8x4` and `int32`, expected two vectors of 4, 8 or 16 8-bit integers, and an `uint32` to add to [V14-call]}}
    T.evaluate(T.dp4a("uint32", a[0:4], a[4:8], n))

# -----

@T.prim_func
def v15_condition_of_an_allocation(n: T.int32):
    # expected-error@+1 at `c = T.allocate([4], "float32", "global", n)` {{condition of an allocation has dtype `int32`, expected bool [V15-condition]}}
    c = T.allocate([4], "float32", "global", n)
    # expected-error@+1 at `"x"` {{condition of an allocation has dtype `handle`, expected bool [V15-condition]}}
    d = T.allocate([4], "float32", "global", condition="x")
    # expected-error@+1 at `1` {{condition of an allocation has dtype `int32`, expected bool [V15-condition]}}
    e = T.allocate([4], "float32", "global", 1)
    T.evaluate(c)

# -----

@T.prim_func
def v16_lanes(n: T.int32, v: T.int32x4):
    # expected-error@+1 at `T.Cast("int32x4", n)` {{cast from `int32` to `int32x4` changes the number of lanes [V16-lanes]}}
    T.evaluate(T.Cast("int32x4", n))
    # expected-error@+1 at `T.Cast("int32", v)` {{cast from `int32x4` to `int32` changes the number of lanes [V16-lanes]}}
    T.evaluate(T.Cast("int32", v))
    # expected-error@+1 at `T.Cast("float32x8", v)` {{cast from `int32x4` to `float32x8` changes the number of lanes [V16-lanes]}}
    T.evaluate(T.Cast("float32x8", v))

# -----

@T.prim_func
def v18_match_in_a_block(A: T.Buffer((8,), "float32")):
    with T.block("b"):
        # expected-error@+1 at `T.match_buffer(A[0:4], (5,))` {{buffer `B` has extent 5 where the region it is matched to has 4 [V18-buffer]}}
        B = T.match_buffer(A[0:4], (5,))
        B[0] = T.float32(1)

# -----

@I.ir_module
class Module:
    @T.prim_func
    # expected-note@+1 at `v21_first(n: T.int32)` {{the other function is here}}
    def v21_first(n: T.int32):
        T.func_attr({"global_symbol": "v21_second"})
        T.evaluate(n)

    @T.prim_func
    # expected-error@+1 at `v21_second(n: T.int32)` {{functions `v21_first` and `v21_second` have the same global symbol, `v21_second` [V21-symbol]}}
    def v21_second(n: T.int32):
        T.evaluate(n)

# -----

@T.prim_func
def v22_strings(n: T.int32, A: T.Buffer((8,), "float32")):
    # expected-error@+1 at `"x"` {{expected a value, found a string [V22-string]}}
    T.evaluate("x")
    # expected-error@+1 at `"text"` {{expected a value, found a string [V22-string]}}
    with T.LetStmt("text") as t:
        T.evaluate(t)
    T.attr(0, "key", "value is allowed here")
    T.evaluate(T.tvm_tuple("x", n))

# -----

@T.prim_func
def v24_faults(A: T.Buffer((8, 4), "float32"), n: T.int32):
    # expected-error@+1 at `8` {{index 8 of buffer `A` is out of bounds: dimension 0 has extent 8 [V24-constant-fault]}}
    A[8, 0] = T.float32(1)
    # expected-error@+1 at `-1` {{index -1 of buffer `A` is out of bounds: dimension 1 has extent 4 [V24-constant-fault]}}
    A[0, -1] = T.float32(1)
    # expected-error@+1 at `0:5` {{index 4 of buffer `A` is out of bounds: dimension 1 has extent 4 [V24-constant-fault]}}
    A[0, 0:5] = T.Broadcast(T.float32(1), 5)
    # expected-error@+1 at `T.Ramp(4, -1, 4)` {{index 4 of buffer `A` is out of bounds: dimension 1 has extent 4 [V24-constant-fault]}}
    A[0, T.Ramp(4, -1, 4)] = T.Broadcast(T.float32(1), 4)
    # expected-error@+1 at `4` {{index 4 of buffer `A` is out of bounds: dimension 1 has extent 4 [V24-constant-fault]}}
    A[0, 0] = A[0, 4]
    # expected-error@+1 at `T.Div(n, 0)` {{division by zero [V24-constant-fault]}}
    T.evaluate(T.Div(n, 0))
    # expected-error@+1 at `T.truncmod(n, 0)` {{division by zero [V24-constant-fault]}}
    T.evaluate(T.truncmod(n, 0))
    # expected-error@+1 at `T.FloorDiv(n, 0)` {{division by zero [V24-constant-fault]}}
    T.evaluate(T.FloorDiv(n, 0))
    # expected-error@+1 at `T.FloorMod(n, 0)` {{division by zero [V24-constant-fault]}}
    T.evaluate(T.FloorMod(n, 0))
    if n < 8:
        A[9, 0] = T.float32(1)

# -----

@T.prim_func
def v25_undeclared():
    c = T.allocate_const([1, 2, 3], "float32", [3])
    # expected-warning@+1 at `T.call_extern("int32", "somewhere", c)` {{constant `c` is passed to `somewhere`, which is assumed to only read it; declare the function in `tenon.externs` [V25-undeclared-extern]}}
    T.call_extern("int32", "somewhere", c)
    T.call_pure_extern("int32", "elsewhere", c)
