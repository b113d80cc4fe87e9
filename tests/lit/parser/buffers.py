# Buffers: defaults, declarations and their scopes.
# RUN: tenon-opt %s --split-input-file | FileCheck %s --strict-whitespace
# RUN: tenon-opt %s --split-input-file | tenon-opt - --split-input-file | FileCheck %s --strict-whitespace
# RUN: tenon-opt --verify-roundtrip --split-input-file %s -o %t

# CHECK: @T.prim_func
# CHECK-NEXT: def defaults(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4,), "int8"), C: T.Buffer((), "float32"), D: T.Buffer((4,), "int8")):
# CHECK-NEXT:     A[0, 0] = T.float32(1)
# CHECK-NEXT:     B[0] = T.int8(1)
# CHECK-NEXT:     C[()] = T.float32(1)
# CHECK-NEXT:     D[0] = T.int8(1)

@T.prim_func
def defaults(A: T.Buffer((4, 4)), B: T.Buffer(4, "int8"), C: T.Buffer(()), D: T.Buffer[(4,), "int8"]):
    A[0, 0] = 1
    B[0] = 1
    C[()] = 1
    D[0] = 1

# -----

# CHECK: @T.prim_func
# CHECK-NEXT: def symbolic(a: T.handle, b: T.handle):
# CHECK-NEXT:     n, m = T.int32(), T.int32()
# CHECK-NEXT:     A = T.match_buffer(a, (n, m))
# CHECK-NEXT:     B = T.match_buffer(b, (n,), "float16", strides=("s",), scope="global.vtcm", align=16, offset_factor=4)
# CHECK-NEXT:     A[0, 0] = A[n - 1, m - 1] + T.Cast("float32", B[0])

@T.prim_func
def symbolic(a: T.handle, b: T.handle):
    n, m = T.int32(), T.int32()
    A = T.match_buffer(a, (n, m), "float32")
    B = T.match_buffer(b, (n,), "float16", strides=("s",), align=16, offset_factor=4, scope="global.vtcm")
    A[0, 0] = A[n - 1, m - 1] + B[0]

# -----

# CHECK: @T.prim_func
# CHECK-NEXT: def concise(A: T.Buffer((8,), "float32")):
# CHECK-NEXT:     a = T.allocate([8], "float32", "global")
# CHECK-NEXT:     C = T.decl_buffer((2, 4), data=a)
# CHECK-NEXT:     D = T.decl_buffer((8,), "int8")
# CHECK-NEXT:     B = T.Buffer((8,), data=a)
# CHECK-NEXT:     B[0] = A[0]
# CHECK-NEXT:     C[0, 0] = B[0]
# CHECK-NEXT:     D[0] = T.int8(1)

@T.prim_func
def concise(A: T.Buffer((8,), "float32")):
    a = T.allocate([8], "float32", "global")
    B = T.Buffer((8,), data=a)
    C = T.decl_buffer((2, 4), data=a)
    D = T.decl_buffer((8,), "int8")
    B[0] = A[0]
    C[0, 0] = B[0]
    D[0] = 1

# -----

# CHECK: @T.prim_func
# CHECK-NEXT: def with_forms(A: T.Buffer((8,), "float32"), n: T.int32):
# CHECK-NEXT:     with T.allocate([8], "float32", "global") as a:
# CHECK-NEXT:         B = T.Buffer((8,), data=a)
# CHECK-NEXT:         B[0] = A[0]
# CHECK-NEXT:     with T.allocate([8], "float32", "global", n > 0, annotations={"k": 1}) as c:
# CHECK-NEXT:         T.evaluate(c)
# CHECK-NEXT:     with T.decl_buffer((8,), data=A.data) as D:
# CHECK-NEXT:         D[0] = T.float32(1)
# CHECK-NEXT:     with T.LetStmt(n + 1) as x:
# CHECK-NEXT:         T.evaluate(x)
# CHECK-NEXT:     with T.attr(0, "key", 1):
# CHECK-NEXT:         assert n > 0, "positive"
# CHECK-NEXT:         T.evaluate(n)
# CHECK-NEXT:     T.evaluate(n)

@T.prim_func
def with_forms(A: T.Buffer((8,), "float32"), n: T.int32):
    with T.allocate([8], "float32", "global") as a:
        B = T.Buffer((8,), data=a)
        B[0] = A[0]
    with T.allocate([8], "float32", "global", n > 0, annotations={"k": 1}) as c:
        T.evaluate(c)
    with T.decl_buffer((8,), "float32", data=A.data) as D:
        D[0] = 1
    with T.LetStmt(n + 1) as x:
        T.evaluate(x)
    with T.attr(0, "key", 1), T.Assert(n > 0, "positive"):
        T.evaluate(n)
    T.evaluate(n)

# -----

# CHECK: @T.prim_func
# CHECK-NEXT: def attributes(A: T.Buffer((4, 8), "float32")):
# CHECK-NEXT:     T.evaluate(8)
# CHECK-NEXT:     T.call_extern("int32", "f", A.data, A.data)
# CHECK-NEXT:     T.call_packed("g", T.tvm_stack_make_array(A.data, T.tvm_stack_make_shape(4, 8), 0, 2, T.float32(0), 0))
# CHECK-NEXT:     T.tvm_access_ptr(T.type_annotation("float32"), A.data, 8, 24, 1)
# CHECK-NEXT:     T.address_of(A[1, 2])

@T.prim_func
def attributes(A: T.Buffer((4, 8), "float32")):
    T.evaluate(A.shape[1])
    T.call_extern("int32", "f", A.data, A)
    T.call_packed("g", A)
    T.evaluate(A.access_ptr("r", offset=8))
    T.evaluate(T.address_of(A[1, 2]))

# -----

# CHECK: @T.prim_func
# CHECK-NEXT: def blocks(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8,), "float32")):
# CHECK-NEXT:     # with T.block("root"):
# CHECK-NEXT:     C = T.alloc_buffer((8, 8))
# CHECK-NEXT:     for i, j in T.grid(8, 8):
# CHECK-NEXT:         with T.block("copy"):
# CHECK-NEXT:             vi, vj = T.axis.remap("SS", [i, j])
# CHECK-NEXT:             T.reads(A[vi, vj])
# CHECK-NEXT:             T.writes(C[vi, vj])
# CHECK-NEXT:             C[vi, vj] = A[vi, vj]
# CHECK-NEXT:     for i, j in T.grid(8, 8):
# CHECK-NEXT:         with T.block("sum"):
# CHECK-NEXT:             vi, vj = T.axis.remap("SR", [i, j])
# CHECK-NEXT:             T.where(i < 4)
# CHECK-NEXT:             T.reads(C[vi, vj])
# CHECK-NEXT:             T.writes(B[vi])
# CHECK-NEXT:             with T.init():
# CHECK-NEXT:                 B[vi] = T.float32(0)
# CHECK-NEXT:             B[vi] = B[vi] + C[vi, vj]

@T.prim_func
def blocks(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8,), "float32")):
    C = T.alloc_buffer((8, 8))
    for i, j in T.grid(8, 8):
        with T.block("copy"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj]
    for i, j in T.grid(8, 8):
        with T.block("sum"):
            vi = T.axis.S(8, i)
            vj = T.axis.reduce(8, j)
            T.where(i < 4)
            with T.init():
                B[vi] = 0
            B[vi] += C[vi, vj]
