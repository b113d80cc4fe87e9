# Constants are initialized const data in their section and alignment, stored once for all uses;
# small floats are their bits. No value changes.
# RUN: rm -rf %t && tenon compile %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c --implicit-check-not='TENON_CONST_SECTION("'

# Two functions use w0, one of them twice.
# CHECK: static const tenon_int8 tvmgen_default_w0[3] TENON_CONST_SECTION(".rodata.w") TENON_ALIGNED(32) = {
# CHECK-NEXT: 1, -2, 3

# The others have the default section and alignment.
# CHECK: static const tenon_float32 tvmgen_default_w1[5] TENON_CONST_SECTION(".rodata.tvm") TENON_ALIGNED(16) = {
# CHECK-NEXT: -1.5f, -1.5f, -1.5f, -1.5f, -1.5f
# CHECK: static const tenon_float64 tvmgen_default_e[4] TENON_CONST_SECTION(".rodata.tvm") TENON_ALIGNED(16) = {
# CHECK-NEXT: 1.5, -0.0, (double)INFINITY, (double)NAN
# CHECK: static const tenon_uint16 tvmgen_default_hh[2] TENON_CONST_SECTION(".rodata.tvm") TENON_ALIGNED(16) = {
# CHECK-NEXT: 15872, 31743
# CHECK: static const tenon_uint16 tvmgen_default_b16[2] TENON_CONST_SECTION(".rodata.tvm") TENON_ALIGNED(16) = {
# CHECK-NEXT: 16320, 49152
# CHECK: static const tenon_uint32 tvmgen_default_uu[2] TENON_CONST_SECTION(".rodata.tvm") TENON_ALIGNED(16) = {
# CHECK-NEXT: 4294967295U, 1U
# CHECK: static const tenon_int64 tvmgen_default_ll[2] TENON_CONST_SECTION(".rodata.tvm") TENON_ALIGNED(16) = {
# CHECK-NEXT: INT64_MIN, -INT64_C(1)
# CHECK: static const tenon_uint8 tvmgen_default_q[2] TENON_CONST_SECTION(".rodata.tvm") TENON_ALIGNED(16) = {
# CHECK-NEXT: 1, 0
# CHECK: static const tenon_float32 tvmgen_default_ff[3] TENON_CONST_SECTION(".rodata.tvm") TENON_ALIGNED(16) = {
# CHECK-NEXT: -INFINITY, NAN, 0.1f

# Functions read them there.
# CHECK: tenon_int8* p) {
# CHECK-DAG: y[i] = (int32_t)tvmgen_default_w0[i] + (int32_t)tvmgen_default_w0[i];
# CHECK-DAG: g[0] = tvmgen_default_w1[4] + tvmgen_default_ff[0];
# CHECK-DAG: d[0] = tvmgen_default_e[1];
# CHECK-DAG: h[0] = tvmgen_default_hh[0];
# CHECK-DAG: bb[0] = tvmgen_default_b16[0];
# CHECK-DAG: u[0] = tvmgen_default_uu[0];
# CHECK-DAG: l[0] = tvmgen_default_ll[0];
# CHECK-DAG: p[0] = (int8_t)(((const tenon_int8*)tvmgen_default_q)[0] != 0);
# CHECK: int32_t tvmgen_default_f2(tenon_int32* y) {
# CHECK-NEXT: y[0] = (int32_t)tvmgen_default_w0[0];
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        I.constant("w0", [1, -2, 3], "int8", [3], align=32, section=".rodata.w"),
        I.constant("w1", I.splat(-1.5), "float32", [5])]})
    @T.prim_func
    def f(y: T.Buffer((3,), "int32"), g: T.Buffer((8,), "float32"), d: T.Buffer((8,), "float64"), h: T.Buffer((8,), "float16"), bb: T.Buffer((8,), "bfloat16"), u: T.Buffer((8,), "uint32"), l: T.Buffer((8,), "int64"), p: T.Buffer((2,), "bool")):
        a = T.allocate_const(I.constant("w0"), "int8", [3])
        b = T.allocate_const(I.constant("w0"), "int8", [3])
        c = T.allocate_const(I.constant("w1"), "float32", [5])
        e = T.allocate_const([1.5, -0.0, "inf", "nan"], "float64", [4])
        hh = T.allocate_const([1.5, 65504.0], "float16", [2])
        b16 = T.allocate_const([1.5, -2.0], "bfloat16", [2])
        uu = T.allocate_const([4294967295, 1], "uint32", [2])
        ll = T.allocate_const([-9223372036854775808, -1], "int64", [2])
        q = T.allocate_const([True, False], "bool", [2])
        ff = T.allocate_const(["-inf", "nan", 0.1], "float32", [3])
        a_1 = T.Buffer((3,), "int8", data=a)
        b_1 = T.Buffer((3,), "int8", data=b)
        c_1 = T.Buffer((5,), "float32", data=c)
        e_1 = T.Buffer((4,), "float64", data=e)
        hh_1 = T.Buffer((2,), "float16", data=hh)
        b16_1 = T.Buffer((2,), "bfloat16", data=b16)
        uu_1 = T.Buffer((2,), "uint32", data=uu)
        ll_1 = T.Buffer((2,), "int64", data=ll)
        q_1 = T.Buffer((2,), "bool", data=q)
        ff_1 = T.Buffer((3,), "float32", data=ff)
        for i in range(3):
            y[i] = T.Cast("int32", a_1[i]) + T.Cast("int32", b_1[i])
        g[0] = c_1[4] + ff_1[0]
        d[0] = e_1[1]
        h[0] = hh_1[0]
        bb[0] = b16_1[0]
        u[0] = uu_1[0]
        l[0] = ll_1[0]
        p[0] = q_1[0]
    @T.prim_func
    def f2(y: T.Buffer((3,), "int32")):
        a = T.allocate_const(I.constant("w0"), "int8", [3])
        a_1 = T.Buffer((3,), "int8", data=a)
        y[0] = T.Cast("int32", a_1[0])
