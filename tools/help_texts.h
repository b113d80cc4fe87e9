#ifndef TENON_TOOLS_HELP_TEXTS_H_
#define TENON_TOOLS_HELP_TEXTS_H_

namespace tenon {

// What `tenon --help` and the subcommands' say first.

inline constexpr const char* kDescription =
    R"(tenon: from TVMScript to planned memory and C with linked parameters.

  tenon compile model.py --emit=c -o out --report=report.json
  tenon run model.py --input x.npy --expect y.npy
  tenon report model.py --html=report.html
  tenon plan buffers.csv --capacity=1048576

Exit codes: 0 done; 1 errors, a mismatch with --expect, or wrong usage;
plan also 2 proven that nothing fits, 3 not decided.)";

inline constexpr const char* kCompile =
    R"(Compile a module to C, a header and sources in a folder, or to a file that LLVM makes.

  tenon compile model.py --emit=c -o out
  tenon compile model.py --emit=c -o out --module-name=kws --planner=hill_climb --html=memory.html
  tenon compile a.py b.py --share-workspace --module-name=a --module-name=b --emit=c -o out
  tenon compile model.py --emit=obj --target=thumbv7em-none-eabi --cpu=cortex-m4 -o model.o)";

inline constexpr const char* kRun = R"(Run the entry function of a module on .npy files.

  tenon run model.py --input x.npy --output y.npy
  tenon run model.py --input x.npy --expect y.npy --engine=c --cflags='-std=c99 -O3'
  tenon run model.py --input left=a.npy --input right=b.npy --expect y.npy

Files without a name go to inputs, or outputs, in order. The interpreter checks every access.
Integers have to be as expected; floats within 1e-5 + 1e-4*|y|.)";

inline constexpr const char* kReport =
    R"(Show what is constant, what is workspace, who is live when, the peak and its bound.

  tenon report model.py
  tenon report model.py --why
  tenon report model.py --html=memory.html --json=memory.json
  tenon report model.py --diff=memory.json

In place of the module, a report of it as JSON will do.)";

inline constexpr const char* kPlan =
    R"(Plan buffers of a file: CSV with id,lower,upper,size as in google/minimalloc,
and more columns where they are needed, or JSON, which can say all that the planner knows.

  tenon plan buffers.csv
  tenon plan buffers.csv --time-limit=60 --json
  tenon plan buffers.csv --capacity=1048576 -o plan.csv --json=plan.json
  tenon plan buffers.csv --check=plan.json
  tenon plan grown.csv --previous=plan.csv -o plan2.csv
  tenon plan buffers.csv --pool=sram:65536 --pool=dram --emit-problem=json

With a capacity the first plan that fits will do; without one, the smallest is looked for.

Exit codes: 0 planned, or found right by --check; 1 errors, or found wrong;
2 proven that nothing fits; 3 not decided.)";

}  // namespace tenon

#endif  // TENON_TOOLS_HELP_TEXTS_H_
