#include <fmt/format.h>

#include "ir/const_fold.h"
#include "ir/verify_internal.h"

namespace tenon::verify_internal {

void FunctionVerifier::CheckNode(const IntImm* imm) {
  if (!imm->dtype.is_integer() || !imm->dtype.is_scalar()) {
    Error(DiagnosticKind::kV23, imm->range,
          fmt::format("integer literal has dtype `{}`", imm->dtype.ToString()));
  } else if (WrapToDType(imm->value, imm->dtype) != imm->value) {
    Error(DiagnosticKind::kV23, imm->range,
          fmt::format("literal {} does not fit `{}`", imm->value, imm->dtype.ToString()));
  }
}

void FunctionVerifier::CheckNode(const StringImm* imm) {
  Error(DiagnosticKind::kV22, imm->range, "expected a value, found a string");
}

void FunctionVerifier::CheckNode(const Var* var) {
  CheckUse(var, place_.valid() ? place_ : var->range);
}

void FunctionVerifier::CheckNode(const Cast* cast) {
  const AtPlace place(this, cast->range);
  if (cast->dtype.lanes() != cast->value->dtype.lanes()) {
    Error(DiagnosticKind::kV16, cast->range,
          fmt::format("cast from `{}` to `{}` changes the number of lanes",
                      cast->value->dtype.ToString(), cast->dtype.ToString()));
  }
  VisitChildren(cast);
}

void FunctionVerifier::CheckNode(const BinaryExpr* node) {
  const std::string_view name = NodeKindName(node->kind);
  if (node->a->dtype != node->b->dtype) {
    Error(DiagnosticKind::kV01, node->range,
          fmt::format("expected operands of {} of one dtype, found `{}` and `{}`", name,
                      node->a->dtype.ToString(), node->b->dtype.ToString()));
  } else if ((node->kind == NodeKind::kAnd || node->kind == NodeKind::kOr) &&
             !node->a->dtype.is_bool()) {
    Error(DiagnosticKind::kV01, node->range,
          fmt::format("operands of {} have dtype `{}`, expected bool", name,
                      node->a->dtype.ToString()));
  } else if (node->a->dtype.is_void() ||
             (node->a->dtype.is_handle() && node->kind != NodeKind::kEQ &&
              node->kind != NodeKind::kNE)) {
    Error(DiagnosticKind::kV01, node->range,
          fmt::format("operands of {} have dtype `{}`", name, node->a->dtype.ToString()));
  }
  CheckDivisor(node);
  // Left operands of long sums nest deeply; Visit grows the stack if needed.
  Visit(node->a);
  Visit(node->b);
}

void FunctionVerifier::CheckDivisor(const BinaryExpr* node) {
  if (node->kind < NodeKind::kDiv || node->kind > NodeKind::kFloorMod || guards_ > 0) return;
  const auto* divisor = dyn_cast_or_null<IntImm>(AsImmediate(node->b));
  if (divisor != nullptr && divisor->value == 0) {
    Error(DiagnosticKind::kV24, node->range, "division by zero");
  }
}

void FunctionVerifier::CheckNode(const Not* node) {
  if (!node->a->dtype.is_bool()) {
    Error(DiagnosticKind::kV01, node->range,
          fmt::format("operand of Not has dtype `{}`, expected bool", node->a->dtype.ToString()));
  }
  VisitChildren(node);
}

void FunctionVerifier::CheckNode(const Select* select) {
  if (select->true_value->dtype != select->false_value->dtype) {
    Error(DiagnosticKind::kV01, select->range,
          fmt::format("expected arms of Select of one dtype, found `{}` and `{}`",
                      select->true_value->dtype.ToString(), select->false_value->dtype.ToString()));
  }
  const DataType condition = select->condition->dtype;
  if (!condition.is_bool() ||
      (!condition.is_scalar() && condition.lanes() != select->true_value->dtype.lanes())) {
    Error(DiagnosticKind::kV01, select->range,
          fmt::format("condition of Select has dtype `{}`, expected a bool or one for each lane",
                      condition.ToString()));
  }
  Visit(select->condition);
  ++guards_;
  Visit(select->true_value);
  Visit(select->false_value);
  --guards_;
}

void FunctionVerifier::CheckConstantIndex(const Buffer* buffer, size_t dimension, const Expr* index,
                                          int64_t beyond) {
  const int64_t* extent = AsIntImm(buffer->shape[dimension]);
  if (extent == nullptr || guards_ > 0) return;
  int64_t first = 0;
  int64_t last = 0;
  if (const int64_t* value = AsIntImm(index)) {
    first = last = *value;
  } else if (const auto* ramp = dyn_cast<Ramp>(index)) {
    const int64_t* base = AsIntImm(ramp->base);
    const int64_t* stride = AsIntImm(ramp->stride);
    if (base == nullptr || stride == nullptr || ramp->dtype.lanes() < 1) return;
    int64_t span = 0;
    if (__builtin_mul_overflow(*stride, ramp->dtype.lanes() - 1, &span) ||
        __builtin_add_overflow(*base, span, &last)) {
      last = INT64_MAX;
    }
    first = std::min(*base, last);
    last = std::max(*base, last);
  } else {
    return;
  }
  if (first < 0 || last - beyond >= *extent) {
    Error(DiagnosticKind::kV24, index->range,
          fmt::format("index {} of buffer `{}` is out of bounds: dimension {} has extent {}",
                      first < 0 ? first : last, buffer->name.view(), dimension, *extent));
  }
}

int FunctionVerifier::CheckIndices(const Buffer* buffer, Span<const Expr*> indices,
                                   SourceRange range, int64_t beyond) {
  if (indices.size() != buffer->shape.size()) {
    Error(DiagnosticKind::kV04, range,
          fmt::format("wrong number of indices of buffer `{1}`: expected {2}, found {0}",
                      indices.size(), buffer->name.view(), buffer->shape.size()));
    return buffer->dtype.lanes();
  }
  int lanes = buffer->dtype.lanes();
  for (size_t i = 0; i < indices.size(); ++i) {
    const DataType dtype = indices[i]->dtype;
    if (!dtype.is_integer()) {
      Error(DiagnosticKind::kV05, PlaceOf(indices[i], range),
            fmt::format("index has dtype `{}`, expected an integer", dtype.ToString()));
    } else if (!dtype.is_scalar() && i + 1 != indices.size()) {
      Error(DiagnosticKind::kV05, PlaceOf(indices[i], range),
            "only the last index may be a vector");
    } else {
      CheckConstantIndex(buffer, i, indices[i], beyond);
    }
    if (i + 1 == indices.size() && !dtype.is_scalar()) lanes *= dtype.lanes();
  }
  return lanes;
}

void FunctionVerifier::CheckNode(const BufferLoad* load) {
  const AtPlace place(this, load->range);
  Visit(load->buffer);
  // Lanes that a predicate disables may be out of bounds.
  guards_ += load->predicate != nullptr ? 1 : 0;
  const bool ends_buffer = load == addressed_ && load->indices.size() == 1;
  const int lanes =
      CheckIndices(load->buffer, load->indices, load->range, /*beyond=*/ends_buffer ? 1 : 0);
  guards_ -= load->predicate != nullptr ? 1 : 0;
  if (load->dtype != load->buffer->dtype.with_lanes(lanes)) {
    Error(DiagnosticKind::kV07, load->range,
          fmt::format("load from buffer `{}` has dtype `{}`, expected `{}`",
                      load->buffer->name.view(), load->dtype.ToString(),
                      load->buffer->dtype.with_lanes(lanes).ToString()));
  }
  for (const Expr* index : load->indices) Visit(index);
  Visit(load->predicate);
}

void FunctionVerifier::CheckNode(const Ramp* ramp) {
  if (!ramp->base->dtype.is_scalar() || ramp->stride->dtype != ramp->base->dtype ||
      !ramp->base->dtype.is_integer() || ramp->dtype.lanes() == 1 || ramp->dtype.lanes() == 0) {
    Error(DiagnosticKind::kV16, ramp->range,
          fmt::format("Ramp of {} lanes from `{}` by `{}`", ramp->dtype.lanes(),
                      ramp->base->dtype.ToString(), ramp->stride->dtype.ToString()));
  }
  VisitChildren(ramp);
}

void FunctionVerifier::CheckNode(const Broadcast* broadcast) {
  if (!broadcast->value->dtype.is_scalar() || broadcast->dtype.lanes() == 1 ||
      broadcast->dtype.lanes() == 0) {
    Error(DiagnosticKind::kV16, broadcast->range,
          fmt::format("Broadcast of `{}` to {} lanes", broadcast->value->dtype.ToString(),
                      broadcast->dtype.lanes()));
  }
  VisitChildren(broadcast);
}

void FunctionVerifier::CheckNode(const Shuffle* shuffle) {
  int64_t lanes = 0;
  for (const Expr* vector : shuffle->vectors) lanes += vector->dtype.lanes();
  for (const Expr* vector : shuffle->vectors) {
    if (vector->dtype.element() != shuffle->dtype.element()) {
      Error(DiagnosticKind::kV16, PlaceOf(vector, shuffle->range),
            "vectors of a Shuffle have different dtypes");
    }
  }
  for (const Expr* index : shuffle->indices) {
    const int64_t* value = AsIntImm(index);
    if (value == nullptr || *value < 0 || *value >= lanes) {
      Error(DiagnosticKind::kV16, PlaceOf(index, shuffle->range),
            fmt::format("expected a constant below {} as index of a Shuffle", lanes));
    }
  }
  if (static_cast<int64_t>(shuffle->indices.size()) != shuffle->dtype.lanes()) {
    Error(DiagnosticKind::kV16, shuffle->range,
          fmt::format("Shuffle of {} indices has dtype `{}`", shuffle->indices.size(),
                      shuffle->dtype.ToString()));
  }
  VisitChildren(shuffle);
}

void FunctionVerifier::DefineAs(const Var* var, const Expr* value, SourceRange at) {
  Visit(value);
  if (value->dtype != var->dtype) {
    Error(DiagnosticKind::kV13, at,
          fmt::format("expected a value of dtype `{1}` for `{0}`, found `{2}`", var->name.view(),
                      var->dtype.ToString(), value->dtype.ToString()));
  }
  Define(var, at);
}

void FunctionVerifier::CheckNode(const Let* let) {
  DefineAs(let->var, let->value, let->range);
  Visit(let->body);
  Undefine(let->var);
}

void FunctionVerifier::VisitCommReducer(const CommReducer* reducer) {
  for (const auto& list : {reducer->lhs, reducer->rhs}) {
    for (const Var* var : list) Define(var, var->range);
  }
  for (const Expr* result : reducer->result) Visit(result);
  for (const auto& list : {reducer->lhs, reducer->rhs}) {
    for (const Var* var : list) live_.erase(var);
  }
  for (const Expr* identity : reducer->identity) Visit(identity);
}

void FunctionVerifier::CheckNode(const Reduce* reduce) {
  Visit(reduce->combiner);
  for (const IterVar* axis : reduce->axis) {
    Visit(axis->dom);
    Define(axis->var, axis->range);
  }
  for (const Expr* source : reduce->source) Visit(source);
  for (const Expr* init : reduce->init) Visit(init);
  Visit(reduce->condition);
  for (const IterVar* axis : reduce->axis) Undefine(axis->var);
}

void FunctionVerifier::VisitObjectAttr(const ObjectAttr* object) {
  // An index map defines the variables that it maps.
  const auto* initial = object->type_key.view() == "tir.IndexMap"
                            ? dyn_cast_or_null<ArrayAttr>(object->fields->Find("initial_indices"))
                            : nullptr;
  if (initial == nullptr) return VisitChildren(object);
  const auto each = [&](auto&& act) {
    for (const Attr* item : initial->items) {
      const auto* expr = dyn_cast<ExprAttr>(item);
      const auto* var = expr == nullptr ? nullptr : dyn_cast<Var>(expr->value);
      if (var != nullptr) act(var);
    }
  };
  each([&](const Var* var) { Define(var, var->range); });
  VisitChildren(object);
  each([&](const Var* var) { live_.erase(var); });
}

}  // namespace tenon::verify_internal
