# RUN: tenon-opt --pipeline=place-parallel-scratch --timing %s 2>%t.err | FileCheck %s
# RUN: FileCheck --check-prefix=COUNTS %s --input-file=%t.err
# RUN: tenon-opt --pipeline=place-parallel-scratch,place-parallel-scratch --print-ir-after-change %s 2>&1 >/dev/null | FileCheck --check-prefix=ONCE %s
# RUN: tenon-opt --pipeline='place-parallel-scratch{copies=100 stack=64}' %s | FileCheck --check-prefix=MORE %s
# RUN: not tenon-opt --pipeline='place-parallel-scratch{copies=0}' %s 2>&1 | FileCheck --check-prefix=WRONG %s
# RUN: not tenon-opt --pipeline='place-parallel-scratch{stack=0}' %s 2>&1 | FileCheck --check-prefix=WRONG %s
# WRONG: error: place-parallel-scratch: copies and stack are at least 1 [pass]

# The second run changes nothing.
# ONCE: place-parallel-scratch
# ONCE-NOT: place-parallel-scratch
# COUNTS-DAG: 3 {{.*}}place-parallel-scratch.copied
# COUNTS-DAG: 5 {{.*}}place-parallel-scratch.serial
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    # CHECK-LABEL: def calls(
    # CHECK: for i in range(8):
    # CHECK-NEXT: Module.heavy(
    # CHECK: for j in range(8):
    # CHECK-NEXT: for k in T.parallel(2):
    # CHECK-NEXT: A[k] = T.int8(1)
    # CHECK: Module.heavy(
    # CHECK: for k in T.parallel(8):
    # CHECK-NEXT: A[k] = T.int8(1)
    @T.prim_func
    def calls(A: T.Buffer((8,), "int8")):
        for i in T.parallel(8):
            Module.heavy(A.data)
        for j in T.parallel(8):
            for k in T.parallel(2):
                A[k] = T.int8(1)
            Module.heavy(A.data)
        for k in T.parallel(8):
            A[k] = T.int8(1)

    # CHECK-LABEL: def heavy(
    @T.prim_func(private=True)
    def heavy(a: T.handle("int8")):
        a_1 = T.Buffer((8,), "int8", data=a)
        x = T.allocate([2048], "int8", "global")
        x_1 = T.Buffer((2048,), "int8", data=x)
        x_1[0] = a_1[0]
        a_1[1] = x_1[0]

    # The outermost possible loop is parallel: allocations between two loops belong to the outer one.
    # CHECK-LABEL: def nested(
    # CHECK: x_all = T.allocate([4096], "int8", "global")
    # CHECK-NEXT: for task in T.parallel(2):
    # CHECK-NEXT: for i in range(task, task + 1):
    # CHECK: for j in T.parallel(4):
    @T.prim_func
    def nested(A: T.Buffer((8,), "int8")):
        for i in T.parallel(2):
            x = T.allocate([2048], "int8", "global")
            x_1 = T.Buffer((2048,), "int8", data=x)
            for j in T.parallel(4):
                x_1[j] = A[i * 4 + j]
                A[i * 4 + j] = x_1[j]

    # Unknown sizes, a return, and one iteration.
    # CHECK-LABEL: def serial(
    # CHECK: for i in range(n):
    # CHECK: for i in range(8):
    # CHECK: for i in range(1):
    # CHECK: for i in T.parallel(n):
    @T.prim_func
    def serial(A: T.Buffer((8,), "int8"), n: T.int32):
        for i in T.parallel(n):
            x = T.allocate([2048], "int8", "global")
            x_1 = T.Buffer((2048,), "int8", data=x)
            x_1[i] = A[i]
        for i in T.parallel(8):
            if A[i] == T.int8(3):
                T.evaluate(T.ret(0))
        for i in T.parallel(1):
            A[i] = T.int8(1)
        for i in T.parallel(n):
            A[i] = T.int8(1)

    # Each copy is a multiple of 64 bytes: 1,025 become 1,088. Small scratch stays.
    # CHECK-LABEL: def two(
    # CHECK: y_all = T.allocate([1024], "int32", "global")
    # CHECK-NEXT: x_all = T.allocate([4352], "int8", "global")
    # CHECK: for task in T.parallel(4):
    # CHECK-NEXT: for i in range(5 + task * 3, 5 + task * 3 + T.min(3, 10 - task * 3)):
    # CHECK: x: T.handle("int8", "global") = T.address_of(x_all_1[task * 1088])
    # CHECK: y: T.handle("int32", "global") = T.address_of(y_all_1[task * 256])
    # CHECK: z = T.allocate([100], "int8", "global")
    # MORE-LABEL: def two(
    # MORE: z_all = T.allocate([1280], "int8", "global")
    # MORE: y_all = T.allocate([2560], "int32", "global")
    # MORE: x_all = T.allocate([10880], "int8", "global")
    # MORE: for task in T.parallel(10):
    # MORE-NEXT: for i in range(5 + task, 5 + task + 1):
    @T.prim_func
    def two(A: T.Buffer((20,), "int8")):
        for i in T.parallel(5, 15):
            x = T.allocate([1025], "int8", "global")
            x_1 = T.Buffer((1025,), "int8", data=x)
            x_1[i] = A[i]
            y = T.allocate([256], "int32", "global")
            y_1 = T.Buffer((256,), "int32", data=y)
            y_1[i] = T.Cast("int32", A[i])
            z = T.allocate([100], "int8", "global")
            z_1 = T.Buffer((100,), "int8", data=z)
            z_1[0] = x_1[i]
            A[i] = z_1[0] + T.Cast("int8", y_1[i])
