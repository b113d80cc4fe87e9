#ifndef TENON_TENON_H_
#define TENON_TENON_H_

// The library's interface: modules of tensor IR, their text, passes over them, planned memory,
// execution, and the compiler with its back ends. The parts that need LLVM are in
// lowering/llvm/llvm_backend.h and compile/llvm/jit_engine.h. Inside the tree, only tools and tests
// include it.

#include "compile/compiler.h"
#include "compile/package/check_machine.h"
#include "compile/package/make_package.h"
#include "compile/run/engine.h"
#include "interp/interpreter.h"
#include "ir/builder.h"
#include "ir/builtins.h"
#include "ir/module.h"
#include "ir/rewriter.h"
#include "ir/structural.h"
#include "ir/verifier.h"
#include "ir/visitor.h"
#include "lowering/c/c_backend.h"
#include "parser/parser.h"
#include "passes/constants/constant_updater.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/runner.h"
#include "planner/planner.h"
#include "printer/printer.h"
#include "report/report.h"
#include "support/diagnostics.h"

#endif  // TENON_TENON_H_
