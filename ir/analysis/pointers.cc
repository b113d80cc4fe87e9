#include "ir/analysis/pointers.h"

#include <algorithm>
#include <vector>

#include "ir/builtins.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

using Pointers = std::vector<const Expr*>;

/// Adds the pointers from which a call makes its result. Returns false if the result may also come
/// from elsewhere.
bool AddSources(const Call* call, Pointers& sources) {
  const auto& args = call->args;
  switch (call->op->kind) {
    case OpKind::kAddressOf:
      if (const auto* load = dyn_cast<BufferLoad>(args[0])) {
        sources.push_back(load->buffer->data);
        return true;
      }
      return false;
    case OpKind::kTvmAccessPtr:
      if (args.size() < 2) return false;
      sources.push_back(args[1]);
      return true;
    case OpKind::kIfThenElse:
      sources.insert(sources.end(), {args[1], args[2]});
      return true;
    case OpKind::kReinterpret:
      if (!args[0]->dtype.is_handle()) return isa<IntImm>(args[0]);
      sources.push_back(args[0]);
      return true;
    case OpKind::kLikely:
    case OpKind::kTvmStackMakeArray:
      sources.push_back(args[0]);
      return true;
    default:
      for (const Expr* arg : args) {
        if (arg->dtype.is_handle()) sources.push_back(arg);
      }
      return false;
  }
}

}  // namespace

bool PointerTargets::Contains(const Var* root) const {
  return std::find(roots.begin(), roots.end(), root) != roots.end();
}

void PointerTargets::Add(const PointerTargets& other) {
  for (const Var* root : other.roots) {
    if (!Contains(root)) roots.push_back(root);
  }
  is_known &= other.is_known;
}

PointerRoots::PointerRoots(const PrimFunc& function) {
  Walk(function.body, [&](const Node* node) {
    if (const auto* let = dyn_cast<LetStmt>(node)) Bind(let->var, let->value);
    if (const auto* let = dyn_cast<Let>(node)) Bind(let->var, let->value);
    if (const auto* match = dyn_cast<MatchBufferRegion>(node)) {
      Bind(match->buffer->data, match->source->buffer->data);
    }
    return true;
  });
}

void PointerRoots::Bind(const Var* alias, const Expr* value) {
  if (!alias->dtype.is_handle()) return;
  PointerTargets targets = TargetsOf(value);
  if (targets.IsOne()) {
    alias_of_[alias] = targets.roots.front();
  } else {
    targets_of_[alias] = std::move(targets);
  }
}

const Var* PointerRoots::RootOf(const Var* pointer) const {
  const auto found = alias_of_.find(pointer);
  return found == alias_of_.end() ? pointer : found->second;
}

const Var* PointerRoots::RootOf(const Expr* pointer) const {
  while (true) {
    if (const auto* var = dyn_cast<Var>(pointer)) return RootOf(var);
    if (const auto* cast_expr = dyn_cast<Cast>(pointer)) {
      pointer = cast_expr->value;
      continue;
    }
    const auto* call = dyn_cast<Call>(pointer);
    if (call == nullptr || call->args.empty()) return nullptr;
    switch (call->op->kind) {
      case OpKind::kAddressOf: {
        const auto* load = dyn_cast<BufferLoad>(call->args[0]);
        return load == nullptr ? nullptr : RootOf(load->buffer->data);
      }
      case OpKind::kTvmAccessPtr:
        if (call->args.size() < 2) return nullptr;
        pointer = call->args[1];
        continue;
      case OpKind::kReinterpret:
        pointer = call->args[0];
        if (!pointer->dtype.is_handle()) return nullptr;
        continue;
      case OpKind::kTvmStackMakeArray:
        pointer = call->args[0];
        continue;
      default:
        return nullptr;
    }
  }
}

PointerTargets PointerRoots::TargetsOf(const Expr* pointer) const {
  PointerTargets targets;
  Pointers waiting = {pointer};
  while (!waiting.empty()) {
    const Expr* now = waiting.back();
    waiting.pop_back();
    if (const auto* var = dyn_cast<Var>(now)) {
      const auto found = targets_of_.find(var);
      targets.Add(found == targets_of_.end() ? PointerTargets{{RootOf(var)}} : found->second);
    } else if (const auto* cast_expr = dyn_cast<Cast>(now)) {
      waiting.push_back(cast_expr->value);
    } else if (const auto* select = dyn_cast<Select>(now)) {
      waiting.insert(waiting.end(), {select->true_value, select->false_value});
    } else if (const auto* let = dyn_cast<Let>(now)) {
      waiting.push_back(let->body);
      if (let->value->dtype.is_handle()) waiting.push_back(let->value);
    } else if (const auto* call = dyn_cast<Call>(now); call != nullptr && !call->args.empty()) {
      targets.is_known &= AddSources(call, waiting);
    } else {
      targets.is_known &= isa<IntImm>(now);
    }
  }
  return targets;
}

}  // namespace tenon
