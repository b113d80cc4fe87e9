# Constants whose bytes differ where they overlap are an error, and so are constants in memory that is
# written. Equal bytes may overlap.
# RUN: not tenon-opt --pipeline=verify-plan %s 2>&1 >/dev/null | FileCheck %s
# CHECK: [[@LINE+28]]:5: error: `e` ends at byte 72 of pool `small`, which has 64 [pass]
# CHECK: [[@LINE+23]]:5: error: constant `a` and constant `b` overlap in pool `flash` and differ at offset 16: 5 and 10, run plan-memory again [pass]
# CHECK: [[@LINE+24]]:5: error: allocation `s` and constant `d` overlap in pool `ram`: a constant is needed in every run, run plan-memory again [pass]
# RUN: sed 's/\[10, 20, /[5, 6, /; s/30, 40\]/7, 8]/; /^    [sde]/d' %s > %t.equal.py
# RUN: tenon-opt --pipeline=verify-plan %t.equal.py -o /dev/null
# RUN: sed '/^    [ab]/d; s/T.int64(40)/T.int64(64)/; s/T.int64(56)/T.int64(-8)/' %s > %t.below.py
# RUN: not tenon-opt --pipeline=verify-plan %t.below.py 2>&1 >/dev/null | FileCheck --check-prefix=BELOW %s
# BELOW-NOT: error
# BELOW: error: `e` is at offset -8 of pool `small`, expected 0 to {{[0-9]+}} [pass]
# BELOW-NOT: error
# RUN: sed '/^    [ab]/d; s/T.int64(40)/T.int64(64)/; s/T.int64(56)/T.int64(9223372036854775807)/' %s > %t.beyond.py
# RUN: not tenon-opt --pipeline=verify-plan %t.beyond.py 2>&1 >/dev/null | FileCheck --check-prefix=BEYOND %s
# BEYOND: error: `e` is at offset 9223372036854775807 of pool `small`, expected 0 to {{[0-9]+}} [pass]
# The end of a pool is a right end; a pool may be empty.
# RUN: sed '/^    [ab]/d; s/T.int64(40)/T.int64(64)/; s/T.int64(56)/T.int64(48)/' %s > %t.end.py
# RUN: tenon-opt --pipeline=verify-plan %t.end.py -o /dev/null
# RUN: sed 's/size_hint_bytes=64/size_hint_bytes=0/' %t.end.py > %t.empty.py
# RUN: not tenon-opt --pipeline=verify-plan %t.empty.py 2>&1 >/dev/null | FileCheck --check-prefix=EMPTY %s
# EMPTY: error: `e` ends at byte 64 of pool `small`, which has 0 [pass]
from tvm.script import ir as I
from tvm.script import tir as T

@T.prim_func
def main(y: T.Buffer((8,), "int32")):
    a = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8], "int32", [8], annotations={"candidate_memory_pools": [I.ConstantPoolInfo([], clock_frequency_hz=-1, is_internal=True, pool_name="flash", read_bandwidth_bytes_per_cycle=-1, read_latency_cycles=0, size_hint_bytes=-1, write_bandwidth_bytes_per_cycle=-1, write_latency_cycles=0)], "tenon.placement": ["flash", T.int64(0)]})
    b = T.allocate_const([10, 20, 30, 40], "int32", [4], annotations={"candidate_memory_pools": [I.ConstantPoolInfo([], clock_frequency_hz=-1, is_internal=True, pool_name="flash", read_bandwidth_bytes_per_cycle=-1, read_latency_cycles=0, size_hint_bytes=-1, write_bandwidth_bytes_per_cycle=-1, write_latency_cycles=0)], "tenon.placement": ["flash", T.int64(16)]})
    s = T.allocate([8], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(32)]})
    d = T.allocate_const([1, 2, 3, 4], "int32", [4], annotations={"tenon.placement": ["ram", T.int64(40)]})
    e = T.allocate_const([1, 2, 3, 4], "int32", [4], annotations={"candidate_memory_pools": [I.ConstantPoolInfo([], clock_frequency_hz=-1, is_internal=True, pool_name="other", read_bandwidth_bytes_per_cycle=-1, read_latency_cycles=0, size_hint_bytes=-1, write_bandwidth_bytes_per_cycle=-1, write_latency_cycles=0), I.ConstantPoolInfo([], clock_frequency_hz=-1, is_internal=True, pool_name="small", read_bandwidth_bytes_per_cycle=-1, read_latency_cycles=0, size_hint_bytes=64, write_bandwidth_bytes_per_cycle=-1, write_latency_cycles=0)], "tenon.placement": ["small", T.int64(56)]})
    v = T.allocate([8], "int32", "global")
    w = T.allocate_const([1, 2, 3, 4], "int32", [4])
    z = T.allocate([0], "int32", "global", annotations={"tenon.placement": ["ram", T.int64(68)]})
    for i in range(8):
        y[i] = i
