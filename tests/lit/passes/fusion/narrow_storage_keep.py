# Storage that keeps its type.
# RUN: tenon-opt %s --pipeline=narrow-storage -o %t.py
# RUN: tenon-opt %s -o %t.before.py
# RUN: diff %t.before.py %t.py
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("looked_up", [1, 2, 3, 4], "int32", [4])]})
    # A pointer that is looked up by name keeps its type.
    @T.prim_func
    def looks_up(y: T.Buffer((4,), "int32")):
        w = T.allocate_const(I.constant("looked_up"), "int32", [4])
        w_1 = T.Buffer((4,), "int32", data=w)
        p: T.handle("int32") = T.lookup_param("looked_up")
        p_1 = T.Buffer((4,), "int32", data=p)
        for i in range(4):
            y[i] = w_1[i] + p_1[i]

    # A masked lane reads 0 for every stored value.
    @T.prim_func
    def masked(x: T.Buffer((128,), "int32"), y: T.Buffer((128,), "int32")):
        a = T.allocate([128], "int32", "global")
        a_1 = T.Buffer((128,), "int32", data=a)
        for i in range(128):
            a_1[i] = T.max(T.min(x[i], 127), 100)
        for i in range(32):
            y[i * 4:i * 4 + 4] = a_1.vload([T.Ramp(i * 4, 1, 4)], predicate=T.Broadcast(T.bool(True), 4))

    # The stored values have no bounds, or bounds that exceed smaller types.
    @T.prim_func
    def wide(x: T.Buffer((100,), "int32"), y: T.Buffer((100,), "int32")):
        a = T.allocate([100], "int32", "global")
        a_1 = T.Buffer((100,), "int32", data=a)
        b = T.allocate([100], "int16", "global")
        b_1 = T.Buffer((100,), "int16", data=b)
        for i in range(100):
            a_1[i] = T.max(x[i], -128)
            b_1[i] = T.Cast("int16", T.max(T.min(x[i], 128), -128))
        for i in range(100):
            y[i] = a_1[i] + T.Cast("int32", b_1[i])

    # A sum of small numbers is not small.
    @T.prim_func
    def sums(x: T.Buffer((100,), "int8"), y: T.Buffer((100,), "int32")):
        a = T.allocate([100], "int32", "global")
        a_1 = T.Buffer((100,), "int32", data=a)
        for i in range(100):
            a_1[i] = 0
        for i, j in T.grid(100, 100):
            a_1[i] = a_1[i] + T.Cast("int32", x[j])
        for i in range(100):
            y[i] = a_1[i]

    # A cast that wraps tells nothing about the sum.
    @T.prim_func
    def wraps(x: T.Buffer((100,), "int16"), y: T.Buffer((100,), "int16")):
        a = T.allocate([100], "int16", "global")
        a_1 = T.Buffer((100,), "int16", data=a)
        for i in range(100):
            a_1[i] = x[i] + T.int16(1)
        for i in range(100):
            y[i] = a_1[i]

    # The pointer is used by more than loads and stores.
    @T.prim_func
    def escapes(x: T.Buffer((100,), "int32"), y: T.Buffer((100,), "int32")):
        T.func_attr({"tenon.externs": {"outside": ["r", "w"], "part": ["r", "w"]}})
        a = T.allocate([100], "int32", "global")
        a_1 = T.Buffer((100,), "int32", data=a)
        b = T.allocate([100], "int32", "global")
        b_1 = T.Buffer((100,), "int32", data=b)
        c = T.allocate([100], "int32", "global")
        c_1 = T.Buffer((100,), "int32", data=c)
        for i in range(100):
            a_1[i] = T.max(T.min(x[i], 127), -128)
            b_1[i] = T.max(T.min(x[i], 127), -128)
            c_1[i] = T.max(T.min(x[i], 127), -128)
        T.evaluate(T.call_extern("int32", "outside", a, y.data))
        T.evaluate(T.call_extern("int32", "part", T.address_of(b_1[50]), y.data))
        p: T.handle("int32", "global") = c
        p_1 = T.Buffer((100,), "int32", data=p)
        for i in range(100):
            y[i] = a_1[i] + b_1[i] + p_1[i]

    # The bytes are also read as another type.
    @T.prim_func
    def bytes(x: T.Buffer((100,), "int32"), y: T.Buffer((400,), "uint8")):
        a = T.allocate([100], "int32", "global")
        a_1 = T.Buffer((100,), "int32", data=a)
        a_2 = T.Buffer((400,), "uint8", data=a)
        for i in range(100):
            a_1[i] = T.max(T.min(x[i], 127), -128)
        for i in range(400):
            y[i] = a_2[i]

    # Another compiler generates the code.
    @T.prim_func
    def theirs(x: T.Buffer((100,), "int32"), y: T.Buffer((100,), "int32")):
        T.func_attr({"Compiler": "other"})
        a = T.allocate([100], "int32", "global")
        a_1 = T.Buffer((100,), "int32", data=a)
        for i in range(100):
            a_1[i] = T.max(T.min(x[i], 127), -128)
        for i in range(100):
            y[i] = a_1[i]

    # A few bytes will be in registers anyway.
    @T.prim_func
    def few(x: T.Buffer((16,), "int32"), y: T.Buffer((16,), "int32")):
        a = T.allocate([16], "int32", "global")
        a_1 = T.Buffer((16,), "int32", data=a)
        for i in range(16):
            a_1[i] = T.max(T.min(x[i], 127), -128)
        for i in range(16):
            y[i] = a_1[i]

    # The sum of floats is not a cast of integers.
    @T.prim_func
    def floats(x: T.Buffer((100,), "int8"), y: T.Buffer((100,), "float32")):
        a = T.allocate([100], "float32", "global")
        a_1 = T.Buffer((100,), "float32", data=a)
        for i in range(100):
            a_1[i] = T.Cast("float32", x[i]) * T.float32(0.5)
        for i in range(100):
            y[i] = a_1[i]

    # Inputs and outputs of the application that were made allocations.
    @T.prim_func
    def io(y: T.Buffer((100,), "int32")):
        x = T.allocate([100], "int32", "global", annotations={"input_tensor": "x"})
        x_1 = T.Buffer((100,), "int32", data=x)
        for i in range(100):
            x_1[i] = T.max(T.min(x_1[i], 127), -128)
        for i in range(100):
            y[i] = x_1[i]
