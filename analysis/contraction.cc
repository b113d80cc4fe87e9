// Loops are classified by the operands that they index: rows, columns, summed, shared. A kept and a
// reduced loop over one axis of the input are a window, found by its condition or by overlapping
// ranges.

#include "analysis/contraction.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "support/check.h"

namespace tenon {

namespace {

const Step& At(const Computation& all, int step) { return all.steps[static_cast<size_t>(step)]; }
int64_t ExtentOf(const Computation& all, int loop) {
  return all.loops[static_cast<size_t>(loop)].extent;
}
bool Contains(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// `least <= index < end`, with the index without its offset. `divisor` is set for a condition on
/// exact quotients.
struct Guard {
  LinearIndex index;
  std::optional<int64_t> least;
  std::optional<int64_t> end;
  int64_t divisor = 1;
  int64_t rest = 0;
};

/// Collects conditions that hold together.
class Guards {
 public:
  explicit Guards(const Computation& all) : all_(all) {}

  bool Add(int id) {
    const Step& step = At(all_, id);
    if (step.kind != StepKind::kNode || step.args.size() != 2) return false;
    if (step.node == NodeKind::kAnd) return Add(step.args[0]) && Add(step.args[1]);
    const Step& left = At(all_, step.args[0]);
    const Step& right = At(all_, step.args[1]);
    if (right.kind != StepKind::kInteger) return false;
    if (step.node == NodeKind::kEQ) return AddMultiple(left, right.integer);
    if (left.kind != StepKind::kIndex || left.linear.divisor != 1) return false;
    Guard& guard = Of(left.linear);
    const int64_t bound = right.integer - left.linear.offset;
    if (step.node == NodeKind::kGE) {
      guard.least = std::max(guard.least.value_or(bound), bound);
    } else if (step.node == NodeKind::kLT) {
      guard.end = std::min(guard.end.value_or(bound), bound);
    } else {
      return false;
    }
    return true;
  }

  std::vector<Guard> guards;

 private:
  /// Adds the condition `index % divisor == 0`.
  bool AddMultiple(const Step& left, int64_t value) {
    if (left.kind != StepKind::kNode || value != 0) return false;
    if (left.node != NodeKind::kFloorMod && left.node != NodeKind::kMod) return false;
    const Step& index = At(all_, left.args[0]);
    const Step& divisor = At(all_, left.args[1]);
    if (index.kind != StepKind::kIndex || divisor.kind != StepKind::kInteger) return false;
    Guard& guard = Of(index.linear);
    if (guard.divisor != 1 || divisor.integer < 1) return false;
    guard.divisor = divisor.integer;
    guard.rest = index.linear.offset;
    return true;
  }

  Guard& Of(const LinearIndex& index) {
    for (Guard& guard : guards) {
      if (guard.index.terms == index.terms) return guard;
    }
    guards.emplace_back().index.terms = index.terms;
    return guards.back();
  }

  const Computation& all_;
};

/// The loops of `index` among `of`, the greatest stride first; nullopt unless they count as one
/// loop.
struct Axis {
  std::vector<int> loops;
  int64_t step = 1;
  int64_t extent = 1;
};
std::optional<Axis> AxisOf(const Computation& all, const LinearIndex& index,
                           const std::vector<int>& of) {
  std::vector<std::pair<int64_t, int>> terms;
  for (const auto& [loop, stride] : index.terms) {
    if (Contains(of, loop)) terms.emplace_back(stride, loop);
  }
  std::sort(terms.begin(), terms.end());
  Axis axis;
  for (const auto& [stride, loop] : terms) {
    if (stride <= 0) return std::nullopt;
    if (axis.loops.empty()) axis.step = stride;
    if (stride != axis.step * axis.extent) return std::nullopt;
    axis.loops.insert(axis.loops.begin(), loop);
    axis.extent *= ExtentOf(all, loop);
  }
  return axis;
}

class WindowFinder {
 public:
  WindowFinder(const Computation& all, int access, const std::vector<int>& kept,
               const std::vector<int>& reduced)
      : all_(all),
        element_(all.accesses[static_cast<size_t>(access)].element),
        kept_(kept),
        reduced_(reduced) {}

  std::optional<std::vector<Window>> Find(const std::vector<int>& conditions) {
    Guards guards(all_);
    for (const int condition : conditions) {
      if (!guards.Add(condition)) return std::nullopt;
    }
    for (const Guard& guard : guards.guards) {
      if (!FromGuard(guard)) return std::nullopt;
    }
    if (!FromOverlaps()) return std::nullopt;
    std::sort(windows_.begin(), windows_.end(),
              [](const Window& a, const Window& b) { return a.pitch > b.pitch; });
    return std::move(windows_);
  }

 private:
  /// Finds a window by a condition that bounds an axis.
  bool FromGuard(const Guard& guard) {
    const std::optional<Axis> places = AxisOf(all_, guard.index, kept_);
    const std::optional<Axis> kernel = AxisOf(all_, guard.index, reduced_);
    if (!places || !kernel) return false;
    if (places->loops.size() + kernel->loops.size() != guard.index.terms.size()) return false;
    Window window;
    window.places = places->loops;
    window.kernel = kernel->loops;
    window.stride = places->loops.empty() ? 1 : places->step;
    window.dilation = kernel->loops.empty() ? 1 : kernel->step;
    const int64_t last =
        window.stride * (places->extent - 1) + window.dilation * (kernel->extent - 1);
    const int64_t least = guard.least.value_or(0);
    const int64_t end = guard.end.value_or(last + 1);
    if (end <= least) return false;
    window.pad_before = least;
    window.pad_after = std::max<int64_t>(0, last + 1 - end);
    window.extent = end - least;
    window.divisor = guard.divisor;
    if (guard.divisor != 1) {
      // Exact quotients are those of `index + rest`.
      if (window.stride != 1 || (guard.rest + least) % guard.divisor != 0) return false;
      window.extent = (window.extent - 1) / guard.divisor + 1;
    }
    if (!Pitch(guard.index, window)) return false;
    Take(window);
    return true;
  }

  /// The number of elements that one step of the axis moves, equal for all its loops.
  bool Pitch(const LinearIndex& index, Window& window) {
    bool first = true;
    for (const auto& [loop, step] : index.terms) {
      const int64_t stride = element_.stride(loop) * window.divisor;
      if (stride % (step * element_.divisor) != 0) return false;
      const int64_t pitch = stride / (step * element_.divisor);
      if (!first && pitch != window.pitch) return false;
      window.pitch = pitch;
      first = false;
    }
    return window.pitch != 0;
  }

  void Take(const Window& window) {
    taken_.insert(taken_.end(), window.places.begin(), window.places.end());
    taken_.insert(taken_.end(), window.kernel.begin(), window.kernel.end());
    windows_.push_back(window);
  }

  /// A kept and a reduced loop whose ranges in the input overlap index the same axis.
  bool FromOverlaps() {
    for (const int kernel : reduced_) {
      if (Contains(taken_, kernel)) continue;
      const int64_t k = element_.stride(kernel);
      if (k == 0) continue;
      std::vector<int> places;
      for (const int place : kept_) {
        const int64_t p = element_.stride(place);
        if (p == 0 || Contains(taken_, place)) continue;
        if (std::abs(p) >= std::abs(k) * ExtentOf(all_, kernel)) continue;
        if (std::abs(k) >= std::abs(p) * ExtentOf(all_, place)) continue;
        places.push_back(place);
      }
      if (places.empty()) continue;
      if (element_.divisor != 1 || !FromOverlap(kernel, places)) return false;
    }
    return true;
  }

  bool FromOverlap(int kernel, std::vector<int> places) {
    // Loops that continue the loops of the axis belong to the axis.
    const std::optional<Axis> axis = AxisOf(all_, element_, places);
    if (!axis) return false;
    int64_t next = axis->step * axis->extent;
    Window window;
    window.places = axis->loops;
    for (bool more = true; more;) {
      more = false;
      for (const int loop : kept_) {
        if (element_.stride(loop) != next || Contains(window.places, loop)) continue;
        window.places.insert(window.places.begin(), loop);
        next *= ExtentOf(all_, loop);
        more = true;
        break;
      }
    }
    const int64_t k = element_.stride(kernel);
    if (k <= 0) return false;
    window.kernel = {kernel};
    window.pitch = std::gcd(axis->step, k);
    window.stride = axis->step / window.pitch;
    window.dilation = k / window.pitch;
    window.extent = window.stride * (next / axis->step - 1) +
                    window.dilation * (ExtentOf(all_, kernel) - 1) + 1;
    Take(window);
    return true;
  }

  const Computation& all_;
  const LinearIndex& element_;
  const std::vector<int>& kept_;
  const std::vector<int>& reduced_;
  std::vector<int> taken_;
  std::vector<Window> windows_;
};

/// The read with the most loops of the reduction among the reads of a step. The result is -1 for a
/// step without reads, and for a read without a loop of the reduction. Other reads, such as scales
/// of channels, may have some of its loops.
int MainRead(const Computation& all, int step, const std::vector<int>& reduced) {
  const std::vector<bool> below = StepsBelow(all, step);
  int found = -1;
  size_t most = 0;
  bool alone = true;
  for (size_t i = 0; i < below.size(); ++i) {
    if (!below[i]) continue;
    if (IsReduction(all.steps[i].kind) || all.steps[i].kind == StepKind::kGather) return -1;
    if (all.steps[i].kind != StepKind::kRead || all.steps[i].access == found) continue;
    const size_t loops =
        all.accesses[static_cast<size_t>(all.steps[i].access)].element.terms.size();
    if (found >= 0 && loops == most && loops > 0) alone = false;
    if (found >= 0 && loops <= most) continue;
    alone = true;
    most = loops;
    found = all.steps[i].access;
  }
  if (found < 0 || !alone) return -1;
  const LinearIndex& element = all.accesses[static_cast<size_t>(found)].element;
  const bool summed = std::any_of(element.terms.begin(), element.terms.end(),
                                  [&](const auto& term) { return Contains(reduced, term.first); });
  const auto within = [&](const Step& other) {
    const auto& terms = all.accesses[static_cast<size_t>(other.access)].element.terms;
    return std::all_of(terms.begin(), terms.end(),
                       [&](const auto& term) { return element.stride(term.first) != 0; });
  };
  for (size_t i = 0; i < below.size(); ++i) {
    if (below[i] && all.steps[i].kind == StepKind::kRead && !within(all.steps[i])) return -1;
  }
  return summed ? found : -1;
}

bool IsZero(const Step& step, double value) {
  if (step.kind == StepKind::kInteger) return static_cast<double>(step.integer) == value;
  return step.kind == StepKind::kReal && step.real == value;
}

/// Separates a factor from its conditions; the factor is 0 if they do not hold.
struct Factor {
  int access = -1;
  std::vector<int> guards;
};
Factor FactorOf(const Computation& all, int step, const std::vector<int>& reduced) {
  Factor factor;
  const int inside = Unguarded(all, step, 0, factor.guards);
  factor.access = MainRead(all, inside, reduced);
  return factor;
}

/// The elements that a step reads, or the values of its index, without the names of loops.
std::vector<std::array<int64_t, 2>> StridesOf(const Computation& all, const Step& step) {
  std::vector<std::array<int64_t, 2>> strides;
  const auto add = [&](const LinearIndex& index, int operand) {
    for (const auto& [loop, stride] : index.terms)
      strides.push_back({stride, all.loops[static_cast<size_t>(loop)].extent});
    std::sort(strides.begin(), strides.end());
    strides.push_back({index.offset, index.divisor});
    strides.push_back({operand, 0});
  };
  if (IsRead(step.kind)) {
    const ComputationAccess& access = all.accesses[static_cast<size_t>(step.access)];
    add(access.element, access.operand);
  } else {
    add(step.linear, -1);
  }
  return strides;
}

/// True if two steps differ at most in the names of their loops.
bool AreAlike(const Computation& all, int a, int b) {
  const Step& one = At(all, a);
  const Step& other = At(all, b);
  Operation same = one;
  same.args = other.args;
  if (same != static_cast<const Operation&>(other) || one.args.size() != other.args.size() ||
      StridesOf(all, one) != StridesOf(all, other))
    return false;
  return std::equal(one.args.begin(), one.args.end(), other.args.begin(),
                    [&](int x, int y) { return AreAlike(all, x, y); });
}

}  // namespace

bool RepeatsReductions(const Computation& all) {
  std::vector<std::vector<int>> of_stores;
  for (const ComputationStore& store : all.stores) {
    const std::vector<bool> below = StepsBelow(all, store.step);
    std::vector<int>& own = of_stores.emplace_back();
    for (const int reduction : Reductions(all))
      if (below[static_cast<size_t>(reduction)]) own.push_back(reduction);
  }
  for (size_t i = 0; i < of_stores.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      for (const int a : of_stores[i]) {
        if (std::any_of(of_stores[j].begin(), of_stores[j].end(),
                        [&](int b) { return AreAlike(all, a, b); }))
          return true;
      }
    }
  }
  return false;
}

std::vector<bool> StepsBelow(const Computation& all, int step) {
  std::vector<bool> below(all.steps.size());
  below[static_cast<size_t>(step)] = true;
  for (size_t i = static_cast<size_t>(step) + 1; i-- > 0;) {
    if (!below[i]) continue;
    for (const int arg : all.steps[i].args) below[static_cast<size_t>(arg)] = true;
  }
  return below;
}

const ComputationStore& StoreOf(const Computation& all, int step) {
  const auto found =
      std::find_if(all.stores.begin(), all.stores.end(), [&](const auto& store) -> bool {
        return StepsBelow(all, store.step)[static_cast<size_t>(step)];
      });
  TENON_CHECK(found != all.stores.end());
  return *found;
}

Computation ReductionAlone(const Computation& all, int reduction, const std::vector<int>& kept) {
  const std::vector<bool> below = StepsBelow(all, reduction);
  Computation alone;
  alone.loops = all.loops;
  alone.operands = all.operands;
  alone.accesses = all.accesses;
  std::vector<int> now_of(all.steps.size(), -1);
  for (size_t i = 0; i < below.size(); ++i) {
    if (!below[i]) continue;
    Step step = all.steps[i];
    for (int& arg : step.args) arg = now_of[static_cast<size_t>(arg)];
    now_of[i] = static_cast<int>(alone.steps.size());
    alone.steps.push_back(std::move(step));
  }
  alone.stores.push_back({all.stores[0].access, now_of[static_cast<size_t>(reduction)], kept});
  return alone;
}

int SplitLoop(Computation& all, int loop, int64_t extent) {
  const int outer = static_cast<int>(all.loops.size());
  ComputationLoop& inner = all.loops[static_cast<size_t>(loop)];
  TENON_CHECK(extent > 0 && inner.extent % extent == 0);
  ComputationLoop blocks = {inner.name + "_outer", inner.extent / extent};
  inner.extent = extent;
  all.loops.push_back(std::move(blocks));
  const auto split_index = [&](LinearIndex& index) {
    // The new loop has the highest number, so the terms stay sorted.
    if (const int64_t stride = index.stride(loop); stride != 0)
      index.terms.emplace_back(outer, stride * extent);
  };
  const auto split_list = [&](std::vector<int>& loops) {
    const auto at = std::find(loops.begin(), loops.end(), loop);
    if (at != loops.end()) loops.insert(at, outer);
  };
  for (ComputationAccess& access : all.accesses) split_index(access.element);
  for (Step& step : all.steps) {
    split_index(step.linear);
    split_list(step.loops);
  }
  for (ComputationStore& store : all.stores) split_list(store.loops);
  return outer;
}

bool JoinLoops(Computation& all, int inner, int outer) {
  const int64_t row = ExtentOf(all, inner);
  const auto continues = [&](const LinearIndex& index) {
    return index.stride(outer) == row * index.stride(inner);
  };
  for (const ComputationStore& store : all.stores) {
    if (!continues(all.accesses[static_cast<size_t>(store.access)].element)) return false;
    const std::vector<bool> below = StepsBelow(all, store.step);
    for (size_t i = 0; i < below.size(); ++i) {
      const Step& step = all.steps[i];
      const bool is_summed =
          std::find(step.loops.begin(), step.loops.end(), outer) != step.loops.end();
      if (below[i] && (is_summed || !continues(step.linear) ||
                       (IsRead(step.kind) &&
                        !continues(all.accesses[static_cast<size_t>(step.access)].element))))
        return false;
    }
  }
  const auto join_index = [&](LinearIndex& index) {
    index.terms.erase(std::remove_if(index.terms.begin(), index.terms.end(),
                                     [&](const auto& term) { return term.first == outer; }),
                      index.terms.end());
  };
  for (ComputationAccess& access : all.accesses) join_index(access.element);
  for (Step& step : all.steps) join_index(step.linear);
  for (ComputationStore& store : all.stores) std::erase(store.loops, outer);
  all.loops[static_cast<size_t>(inner)].extent *= ExtentOf(all, outer);
  all.loops[static_cast<size_t>(outer)].extent = 1;
  return true;
}

int64_t Iterations(const Computation& all, std::span<const int> loops) {
  int64_t product = 1;
  for (const int loop : loops) {
    const int64_t extent = all.loops[static_cast<size_t>(loop)].extent;
    if (__builtin_mul_overflow(product, extent, &product))
      return std::numeric_limits<int64_t>::max();
  }
  return product;
}

std::pair<int64_t, int64_t> RangeOf(const Computation& all, const LinearIndex& index) {
  std::pair<int64_t, int64_t> range = {index.offset, index.offset};
  for (const auto& [loop, stride] : index.terms) {
    const int64_t reach = stride * (ExtentOf(all, loop) - 1);
    (reach < 0 ? range.first : range.second) += reach;
  }
  return range;
}

std::vector<int> Reductions(const Computation& all) {
  std::vector<int> found;
  for (size_t i = 0; i < all.steps.size(); ++i) {
    if (IsReduction(all.steps[i].kind)) found.push_back(static_cast<int>(i));
  }
  return found;
}

int Unguarded(const Computation& all, int step, double otherwise, std::vector<int>& guards) {
  while (At(all, step).kind == StepKind::kNode) {
    const Step& of = At(all, step);
    if (of.node == NodeKind::kCast) {
      step = of.args[0];
    } else if (of.node == NodeKind::kSelect && IsZero(At(all, of.args[2]), otherwise)) {
      guards.push_back(of.args[0]);
      step = of.args[1];
    } else {
      break;
    }
  }
  return step;
}

namespace {

/// True if a step has a value for all values of its loops: the elements that it reads exist.
bool IsAlwaysDefined(const Computation& all, int step) {
  const std::vector<bool> below = StepsBelow(all, step);
  for (size_t i = 0; i < below.size(); ++i) {
    if (!below[i]) continue;
    const Step& at = all.steps[i];
    if (at.kind == StepKind::kInteger) continue;
    if (at.kind == StepKind::kNode) {
      if (at.node != NodeKind::kCast && at.node != NodeKind::kAdd && at.node != NodeKind::kSub)
        return false;
      continue;
    }
    if (at.kind != StepKind::kRead) return false;
    const ComputationAccess& access = all.accesses[static_cast<size_t>(at.access)];
    if (access.element.divisor != 1) return false;
    const auto [least, most] = RangeOf(all, access.element);
    if (least < 0 || most >= all.operands[static_cast<size_t>(access.operand)].elements)
      return false;
  }
  return true;
}

/// Inserts steps before step `at`. Arguments and stores keep the steps that they name.
void InsertSteps(Computation& all, int at, const std::vector<Step>& steps) {
  const int count = static_cast<int>(steps.size());
  const auto move = [&](int& step) {
    if (step >= at) step += count;
  };
  for (size_t i = static_cast<size_t>(at); i < all.steps.size(); ++i) {
    for (int& arg : all.steps[i].args) move(arg);
  }
  for (ComputationStore& store : all.stores) move(store.step);
  all.steps.insert(all.steps.begin() + at, steps.begin(), steps.end());
}

}  // namespace

bool GuardFactor(Computation& all, int sum, int input) {
  const Step& reduction = At(all, sum);
  if (reduction.kind != StepKind::kReduce || !reduction.dtype.is_integer()) return false;
  const int choice = reduction.args[1];
  std::vector<int> guards;
  int product = choice;
  while (At(all, product).kind == StepKind::kNode && At(all, product).node == NodeKind::kSelect &&
         IsZero(At(all, At(all, product).args[2]), 0)) {
    guards.push_back(At(all, product).args[0]);
    product = At(all, product).args[1];
  }
  Step guarded = At(all, product);
  if (guards.empty() || guarded.kind != StepKind::kNode || guarded.node != NodeKind::kMul)
    return false;
  const auto reads_input = [&](int factor) {
    const std::vector<bool> below = StepsBelow(all, factor);
    for (size_t i = 0; i < below.size(); ++i) {
      if (below[i] && IsRead(all.steps[i].kind) && all.steps[i].access == input) return true;
    }
    return false;
  };
  const size_t side = reads_input(guarded.args[0]) ? 0 : 1;
  if (!reads_input(guarded.args[side]) || !IsAlwaysDefined(all, guarded.args[1 - side]))
    return false;
  // The condition goes inside of casts, where a stored factor takes fewer bytes.
  std::vector<Step> casts;
  int factor = guarded.args[side];
  for (; At(all, factor).kind == StepKind::kNode && At(all, factor).node == NodeKind::kCast;
       factor = At(all, factor).args[0])
    casts.push_back(At(all, factor));
  std::vector<Step> made;
  const auto add = [&](Step step) {
    made.push_back(std::move(step));
    return choice + static_cast<int>(made.size()) - 1;
  };
  Step zero;
  zero.dtype = At(all, factor).dtype;
  const int other = add(zero);
  for (const int guard : guards) {
    Step select;
    select.kind = StepKind::kNode;
    select.node = NodeKind::kSelect;
    select.dtype = zero.dtype;
    select.args = {guard, factor, other};
    factor = add(std::move(select));
  }
  for (size_t i = casts.size(); i-- > 0;) {
    casts[i].args = {factor};
    factor = add(casts[i]);
  }
  guarded.args[side] = factor;
  InsertSteps(all, choice, made);
  all.steps[static_cast<size_t>(choice) + made.size()] = std::move(guarded);
  return true;
}

std::optional<std::vector<Window>> FindWindows(const Computation& all, int access,
                                               const std::vector<int>& guards,
                                               const std::vector<int>& kept,
                                               const std::vector<int>& reduced) {
  return WindowFinder(all, access, kept, reduced).Find(guards);
}

namespace {

/// Classifies loops by the operands that they index; false if a loop fits no class.
bool Classify(const Computation& all, Contraction& found, std::string& because) {
  const LinearIndex& a = all.accesses[static_cast<size_t>(found.input)].element;
  const LinearIndex& b = all.accesses[static_cast<size_t>(found.weights)].element;
  const std::vector<int>& kept = all.stores[0].loops;
  const std::vector<int>& reduced = At(all, found.step).loops;
  const auto windows = FindWindows(all, found.input, found.guards, kept, reduced);
  if (!windows) {
    because = "the places where its input is padded are not a box";
    return false;
  }
  found.windows = *windows;
  std::vector<int> places;
  std::vector<int> kernel;
  for (const Window& window : found.windows) {
    places.insert(places.end(), window.places.begin(), window.places.end());
    kernel.insert(kernel.end(), window.kernel.begin(), window.kernel.end());
  }
  for (const int loop : kept) {
    const bool in_a = a.stride(loop) != 0;
    const bool in_b = b.stride(loop) != 0;
    if (Contains(places, loop)) {
      if (!in_b) continue;
      because = "its weights change with the place";
      return false;
    }
    if (in_a && in_b) found.shared.push_back(loop);
    if (in_a && !in_b) found.rows.push_back(loop);
    if (!in_a && in_b) found.columns.push_back(loop);
    if (!in_a && !in_b) {
      because = "a loop walks over only the result";
      return false;
    }
  }
  for (const int loop : reduced) {
    if (b.stride(loop) == 0 || (a.stride(loop) == 0 && !Contains(kernel, loop))) {
      because = "a summed loop walks over only one factor";
      return false;
    }
    if (!Contains(kernel, loop)) found.summed.push_back(loop);
  }
  return true;
}

}  // namespace

std::optional<Contraction> FindContraction(const Computation& all, std::string& because) {
  const std::vector<int> reductions = Reductions(all);
  if (reductions.size() != 1 || all.stores.size() != 1) {
    because = reductions.empty() ? "it has no reduction" : "it has more than one reduction";
    if (all.stores.size() != 1) because = "it stores in more than one place";
    return std::nullopt;
  }
  Contraction found;
  found.step = reductions[0];
  const Step& sum = At(all, found.step);
  std::vector<int> around;
  const int body = sum.kind == StepKind::kReduce ? Unguarded(all, sum.args[1], 0, around) : -1;
  if (body < 0 || sum.node != NodeKind::kAdd || At(all, body).kind != StepKind::kNode ||
      At(all, body).node != NodeKind::kMul) {
    because = "it does not sum products";
    return std::nullopt;
  }
  const Step& product = At(all, body);
  // If the sum has no loops, all loops of an operand's reads count.
  std::vector<int> loops = sum.loops;
  if (loops.empty()) loops = all.stores[0].loops;
  Factor a = FactorOf(all, product.args[0], loops);
  Factor b = FactorOf(all, product.args[1], loops);
  if (a.access < 0 || b.access < 0 || a.access == b.access) {
    because = "it sums products of other than two operands";
    return std::nullopt;
  }
  const auto is_constant = [&](const Factor& factor) {
    const ComputationAccess& access = all.accesses[static_cast<size_t>(factor.access)];
    return all.operands[static_cast<size_t>(access.operand)].constant;
  };
  const bool swaps =
      is_constant(a) != is_constant(b) ? is_constant(a) : a.guards.empty() && !b.guards.empty();
  if (swaps) std::swap(a, b);
  if (!b.guards.empty()) {
    because = "both factors are padded";
    return std::nullopt;
  }
  const auto classify = [&](const Factor& input, const Factor& weights) {
    Contraction attempt = found;
    attempt.input = input.access;
    attempt.weights = weights.access;
    attempt.guards = around;
    attempt.guards.insert(attempt.guards.end(), input.guards.begin(), input.guards.end());
    return Classify(all, attempt, because) ? std::optional(attempt) : std::nullopt;
  };
  std::optional<Contraction> result = classify(a, b);
  if ((result && !result->windows.empty()) || !a.guards.empty() || is_constant(b)) return result;
  // Either factor may be the input: choose the one with windows, if there is one.
  std::string other;
  std::swap(other, because);
  std::optional<Contraction> swapped = classify(b, a);
  const bool vector = result && result->columns.empty() && result->shared.empty();
  if (swapped && (!result || vector || !swapped->windows.empty())) return swapped;
  because = std::move(other);
  return result;
}

}  // namespace tenon
