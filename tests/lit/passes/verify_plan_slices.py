# Parts of one constant, whose bytes are not there, may overlap where they are the same part.
# RUN: tenon-opt --split-input-file --verify-diagnostics --pipeline=verify-plan %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class SamePart:
    I.module_attrs({"tenon.constants": [
        I.constant("w", I.hash("xxh3:0123456789abcdef0123456789abcdef"), "int8", [32]),
        I.constant("p", I.slice("w", 4), "int8", [16], load="flash", codec="lz4"),
        I.constant("q", I.slice("w", 12), "int8", [16], load="flash", codec="lz4")]})
    @T.prim_func
    def main(y: T.Buffer((1,), "int8")):
        w = T.allocate_const(I.constant("w"), "int8", [32], annotations={"tenon.placement": ["flash", T.int64(64)]})
        p = T.allocate_const(I.constant("p"), "int8", [16], annotations={"tenon.placement": ["flash", T.int64(68)]})
        q = T.allocate_const(I.constant("q"), "int8", [16], annotations={"tenon.placement": ["flash", T.int64(76)]})
        y[0] = T.int8(0)
# -----
@I.ir_module
class OtherPart:
    I.module_attrs({"tenon.constants": [
        I.constant("w", I.hash("xxh3:0123456789abcdef0123456789abcdef"), "int8", [32]),
        I.constant("p", I.slice("w", 4), "int8", [16]),
        I.constant("q", I.slice("w", 12), "int8", [16])]})
    @T.prim_func
    def main(y: T.Buffer((1,), "int8")):
        # expected-error@+1 {{constant `p` and constant `q` overlap in pool `flash`, and their bytes are not there to be compared}}
        p = T.allocate_const(I.constant("p"), "int8", [16], annotations={"tenon.placement": ["flash", T.int64(0)]})
        q = T.allocate_const(I.constant("q"), "int8", [16], annotations={"tenon.placement": ["flash", T.int64(9)]})
        y[0] = T.int8(0)
# -----
@I.ir_module
class OtherConstant:
    I.module_attrs({"tenon.constants": [
        I.constant("w", I.hash("xxh3:0123456789abcdef0123456789abcdef"), "int8", [32]),
        I.constant("v", I.hash("xxh3:0123456789abcdef0123456789abcdee"), "int8", [32])]})
    @T.prim_func
    def main(y: T.Buffer((1,), "int8")):
        # expected-error@+1 {{constant `w` and constant `v` overlap in pool `flash`, and their bytes are not there to be compared}}
        w = T.allocate_const(I.constant("w"), "int8", [32], annotations={"tenon.placement": ["flash", T.int64(0)]})
        v = T.allocate_const(I.constant("v"), "int8", [32], annotations={"tenon.placement": ["flash", T.int64(0)]})
        y[0] = T.int8(0)
# -----
@I.ir_module
class OneWithoutBytes:
    I.module_attrs({"tenon.constants": [
        I.constant("w", I.hash("xxh3:0123456789abcdef0123456789abcdef"), "int8", [4]),
        I.constant("v", [1, 2, 3, 4], "int8", [4])]})
    @T.prim_func
    def main(y: T.Buffer((1,), "int8")):
        # expected-error@+1 {{constant `w` and constant `v` overlap in pool `flash`, and their bytes are not there to be compared}}
        w = T.allocate_const(I.constant("w"), "int8", [4], annotations={"tenon.placement": ["flash", T.int64(0)]})
        v = T.allocate_const(I.constant("v"), "int8", [4], annotations={"tenon.placement": ["flash", T.int64(0)]})
        y[0] = T.int8(0)
