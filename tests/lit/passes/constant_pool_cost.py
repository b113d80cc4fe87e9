# The constants whose accesses cost most elsewhere also go to the fast pool; the rest spills. Without costs, the first
# pool of the list gets as many bytes as it has room for.
# RUN: rm -rf %t && mkdir %t
# RUN: echo '[{"name": "itcm", "kind": "read-only", "size_bytes": 64, "clock_frequency_hz": 400000000, "read_bandwidth_bytes_per_cycle": 8, "write_bandwidth_bytes_per_cycle": 8, "read_latency_cycles": 1, "write_latency_cycles": 1},' > %t/pools.json
# RUN: echo ' {"name": "flash", "kind": "read-only", "size_bytes": 4096, "clock_frequency_hz": 100000000, "read_bandwidth_bytes_per_cycle": 4, "write_bandwidth_bytes_per_cycle": 4, "read_latency_cycles": 10, "write_latency_cycles": 10}]' >> %t/pools.json
# RUN: tenon-opt %s '--pipeline=assign-pool-info{pools=%t/pools.json},plan-memory' | FileCheck %s
# RUN: %python -c "import json; json.dump(json.load(open('%t/pools.json'))[::-1], open('%t/reversed.json', 'w'))"
# RUN: tenon-opt %s '--pipeline=assign-pool-info{pools=%t/reversed.json},plan-memory' | FileCheck %s
# RUN: tenon-opt %s '--pipeline=assign-pool-info{constant-pools=itcm:64;flash:4096},plan-memory' | FileCheck %s --check-prefix=LIST
# Flash is never written, so it needs no cost of writes. A pool without another member has no known cost, which a note says.
# RUN: %python -c "import json; pools = json.load(open('%t/pools.json')); [p.pop('write_bandwidth_bytes_per_cycle') for p in pools]; json.dump(pools[::-1], open('%t/reads.json', 'w')); pools[1].pop('clock_frequency_hz'); json.dump(pools[::-1], open('%t/no_clock.json', 'w'))"
# RUN: tenon-opt %s '--pipeline=assign-pool-info{pools=%t/reads.json},plan-memory' 2>&1 | FileCheck %s --implicit-check-not=note:
# RUN: tenon-opt %s '--pipeline=assign-pool-info{pools=%t/no_clock.json},plan-memory' 2>&1 | FileCheck %s --check-prefix=NOTE
# RUN: tenon-opt %s '--pipeline=assign-pool-info{constant-pools=itcm:64;flash:4096},plan-memory' 2>&1 | FileCheck %s --check-prefix=NONE
# NOTE: note: pool `flash` has no `clock_frequency_hz`: so 2 buffers with several pools go to the first of them that has room, whatever accesses cost there
# NONE: note: pool `itcm` has no `clock_frequency_hz` and no `read_bandwidth_bytes_per_cycle`, pool `flash` has no `clock_frequency_hz` and no `read_bandwidth_bytes_per_cycle`: so 2 buffers
# RUN: tenon run %s --pools=%t/pools.json --output %t/y.npy
# RUN: tenon run %s --pools=%t/pools.json --expect %t/y.npy --engine=c

# CHECK: cold = T.allocate_const({{.*}}"tenon.placement": ["flash", T.int64({{[0-9]+}})]})
# CHECK: hot = T.allocate_const({{.*}}"tenon.placement": ["itcm", T.int64(0)]})
# LIST: cold = T.allocate_const({{.*}}"tenon.placement": ["itcm", T.int64(0)]})
# LIST: hot = T.allocate_const({{.*}}"tenon.placement": ["flash", T.int64(0)]})

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        I.constant("cold", I.splat(3), "int8", [64]),
        I.constant("hot", I.splat(5), "int8", [48])]})
    @T.prim_func
    def main(y: T.Buffer((64,), "int8")):
        cold = T.allocate_const(I.constant("cold"), "int8", [64])
        cold_1 = T.Buffer((64,), "int8", data=cold)
        hot = T.allocate_const(I.constant("hot"), "int8", [48])
        hot_1 = T.Buffer((48,), "int8", data=hot)
        for i in range(64):
            y[i] = cold_1[i]
        for n, i in T.grid(100, 48):
            y[i] = y[i] + hot_1[i]
