#ifndef TENON_TESTS_RANDOM_PIPELINES_H_
#define TENON_TESTS_RANDOM_PIPELINES_H_

#include <string>
#include <vector>

#include "fmt/format.h"
#include "passes/pipeline/default_pipelines.h"
#include "passes/pipeline/pass_set.h"

namespace tenon::random_ir {

/// The passes that must run before a pass, as the beginning of a pipeline. Loops become serial
/// before memory planning, so that there is more to plan.
inline std::string Before(std::string_view pass) {
  std::string text;
  for (const std::string_view name : PassesBefore(PassSet(), pass)) text += std::string(name) + ",";
  const bool plans = pass == "plan-memory" || pass == "convert-pool-allocations-to-offsets";
  return (plans ? "convert-for-loops-to-serial," : "") + text;
}

/// Whether a pass changes the arguments of the entry: separate tests run these passes.
inline bool ChangesParameters(std::string_view pass) {
  return pass == "create-io-allocates" || pass == "bind-params" || pass == "lift-params";
}

/// narrow-storage as compilation runs it before operators are recognised; also with the buffers of
/// random modules, which are small, and on inlined functions.
inline void AddSignedNarrowing(std::vector<std::string>& all) {
  for (const std::string_view calls : {"", "inline-callees,"}) {
    for (const int bytes : {65, 1}) {
      all.push_back(
          fmt::format("lower-blocks,flatten-buffers,lower-packed-calls,{}"
                      "inline-lets,simplify,narrow-storage{{signed=true min-bytes={}}}",
                      calls, bytes));
    }
  }
}

/// Dot products and requantisation in words, for C, and in vectors.
inline void AddDotProducts(std::vector<std::string>& all) {
  for (const std::string_view dots :
       {"dot-products", "dot-products{rows=1 steps=1 combine=products}"}) {
    all.push_back(fmt::format("lower-blocks,flatten-buffers,{},requantize-words,", dots) +
                  PipelineText(LowerForC()));
  }
  all.push_back(
      "convert-for-loops-to-serial,lower-blocks,flatten-buffers,dot-products{rows=1 combine=dots16 "
      "finish=true},requantize-words{twice=true}," +
      PipelineText(LoopPipeline({.machine = {128, 8, 16}})));
}

/// Every other pass, by itself and on flat buffers, and the pipelines that drivers run.
inline std::vector<std::string> Pipelines() {
  std::vector<std::string> all;
  for (const std::string_view pass : PassSet().Names()) {
    // Calls of debug-tensors go to a function of the device, which no engine has here.
    if (ChangesParameters(pass) || pass == "debug-tensors") continue;
    all.push_back(Before(pass) + std::string(pass));
    // Also on flat buffers.
    if (Before(pass).empty() && pass != "lower-blocks") {
      all.push_back("lower-blocks,flatten-buffers," + std::string(pass));
    }
  }
  all.emplace_back("recognise-ops");
  all.emplace_back("convert-link-params{to=attrs}");
  all.emplace_back(
      "convert-link-params{to=attrs},convert-link-params,lower-"
      "blocks,flatten-buffers");
  all.emplace_back("lower-blocks,flatten-buffers,stream-operators{copy-borders=false}");
  all.emplace_back("legalize-small-floats{storage=bits8}");
  all.emplace_back("legalize-small-floats{storage=bits}");
  all.emplace_back("lower-intrin{expand-bits=false}");
  all.emplace_back(
      "simplify,lower-blocks,simplify,flatten-buffers,lower-"
      "vectors,lower-intrin,"
      "simplify,remove-no-op");
  AddDotProducts(all);
  all.emplace_back("hoist-constants{functions=*}");
  all.emplace_back("lower-blocks,flatten-buffers,hoist-constants{functions=*}," +
                   PipelineText(LowerForC()));
  AddSignedNarrowing(all);
  for (const std::string_view codec : {"lz4", "zstd"}) {
    all.push_back(Before("plan-memory") +
                  fmt::format("promote-constants{{budget=96}},compress-constants{{codec={} "
                              "min_ratio=1}},assign-pool-info,plan-memory,"
                              "convert-pool-allocations-to-offsets",
                              codec));
  }
  // Arrays of sums that vectors would make too large for the stack.
  all.emplace_back("lower-blocks,flatten-buffers,limit-stack,localize-buffers,vectorize-loops");
  for (const int64_t vector_bytes : {0, 256, 1024}) {
    all.push_back("convert-for-loops-to-serial,lower-blocks,flatten-buffers," +
                  PipelineText(LoopPipeline({.machine = {.vector_bytes = vector_bytes}})));
  }
  Machine machine = {2048, 32, 64};
  for (const Instruction instruction : {Instruction::kPmaddwd, Instruction::kVpdpbusd}) {
    machine.instructions.Add(instruction);
    all.push_back("convert-for-loops-to-serial,lower-blocks,flatten-buffers," +
                  PipelineText(LoopPipeline({.machine = machine})));
  }
  all.push_back("convert-for-loops-to-serial,lower-blocks,flatten-buffers,lower-packed-calls," +
                PipelineText(FusionPipeline({.fuse = true, .narrow = true, .lanes = true})));
  all.emplace_back("inline-callees,outline-operators,inline-callees{max-nodes=40}");
  all.emplace_back("fix(simplify,remove-no-op)");
  all.push_back(PipelineText(LowerForC()));
  all.emplace_back("lower-vectors{keep=gnu}");
  all.emplace_back("lower-blocks,flatten-buffers,place-parallel-scratch{copies=3 stack=4}");
  all.push_back(PipelineText(LowerForC(/*gnu_vectors=*/true)));
  all.emplace_back(PipelineText(LowerForC()) + ",lower-intrin,simplify,remove-no-op");
  return all;
}

/// A pipeline as part of a test's name.
inline std::string TestName(size_t index, const std::string& pipeline) {
  std::string name = std::to_string(index) + "_";
  for (const char c : pipeline) name += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_';
  return name;
}

}  // namespace tenon::random_ir

#endif  // TENON_TESTS_RANDOM_PIPELINES_H_
