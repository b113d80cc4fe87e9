# Forms that the printer does not write, and the regions of blocks that say none.
# RUN: tenon-opt %s --split-input-file | FileCheck %s
# RUN: tenon-opt --verify-roundtrip --split-input-file %s -o %t

# CHECK-LABEL: def casts(
# CHECK-NEXT:     A[0] = T.Cast("float32", n)
# CHECK-NEXT:     B[0] = T.Cast("int32", x)
# CHECK-NEXT:     B[1] = 1
# CHECK-NEXT:     B[2] = (n + 4 - 1) // 4
# CHECK-NEXT:     A[1] = T.Cast("float32", n)
# CHECK-NEXT:     B[3] = T.Cast("int32", T.float32(3.7000000000000002))
# CHECK-NEXT:     B[4] = 1

@T.prim_func
def casts(n: T.int32, x: T.float32, v: T.float32x4, A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "int32")):
    A[0] = T.float32(n)
    B[0] = T.int32(x)
    B[1] = T.int32(1.5)
    B[2] = T.ceildiv(n, 4)
    A[1] = T.cast(n, "float32")
    B[3] = T.cast(3.7, "int32")
    B[4] = T.int32(True)

# -----

# CHECK-LABEL: def old_let(
# CHECK-NEXT:     t = T.int32()
# CHECK-NEXT:     B[0] = T.Let(t * t, where={t: n + 1})
# CHECK-NEXT:     u = T.int32()
# CHECK-NEXT:     B[1] = T.Let(u * 2, where={u: n})
# CHECK-NEXT:     m: T.int32 = n
# CHECK-NEXT:     B[2] = m

@T.prim_func
def old_let(n: T.int32, B: T.Buffer((16,), "int32")):
    t = T.var("int32")
    u = T.Var("u", "int32")
    B[0] = T.let(t, n + 1, t * t)
    B[1] = T.Let(u * 2, where={u: n})
    m = T.meta_var(n)
    B[2] = m

# -----

# CHECK-LABEL: def escapes(
# CHECK-NEXT:     T.func_attr({"a": "A0\x00", "b": "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "c": "\\d", "d": "A", "e": "onetwo"})
# CHECK-NEXT:     T.evaluate(0)

@T.prim_func
def escapes():
    T.func_attr({"a": "\101\60\0", "b": "\u00e9\u20ac\U0001F600", "c": "\d", "d": "\x41", "e": "one\
two"})
    T.evaluate(0)

# -----

# CHECK-LABEL: def regions(
# CHECK-NEXT:     # with T.block("root"):
# CHECK-NEXT:     for i in range(8):
# CHECK-NEXT:         with T.block("copy"):
# CHECK-NEXT:             vi = T.axis.spatial(8, i)
# CHECK-NEXT:             T.reads(A[vi, 0:8], B[0:8, 0:8])
# CHECK-NEXT:             T.writes(B[vi, 0:8])
# CHECK-NEXT:             C = T.match_buffer(A[vi, 0:8], (1, 8))
# CHECK-NEXT:             B[vi, 0] = C[0, 0]

