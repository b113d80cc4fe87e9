// Functions check the constants that they read, so that a damaged file fails only where it matters.
// A pool is followed through calls to a fixpoint, and a pointer into it reaches the end of its
// constant at most.

#include "lowering/c/c_constant_use.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/builtins.h"
#include "ir/thread_binding.h"
#include "lowering/c/c_internal.h"
#include "support/check.h"

namespace tenon::c_lowering {

namespace {

/// The variable of an argument that may be the address of a pool; null for other arguments.
const Var* AsVar(const Expr* expr) {
  while (const auto* cast_expr = dyn_cast<Cast>(expr)) expr = cast_expr->value;
  return dyn_cast<Var>(expr);
}

}  // namespace

ConstantNumbers PartsBetween(const ModuleState& state, size_t blob, int64_t begin, int64_t end) {
  TENON_CHECK(blob < state.blobs.size() && blob < state.first_parts.size());
  const std::vector<BlobPart>& parts = state.blobs[blob].parts;
  auto part = std::partition_point(parts.begin(), parts.end(), [&](const BlobPart& p) {
    return p.offset + p.size_bytes <= begin;
  });
  ConstantNumbers numbers;
  for (; part != parts.end() && part->offset < end; ++part)
    numbers.push_back(state.first_parts[blob] + static_cast<size_t>(part - parts.begin()));
  return numbers;
}

std::vector<std::string> ConstantChecks(const ModuleState& state, const ConstantNumbers& numbers) {
  std::vector<std::string> checks;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[i] + (end - i)) ++end;
    checks.push_back(
        fmt::format("{}_check_constants({}, {}) != 0", state.prefix, numbers[i], end - i));
    i = end;
  }
  return checks;
}

ConstantPoolMap::ConstantPoolMap(const ModuleState& state, const Function& entry,
                                 const std::vector<Pool>& pools,
                                 const std::vector<const Function*>& order)
    : state_(state) {
  for (const Function* function : order)
    params_[function->name].assign(function->func->params.size(), kUnknown);
  std::vector<int64_t>& of_entry = params_[entry.name];
  of_entry.assign(entry.func->params.size(), kNoPool);
  for (const Pool& pool : pools) {
    TENON_CHECK(pool.param < of_entry.size() && pool.blob < state.blobs.size() &&
                pool.info != nullptr);
    of_entry[pool.param] = static_cast<int64_t>(pool.blob);
    Extents& extents = extents_[pool.blob];
    extents.size_bytes = state.blobs[pool.blob].size_bytes;
    std::vector<std::pair<int64_t, int64_t>> all;
    for (const PooledConstant& constant : pool.info->constants) {
      if (constant.data == nullptr) continue;
      all.emplace_back(constant.byte_offset, constant.byte_offset + constant.data->size_bytes());
    }
    std::sort(all.begin(), all.end());
    for (const auto& [begin, end] : all) {
      extents.begins.push_back(begin);
      extents.ends.push_back(extents.ends.empty() ? end : std::max(end, extents.ends.back()));
    }
  }
  // Callers first; with recursion, several rounds are needed.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto function = order.rbegin(); function != order.rend(); ++function)
      changed |= Propagate(**function);
  }
}

bool ConstantPoolMap::Propagate(const Function& caller) {
  const PrimFunc& func = *caller.func;
  const std::vector<int64_t> known = params_.at(caller.name);
  TENON_CHECK(known.size() == func.params.size() && func.buffers.size() == known.size());
  for (size_t i = 0; i < known.size(); ++i) {
    const Var* const param = func.params[i];
    const Var* const data = func.buffers[i] != nullptr ? func.buffers[i]->data : param;
    for (const Var* var : {param, data}) {
      if (known[i] >= 0) {
        blob_of_[var] = static_cast<size_t>(known[i]);
      } else {
        blob_of_.erase(var);
      }
    }
  }
  bool changed = false;
  for (const CallSite& call : state_.effects.Of(caller).calls) {
    if (call.callee == nullptr) continue;
    const auto found = params_.find(call.callee->name);
    if (found == params_.end()) continue;
    for (size_t i = 0; i < found->second.size(); ++i) {
      const Var* var = i < call.args.size() ? AsVar(call.args[i]) : nullptr;
      const std::optional<size_t> blob = var == nullptr ? std::nullopt : BlobOf(var);
      const int64_t now = blob ? static_cast<int64_t>(*blob) : kNoPool;
      int64_t& before = found->second[i];
      if (before == now || before == kNoPool) continue;
      before = before == kUnknown ? now : kNoPool;
      changed = true;
    }
  }
  return changed;
}

