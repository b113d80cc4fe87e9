# Hand-written text, and how it is printed.
# RUN: tenon-opt %s --split-input-file | FileCheck %s --strict-whitespace
# RUN: tenon-opt %s --split-input-file | tenon-opt - --split-input-file | FileCheck %s --strict-whitespace
# RUN: tenon-opt --verify-roundtrip --split-input-file %s -o %t

# CHECK: @T.prim_func
# CHECK-NEXT: def grid(A: T.Buffer((8, 4), "float32"), B: T.Buffer((8, 2), "float32")):
# CHECK-NEXT:     for i, j, k in T.grid(8, 4, 2):
# CHECK-NEXT:         A[i, j] = A[i, j] + B[i, k]

@T.prim_func
def grid(A: T.Buffer((8, 4)), B: T.Buffer((8, 2))):
    for i, j, k in T.grid(8, 4, 2):
        A[i, j] += B[i, k]

# -----

# CHECK: @T.prim_func
# CHECK-NEXT: def loops(A: T.Buffer((8,), "float32")):
# CHECK-NEXT:     for i in range(8):
# CHECK-NEXT:         A[i] = T.float32(0)
# CHECK-NEXT:     for i in range(2, 6):
# CHECK-NEXT:         A[i] = A[i] * T.float32(2)
# CHECK-NEXT:     for i in T.parallel(8):
# CHECK-NEXT:         A[i] = T.float32(1)
# CHECK-NEXT:     for i in T.unroll(8):
# CHECK-NEXT:         A[i] = T.float32(1)
# CHECK-NEXT:     for i in T.vectorized(8):
# CHECK-NEXT:         A[i] = T.float32(1)
# CHECK-NEXT:     for i in T.serial(8, annotations={"hint": 1}):
# CHECK-NEXT:         A[i] = T.float32(1)
# CHECK-NEXT:     for i in T.thread_binding(8, thread="threadIdx.x"):
# CHECK-NEXT:         A[i] = T.float32(1)

@T.prim_func
def loops(A: T.Buffer(8, "float32")):
    for i in range(0, 8): A[i] = 0
    for i in T.serial(2, 6):
        A[i] *= 2.0
    for i in T.parallel(8):
        A[i] = 1
    for i in T.unroll(8):
        A[i] = 1
    for i in T.vectorized(8):
        A[i] = 1
    for i in T.serial(8, annotations={"hint": 1}):
        A[i] = 1
    for i in T.thread_binding(8, "threadIdx.x"):
        A[i] = 1

# -----

# CHECK: @T.prim_func
# CHECK-NEXT: def slices(A: T.Buffer((8,), "float32"), B: T.Buffer((16,), "float32")):
# CHECK-NEXT:     A[0:8] = B[0:8] + T.Broadcast(T.float32(1), 8)
# CHECK-NEXT:     for i in range(4):
# CHECK-NEXT:         A[i * 2:i * 2 + 2] = B[i * 2:i * 2 + 2]
# CHECK-NEXT:     A[0:8:2] = B[1:9:2]
# CHECK-NEXT:     A[7] = B[0]

@T.prim_func
def slices(A: T.Buffer((8,), "float32"), B: T.Buffer((16,), "float32")):
    A[0:8] = B[0:8] + 1.0
    for i in range(4):
        A[i * 2:i * 2 + 2] = B[i * 2:i * 2 + 2]
    A[0:8:2] = B[1:9:2]
    A[7] = B[0:1]

# -----

# CHECK: @T.prim_func
# CHECK-NEXT: def vload(A: T.Buffer((8,), "float32")):
# CHECK-NEXT:     A[4:8] = A[0:4]
# CHECK-NEXT:     A[0] = A[1]

@T.prim_func
def vload(A: T.Buffer((8,), "float32")):
    A.vstore([4], A.vload([0], "float32x4"))
    A.vstore(0, A.vload(1))

# -----

# CHECK: @T.prim_func
# CHECK-NEXT: def arithmetic(n: T.int32, m: T.int32, x: T.float32):
# CHECK-NEXT:     T.evaluate(n + m - 1)
# CHECK-NEXT:     T.evaluate(n // 2 % 3)
# CHECK-NEXT:     T.evaluate(n * -1)
# CHECK-NEXT:     T.bitwise_not(n)
# CHECK-NEXT:     T.bitwise_or(T.shift_left(n, 2), T.bitwise_and(m, 255))
# CHECK-NEXT:     T.evaluate(n < m and m < 10 or not n == m)
# CHECK-NEXT:     T.evaluate(x + T.Cast("float32", n))
# CHECK-NEXT:     T.evaluate(T.Div(n, 3))
# CHECK-NEXT:     T.evaluate(4096)
# CHECK-NEXT:     T.evaluate(x / T.float32(3))

@T.prim_func
def arithmetic(n: T.int32, m: T.int32, x: T.float32):
    n + m - 1
    n // 2 % 3
    -n
    ~n
    n << 2 | m & 0xff
    n < m and m < 10 or not n == m
    x + n
    T.truncdiv(n, 3)
    1 << 12
    x / 3

# -----

# CHECK: @T.prim_func
# CHECK-NEXT: def lets(n: T.int32):
# CHECK-NEXT:     a: T.int32 = n + 1
# CHECK-NEXT:     b: T.float32 = T.float32(0.5)
# CHECK-NEXT:     c: T.int32 = n
# CHECK-NEXT:     d: T.int32 = a
# CHECK-NEXT:     T.evaluate(a + c + d)

@T.prim_func
def lets(n: T.int32):
    a = n + 1
    b: T.float32 = 0.5
    c, d = n, a
    T.evaluate(a + c + d)

# -----

# CHECK: @T.prim_func
# CHECK-NEXT: def branches(A: T.Buffer((8,), "float32"), n: T.int32):
# CHECK-NEXT:     if n < 1:
# CHECK-NEXT:         A[0] = T.float32(1)
# CHECK-NEXT:     else:
# CHECK-NEXT:         if n < 2:
# CHECK-NEXT:             A[0] = T.float32(2)
# CHECK-NEXT:         else:
# CHECK-NEXT:             A[0] = T.float32(3)
# CHECK-NEXT:     A[1] = T.float32(4)
# CHECK-NEXT:     while A[0] < T.float32(9):
# CHECK-NEXT:         A[0] = A[0] + T.float32(1)

@T.prim_func
def branches(A: T.Buffer((8,), "float32"), n: T.int32):
    if n < 1:
        A[0] = 1
    elif n < 2:
        A[0] = 2
    else:
        A[0] = 3
    if True:
        A[1] = 4
    else:
        A[1] = 5
    while A[0] < 9.0:
        A[0] += 1

# -----

# CHECK: @T.prim_func
# CHECK-NEXT: def layout(n: T.int32, m: T.int32):
# CHECK-NEXT:     T.evaluate(n + m)
# CHECK-NEXT:     T.evaluate(n)
# CHECK-NEXT:     T.evaluate(m)
# CHECK-NEXT:     T.call_extern("int32", "ab", n)

# Lines may be joined in brackets, separated by semicolons, and contain comments and docstrings.
@T.prim_func
def layout(
    n: T.int32,  # the first
    m: T.int32,
):
    """What this does."""
    T.evaluate(
        n
        + m  # joined
    )
    T.evaluate(n); T.evaluate(m)
    T.call_extern("int32", 'a' "b", \
        n)
    pass
