#ifndef TENON_TOOLS_HELP_TEXTS_H_
#define TENON_TOOLS_HELP_TEXTS_H_

namespace tenon {

// The first lines of `tenon --help` and of the subcommands' help.

inline constexpr const char* kDescription =
    R"(Tenon compiles neural networks to C with planned memory.

  tenon compile model.tflite -o out
  tenon compile model.onnx --dim batch=1 -o out
  tenon run model.tflite --input x.npy --expect y.npy
  tenon verify model.tflite
  tenon compile model.py --emit=package -o model.tenon
  tenon report model.tflite --html=report.html
  tenon plan buffers.csv --capacity=1M

A model is a .tflite or .onnx file, or a module in TVMScript: docs/index.md lists the
documents by task.

Exit codes: 0 done; 1 errors, a mismatch with --expect, or wrong usage;
`tenon plan` also 2 proven that nothing fits, 3 not decided.)";

inline constexpr const char* kCompile =
    R"(Compile a module to C, or to machine code.

  tenon compile model.tflite -o out
  tenon compile model.onnx -o out --dim batch=1 --state h=hn
  tenon compile model.tflite -o out --target=cortex-m4 --workspace-pools=ram:64K
  tenon compile a.py b.py --share-workspace --module-name=a --module-name=b --emit=c -o out
  tenon compile model.py --emit=obj --target=cortex-m4 -Os -o model.o
  tenon compile model.py --emit=package --cflags='-std=c99 -O3 -march=native' -o model.tenon

With --emit=c, -o is a folder for a header and sources. A package has everything that
`tenon run` needs: compiled C, constants, the text. Otherwise LLVM writes one file.)";

inline constexpr const char* kRun = R"(Run the entry function of a module on .npy files.

  tenon run model.py --input x.npy --output y.npy
  tenon run model.onnx --input x.npy --expect y.npy --engine=c --cflags='-std=c99 -O3'
  tenon run model.py --input left=a.npy --input right=b.npy --expect y.npy
  tenon run model.tenon --input x.npy --output y.npy

Files without a name go to inputs, or outputs, in order. The interpreter checks
every access. --expect compares integers exactly, and floats within 1e-5 + 1e-4*|y|.
FILE may also be a package: its bytes and this machine are checked, then its code runs.)";

inline constexpr const char* kPackage =
    R"(List, check or unpack a package, which `--emit=package` makes.

  tenon package list model.tenon
  tenon package verify model.tenon
  tenon package extract model.tenon -o folder

list shows the manifest. verify checks every byte, the processor and the libraries, as
`tenon run` does before it loads anything. The folder of extract is also a package.

A package is a program: its hashes find damage, but do not say who made it.)";

inline constexpr const char* kVerify =
    R"(Compare a model with LiteRT or onnxruntime, on random inputs.

  tenon verify model.onnx
  tenon verify model.tflite --engine=c --count=10 --seed=7
  tenon verify model.onnx --dim batch=1 --python=venv/bin/python --tensors

Python runs the model in onnxruntime or LiteRT (ai-edge-litert), and Tenon in an engine.
Integers must be equal, and floats within --atol + --rtol*|y|. Inputs of floats are from
-1 to 1, integers of 32 and 64 bits from 0 to 9, others of any value.)";

inline constexpr const char* kOperators =
    R"(List the operators of model files that Tenon reads.

  tenon operators --format=onnx
  tenon operators --json

For .onnx files: the domain, the operator, and the versions of its domain's operators.)";

inline constexpr const char* kReport =
    R"(Show where each byte of memory is used, and why.

  tenon report model.tflite
  tenon report model.onnx --why
  tenon report model.py --html=memory.html --json=memory.json
  tenon report model.py --diff=memory.json

FILE may also be an earlier report as JSON.)";

inline constexpr const char* kPlan =
    R"(Place buffers in memory: a planner for problems in files.

  tenon plan buffers.csv
  tenon plan buffers.csv --time-limit=60 --json
  tenon plan buffers.csv --capacity=1M -o plan.csv --json=plan.json
  tenon plan buffers.csv --check=plan.json
  tenon plan grown.csv --previous=plan.csv -o plan2.csv
  tenon plan *.csv --compare=optimal,first_fit --csv=table.csv
  tenon plan buffers.csv --pool=sram:64K --pool=dram --emit-problem=json

A problem is JSON, or CSV with the columns id,lower,upper,size of google/minimalloc and
optional ones (docs/reference/plan.md). With a capacity, the search ends at the first plan
that fits; without one, it looks for the smallest.

Exit codes: 0 planned, or the plan of --check is valid; 1 errors, or the plan is invalid;
2 proven that nothing fits; 3 not decided.)";

}  // namespace tenon

#endif  // TENON_TOOLS_HELP_TEXTS_H_
