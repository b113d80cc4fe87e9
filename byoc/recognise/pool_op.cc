// Windows without weights. A reduction without windows is a pooling if it covers a whole image,
// which only the ranks of the buffers show. All other reductions are `reduce`.

#include <algorithm>
#include <array>

#include "analysis/contraction.h"
#include "byoc/recognise/recognise.h"
#include "ir/buffer.h"

namespace tenon {

namespace {

double NumberOf(const Step& step) {
  return step.kind == StepKind::kReal ? step.real : static_cast<double>(step.integer);
}

const Buffer* BufferOf(const Computation& all, const PrimFunc& func, int access) {
  const ComputationOperand& operand =
      all.operands[static_cast<size_t>(all.accesses[static_cast<size_t>(access)].operand)];
  return operand.constant ? nullptr : func.buffers[static_cast<size_t>(operand.index)];
}

/// True if two axes are reduced and the rank does not change: a pooling over a whole image.
bool IsGlobal(const Buffer* input, const Buffer* output) {
  if (input == nullptr || output == nullptr || input->shape.size() < 3) return false;
  if (input->shape.size() != output->shape.size()) return false;
  int reduced = 0;
  for (size_t i = 0; i < input->shape.size(); ++i) {
    const int64_t* from = AsIntImm(input->shape[i]);
    const int64_t* to = AsIntImm(output->shape[i]);
    if (from == nullptr || to == nullptr || (*from != *to && *to != 1)) return false;
    reduced += *from != *to ? 1 : 0;
  }
  return reduced == 2;
}

/// Windows that do not overlap: a kept loop continues where the reduced loop ends.
std::vector<Window> Tiles(const Computation& all, int access, const std::vector<int>& kept,
                          const std::vector<int>& reduced) {
  const LinearIndex& element = all.accesses[static_cast<size_t>(access)].element;
  std::vector<Window> windows;
  for (const int kernel : reduced) {
    const int64_t step = element.stride(kernel);
    const int64_t extent = all.loops[static_cast<size_t>(kernel)].extent;
    for (const int place : kept) {
      const int64_t stride = element.stride(place);
      if (step <= 0 || stride % step != 0 || stride != step * extent) continue;
      Window window;
      window.places = {place};
      window.kernel = {kernel};
      window.stride = extent;
      window.pitch = step;
      window.extent = extent * all.loops[static_cast<size_t>(place)].extent;
      windows.push_back(window);
      break;
    }
  }
  std::sort(windows.begin(), windows.end(),
            [](const Window& a, const Window& b) { return a.pitch > b.pitch; });
  return windows;
}

/// True if the result also depends on values other than the reduction.
bool ReadsBeside(const Computation& all, int reduction) {
  // Steps that only the reduction uses do not count.
  std::vector<bool> outside(all.steps.size());
  outside[static_cast<size_t>(all.stores[0].step)] = true;
  for (size_t i = all.steps.size(); i-- > 0;) {
    if (!outside[i] || static_cast<int>(i) == reduction) continue;
    for (const int arg : all.steps[i].args) outside[static_cast<size_t>(arg)] = true;
  }
  for (size_t i = 0; i < outside.size(); ++i) {
    if (outside[i] && IsRead(all.steps[i].kind)) return true;
  }
  return false;
}

/// One window over all reduced elements.
Window WholeWindow(const Computation& all, const std::vector<int>& reduced) {
  Window window;
  window.kernel = reduced;
  for (const int loop : reduced) window.extent *= all.loops[static_cast<size_t>(loop)].extent;
  return window;
}

/// True if the value of a sum is divided by a number, or by the count of a window's elements.
bool IsDivided(const Computation& all, int sum) {
  for (size_t i = 0; i < all.steps.size(); ++i) {
    const Step& step = all.steps[i];
    if (step.kind != StepKind::kNode) continue;
    if (step.node != NodeKind::kDiv && step.node != NodeKind::kFloorDiv &&
        step.node != NodeKind::kMul) {
      continue;
    }
    const std::vector<bool> below = StepsBelow(all, step.args[0]);
    const std::vector<bool> other = StepsBelow(all, step.args[1]);
    const auto sums = static_cast<size_t>(sum);
    const auto reads = [&](const std::vector<bool>& steps) {
      for (size_t k = 0; k < steps.size(); ++k) {
        if (steps[k] && IsRead(all.steps[k].kind)) return true;
      }
      return false;
    };
    if (below[sums] && !reads(other)) return true;
    if (step.node == NodeKind::kMul && other[sums] && !reads(below)) return true;
  }
  return false;
}

void DescribeWindows(OpInfo& info, const std::vector<Window>& windows) {
  constexpr std::array<std::string_view, 3> kPlaces = {"d", "h", "w"};
  constexpr std::array<std::string_view, 3> kKernel = {"kd", "kh", "kw"};
  const size_t axes = windows.size();
  const auto extent = [&](const std::vector<int>& loops) {
    int64_t product = 1;
    for (const int loop : loops)
      product *= info.computation.loops[static_cast<size_t>(loop)].extent;
    return product;
  };
  WindowInfo& shape = info.window.emplace();
  for (size_t i = 0; i < axes; ++i) {
    const Window& axis = windows[i];
    NameAxis(info.computation, kPlaces[3 - axes + i], axis.places);
    NameAxis(info.computation, kKernel[3 - axes + i], axis.kernel);
    shape.input.push_back(axis.extent);
    shape.output.push_back(extent(axis.places));
    shape.kernel.push_back(extent(axis.kernel));
    shape.stride.push_back(axis.stride);
    shape.dilation.push_back(axis.dilation);
    shape.pad_before.push_back(axis.pad_before);
    shape.pad_after.push_back(axis.pad_after);
  }
}

/// Several reductions, or several results: statistics of rows, and values computed from them.
OpInfo ReduceOf(const Computation& all, const std::vector<int>& reductions) {
  OpInfo info = ClaimOf("reduce", all);
  std::vector<int> others;
  for (size_t loop = 0; loop < all.loops.size(); ++loop) others.push_back(static_cast<int>(loop));
  NameAxis(info.computation, "r", others);
  std::vector<int> kept;
  for (const ComputationStore& store : all.stores) {
    for (const int loop : store.loops) {
      if (std::find(kept.begin(), kept.end(), loop) == kept.end()) kept.push_back(loop);
    }
  }
  NameAxis(info.computation, "i", kept);
  NameAxis(info.computation, "k", At(all, reductions[0]).loops);
  return info;
}

}  // namespace

std::optional<OpInfo> RecognisePool(const Computation& all, const PrimFunc& func,
                                    std::string& because) {
  const std::vector<int> reductions = Reductions(all);
  if (reductions.empty()) {
    because = "it has no reduction";
    return std::nullopt;
  }
  const Step& reduce = At(all, reductions[0]);
  if (reductions.size() != 1 || all.stores.size() != 1 || reduce.kind != StepKind::kReduce)
    return ReduceOf(all, reductions);
  const std::vector<int>& kept = all.stores[0].loops;
  std::vector<int> guards;
  const int body = Unguarded(all, reduce.args[1], NumberOf(At(all, reduce.args[0])), guards);
  const bool plain = At(all, body).kind == StepKind::kRead;
  std::vector<Window> windows;
  bool pool = false;
  if (plain && !ReadsBeside(all, reductions[0]) &&
      (reduce.node == NodeKind::kAdd || reduce.node == NodeKind::kMax)) {
    const int access = At(all, body).access;
    const auto found = FindWindows(all, access, guards, kept, reduce.loops);
    if (found) windows = *found;
    if (windows.empty() && reduce.loops.size() >= 2) {
      windows = Tiles(all, access, kept, reduce.loops);
      const bool paired =
          windows.size() == 2 && reduce.loops.size() == 2 && windows[0].places != windows[1].places;
      if (!paired) windows.clear();
    }
    pool = (!windows.empty() && windows.size() <= 3) ||
           IsGlobal(BufferOf(all, func, access), BufferOf(all, func, all.stores[0].access));
  }
  std::string kind = "reduce";
  if (pool) {
    const bool divided = IsDivided(all, reductions[0]);
    kind = reduce.node == NodeKind::kMax ? "max_pool" : divided ? "avg_pool" : "sum_pool";
  }
  OpInfo info = ClaimOf(std::move(kind), all);
  if (pool) {
    std::vector<int> taken;
    if (windows.empty()) windows = {WholeWindow(all, reduce.loops)};
    DescribeWindows(info, windows);
    for (const Window& window : windows) {
      taken.insert(taken.end(), window.places.begin(), window.places.end());
      taken.insert(taken.end(), window.kernel.begin(), window.kernel.end());
    }
    const auto rest = [&](const std::vector<int>& loops) {
      std::vector<int> left;
      for (const int loop : loops) {
        if (std::find(taken.begin(), taken.end(), loop) == taken.end()) left.push_back(loop);
      }
      return left;
    };
    NameAxis(info.computation, "c", rest(kept));
    NameAxis(info.computation, "k", rest(reduce.loops));
  } else {
    NameAxis(info.computation, "i", kept);
    NameAxis(info.computation, "k", reduce.loops);
  }
  return info;
}

}  // namespace tenon
