# RUN: tenon-opt %s --pipeline='localize-buffers{max-bytes=64}' | FileCheck %s --check-prefixes=CHECK,ALL
# RUN: tenon-opt %s --pipeline='localize-buffers{max-bytes=64 max-stack=40}' | FileCheck %s --check-prefixes=CHECK,SOME
# RUN: tenon-opt %s --pipeline='localize-buffers{max-bytes=64 max-stack=40},localize-buffers{max-bytes=64 max-stack=40}' | FileCheck %s --check-prefixes=CHECK,SOME
# RUN: not tenon-opt %s --pipeline='localize-buffers{max-bytes=1024}' 2>&1 | FileCheck %s --check-prefix=OPTION
# OPTION: error: pass `localize-buffers` failed: localize-buffers: expected max-bytes below 1024, found 1024 [pass]
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def sums(x: T.Buffer((32,), "int32"), y: T.Buffer((4,), "int32")):
        s = T.allocate([1], "int32", "global")
        s_1 = T.Buffer((1,), "int32", data=s)
        for i in range(4):
            s_1[0] = 0
            for k in range(8):
                s_1[0] = s_1[0] + x[i * 8 + k]
            y[i] = s_1[0]

    # An iteration reads elements that the previous one wrote.
    @T.prim_func
    def carried(y: T.Buffer((4,), "int32")):
        s = T.allocate([1], "int32", "global")
        s_1 = T.Buffer((1,), "int32", data=s)
        s_1[0] = 0
        for i in range(4):
            s_1[0] = s_1[0] + i
            y[i] = s_1[0]

    @T.prim_func
    def large(y: T.Buffer((17,), "int32")):
        s = T.allocate([17], "int32", "global")
        s_1 = T.Buffer((17,), "int32", data=s)
        for i in range(17):
            s_1[i] = i
        y[0] = s_1[16]

    @T.prim_func
    def passed(y: T.Buffer((1,), "int32")):
        s = T.allocate([1], "int32", "global")
        T.call_extern("int32", "fill", s)
        s_1 = T.Buffer((1,), "int32", data=s)
        y[0] = s_1[0]

# CHECK-LABEL: def carried
# CHECK-NEXT: s = T.allocate([1], "int32", "global", annotations={"candidate_memory_pools": []})
# CHECK: for i in range(4):
# CHECK-LABEL: def large
# CHECK-NEXT: s = T.allocate([17], "int32", "global")
# CHECK-LABEL: def passed
# CHECK-NEXT: s = T.allocate([1], "int32", "global")
# CHECK-LABEL: def sums
# CHECK-NEXT: for i in range(4):
# CHECK-NEXT: s = T.allocate([1], "int32", "global", annotations={"candidate_memory_pools": []})

# Two allocations are used in overlapping ranges of statements: the outer one grows around the inner one.
# CHECK-LABEL: def z_overlap
# CHECK-NEXT: y[0] = 0
# CHECK-NEXT: with T.allocate([2], "int32", "global", annotations={"candidate_memory_pools": []}) as a:
# CHECK:      a_1[0] = 1
# CHECK-NEXT: b = T.allocate([2], "int32", "global", annotations={"candidate_memory_pools": []})
# CHECK:      b_1[0] = a_1[0]
# CHECK-NEXT: y[1] = a_1[0]
# CHECK-NEXT: y[2] = b_1[0]
# CHECK-NEXT: y[3] = 4
    @T.prim_func
    def z_overlap(y: T.Buffer((4,), "int32")):
        a = T.allocate([2], "int32", "global")
        b = T.allocate([2], "int32", "global")
        a_1 = T.Buffer((2,), "int32", data=a)
        b_1 = T.Buffer((2,), "int32", data=b)
        y[0] = 0
        a_1[0] = 1
        b_1[0] = a_1[0]
        y[1] = a_1[0]
        y[2] = b_1[0]
        y[3] = 4

# The extent of one allocation reads another one.
# CHECK-LABEL: def z_sized
# CHECK-NEXT: s = T.allocate([1], "int32", "global", annotations={"candidate_memory_pools": []})
# CHECK-NEXT: s_1 = T.Buffer((1,), "int32", data=s)
# CHECK-NEXT: t = T.allocate([s_1[0]], "int32", "global")
    @T.prim_func
    def z_sized(y: T.Buffer((4,), "int32")):
        s = T.allocate([1], "int32", "global")
        s_1 = T.Buffer((1,), "int32", data=s)
        t = T.allocate([s_1[0]], "int32", "global")
        s_1[0] = 1
        y[0] = s_1[0]

# Arrays of 32, 16 and 16 bytes: with 40 bytes of stack, the outermost one stays in a pool. The
# scalar does not count, and neither does an array that is not live at that time.
# CHECK-LABEL: def z_stack
# ALL-NEXT: with T.allocate([8], "int32", "global", annotations={"candidate_memory_pools": []}) as a:
# SOME-NEXT: a = T.allocate([8], "int32", "global")
# CHECK:      T.allocate([1], "int32", "global", annotations={"candidate_memory_pools": []}){{.*}}
# CHECK:      T.allocate([4], "int32", "global", annotations={"candidate_memory_pools": []}){{.*}}
# CHECK:      T.allocate([4], "int32", "global", annotations={"candidate_memory_pools": []}){{.*}}
# CHECK:      T.allocate([10], "int32", "global", annotations={"candidate_memory_pools": []}){{.*}}
    @T.prim_func
    def z_stack(y: T.Buffer((4,), "int32")):
        a = T.allocate([8], "int32", "global")
        s = T.allocate([1], "int32", "global")
        b = T.allocate([4], "int32", "global")
        c = T.allocate([4], "int32", "global")
        d = T.allocate([10], "int32", "global")
        a_1 = T.Buffer((8,), "int32", data=a)
        s_1 = T.Buffer((1,), "int32", data=s)
        b_1 = T.Buffer((4,), "int32", data=b)
        c_1 = T.Buffer((4,), "int32", data=c)
        d_1 = T.Buffer((10,), "int32", data=d)
        a_1[0] = 1
        s_1[0] = a_1[0]
        b_1[0] = s_1[0]
        c_1[0] = b_1[0]
        y[0] = c_1[0] + b_1[0] + s_1[0] + a_1[0]
        d_1[0] = 1
        y[1] = d_1[0]
