#ifndef TENON_TOOLS_OPT_MAIN_H_
#define TENON_TOOLS_OPT_MAIN_H_

#include <initializer_list>
#include <span>

#include "passes/pipeline/pass_set.h"

namespace tenon {

/// The main function of tenon-opt, for a program with more passes (docs/internals/adding.md has an
/// example):
///
///   int main(int argc, char** argv) { return tenon::OptMain(argc, argv, {MyPasses()}); }
///
/// The program reads TVMScript, runs passes and prints TVMScript, with all options of tenon-opt.
/// `tables` have the additional passes; a table is the `kPasses` of a source that includes
/// passes/pipeline/define_passes.def. Names must be new. Messages begin with the name of argv[0].
/// Returns the exit code. Handles signals of the process, so call it from main only.
int OptMain(int argc, char** argv, std::initializer_list<std::span<const PassInfo>> tables = {});

}  // namespace tenon

#endif  // TENON_TOOLS_OPT_MAIN_H_
