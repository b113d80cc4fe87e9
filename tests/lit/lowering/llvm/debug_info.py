# With -g a debugger knows the lines of this text.
# REQUIRES: llvm
# RUN: tenon compile %s --emit=llvm-ir -O0 -g --target=x86_64-linux-gnu -o - | FileCheck %s
# RUN: tenon compile %s --emit=llvm-ir -O0 --target=x86_64-linux-gnu -o - | FileCheck %s --check-prefix=WITHOUT
# WITHOUT-NOT: !dbg

# CHECK: define internal {{.*}} @tvmgen_default_main({{.*}} !dbg ![[MAIN:[0-9]+]]
# CHECK: add i32 {{.*}}, !dbg ![[STORE:[0-9]+]]
# CHECK: !DIFile(filename: "debug_info.py", directory: "{{.*}}lowering/llvm")
# CHECK: ![[MAIN]] = distinct !DISubprogram(name: "tvmgen_default_main"{{.*}}, line: [[#@LINE + 7]],
# CHECK: ![[STORE]] = !DILocation(line: [[#@LINE + 8]], column: 9, scope: ![[MAIN]])
from tvm.script import ir as I
from tvm.script import tir as T


@T.prim_func
def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
    for i in range(4):
        y[i] = x[i] + x[0]