bool ConstantPoolMap::IsPool(const Function& function, size_t param, size_t blob) const {
  const auto found = params_.find(function.name);
  return found != params_.end() && param < found->second.size() &&
         found->second[param] == static_cast<int64_t>(blob);
}

std::optional<size_t> ConstantPoolMap::BlobOf(const Var* var) const {
  const auto found = blob_of_.find(var);
  return found == blob_of_.end() ? std::nullopt : std::optional(found->second);
}

int64_t ConstantPoolMap::EndOf(size_t blob, int64_t begin) const {
  const Extents& extents = extents_.at(blob);
  TENON_CHECK(extents.begins.size() == extents.ends.size());
  const auto behind = std::upper_bound(extents.begins.begin(), extents.begins.end(), begin);
  if (behind == extents.begins.begin()) return extents.size_bytes;
  const int64_t end = extents.ends[static_cast<size_t>(behind - extents.begins.begin()) - 1];
  return end > begin ? end : extents.size_bytes;
}

ConstantUses::ConstantUses(ModuleState& state, const ConstantPoolMap& pools,
                           const Function& function)
    : state_(state), pools_(pools), function_(function) {
  Walk(function.func->body, [&](const Node* node) {
    if (const auto* let = dyn_cast<LetStmt>(node)) Bind(let->var, let->value);
    if (const auto* let = dyn_cast<Let>(node)) Bind(let->var, let->value);
    const auto* allocate = dyn_cast<AllocateConst>(node);
    if (allocate != nullptr && state.constants.Contains(allocate)) {
      const PlacedConstant placed = PlaceConstant(state, *allocate);
      if (placed.blob < state.blobs.size()) {
        places_[allocate->buffer_var] = {placed.blob, placed.offset,
                                         placed.offset + allocate->data->size_bytes()};
      }
    }
    return true;
  });
}

void ConstantUses::Bind(const Var* var, const Expr* value) {
  if (!var->dtype.is_handle()) return;
  if (const std::optional<Place> place = PlaceOf(value)) places_[var] = *place;
}

std::optional<ConstantUses::Place> ConstantUses::PlaceOf(const Var* var) const {
  if (const auto found = places_.find(var); found != places_.end()) return found->second;
  const std::optional<size_t> blob = pools_.BlobOf(var);
  if (!blob) return std::nullopt;
  return Place{*blob, 0, state_.blobs[*blob].size_bytes, true};
}

std::optional<ConstantUses::Place> ConstantUses::PlaceOf(const Expr* pointer) const {
  while (true) {
    if (const auto* var = dyn_cast<Var>(pointer)) return PlaceOf(var);
    if (const auto* cast_expr = dyn_cast<Cast>(pointer)) {
      pointer = cast_expr->value;
      continue;
    }
    const auto* call = dyn_cast<Call>(pointer);
    if (call == nullptr || call->op->kind != OpKind::kAddressOf || call->args.empty())
      return std::nullopt;
    const auto* load = dyn_cast<BufferLoad>(call->args[0]);
    std::optional<Place> place =
        load == nullptr ? std::nullopt : PlaceOf(static_cast<const Var*>(load->buffer->data));
    if (!place || !place->is_pool) return place;
    // An address in a pool is the address of a constant if its offset is known.
    place->is_pool = false;
    const int64_t* index = load->indices.size() == 1 ? AsIntImm(load->indices[0]) : nullptr;
    int64_t begin = 0;
    if (index == nullptr || *index < 0 || load->buffer->dtype.lanes() != 1 ||
        (load->buffer->elem_offset != nullptr && !IsConstInt(load->buffer->elem_offset, 0)) ||
        __builtin_mul_overflow(*index, load->buffer->dtype.bytes(), &begin) || begin >= place->end)
      return place;
    place->begin = begin;
    place->end = std::min(pools_.EndOf(place->blob, begin), place->end);
    return place;
  }
}

/// Finds the uses in a subtree.
class UseCollector : public Visitor<UseCollector> {
 public:
  UseCollector(const ConstantUses& uses, bool wants_loads) : uses_(uses), loads_(wants_loads) {}

  ConstantNumbers Take() {
    std::sort(numbers_.begin(), numbers_.end());
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
    return std::move(numbers_);
  }

