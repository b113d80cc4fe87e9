#include "tools/onednn/scratch_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/planner.h"

namespace tenon {

namespace {

using Kind = RequestArgument::Kind;

/// The first and the last operator that uses a tensor; first > last for none.
struct Uses {
  int64_t first = INT64_MAX;
  int64_t last = -1;

  void Add(int64_t op) {
    first = std::min(first, op);
    last = std::max(last, op);
  }
  void Join(const Uses& more) {
    first = std::min(first, more.first);
    last = std::max(last, more.last);
  }
};

class Planner {
 public:
  Planner(const RequestFunction& function, const std::vector<LibraryOp>& ops)
      : function_(function),
        ops_(ops),
        parameter_uses_(function.parameters.size()),
        uses_(function.intermediates.size()),
        root_(function.intermediates.size()) {
    for (size_t i = 0; i < root_.size(); ++i) root_[i] = i;
    plan_.intermediates.resize(function.intermediates.size());
    for (size_t i = 0; i < function.operators.size(); ++i) {
      for (const RequestArgument& arg : function.operators[i].args) {
        if (arg.kind == Kind::kParameter) parameter_uses_[arg.index].Add(static_cast<int64_t>(i));
        if (arg.kind == Kind::kIntermediate) uses_[arg.index].Add(static_cast<int64_t>(i));
      }
    }
  }

  absl::StatusOr<ScratchPlan> Run() {
    for (size_t i = 0; i < ops_.size(); ++i) AddInPlace(i);
    Place();
    if (problem_.buffers.empty()) return std::move(plan_);
    planner::Pool& pool = problem_.pools.emplace_back();
    pool.name = "scratch";
    pool.alignment = kScratchAlignment;
    const absl::StatusOr<planner::Plan> placed =
        planner::PlanMemory(problem_, planner::kDefaultAlgorithm);
    if (!placed.ok()) return placed.status();
    for (size_t i = 0; i < places_.size(); ++i) *places_[i] = placed->placements[i].offset;
    for (size_t i = 0; i < root_.size(); ++i) plan_.intermediates[i] = plan_.intermediates[Root(i)];
    plan_.bytes = placed->pools[0].size;
    return std::move(plan_);
  }

 private:
  size_t Root(size_t intermediate) const {
    while (root_[intermediate] != intermediate) intermediate = root_[intermediate];
    return intermediate;
  }

  int64_t BytesOf(const RequestArgument& arg) const {
    return arg.kind == Kind::kParameter ? function_.parameters[arg.index].bytes
                                        : function_.intermediates[arg.index].bytes;
  }

  const Uses& UsesOf(const RequestArgument& arg) const {
    return arg.kind == Kind::kParameter ? parameter_uses_[arg.index] : uses_[arg.index];
  }

  /// Lets the result of an operator take the place of the tensor that it is added to.
  void AddInPlace(size_t index) {
    const LibraryOp& op = ops_[index];
    const RequestOperator& call = function_.operators[index];
    for (int i = 0; i < op.op.post_count; ++i) {
      if (op.op.posts[i].kind != TENON_ONEDNN_SUM) continue;
      const OperandPlace& place = op.posts[static_cast<size_t>(i)];
      const RequestArgument& from = ArgumentOf(call, place);
      const RequestArgument& to = ArgumentOf(call, op.result);
      const bool is_known = from.kind != Kind::kOther && from.kind != Kind::kConstant &&
                            to.kind != Kind::kOther && to.kind != Kind::kConstant;
      if (!is_known || place.base != 0 || op.result.base != 0 || from.offset != 0 ||
          to.offset != 0 || BytesOf(from) != BytesOf(to))
        continue;
      const auto same = [&](const RequestArgument& arg) {
        return arg.kind == from.kind && arg.index == from.index;
      };
      // The library may read its other operands after it wrote a part of the result.
      if (std::count_if(call.args.begin(), call.args.end(), same) != 1) continue;
      const auto now = static_cast<int64_t>(index);
      if (UsesOf(from).last != now || UsesOf(to).first != now) continue;
      Share(from, to);
    }
  }

  void Share(const RequestArgument& from, const RequestArgument& to) {
    if (from.kind == Kind::kIntermediate) {
      const size_t root = Root(from.index);
      IntermediatePlace& place = plan_.intermediates[root];
      if (place.parameter) return;
      if (to.kind == Kind::kIntermediate) {
        root_[to.index] = root;
        uses_[root].Join(uses_[to.index]);
      } else if (function_.parameters[to.index].effects == "w") {
        place.parameter = to.index;
      }
      return;
    }
    if (to.kind == Kind::kParameter && function_.parameters[from.index].effects == "r" &&
        function_.parameters[to.index].effects == "w")
      plan_.in_place.emplace_back(from.index, to.index);
  }

  void AddBuffer(std::string name, int64_t bytes, const Uses& uses, int64_t* place) {
    planner::Buffer buffer;
    buffer.name = std::move(name);
    buffer.size = bytes;
    buffer.alignment = kScratchAlignment;
    buffer.lifetimes.push_back({uses.first, uses.last + 1});
    buffer.pools.push_back(0);
    problem_.buffers.push_back(std::move(buffer));
    places_.push_back(place);
  }

  void Place() {
    plan_.scratch.assign(ops_.size(), -1);
    plan_.copies.assign(ops_.size(), -1);
    for (size_t i = 0; i < root_.size(); ++i) {
      const bool is_placed = Root(i) == i && !plan_.intermediates[i].parameter &&
                             uses_[i].last >= 0 && function_.intermediates[i].bytes > 0;
      if (!is_placed) continue;
      AddBuffer(fmt::format("tensor {}", i), function_.intermediates[i].bytes, uses_[i],
                &plan_.intermediates[i].offset);
    }
    for (size_t i = 0; i < ops_.size(); ++i) {
      const auto now = static_cast<int64_t>(i);
      if (ops_[i].op.scratch_bytes > 0) {
        AddBuffer(fmt::format("scratch {}", i), ops_[i].op.scratch_bytes, {now, now},
                  &plan_.scratch[i]);
      }
      if (ops_[i].copies_weights) {
        AddBuffer(fmt::format("weights {}", i), ops_[i].weight_elements() * 4, {now, now},
                  &plan_.copies[i]);
      }
    }
  }

  const RequestFunction& function_;
  const std::vector<LibraryOp>& ops_;
  std::vector<Uses> parameter_uses_, uses_;
  /// Tensors in one place: each refers to another one, the root to itself.
  std::vector<size_t> root_;
  planner::Problem problem_;
  /// Where the place of each buffer goes.
  std::vector<int64_t*> places_;
  ScratchPlan plan_;
};

}  // namespace

const RequestArgument& ArgumentOf(const RequestOperator& op, const OperandPlace& place) {
  const ComputationOperand& operand =
      op.claim.computation.operands[static_cast<size_t>(place.operand)];
  return op.args[static_cast<size_t>(operand.index)];
}

absl::StatusOr<ScratchPlan> PlanScratch(const RequestFunction& function,
                                        const std::vector<LibraryOp>& ops) {
  return Planner(function, ops).Run();
}

}  // namespace tenon
