#include "analysis/operator_shape.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/contraction.h"
#include "analysis/dataflow.h"
#include "ir/analysis/effects.h"
#include "ir/expr.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

/// Windows next to each other: every value is read once, so no loop is part of an index with
/// another.
std::vector<Window> Tiles(const Computation& all, int access, const std::vector<int>& reduced) {
  const LinearIndex& element = all.accesses[static_cast<size_t>(access)].element;
  std::vector<Window> tiles;
  if (reduced.size() != 2) return tiles;
  for (const int loop : reduced) {
    Window& tile = tiles.emplace_back();
    tile.kernel = {loop};
    tile.stride = all.loops[static_cast<size_t>(loop)].extent;
    tile.pitch = element.stride(loop);
  }
  if (tiles[0].pitch < tiles[1].pitch) std::swap(tiles[0], tiles[1]);
  return tiles;
}

/// The windows of a pooling: a maximum or a sum of values that are read from one operand.
std::optional<std::vector<Window>> PoolWindows(const Computation& all) {
  const std::vector<int> reductions = Reductions(all);
  if (reductions.size() != 1 || all.stores.size() != 1) return std::nullopt;
  const Step& reduce = all.steps[static_cast<size_t>(reductions[0])];
  if (reduce.kind != StepKind::kReduce) return std::nullopt;
  const std::vector<bool> below = StepsBelow(all, reduce.args[1]);
  for (size_t i = 0; i < below.size(); ++i) {
    if (!below[i] || all.steps[i].kind != StepKind::kRead) continue;
    // Conditions change only where values are read, and not the window.
    const int access = all.steps[i].access;
    auto windows = FindWindows(all, access, {}, all.stores[0].loops, reduce.loops);
    if (windows && windows->empty()) return Tiles(all, access, reduce.loops);
    return windows;
  }
  return std::nullopt;
}

std::optional<std::vector<int64_t>> ShapeOf(Span<const Expr*> extents) {
  std::vector<int64_t> shape;
  for (const Expr* extent : extents) {
    const int64_t* value = AsIntImm(extent);
    if (value == nullptr) return std::nullopt;
    shape.push_back(*value);
  }
  return shape;
}

}  // namespace

OperatorShape ShapeOfOperator(Context& context, const Function& function) {
  const ComputationOptions options = {.params_do_not_overlap = true};
  const Function form = ComputationForm(context, function, options);
  const ComputationResult result = ComputationOf(*form.func, options);
  OperatorShape shape;
  if (!result.computation) return shape;
  const Computation& all = *result.computation;
  std::string because;
  const std::optional<Contraction> found = FindContraction(all, because);
  const std::optional<std::vector<Window>> windows =
      found ? std::optional(found->windows) : PoolWindows(all);
  if (!windows) return shape;
  for (const Window& window : *windows) {
    shape.kernel.push_back(Iterations(all, window.kernel));
    shape.stride.push_back(window.stride);
  }
  return shape;
}

absl::flat_hash_map<std::string, std::vector<int64_t>> TensorShapes(const IRModule& module) {
  absl::flat_hash_map<std::string, std::vector<int64_t>> declared;
  absl::flat_hash_map<std::string, std::vector<int64_t>> seen;
  const Function* main = module.Main();
  if (main == nullptr) return declared;
  const auto add = [](auto& shapes, const Var* var,
                      const std::optional<std::vector<int64_t>>& shape) {
    if (!shape || shape->empty()) return;
    const auto [known, is_new] = shapes.try_emplace(std::string(var->name.view()), *shape);
    if (!is_new && known->second != *shape) known->second.clear();
  };
  Walk(main->func->body, [&](const Node* node) {
    if (const auto* allocate = dyn_cast<Allocate>(node))
      add(declared, allocate->buffer_var, ShapeOf(allocate->extents));
    if (const auto* block = dyn_cast<Block>(node)) {
      for (const Buffer* buffer : block->alloc_buffers)
        add(declared, buffer->data, ShapeOf(buffer->shape));
    }
    const auto* call = dyn_cast<Call>(node);
    const CallSite site = call == nullptr ? CallSite() : AsCallSite(module, call);
    if (site.callee == nullptr) return true;
    const Span<const Buffer*> buffers = site.callee->func->buffers;
    for (size_t i = 0; i < std::min(site.args.size(), buffers.size()); ++i) {
      const auto* var = dyn_cast<Var>(site.args[i]);
      if (var != nullptr && buffers[i] != nullptr) add(seen, var, ShapeOf(buffers[i]->shape));
    }
    return true;
  });
  for (auto& [name, shape] : declared) {
    const auto found = seen.find(name);
    if (shape.size() == 1 && found != seen.end() && !found->second.empty()) shape = found->second;
  }
  return declared;
}

}  // namespace tenon
