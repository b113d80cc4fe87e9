# RUN: tenon-opt '--pipeline=assign-pool-info,plan-memory{overlap=on},verify-plan' %s | FileCheck --check-prefix=ON %s
# RUN: tenon-opt '--pipeline=assign-pool-info,plan-memory{overlap=in-place},verify-plan' %s | FileCheck --check-prefix=PLACE %s
# RUN: tenon-opt '--pipeline=assign-pool-info,plan-memory' %s | FileCheck --check-prefix=OFF %s
# A damaged plan is refused: an offset, an end of a record, the attribute of the
# function.
# RUN: tenon-opt '--pipeline=assign-pool-info,plan-memory{overlap=on}' %s -o %t.py
# RUN: sed 's/"tenon.placement": \["global_workspace", T.int64(64)\]/"tenon.placement": ["global_workspace", T.int64(32)]/' %t.py > %t.offset.py
# RUN: not tenon-opt --pipeline=verify-plan %t.offset.py 2>&1 >/dev/null | FileCheck --check-prefix=OFFSET %s
# RUN: sed 's/\[None, -64\]/[None, -16]/' %t.py > %t.end.py
# RUN: not tenon-opt --pipeline=verify-plan %t.end.py 2>&1 >/dev/null | FileCheck --check-prefix=END %s
# RUN: sed 's/"tenon.overlaps": \[\[0, 1\]\]/"tenon.overlaps": []/' %t.py > %t.noalias.py
# RUN: not tenon-opt --pipeline=verify-plan %t.noalias.py 2>&1 >/dev/null | FileCheck --check-prefix=NOALIAS %s
# RUN: tenon-opt '--pipeline=verify-plan{max-steps=10}' %t.offset.py 2>&1 >/dev/null | FileCheck --check-prefix=TRUST %s
# RUN: not tenon-opt '--pipeline=assign-pool-info,plan-memory{overlap=yes}' %s 2>&1 | FileCheck --check-prefix=MODE %s

# from tvm.script import ir as I
# from tvm.script import tir as T

# `shift` stores 64 bytes later: its output may begin 64 bytes before its input, not in place.
# ON: "overlaps": [{"allowed": {{.*}}"begun": "Q", "bound": "store at {{[0-9:]+}}, access at {{[0-9:]+}} in a later iteration of `i`", "distance": -64, "dying": "P", "function": "shift"}
# ON: "size_bytes": 256
# ON: T.func_attr({"tenon.overlaps": {{\[\[}}0, 1]], "tir.noalias": T.bool(True)})
# ON: P = T.allocate([192], {{.*}}"tenon.placement": ["global_workspace", T.int64(64)]
# ON: Q = T.allocate([256], {{.*}}"tenon.placement": ["global_workspace", T.int64(0)]
# PLACE: "size_bytes": 448
# OFF-NOT: tenon.overlaps
# OFF: "size_bytes": 448
# OFFSET: error: `P` and `Q` overlap in pool `global_workspace`: byte 32 of `P` is needed after `Q` has overwritten it; run plan-memory again [pass]
# OFFSET: note: overwritten here
# OFFSET-NEXT: Q[i + 64] = P[i]
# OFFSET: note: needed here
# OFFSET-NEXT: Q[i + 64] = P[i]
# END: error: the plan allows `P` and `Q` a distance that is not safe
# NOALIAS: error: `P` and `Q` overlap in pool `global_workspace`, but parameters 0 and 1 of `shift` claim `tir.noalias`: expected them in its attribute `tenon.overlaps` [pass]
# TRUST: warning: `P` and `Q` overlap in pool `global_workspace`: to follow their accesses takes too many steps (`max-steps` is 10), so the overlap stays on trust [pass]
# MODE: overlap yes, expected off, in-place or on
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((192,), "int8"), D: T.Buffer((256,), "int8")):
        T.func_attr({"global_symbol": "main"})
        P = T.allocate([192], "int8", "global")
        Q = T.allocate([256], "int8", "global")
        T.evaluate(T.call_extern("int32", "twice", A.data, P))
        T.evaluate(T.call_extern("int32", "shift", P, Q))
        T.evaluate(T.call_extern("int32", "reverse", Q, D.data))

    @T.prim_func
    def twice(A: T.Buffer((192,), "int8"), P: T.Buffer((192,), "int8")):
        T.func_attr({"global_symbol": "twice", "tir.noalias": T.bool(True)})
        for i in range(192):
            P[i] = A[i] * T.int8(2)

    @T.prim_func
    def shift(P: T.Buffer((192,), "int8"), Q: T.Buffer((256,), "int8")):
        T.func_attr({"global_symbol": "shift", "tir.noalias": T.bool(True)})
        for i in range(192):
            Q[i + 64] = P[i]
        for i in range(64):
            Q[i] = T.int8(0)

    @T.prim_func
    def reverse(Q: T.Buffer((256,), "int8"), D: T.Buffer((256,), "int8")):
        T.func_attr({"global_symbol": "reverse", "tir.noalias": T.bool(True)})
        for i in range(256):
            D[i] = Q[255 - i]
