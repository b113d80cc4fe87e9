# RUN: tenon-opt --pipeline=limit-stack --timing %s 2>%t.err | FileCheck %s
# RUN: FileCheck --check-prefix=COUNTS %s --input-file=%t.err
# RUN: tenon-opt --pipeline=limit-stack,limit-stack --print-ir-after-change %s 2>&1 >/dev/null | FileCheck --check-prefix=ONCE %s

# The second run changes nothing.
# ONCE: limit-stack
# ONCE-NOT: limit-stack
# COUNTS-DAG: 5 {{.*}}limit-stack.pooled
# COUNTS-DAG: 5 {{.*}}limit-stack.serial
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # CHECK-LABEL: def calls(
    # CHECK: for i in range(4):
    # CHECK: for j in range(4):
    # CHECK: for k in T.vectorized(4):
    # CHECK-NEXT: Module.light(
    @T.prim_func
    def calls(y: T.Buffer((4,), "float32")):
        for i in T.vectorized(4):
            Module.heavy(y.data)
        with T.launch_thread("blockIdx.x", 4) as j:
            Module.heavy(y.data)
        for k in T.vectorized(4):
            Module.light(y.data)

    # CHECK-LABEL: def heavy(
    # CHECK: a = T.allocate([256], "float32", "global")
    @T.prim_func(private=True)
    def heavy(y: T.handle("float32")):
        Y = T.Buffer((4,), data=y)
        a = T.allocate([256], "float32", "warp")
        a_1 = T.Buffer((256,), "float32", data=a, scope="warp")
        a_1[0] = Y[0]
        Y[1] = a_1[0]

    # CHECK-LABEL: def light(
    @T.prim_func(private=True)
    def light(y: T.handle("float32")):
        Y = T.Buffer((4,), data=y)
        a = T.allocate([255], "float32", "warp")
        a_1 = T.Buffer((255,), "float32", data=a, scope="warp")
        a_1[0] = Y[0]
        Y[1] = a_1[0]

    # CHECK-LABEL: def loops(
    # CHECK: for i in T.vectorized(4):
    # CHECK: for j in range(4):
    # CHECK-NEXT: T.allocate([256]
    # CHECK: for k in range(4):
    # CHECK-NEXT: T.allocate([256]
    # CHECK: for bx in range(4):
    # CHECK-NEXT: T.allocate([256]
    # CHECK-NOT: launch_thread
    # CHECK: for p in T.parallel(4):
    # CHECK-NEXT: T.allocate([256]
    @T.prim_func
    def loops(y: T.Buffer((4,), "float32")):
        for i in T.vectorized(4):
            a = T.allocate([255], "float32", "global")
            a_1 = T.Buffer((255,), "float32", data=a)
            a_1[i] = y[i]
            y[i] = a_1[i]
        for j in T.vectorized(4):
            b = T.allocate([256], "float32", "global")
            b_1 = T.Buffer((256,), "float32", data=b)
            b_1[j] = y[j]
            y[j] = b_1[j]
        for k in T.thread_binding(4, thread="threadIdx.x"):
            c = T.allocate([256], "float32", "global")
            c_1 = T.Buffer((256,), "float32", data=c)
            c_1[k] = y[k]
            y[k] = c_1[k]
        with T.launch_thread("blockIdx.x", 4) as bx:
            d = T.allocate([256], "float32", "global")
            d_1 = T.Buffer((256,), "float32", data=d)
            d_1[bx] = y[bx]
            y[bx] = d_1[bx]
        for p in T.parallel(4):
            e = T.allocate([256], "float32", "global")
            e_1 = T.Buffer((256,), "float32", data=e)
            e_1[p] = y[p]
            y[p] = e_1[p]

    # The stack takes less than 1,024 bytes.
    # CHECK-LABEL: def scopes(
    # CHECK: a = T.allocate([255], "float32", "local")
    # CHECK: b = T.allocate([256], "float32", "global")
    # CHECK-NEXT: c = T.allocate([1023], "int8", "shared")
    # CHECK-NEXT: d = T.allocate([1024], "int8", "global")
    # CHECK: b_1 = T.Buffer((256,), data=b)
    # CHECK-NEXT: b_1[0] = y[0]
    # CHECK: d_1 = T.Buffer((1024,), "int8", data=d)
    @T.prim_func
    def scopes(y: T.Buffer((4,), "float32")):
        a = T.allocate([255], "float32", "local")
        b = T.allocate([256], "float32", "local")
        c = T.allocate([1023], "int8", "shared")
        d = T.allocate([1024], "int8", "shared.dyn")
        a_1 = T.Buffer((255,), "float32", data=a, scope="local")
        a_1[0] = y[0]
        b_1 = T.Buffer((256,), "float32", data=b, scope="local")
        b_1[0] = y[0]
        c_1 = T.Buffer((1023,), "int8", data=c, scope="shared")
        c_1[0] = T.int8(0)
        d_1 = T.Buffer((1024,), "int8", data=d, scope="shared.dyn")
        d_1[0] = T.int8(0)

    # The size of `a` is not constant.
    # CHECK-LABEL: def unknown(
    # CHECK: a = T.allocate([n], "float32", "local")
    @T.prim_func
    def unknown(y: T.Buffer((4,), "float32"), n: T.int32):
        a = T.allocate([n], "float32", "local")
        a_1 = T.Buffer((4,), "float32", data=a, scope="local")
        a_1[0] = y[0]

    # Other annotations stay.
    # CHECK-LABEL: def without_pools(
    # CHECK: T.allocate([255], "float32", "global", annotations={"candidate_memory_pools": []})
    # CHECK: T.allocate([256], "float32", "global", annotations={"role": "sums"})
    # CHECK: T.allocate([256], "float32", "global")
    # CHECK-NOT: annotations
    @T.prim_func
    def without_pools(y: T.Buffer((4,), "float32")):
        a = T.allocate([255], "float32", "global", annotations={"candidate_memory_pools": []})
        b = T.allocate([256], "float32", "global", annotations={"candidate_memory_pools": [], "role": "sums"})
        c = T.allocate([256], "float32", "global", annotations={"candidate_memory_pools": []})
        a_1 = T.Buffer((255,), "float32", data=a)
        a_1[0] = y[0]
        b_1 = T.Buffer((256,), "float32", data=b)
        b_1[0] = y[0]
        c_1 = T.Buffer((256,), "float32", data=c)
        c_1[0] = y[0]
