#include <fmt/format.h>

#include <vector>

#include "ir/thread_binding.h"
#include "ir/verify_internal.h"
#include "support/checked.h"

namespace tenon::verify_internal {

void FunctionVerifier::CheckCondition(const Expr* condition, std::string_view what,
                                      SourceRange parent) {
  if (condition->dtype != DataType::Bool()) {
    Error(DiagnosticKind::kV15, PlaceOf(condition, parent),
          fmt::format("condition of {} has dtype `{}`, expected bool", what,
                      condition->dtype.ToString()));
  }
}

std::optional<int64_t> FunctionVerifier::CheckExtents(Span<const Expr*> extents, DataType dtype,
                                                      SourceRange range) {
  std::vector<int64_t> constants;
  for (const Expr* extent : extents) {
    if (!extent->dtype.is_integer() || !extent->dtype.is_scalar()) {
      Error(DiagnosticKind::kV08, PlaceOf(extent, range),
            fmt::format("extent has dtype `{}`, expected a scalar integer",
                        extent->dtype.ToString()));
      continue;
    }
    Visit(extent);
    const int64_t* value = AsIntImm(extent);
    if (value == nullptr) continue;
    if (*value < 0) {
      Error(DiagnosticKind::kV08, extent->range, fmt::format("extent {} is negative", *value));
    } else {
      constants.push_back(*value);
    }
  }
  // If some extents are not constant, the product of the others must not be too large.
  if (!BytesOf(constants, dtype.bytes())) {
    Error(DiagnosticKind::kV08, range, "the extents make 2^62 bytes or more");
    return std::nullopt;
  }
  return constants.size() == extents.size() ? ProductOf(constants) : std::nullopt;
}

void FunctionVerifier::VisitLetStmt(const LetStmt* let) {
  const AtPlace place(this, let->range);
  DefineAs(let->var, let->value, let->range);
  Visit(let->body);
  Undefine(let->var);
}

void FunctionVerifier::VisitAttrStmt(const AttrStmt* attr) {
  const AtPlace place(this, attr->range);
  const auto* iter = dyn_cast_or_null<IterVarAttr>(attr->node);
  const Var* thread = ThreadVar(attr);
  const bool defines = thread != nullptr && !live_.contains(thread);
  if (!isa<StringImm>(attr->value)) Visit(attr->value);
  if (defines) {
    Visit(iter->value->dom);
    Define(iter->value->var, attr->range);
  } else if (iter != nullptr) {
    Visit(iter->value->dom);
    CheckUse(iter->value->var, attr->range);
  } else {
    Visit(attr->node);
  }
  Visit(attr->body);
  if (defines) Undefine(iter->value->var);
}

void FunctionVerifier::VisitAssertStmt(const AssertStmt* assertion) {
  const AtPlace place(this, assertion->range);
  CheckCondition(assertion->condition, "assert", assertion->range);
  Visit(assertion->condition);
  if (!isa<StringImm>(assertion->message)) Visit(assertion->message);
  Visit(assertion->body);
}

void FunctionVerifier::VisitBufferStore(const BufferStore* store) {
  const AtPlace place(this, store->range);
  Visit(store->buffer);
  guards_ += store->predicate != nullptr ? 1 : 0;
  const int lanes = CheckIndices(store->buffer, store->indices, store->range);
  guards_ -= store->predicate != nullptr ? 1 : 0;
  if (store->value->dtype != store->buffer->dtype.with_lanes(lanes)) {
    Error(DiagnosticKind::kV06, store->range,
          fmt::format("value stored to buffer `{}` has dtype `{}`, expected `{}`",
                      store->buffer->name.view(), store->value->dtype.ToString(),
                      store->buffer->dtype.with_lanes(lanes).ToString()));
  }
  if (const AllocateConst* constant = ConstantBehind(store->buffer->data)) {
    Diagnostic& error = diagnostics_.Error(
        DiagnosticKind::kV11, store->range,
        fmt::format("store to buffer `{}`, which lies in the constant `{}`",
                    store->buffer->name.view(), constant->buffer_var->name.view()));
    Diagnostics::AddNote(error, constant->range, "the constant is here");
  }
  for (const Expr* index : store->indices) Visit(index);
  Visit(store->value);
  Visit(store->predicate);
}

void FunctionVerifier::VisitAllocate(const Allocate* allocate) {
  const AtPlace place(this, allocate->range);
  CheckExtents(allocate->extents, allocate->dtype, allocate->range);
  CheckCondition(allocate->condition, "an allocation", allocate->range);
  if (!isa<StringImm>(allocate->condition)) Visit(allocate->condition);
  Visit(allocate->annotations);
  const Type& type = *allocate->buffer_var->type;
  if (!type.is_pointer() || (type.dtype != allocate->dtype && !allocate->dtype.is_bool())) {
    Error(DiagnosticKind::kV09, allocate->range,
          fmt::format("`{}` is not a pointer to `{}`", allocate->buffer_var->name.view(),
                      allocate->dtype.ToString()));
  }
  Define(allocate->buffer_var, allocate->range);
  Visit(allocate->body);
  Undefine(allocate->buffer_var);
}

void FunctionVerifier::VisitAllocateConst(const AllocateConst* allocate) {
  const std::optional<int64_t> count =
      CheckExtents(allocate->extents, allocate->dtype, allocate->range);
  const Type& type = *allocate->buffer_var->type;
  const std::string_view name = allocate->buffer_var->name.view();
  if (!type.is_pointer() || (type.dtype != allocate->dtype && !allocate->dtype.is_bool())) {
    Error(DiagnosticKind::kV09, allocate->range,
          fmt::format("`{}` is not a pointer to `{}`", name, allocate->dtype.ToString()));
  }
  if (!count) {
    Error(DiagnosticKind::kV10, allocate->range,
          fmt::format("constant `{}` has no constant extents", name));
  } else if (allocate->data == nullptr) {
    Error(DiagnosticKind::kV10, allocate->range, fmt::format("constant `{}` has no data", name));
  } else if (allocate->data->dtype() != allocate->dtype ||
             allocate->data->element_count() != *count) {
    Error(
        DiagnosticKind::kV10, allocate->range,
        fmt::format("expected data of {1} elements of `{2}` for constant `{0}`, found {3} of `{4}`",
                    name, *count, allocate->dtype.ToString(), allocate->data->element_count(),
                    allocate->data->dtype().ToString()));
  } else if (const std::string mistake = LoadMistake(allocate->data->placement());
             !mistake.empty()) {
    Error(DiagnosticKind::kV10, allocate->range, fmt::format("constant `{}`: {}", name, mistake));
  }
  Visit(allocate->annotations);
  Define(allocate->buffer_var, allocate->range);
  constants_.emplace(allocate->buffer_var, allocate);
  met_constants_ = true;
  Visit(allocate->body);
  Undefine(allocate->buffer_var);
}

void FunctionVerifier::VisitDeclBuffer(const DeclBuffer* decl) {
  const AtPlace place(this, decl->range);
  absl::InlinedVector<const Var*, 4> defined;
  DefineBufferVars(decl->buffer, /*with_data=*/false, defined);
  Visit(decl->buffer);
  Visit(decl->body);
  for (const Var* var : defined) Undefine(var);
}

void FunctionVerifier::VisitEvaluate(const Evaluate* evaluate) {
  const AtPlace place(this, evaluate->range);
  VisitChildren(evaluate);
}

void FunctionVerifier::VisitSeqStmt(const SeqStmt* seq) {
  if (seq->seq.size() < 2) {
    Error(DiagnosticKind::kV17, seq->range,
          fmt::format("a sequence of {} statements", seq->seq.size()));
  }
  for (const Stmt* child : seq->seq) {
    if (isa<SeqStmt>(child))
      Error(DiagnosticKind::kV17, child->range, "a sequence within a sequence");
    Visit(child);
  }
}

void FunctionVerifier::VisitIfThenElse(const IfThenElse* branch) {
  const AtPlace place(this, branch->range);
  CheckCondition(branch->condition, "if", branch->range);
  Visit(branch->condition);
  ++guards_;
  Visit(branch->then_case);
  Visit(branch->else_case);
  --guards_;
}

void FunctionVerifier::VisitFor(const For* loop) {
  const AtPlace place(this, loop->range);
  const DataType dtype = loop->loop_var->dtype;
  if (!dtype.is_integer() || !dtype.is_scalar() || loop->min->dtype != dtype ||
      loop->extent->dtype != dtype) {
    Error(
        DiagnosticKind::kV12, loop->range,
        fmt::format(
            "loop variable `{}` has dtype `{}`, min `{}`, extent `{}`; expected one scalar integer",
            loop->loop_var->name.view(), dtype.ToString(), loop->min->dtype.ToString(),
            loop->extent->dtype.ToString()));
  }
  if (const int64_t* extent = AsIntImm(loop->extent); extent != nullptr && *extent < 0) {
    Error(DiagnosticKind::kV12, loop->extent->range,
          fmt::format("loop extent {} is negative", *extent));
  }
  if (loop->for_kind == ForKind::kThreadBinding &&
      (loop->thread_binding == nullptr || loop->thread_binding->thread_tag.empty())) {
    Error(DiagnosticKind::kV12, loop->range, "a thread loop names no thread");
  }
  Visit(loop->min);
  Visit(loop->extent);
  Visit(loop->annotations);
  Define(loop->loop_var, loop->range);
  Visit(loop->body);
  Undefine(loop->loop_var);
}

void FunctionVerifier::VisitWhile(const While* loop) {
  const AtPlace place(this, loop->range);
  CheckCondition(loop->condition, "while", loop->range);
  VisitChildren(loop);
}

void FunctionVerifier::CheckMatch(const MatchBufferRegion* match) {
  const Buffer* buffer = match->buffer;
  const Span<const Range*> region = match->source->region;
  if (buffer->dtype != match->source->buffer->dtype) {
    Error(DiagnosticKind::kV18, match->range,
          fmt::format("buffer `{}` of `{}` matched to a region of `{}`", buffer->name.view(),
                      buffer->dtype.ToString(), match->source->buffer->dtype.ToString()));
    return;
  }
  if (buffer->shape.size() > region.size()) {
    Error(DiagnosticKind::kV18, match->range,
          fmt::format("buffer `{}` has {} dimensions, the region it is matched to {}",
                      buffer->name.view(), buffer->shape.size(), region.size()));
    return;
  }
  // Leading dimensions that the buffer lacks have extent one.
  const size_t lacks = region.size() - buffer->shape.size();
  for (size_t i = 0; i < region.size(); ++i) {
    const int64_t* have = AsIntImm(region[i]->extent);
    const int64_t one = 1;
    const int64_t* want = i < lacks ? &one : AsIntImm(buffer->shape[i - lacks]);
    if (have == nullptr || want == nullptr || *have == *want) continue;
    Error(DiagnosticKind::kV18, match->range,
          fmt::format("buffer `{}` has extent {} where the region it is matched to has {}",
                      buffer->name.view(), *want, *have));
    return;
  }
}

/// Checks that the storage of an allocated buffer begins at its pointer.
void FunctionVerifier::CheckAllocated(const Buffer* buffer) {
  const auto check = [&](const Expr* field, std::string_view what) {
    const int64_t* value = AsIntImm(field);
    if (value == nullptr || *value >= 0) return;
    Error(
        DiagnosticKind::kV18, buffer->range,
        fmt::format("expected {} of 0 or more in the allocated buffer `{}`, found {}: its storage "
                    "begins at its pointer",
                    what, buffer->name.view(), *value));
  };
  for (const Expr* stride : buffer->strides) check(stride, "strides");
  check(buffer->elem_offset, "an offset");
}

void FunctionVerifier::VisitBlock(const Block* block) {
  absl::InlinedVector<const Var*, 4> defined;
  for (const IterVar* iter : block->iter_vars) {
    Visit(iter->dom);
    if (iter->dom == nullptr) {
      Error(
          DiagnosticKind::kV19, iter->range,
          fmt::format("iteration variable `{}` of a block has no domain", iter->var->name.view()));
    }
    Define(iter->var, iter->range);
    defined.push_back(iter->var);
  }
  for (const Buffer* buffer : block->alloc_buffers) {
    DefineBufferVars(buffer, /*with_data=*/true, defined);
    Visit(buffer);
    CheckAllocated(buffer);
  }
  for (const MatchBufferRegion* match : block->match_buffers) {
    Visit(match->source);
    CheckMatch(match);
    DefineBufferVars(match->buffer, /*with_data=*/true, defined);
    Visit(match->buffer);
  }
  for (const BufferRegion* region : block->reads) Visit(region);
  for (const BufferRegion* region : block->writes) Visit(region);
  Visit(block->annotations);
  Visit(block->init);
  Visit(block->body);
  for (const Var* var : defined) Undefine(var);
}

void FunctionVerifier::VisitBlockRealize(const BlockRealize* realize) {
  const AtPlace place(this, realize->range);
  const Block& block = *realize->block;
  if (realize->iter_values.size() != block.iter_vars.size()) {
    Error(DiagnosticKind::kV19, realize->range,
          fmt::format("block `{}` has {} iteration variables and {} values", block.name_hint,
                      block.iter_vars.size(), realize->iter_values.size()));
  }
  for (const Expr* value : realize->iter_values) Visit(value);
  CheckCondition(realize->predicate, "a block", realize->range);
  Visit(realize->predicate);
  Visit(realize->block);
}

void FunctionVerifier::VisitBufferRealize(const BufferRealize* realize) {
  absl::InlinedVector<const Var*, 4> defined;
  DefineBufferVars(realize->buffer, /*with_data=*/true, defined);
  VisitChildren(realize);
  for (const Var* var : defined) Undefine(var);
}

void FunctionVerifier::VisitProducerStore(const ProducerStore* store) { VisitChildren(store); }

void FunctionVerifier::VisitPrefetch(const Prefetch* prefetch) { VisitChildren(prefetch); }

void FunctionVerifier::VisitProducerRealize(const ProducerRealize* realize) {
  absl::InlinedVector<const Var*, 4> defined;
  DefineBufferVars(realize->producer, /*with_data=*/true, defined);
  VisitChildren(realize);
  for (const Var* var : defined) Undefine(var);
}

}  // namespace tenon::verify_internal