  void VisitBuffer(const Buffer* buffer) {
    if (loads_) Add(uses_.PlaceOf(static_cast<const Var*>(buffer->data)));
  }
  void VisitVar(const Var* var) {
    if (!loads_) Add(uses_.PlaceOf(var));
  }
  void VisitLetStmt(const LetStmt* let) {
    if (!uses_.places_.contains(let->var)) Visit(let->value);
    Visit(let->body);
  }
  void VisitLet(const Let* let) {
    if (!uses_.places_.contains(let->var)) Visit(let->value);
    Visit(let->body);
  }
  void VisitAllocateConst(const AllocateConst* allocate) { Visit(allocate->body); }
  void VisitDeclBuffer(const DeclBuffer* declared) { Visit(declared->body); }
  void VisitCall(const Call* call) {
    if (call->op->kind == OpKind::kAddressOf) {
      if (!loads_) Add(uses_.PlaceOf(static_cast<const Expr*>(call)));
      if (const auto* load = call->args.empty() ? nullptr : dyn_cast<BufferLoad>(call->args[0])) {
        for (const Expr* index : load->indices) Visit(index);
        return;
      }
    }
    const CallSite site = AsCallSite(uses_.state_.module, call);
    if (site.callee == nullptr) return VisitChildren(call);
    for (size_t i = 0; i < site.args.size(); ++i) {
      // A callee that takes the whole pool checks its own uses.
      const Var* var = AsVar(site.args[i]);
      const std::optional<size_t> blob = var == nullptr ? std::nullopt : uses_.pools_.BlobOf(var);
      if (!blob || !uses_.pools_.IsPool(*site.callee, i, *blob)) Visit(site.args[i]);
    }
  }

 private:
  void Add(const std::optional<ConstantUses::Place>& place) {
    if (!place) return;
    const ConstantNumbers numbers =
        PartsBetween(uses_.state_, place->blob, place->begin, place->end);
    numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  }

  const ConstantUses& uses_;
  bool loads_;
  ConstantNumbers numbers_;
};

ConstantNumbers ConstantUses::Loaded() const {
  UseCollector collector(*this, /*wants_loads=*/true);
  collector.Visit(function_.func->body);
  return collector.Take();
}

ConstantNumbers ConstantUses::Passed(const Node* node) const {
  UseCollector collector(*this, /*wants_loads=*/false);
  collector.Visit(node);
  return collector.Take();
}

void FunctionEmitter::CheckConstants(const ConstantNumbers& numbers) {
  ConstantNumbers unchecked;
  for (const size_t number : numbers) {
    if (!is_checked_.insert(number).second) continue;
    checked_.push_back(number);
    unchecked.push_back(number);
  }
  // The run function reports the error, even if callers change this code.
  const bool is_void = function_.func->ret_type->kind == Type::Kind::kVoid;
  for (const std::string& check : ConstantChecks(state_, unchecked))
    Guarded(check, is_void ? "return TENON_CONSTANTS_DAMAGED;" : "return 0;");
}

void FunctionEmitter::CheckBefore(const Stmt* stmt) {
  TENON_CHECK(constant_uses_ != nullptr);
  const Node* what = stmt;
  switch (stmt->kind) {
    case NodeKind::kSeqStmt:
    case NodeKind::kAllocate:
    case NodeKind::kAllocateConst:
    case NodeKind::kDeclBuffer:
      return;
    case NodeKind::kLetStmt: {
      const auto* let = cast<LetStmt>(stmt);
      // An address is checked at its use, not at its definition.
      if (let->var->dtype.is_handle() && constant_uses_->IsKnown(let->var)) return;
      what = let->value;
      break;
    }
    case NodeKind::kIfThenElse:
      what = cast<IfThenElse>(stmt)->condition;
      break;
    case NodeKind::kAssertStmt:
      what = cast<AssertStmt>(stmt)->condition;
      break;
    case NodeKind::kAttrStmt:
      if (!BindsThread(cast<AttrStmt>(stmt))) return;
      break;
    default:
      break;
  }
  CheckConstants(constant_uses_->Passed(what));
}

void FunctionEmitter::Branch(const Stmt* body) {
  const size_t checked = checked_.size();
  Body(body);
  TENON_CHECK(checked_.size() >= checked);
  for (; checked_.size() > checked; checked_.pop_back()) is_checked_.erase(checked_.back());
}

}  // namespace tenon::c_lowering
