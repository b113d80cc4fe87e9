#ifndef TENON_COMPILE_RUN_RUN_H_
#define TENON_COMPILE_RUN_RUN_H_

#include <string>
#include <vector>

#include "compile/compile.h"
#include "compile/run/c_engine.h"
#include "compile/run/run_times.h"
#include "compile/run/tensors.h"

// The library calls behind `tenon run`.

namespace tenon {

/// The values of the entry's tensors, one each, in the order of its signature: inputs as given,
/// outputs as they are to be found before the run, then as the run left them. C order, little
/// endian.
using TensorValues = std::vector<std::string>;

/// Runs the entry function `runs.count` times in the interpreter, which checks every access, and
/// runs parallel loops serially. Pools of a planned module are allocated, and filled with their
/// constants. A run of more than `max_steps` iterations and calls is given up; 0 is the
/// interpreter's own limit. False after an error.
bool RunInterpreted(const IRModule& module, const EntrySignature& signature, TensorValues& values,
                    Runs& runs, int64_t max_steps, Diagnostics& diagnostics);

/// The same in C: compiled, loaded and called through the generated interface.
bool RunCompiledC(const IRModule& module, const EntrySignature& signature,
                  const CompileOptions& compile, const CEngineOptions& engine, TensorValues& values,
                  Runs& runs, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_COMPILE_RUN_RUN_H_