@T.prim_func
def regions(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
    for i in range(8):
        with T.block("copy"):
            vi = T.axis.spatial(8, i)
            T.reads(A[vi, 0:8], B)
            T.writes(B[vi, :])
            C = T.match_buffer(A[vi, 0:8])
            B[vi, 0] = C[0, 0]

# -----

# CHECK-LABEL: def reaches(
# CHECK-NEXT:     # with T.block("root"):
# CHECK-NEXT:     for i, j in T.grid(4, 4):
# CHECK-NEXT:         with T.block("copy"):
# CHECK-NEXT:             vi, vj = T.axis.remap("SS", [i, j])
# CHECK-NEXT:             T.reads(A[vj * 4:vj * 4 + 4])
# CHECK-NEXT:             T.writes(B[vi * 4:vi * 4 + 4])
# CHECK-NEXT:             B[vi * 4:vi * 4 + 4] = A[vj * 4:vj * 4 + 4]

@T.prim_func
def reaches(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i, j in T.grid(4, 4):
        with T.block("copy"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[T.Ramp(vi * 4, 1, 4)] = A[T.Ramp(vj * 4, 1, 4)]

# -----

# CHECK-LABEL: def reaches2(
# CHECK-NEXT:     # with T.block("root"):
# CHECK-NEXT:     for i, j in T.grid(4, 4):
# CHECK-NEXT:         with T.block("copy"):
# CHECK-NEXT:             vi, vj = T.axis.remap("SS", [i, j])
# CHECK-NEXT:             T.reads(A[T.min(T.min(T.max(n, vj), T.min(T.min(vi, 2), vj * -1 + 7)), vi * vj):T.min(T.min(T.max(n, vj), T.min(T.min(vi, 2), vj * -1 + 7)), vi * vj) + (T.max(T.max(T.max(n, vj), T.max(T.min(vi, 2), vj * -1 + 7)), vi * vj) - T.min(T.min(T.max(n, vj), T.min(T.min(vi, 2), vj * -1 + 7)), vi * vj) + 1)])
# CHECK-NEXT:             T.writes(B[vi * 4 + vj % 3])
# CHECK-NEXT:             B[vi * 4 + vj % 3] = A[7 - vj] + A[T.min(vi, 2)] + A[T.max(vj, n)] + A[vi * vj]

@T.prim_func
def reaches2(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), n: T.int32):
    for i, j in T.grid(4, 4):
        with T.block("copy"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi * 4 + vj % 3] = A[7 - vj] + A[T.min(vi, 2)] + A[T.max(vj, n)] + A[vi * vj]

# -----

# CHECK-LABEL: def inner(
# CHECK-NEXT:     with T.block("outer"):
# CHECK-NEXT:         T.reads(A[0:54])
# CHECK-NEXT:         T.writes(B[0:15])
# CHECK-NEXT:         for i in range(8):
# CHECK-NEXT:             B[i * 2] = A[7 - i] + A[i % 3 + 20] + A[T.min(i, 2) + 30] + A[T.max(i, 5) + 40] + A[i // 2 + 50]

@T.prim_func
def inner(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    with T.block("outer"):
        for i in range(8):
            B[i * 2] = A[7 - i] + A[i % 3 + 20] + A[T.min(i, 2) + 30] + A[T.max(i, 5) + 40] + A[i // 2 + 50]

# -----

# CHECK-LABEL: def axes(
# CHECK-NEXT:     k = T.launch_thread("threadIdx.x", 8)
# CHECK-NEXT:     A[k] = T.float32(1)

@T.prim_func
def axes(A: T.Buffer((8,), "float32")):
    k = T.iter_var(T.var("int32"), T.Range(8), "ThreadIndex", "threadIdx.x")
    with T.attr(k, "thread_extent", 8):
        A[k.var] = 1

# -----

# T.launch_thread gives the variable the domain of the extent, and the kind "ThreadIndex"; all
# others are attributes.
# CHECK-LABEL: def fewer_threads(
# CHECK-NEXT:     k = T.int32()
# CHECK-NEXT:     T.attr(T.iter_var(k, T.Range(0, 8), "ThreadIndex", "threadIdx.x"), "thread_extent", 4)
# CHECK-LABEL: def without_domain(
# CHECK-NEXT:     k = T.int32()
# CHECK-NEXT:     T.attr(T.iter_var(k, None, "ThreadIndex", "threadIdx.x"), "thread_extent", 4)
# CHECK-LABEL: def of_another_kind(
# CHECK-NEXT:     k = T.int32()
# CHECK-NEXT:     T.attr(T.iter_var(k, T.Range(0, 8), "Unrolled", "threadIdx.x"), "thread_extent", 8)
# CHECK-LABEL: def of_another_key(
# CHECK-NEXT:     k = T.int32()
# CHECK-NEXT:     T.attr(T.iter_var(k, T.Range(0, 8), "ThreadIndex", "vthread"), "thread_extent", 8)

@T.prim_func
def fewer_threads(A: T.Buffer((8,), "float32")):
    k = T.iter_var(T.var("int32"), T.Range(8), "ThreadIndex", "threadIdx.x")
    with T.attr(k, "thread_extent", 4):
        A[k.var] = 1

# -----

@T.prim_func
def without_domain(A: T.Buffer((8,), "float32")):
    k = T.iter_var(T.var("int32"), None, "ThreadIndex", "threadIdx.x")
    with T.attr(k, "thread_extent", 4):
        A[k.var] = 1

# -----

@T.prim_func
def of_another_kind(A: T.Buffer((8,), "float32")):
    k = T.iter_var(T.var("int32"), T.Range(8), "Unrolled", "threadIdx.x")
    with T.attr(k, "thread_extent", 8):
        A[k.var] = 1

# -----

@T.prim_func
def of_another_key(A: T.Buffer((8,), "float32")):
    k = T.iter_var(T.var("int32"), T.Range(8), "ThreadIndex", "vthread")
    with T.attr(k, "thread_extent", 8):
        A[k.var] = 1

# -----

# A number of threads is an integer; other numbers are only attributes.
# CHECK-LABEL: def no_axes(
# CHECK-NEXT:     k = T.int32()
# CHECK-NEXT:     T.attr(T.iter_var(k, T.Range(0, 8), "ThreadIndex", "threadIdx.x"), "thread_extent", T.float32(0.5))
# CHECK-NEXT:     A[k] = T.float32(1)

@T.prim_func
def no_axes(A: T.Buffer((8,), "float32")):
    k = T.iter_var(T.var("int32"), T.Range(8), "ThreadIndex", "threadIdx.x")
    with T.attr(k, "thread_extent", 0.5):
        A[k.var] = 1

# -----

# T.launch_thread gives the variable the dtype of the extent.
# CHECK-LABEL: def narrow_axis(
# CHECK-NEXT:     k = T.int8()
# CHECK-NEXT:     T.attr(T.iter_var(k, T.Range(0, 8), "ThreadIndex", "threadIdx.x"), "thread_extent", 8)
# CHECK-NEXT:     A[k] = T.float32(1)

@T.prim_func
def narrow_axis(A: T.Buffer((8,), "float32")):
    k = T.iter_var(T.var("int8"), T.Range(8), "ThreadIndex", "threadIdx.x")
    with T.attr(k, "thread_extent", 8):
        A[k.var] = 1

# -----

# CHECK-LABEL: def call(
# CHECK-NEXT:     A[0] = T.exp(x)
# CHECK-NEXT:     A[1] = T.exp(x)
# CHECK-NEXT:     T.tvm_access_ptr(T.type_annotation("float32"), A.data, 0, 8, 1)
# CHECK-NEXT:     T.tvm_access_ptr(T.type_annotation("float32"), A.data, 2, 4, 3)
# CHECK-NEXT:     T.tvm_access_ptr(T.type_annotation("float32"), A.data, 0, 8, 2)
# CHECK-NEXT:     A[2] = T.float32(3)
# CHECK-NEXT:     A[3] = x

@T.prim_func
def call(x: T.float32, A: T.Buffer((8,), "float32")):
    A[0] = T.call_intrin("tir.exp", x, dtype="float32")
    A[1] = T.Call("float32", "tir.exp", [x])
    T.evaluate(A.access_ptr("r"))
    T.evaluate(A.access_ptr("rw", offset=2, extent=4))
    T.evaluate(A.access_ptr(2))
    d = A.dtype
    A[2] = T.cast(3, A.dtype)
    A[3] = x.astype("float32")

# -----

# CHECK-LABEL: def statements(
# CHECK-NEXT:     A[0] = T.float32(1)
# CHECK-NEXT:     A[1] = T.float32(2)
# CHECK-NEXT:     for i in range(2):
# CHECK-NEXT:         A[i] = T.float32(3)
# CHECK-NEXT:         A[i + 1] = T.float32(4)
# CHECK-NEXT:     A[0] = A[0] + T.float32(1)
# CHECK-NEXT:     A[1] = T.float32(2)
# CHECK-NEXT:     A[5] = T.float32(3)
# CHECK-NEXT:     T.evaluate(T.Cast("int32", A[0]))

@T.prim_func
def statements(A: T.Buffer((8,), "float32")):
    if True: A[0] = 1; A[1] = 2
    for i in range(2): A[i] = 3; A[i + 1] = 4
    None
    "a comment"
    A[0] += 1
    (A[1]) = 2
    T.buffer_store(A, T.float32(3), [5])
    T.evaluate(A[0].astype("int32"))
