from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def inner(a: T.handle("int32"), n: T.int32, b: T.handle("int32")):
        a_1 = T.Buffer((4,), "int32", data=a)
        b_1 = T.Buffer((4,), "int32", data=b)
        for i in range(4):
            b_1[i] = a_1[i] + n

    @T.prim_func
    def code(a: T.handle("int32")) -> T.int32:
        a_1 = T.Buffer((4,), "int32", data=a)
        if a_1[0] > 3:
            T.ret(-7)
        T.ret(0)

    @T.prim_func
    def __tvm_main__(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), z: T.Buffer((4,), "float32")):
        T.func_attr({"global_symbol": "tvmgen_kws___tvm_main__", "tir.noalias": T.bool(True), "tenon.externs": {"acc_run": ["r", "w"], "hook": ["", "", ""], "memcpy": ["w", "r", ""]}})
        hook: T.int32 = x[0]
        Module.inner(x.data, hook, y.data)
        T.call_extern("int32", "inner", x.data, 3, y.data)
        T.evaluate(T.tvm_check_return(0, -1, T.call_extern("int32", "code", y.data)))
        T.call_packed("inner", x.data, 4, y.data)
        T.call_extern("void", "hook", "layer \"1\"?\n", T.float32(1.5), T.int8(-3))
        T.evaluate(T.tvm_check_return(0, -1, T.call_extern("int32", "acc_run", x.data, T.address_of(z[1]))))
        z[0] = T.call_pure_extern("float32", "my_scale", z[1], T.int64(3))
        T.call_extern("handle", "memcpy", y.data, x.data, 16)
