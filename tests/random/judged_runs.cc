#include "random/judged_runs.h"

#include <fmt/format.h>

#include <utility>

#include "compile/plan.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/entry_signature.h"
#include "planner/planner.h"
#include "random/generator.h"
#include "random/tensors.h"
#include "support/diagnostics.h"
#include "tests/unit/passes/mapped_copies.h"

namespace tenon::random_ir {

namespace {

constexpr int kRuns = 3;
constexpr int64_t kMostSteps = 50'000'000;

}  // namespace

CompileOptions PlanWay::Options() const {
  CompileOptions options;
  options.map_inputs = map_inputs;
  options.map_outputs = map_outputs;
  options.keep_inputs = keep_inputs;
  options.planner = planner;
  options.overlap = overlap;
  options.fuse = fuse ? Switch::kOn : Switch::kOff;
  options.narrow = options.fuse;
  options.parallel = threads ? ParallelLoops::kThreads : ParallelLoops::kSerial;
  // Small alignments leave no room to hide in.
  if (!planner::IsTvmAlgorithm(planner)) options.workspace_alignment = alignment;
  return options;
}

std::string PlanWay::Text() const {
  return fmt::format("--planner={} --overlap={} --fuse={}{}{}{}{} --workspace-alignment={}",
                     planner, OverlapName(overlap), fuse ? "on" : "off",
                     map_inputs ? " --map-inputs" : "", map_outputs ? " --map-outputs" : "",
                     keep_inputs ? " --keep-inputs" : "", threads ? " --parallel=threads" : "",
                     alignment);
}

const std::vector<PlanWay>& AllPlanWays() {
  static const std::vector<PlanWay> ways = [] {
    std::vector<PlanWay> all;
    for (const std::string_view planner : planner::AlgorithmNames()) {
      for (const Overlap overlap : {Overlap::kOff, Overlap::kInPlace, Overlap::kOn}) {
        if (planner::IsTvmAlgorithm(planner) && overlap != Overlap::kOff) continue;
        for (int flags = 0; flags < 32; ++flags) {
          const PlanWay way = {
              (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0,  std::string(planner),
              overlap,          (flags & 8) != 0, (flags & 16) != 0, (flags & 2) != 0 ? 4 : 1};
          if (way.map_inputs || !way.keep_inputs) all.push_back(way);
        }
      }
    }
    return all;
  }();
  return ways;
}

std::string FaultOfPlan(const IRModule& module, const PlanWay& way) {
  Diagnostics diagnostics;
  if (PlanModule(module, way.Options(), PlanTarget(), diagnostics)) return "";
  return way.Text() + '\n' + Render(module.context().sources(), diagnostics);
}

JudgedModel::JudgedModel(IRModule module, uint64_t seed) : module_(std::move(module)), seed_(seed) {
  const Function& main = *module_.Main();
  is_output_ = OutputParams(*main.func, ModuleEffects(module_).Of(main));
  want_ = RunThreeTimes(module_, {}, false);
  want_kept_ = RunThreeTimes(module_, {}, true);
  failure_ = want_.failure + want_kept_.failure;
}

JudgedModel::Seen JudgedModel::RunThreeTimes(const IRModule& module, InterpreterOptions options,
                                             bool keep_inputs) const {
  Seen seen;
  Diagnostics diagnostics;
  options.max_steps = kMostSteps;
  const auto interpreter = Interpreter::Compile(module, diagnostics, std::move(options));
  std::vector<tenon::Tensor> tensors;
  const PrimFunc& original = *module_.Main()->func;
  const PrimFunc& main = *module.Main()->func;
  for (int run = 0; run < kRuns && interpreter.ok(); ++run) {
    Dice dice(seed_ + static_cast<uint64_t>(run) * 0x9e3779b9);
    for (size_t i = 0; i < original.params.size(); ++i) {
      tenon::Tensor fresh = RandomTensor(*original.buffers[i], dice);
      // The parameter of a mapped tensor is flat.
      fresh.shape.clear();
      for (const Expr* extent : main.buffers[i]->shape) fresh.shape.push_back(*AsIntImm(extent));
      if (run == 0) {
        tensors.push_back(std::move(fresh));
      } else if (!is_output_[i] && !keep_inputs) {
        tensors[i] = std::move(fresh);
      }
    }
    std::vector<Argument> arguments;
    for (tenon::Tensor& tensor : tensors) arguments.push_back(Argument::Of(&tensor));
    if (!interpreter->Run(module.Main()->name.view(), arguments, diagnostics)) break;
    std::vector<Bytes>& values = seen.runs.emplace_back();
    for (size_t i = 0; i < tensors.size(); ++i) {
      values.push_back(tensors[i].bytes);
      OneNan(tensors[i].dtype, values.back());
    }
  }
  if (seen.runs.size() < kRuns)
    seen.failure = "the run failed\n" + Render(module.context().sources(), diagnostics);
  return seen;
}

std::string JudgedModel::Difference(const Seen& want, const Seen& found, bool keep_inputs) const {
  for (size_t run = 0; run < kRuns; ++run) {
    for (size_t i = 0; i < is_output_.size(); ++i) {
      if (!is_output_[i] && !keep_inputs) continue;
      if (want.runs[run][i] == found.runs[run][i]) continue;
      return fmt::format("{} `{}` differs after run {}", is_output_[i] ? "output" : "input",
                         module_.Main()->func->params[i]->name.view(), run + 1);
    }
  }
  return "";
}

std::string JudgedModel::FaultOf(const PlanWay& way) const {
  Diagnostics diagnostics;
  const auto fault = [&](std::string_view what) {
    return fmt::format("{}: {}\n{}", way.Text(), what,
                       Render(module_.context().sources(), diagnostics));
  };
  const auto planned = PlanModule(module_, way.Options(), PlanTarget(), diagnostics);
  if (!planned) return fault("planning failed");
  InterpreterOptions placements;
  const IRModule copying = WithParams(planned->noted, placements, way.keep_inputs);
  const Seen found = RunThreeTimes(copying, placements, way.keep_inputs);
  if (!found.failure.empty()) return fault(found.failure);
  const std::string difference =
      Difference(way.keep_inputs ? want_kept_ : want_, found, way.keep_inputs);
  return difference.empty() ? "" : fault(difference);
}

}  // namespace tenon::random_ir
