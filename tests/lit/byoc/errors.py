# Errors of annotate-targets, merge-regions, partition and inline-region.
# RUN: tenon-opt %s --split-input-file --verify-diagnostics --pipeline='annotate-targets{targets=body trust=true},merge-regions,partition'
# RUN: not tenon-opt %S/Inputs/two_ops.py --pipeline='annotate-targets{targets=bodi}' 2>&1 | FileCheck --check-prefix=TARGET %s
# TARGET: error: no code generator has the target `bodi`, expected one of {{.*}}`body`{{.*}}; or give its program: `--generator=bodi=PROGRAM` [unknown-target]
# RUN: not tenon-opt %S/Inputs/two_ops.py --pipeline='annotate-targets{targets=host}' 2>&1 | FileCheck --check-prefix=HOST %s
# HOST: error: no code generator has the target `host`
# HOST-NOT: --generator
# RUN: not tenon-opt %S/Inputs/two_ops.py --pipeline='annotate-targets' 2>&1 | FileCheck --check-prefix=NONE %s
# NONE: expected targets in option `targets`, found none
# RUN: not tenon-opt %S/Inputs/two_ops.py --pipeline='annotate-targets{targets=body only=fist}' 2>&1 | FileCheck --check-prefix=NAME %s
# NAME: the module has no function `fist`; did you mean `first`?
# RUN: not tenon-opt %S/Inputs/two_ops.py --pipeline='annotate-targets{targets=body floats=exact}' 2>&1 | FileCheck --check-prefix=FLOATS %s
# FLOATS: option `floats` is not `reassociate` or `bitwise`
# RUN: not tenon-opt %S/Inputs/two_ops.py --pipeline='partition{bind-constants=outside}' 2>&1 | FileCheck --check-prefix=BIND %s
# BIND: option `bind-constants` is not `generator`, `inside` or `arguments`
# RUN: not tenon-opt %S/Inputs/two_ops.py --pipeline='inline-region{functions=fist}' 2>&1 | FileCheck --check-prefix=INLINE %s
# INLINE: the module has no function `fist`; did you mean `first`?
# RUN: not tenon-opt %S/Inputs/two_ops.py --pipeline='inline-region{functions=main}' 2>&1 | FileCheck --check-prefix=ENTRY %s
# ENTRY: `main` cannot be inlined: it is the entry
# RUN: not tenon-opt %S/Inputs/two_ops.py --pipeline='assign-pool-info,plan-memory,merge-regions' 2>&1 | FileCheck --check-prefix=PLANNED %s
# RUN: not tenon-opt %S/Inputs/two_ops.py --pipeline='assign-pool-info,plan-memory,partition' 2>&1 | FileCheck --check-prefix=PLANNED %s
# RUN: not tenon-opt %S/Inputs/two_ops.py --pipeline='assign-pool-info,plan-memory,annotate-targets{targets=body}' 2>&1 | FileCheck --check-prefix=PLANNED %s
# PLANNED: the module has a memory plan; make regions before plan-memory [planned-module]
# RUN: not tenon-opt %S/Inputs/two_ops.py --pipeline='assign-pool-info,plan-memory,convert-pool-allocations-to-offsets,merge-regions' 2>&1 | FileCheck --check-prefix=POOLS %s
# POOLS: takes memory pools, so its memory is planned; make regions before plan-memory [planned-module]

# A path leaves the region and comes back. The notes are the path.
@I.ir_module
class Module:
    @T.prim_func
    def first(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        for i in range(4):
            y[i] = x[i] + 1

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        a = T.allocate([4], "int32", "global")
        b = T.allocate([4], "int32", "global")
        # expected-error@+1 {{the region of `npu` cannot run as one function: a path leaves it and comes back; put the statements on the path into the region, or divide it [region-cycle]}}
        with T.attr("mine", "tenon.region", "npu"):
            T.call_extern("int32", "first", x.data, a)
        # expected-note@+1 {{after `first`: `first` uses its result}}
        T.call_extern("int32", "first", a, b)
        with T.attr("mine", "tenon.region", "npu"):
            # expected-note@+1 {{after `first`: `first` uses its result}}
            T.call_extern("int32", "first", b, y.data)

# -----

# Two regions that each need a result of the other; and memory that is reused.
@I.ir_module
class Module:
    @T.prim_func
    def first(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        for i in range(4):
            y[i] = x[i] + 1

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32")):
        a = T.allocate([4], "int32", "global")
        # expected-error@+1 {{the region of `npu` cannot run as one function}}
        with T.attr("one", "tenon.region", "npu"):
            T.call_extern("int32", "first", x.data, a)
        with T.attr("two", "tenon.region", "gpu"):
            # expected-note@+1 {{after `first`: `first` uses its result}}
            T.call_extern("int32", "first", a, y.data)
        with T.attr("one", "tenon.region", "npu"):
            # expected-note@+1 {{after `first`: `first` uses the same memory, so it must come later}}
            T.call_extern("int32", "first", x.data, a)

# -----

@I.ir_module
class Module:
    @T.prim_func
    def first(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        for i in range(4):
            y[i] = x[i] + 1

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        with T.attr(0, "tenon.region", "npu"):
            # expected-error@+1 {{expected statements in a region, found another region}}
            with T.attr(0, "tenon.region", "gpu"):
                T.call_extern("int32", "first", x.data, y.data)

# -----

@I.ir_module
class Module:
    @T.prim_func
    def first(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        for i in range(4):
            y[i] = x[i] + 1

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        # expected-error@+1 {{expected the name of a target, as in `T.attr(0, "tenon.region", "blas")`}}
        with T.attr(0, "tenon.region", 1):
            T.call_extern("int32", "first", x.data, y.data)

# -----

# A region must not contain a return from its function.
@I.ir_module
class Module:
    @T.prim_func
    def first(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        for i in range(4):
            y[i] = x[i] + 1

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        with T.attr(0, "tenon.region", "npu"):
            T.call_extern("int32", "first", x.data, y.data)
            # expected-error@+1 {{expected calls and loops in the region of `npu`, found a statement that may leave the function, or whose memory is not known [unsupported-operator]}}
            T.evaluate(T.ret(3))

# -----

# Forced assignments must be possible, and use known names.
@I.ir_module
class Module:
    @T.prim_func
    # expected-error@+1 {{`first` has `tenon.offload` for `body`, which does not compute it: its loops never end [unsupported-operator]}}
    def first(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.offload": "body", "tenon.op": {"because": "its loops never end", "kind": "unknown"}})
        for i in range(4):
            y[i] = x[i] + 1

    @T.prim_func
    # expected-error@+1 {{no code generator has the target `npu:1`, expected one of }}
    def second(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.offload": "npu:1", "tenon.op": {"kind": "elementwise"}})
        for i in range(4):
            y[i] = x[i] + 1

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.call_extern("int32", "first", x.data, y.data)
