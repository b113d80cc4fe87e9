// The families are tried in a fixed order, and the first that fits is chosen: operators without
// reductions, argmax and argmin, sums of products, softmax. Pools are last, because they include
// all other reductions.

#include "byoc/recognise/recognise.h"

#include <algorithm>
#include <cstdlib>

#include "analysis/contraction.h"
#include "byoc/recognise/requantise_op.h"
#include "fmt/format.h"
#include "ir/function_interface.h"

namespace tenon {

namespace {

int64_t ElementsOf(const Computation& all) {
  int64_t elements = 0;
  for (const ComputationStore& store : all.stores) {
    int64_t product = 1;
    for (const int loop : store.loops) product *= all.loops[static_cast<size_t>(loop)].extent;
    elements += product;
  }
  return elements;
}

/// True if no reduction of floats depends on its order.
bool IsBitwise(const Computation& all) {
  return std::none_of(all.steps.begin(), all.steps.end(), [](const Step& step) {
    return step.kind == StepKind::kReduce && step.dtype.is_floating();
  });
}

}  // namespace

OpInfo ClaimOf(std::string kind, const Computation& all) {
  OpInfo info;
  info.kind = std::move(kind);
  info.computation = all;
  info.elements = ElementsOf(all);
  info.bitwise = IsBitwise(all);
  return info;
}

void NameAxis(Computation& all, std::string_view axis, const std::vector<int>& loops) {
  for (size_t i = 0; i < loops.size(); ++i) {
    all.loops[static_cast<size_t>(loops[i])].name =
        loops.size() == 1 ? std::string(axis) : fmt::format("{}{}", axis, i);
  }
}

std::vector<int> ByStride(std::vector<int> loops, const LinearIndex& element) {
  std::stable_sort(loops.begin(), loops.end(), [&](int a, int b) {
    return std::abs(element.stride(a)) > std::abs(element.stride(b));
  });
  return loops;
}

std::optional<Requantise> RequantiseOf(const OpInfo& info, const PrimFunc& func) {
  const Computation& all = info.computation;
  const std::vector<const AllocateConst*> held = ConstantsOf(func);
  std::vector<const Constant*> data(all.operands.size());
  for (size_t i = 0; i < data.size(); ++i) {
    const auto index = static_cast<size_t>(all.operands[i].index);
    if (all.operands[i].constant && index < held.size()) data[i] = held[index]->data;
  }
  const ConstantReader constants(all, data);
  if (info.kind == "elementwise") return RequantiseOfElements(info, constants);
  if (info.contraction < 0) return RequantiseOfSum(info, constants);
  std::string because;
  const std::optional<Contraction> found = FindContraction(all, because);
  if (!found || found->input != info.input || found->weights != info.weights) return std::nullopt;
  return RequantiseOfDot(info, found->guards, constants);
}

OpInfo Recognise(const PrimFunc& func, const ComputationOptions& options) {
  ComputationResult result = ComputationOf(func, options);
  if (!result.computation) return UnknownOp(result.because);
  const Computation& all = *result.computation;
  if (!LoopProblem(all).empty()) return UnknownOp("it has too many operations to be written down");
  std::string because;
  std::optional<OpInfo> info = RecognisePlain(all);
  if (!info) info = RecogniseArg(all);
  if (!info) info = RecogniseContraction(WithCentredPads(all), because);
  if (!info) info = RecogniseSoftmax(all);
  if (!info) info = RecognisePool(all, func, because);
  if (!info) return UnknownOp(because);
  info->requantise = RequantiseOf(*info, func);
  return *std::move(info);
}

}  // namespace tenon
