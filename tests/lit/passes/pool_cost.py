# The cost of accesses decides which buffers get the small fast pool, not their sizes or their order: `hot`
# is smaller than `cold`, comes after it, and is accessed a hundred times as often.
# RUN: rm -rf %t && mkdir %t
# RUN: echo '[{"name": "fast", "size_bytes": 64, "clock_frequency_hz": 400000000, "read_bandwidth_bytes_per_cycle": 8, "write_bandwidth_bytes_per_cycle": 8, "read_latency_cycles": 1, "write_latency_cycles": 1},' > %t/pools.json
# RUN: echo ' {"name": "slow", "size_bytes": 4096, "clock_frequency_hz": 100000000, "read_bandwidth_bytes_per_cycle": 4, "write_bandwidth_bytes_per_cycle": 4, "read_latency_cycles": 10, "write_latency_cycles": 10}]' >> %t/pools.json
# RUN: tenon-opt %s '--pipeline=assign-pool-info{pools=%t/pools.json},plan-memory' | FileCheck %s
# RUN: %python -c "import json; json.dump(json.load(open('%t/pools.json'))[::-1], open('%t/reversed.json', 'w'))"
# RUN: tenon-opt %s '--pipeline=assign-pool-info{pools=%t/reversed.json},plan-memory' | FileCheck %s

# If costs are not known, the first pool of the list is preferred, and most bytes go there.
# RUN: tenon-opt %s '--pipeline=assign-pool-info{workspace-pools=fast:64;slow:4096},plan-memory' | FileCheck %s --check-prefix=LIST
# LIST: cold = T.allocate([64], {{.*}}"tenon.placement": ["fast", T.int64(0)]})
# LIST: hot = T.allocate([48], {{.*}}"tenon.placement": ["slow", T.int64(0)]})

# CHECK: cold = T.allocate([64], {{.*}}"tenon.placement": ["slow", T.int64(0)]})
# CHECK: hot = T.allocate([48], {{.*}}"tenon.placement": ["fast", T.int64(0)]})

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64,), "int8")):
        T.func_attr({"global_symbol": "main"})
        cold = T.allocate([64], "int8", "global")
        hot = T.allocate([48], "int8", "global")
        Cold = T.Buffer((64,), "int8", data=cold)
        Hot = T.Buffer((48,), "int8", data=hot)
        for i in range(64):
            Cold[i] = A[i]
        for i in range(48):
            Hot[i] = A[i]
        for n, i in T.grid(100, 48):
            Hot[i] = Hot[i] + A[i]
        for i in range(64):
            A[i] = Hot[i % 48] + Cold[i]
