# Calls: functions of the module return an error code; externs are declared as they are called; known facts
# about pointers are attributes of parameters.
# REQUIRES: llvm
# RUN: tenon compile %plain %s --emit=llvm-ir -O0 --target=x86_64-linux-gnu -o - | FileCheck %s
# CHECK: define internal noundef i32 @tvmgen_kws_inner(ptr readonly %a, i32 %n, ptr %b)
# CHECK: define internal noundef i32 @tvmgen_kws_code(
# CHECK: define internal noundef i32 @tvmgen_kws___tvm_main__(ptr noalias noundef nonnull readonly align 4 dereferenceable(16) %x, ptr noalias noundef nonnull align 4 dereferenceable(16) %y,
# CHECK: %[[E:[0-9]+]] = call noundef i32 @tvmgen_kws_inner(ptr readonly %x, i32 %{{[0-9]+}}, ptr %y)
# CHECK-NEXT: %[[F:[0-9]+]] = icmp ne i32 %[[E]], 0
# CHECK-NEXT: br i1 %[[F]], label %fail
# CHECK: call void @hook(ptr @{{[0-9]+}}, float 1.5{{.*}}, i8 signext -3)
# CHECK: call i32 @acc_run(ptr %x, ptr %{{[0-9]+}})
# CHECK: call float @my_scale(float %{{[0-9]+}}, i64 3) #[[PURE:[0-9]+]]
# CHECK: call ptr @memcpy(ptr %y, ptr %x, i64 16)
# CHECK: declare void @hook(ptr, float, i8 signext)
# CHECK: define i32 @tvmgen_kws_run(ptr %0, ptr %1)
# CHECK: attributes #[[PURE]] = { nounwind memory(none) }
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
        Module.inner(x.data, x[0], y.data)
        T.evaluate(T.tvm_check_return(0, -1, T.call_extern("int32", "code", y.data)))
        T.call_extern("void", "hook", "layer", T.float32(1.5), T.int8(-3))
        T.evaluate(T.tvm_check_return(0, -1, T.call_extern("int32", "acc_run", x.data, T.address_of(z[1]))))
        z[0] = T.call_pure_extern("float32", "my_scale", z[1], T.int64(3))
        T.call_extern("handle", "memcpy", y.data, x.data, 16)
