# Constants that are loaded into other memory have a place as they are used and one as they are stored.
# RUN: tenon-opt --split-input-file --verify-diagnostics --pipeline=verify-plan %s
from tvm.script import ir as I
from tvm.script import tir as T

# The stored forms share bytes 4 to 7, which are equal.
@T.prim_func
def equal(y: T.Buffer((1,), "int8")):
    a = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8], "int8", [8], annotations={"tenon.placement": ["ram", T.int64(0)], "tenon.stored_placement": ["flash", T.int64(0)]})
    b = T.allocate_const([5, 6, 7, 8, 9, 10, 11, 12], "int8", [8], annotations={"tenon.placement": ["ram", T.int64(8)], "tenon.stored_placement": ["flash", T.int64(4)]})
    y[0] = T.int8(0)
# -----
@T.prim_func
def other(y: T.Buffer((1,), "int8")):
    # expected-error@+1 {{constant `a` as stored and constant `b` as stored overlap in pool `flash` and differ at offset 6: 7 and 0, run plan-memory again}}
    a = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8], "int8", [8], annotations={"tenon.placement": ["ram", T.int64(0)], "tenon.stored_placement": ["flash", T.int64(0)]})
    b = T.allocate_const([5, 6, 0, 8, 9, 10, 11, 12], "int8", [8], annotations={"tenon.placement": ["ram", T.int64(8)], "tenon.stored_placement": ["flash", T.int64(4)]})
    y[0] = T.int8(0)
# -----
# A constant as it is used, and another one as it is stored.
@T.prim_func
def used(y: T.Buffer((1,), "int8")):
    # expected-error@+1 {{constant `a` and constant `b` as stored overlap in pool `flash` and differ at offset 15: 8 and 5, run plan-memory again}}
    a = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8], "int8", [8], annotations={"tenon.placement": ["flash", T.int64(8)]})
    b = T.allocate_const([5, 6, 7, 8], "int8", [4], annotations={"tenon.placement": ["ram", T.int64(8)], "tenon.stored_placement": ["flash", T.int64(15)]})
    y[0] = T.int8(0)
# -----
# Places just before and just after the other one.
@T.prim_func
def beside(y: T.Buffer((1,), "int8")):
    a = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8], "int8", [8], annotations={"tenon.placement": ["flash", T.int64(8)]})
    b = T.allocate_const([5, 6, 7, 8], "int8", [4], annotations={"tenon.placement": ["ram", T.int64(8)], "tenon.stored_placement": ["flash", T.int64(16)]})
    c = T.allocate_const([5, 6, 7, 8], "int8", [4], annotations={"tenon.placement": ["ram", T.int64(16)], "tenon.stored_placement": ["flash", T.int64(4)]})
    y[0] = T.int8(0)
# -----
# The size of `w` as stored is not known. The constants after it are still compared.
@I.ir_module
class WithoutBytes:
    I.module_attrs({"tenon.constants": [
        I.constant("w", I.hash("xxh3:0123456789abcdef0123456789abcdef"), "int8", [4]),
        I.constant("a", [1, 2, 3, 4], "int8", [4]),
        I.constant("b", [4, 3, 2, 1], "int8", [4])]})
    @T.prim_func
    def main(y: T.Buffer((1,), "int8")):
        w = T.allocate_const(I.constant("w"), "int8", [4], annotations={"tenon.placement": ["ram", T.int64(0)], "tenon.stored_placement": ["flash", T.int64(64)]})
        # expected-error@+1 {{constant `a` as stored and constant `b` as stored overlap in pool `flash` and differ at offset 0: 1 and 4, run plan-memory again}}
        a = T.allocate_const(I.constant("a"), "int8", [4], annotations={"tenon.placement": ["ram", T.int64(4)], "tenon.stored_placement": ["flash", T.int64(0)]})
        b = T.allocate_const(I.constant("b"), "int8", [4], annotations={"tenon.placement": ["ram", T.int64(8)], "tenon.stored_placement": ["flash", T.int64(0)]})
        y[0] = T.int8(0)
# -----
# Compressed forms are compared as they are, also those of parts that would agree without compression.
@I.ir_module
class Compressed:
    I.module_attrs({"tenon.constants": [
        I.constant("w", [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], "int8", [32]),
        I.constant("a", I.slice("w", 0), "int8", [32], load="ram", codec="lz4"),
        I.constant("b", I.slice("w", 16), "int8", [16], load="ram", codec="lz4")]})
    @T.prim_func
    def main(y: T.Buffer((1,), "int8")):
        # expected-error@+1 {{constant `a` as stored and constant `b` as stored overlap in pool `flash` and differ at offset}}
        a = T.allocate_const(I.constant("a"), "int8", [32], annotations={"tenon.placement": ["ram", T.int64(0)], "tenon.stored_placement": ["flash", T.int64(0)]})
        b = T.allocate_const(I.constant("b"), "int8", [16], annotations={"tenon.placement": ["ram", T.int64(32)], "tenon.stored_placement": ["flash", T.int64(16)]})
        y[0] = T.int8(0)
