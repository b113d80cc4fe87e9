// First, the sums are found whose pointers go nowhere else. Then their storage, and all terms of a
// sum, become unsigned together: a cast at each step would bring the problem back. A parameter
// keeps its type, since callers have it: a second pointer has unsigned elements.

#include "passes/lowering/unsigned_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "ir/rewriter.h"
#include "ir/visitor.h"
#include "support/stack.h"

namespace tenon {

namespace {

bool IsSumKind(NodeKind kind) {
  return kind == NodeKind::kAdd || kind == NodeKind::kSub || kind == NodeKind::kMul;
}

/// Whether a sum has an element of `data` as a term.
bool AddsTo(const Expr* value, const Var* data) {
  if (const auto* load = dyn_cast<BufferLoad>(value)) return load->buffer->data == data;
  if (!IsSumKind(value->kind)) return false;
  const auto* sum = static_cast<const BinaryExpr*>(value);
  return WithStack([&] { return AddsTo(sum->a, data); }) || AddsTo(sum->b, data);
}

/// Finds the storage that the pass changes.
class SumFinder : public Visitor<SumFinder> {
 public:
  explicit SumFinder(const PrimFunc& func) {
    for (size_t i = 0; i < func.params.size(); ++i) {
      const Buffer* buffer = func.buffers[i];
      if (buffer == nullptr) continue;
      dtype_of_.emplace(buffer->data, buffer->dtype);
      if (HasFirstElement(*buffer)) params_.insert(buffer->data);
    }
  }

  void VisitBuffer(const Buffer*) {}
  void VisitVar(const Var* var) { elsewhere_.insert(var); }

  void VisitBufferLoad(const BufferLoad* load) {
    Access(*load->buffer, load->dtype);
    VisitChildren(load);
  }

  void VisitBufferStore(const BufferStore* store) {
    Access(*store->buffer, store->value->dtype);
    if (IsSumKind(store->value->kind) && AddsTo(store->value, store->buffer->data)) {
      sums_.insert(store->buffer->data);
      if (IsRepeated(store)) repeated_.insert(store->buffer->data);
    }
    VisitChildren(store);
  }

  void VisitFor(const For* loop) {
    loops_.push_back(loop->loop_var);
    VisitChildren(loop);
    loops_.pop_back();
  }

  /// The matched buffer views the same storage with its own pointer and dtype.
  void VisitMatchBufferRegion(const MatchBufferRegion* match) {
    elsewhere_.insert(match->source->buffer->data);
    VisitChildren(match);
  }

  /// The address of an element goes elsewhere; its index does not.
  void VisitCall(const Call* call) {
    const auto* load =
        call->op->kind == OpKind::kAddressOf ? dyn_cast<BufferLoad>(call->args[0]) : nullptr;
    if (load != nullptr) elsewhere_.insert(load->buffer->data);
    VisitChildren(call);
  }

  void VisitAllocate(const Allocate* allocate) {
    own_.insert(allocate->buffer_var);
    Visit(allocate->condition);
    Visit(allocate->body);
  }

  void VisitLetStmt(const LetStmt* let) {
    if (let->var->type->is_pointer()) own_.insert(let->var);
    Visit(let->value);
    Visit(let->body);
  }

  absl::flat_hash_set<const Var*> Found() const {
    absl::flat_hash_set<const Var*> found;
    for (const Var* data : sums_) {
      const DataType dtype = dtype_of_.at(data);
      const bool is_number = dtype.is_int() && dtype.bits() >= 32 && dtype.is_scalar();
      const bool is_mine =
          own_.contains(data) || (params_.contains(data) && repeated_.contains(data));
      if (is_number && is_mine && !elsewhere_.contains(data)) found.insert(data);
    }
    return found;
  }

 private:
  /// Whether the buffer begins at its pointer and provably has an element, so that a second pointer
  /// can be the address of its first element.
  static bool HasFirstElement(const Buffer& buffer) {
    const auto* offset = dyn_cast<IntImm>(buffer.elem_offset);
    const auto* extent = buffer.shape.size() == 1 ? dyn_cast<IntImm>(buffer.shape[0]) : nullptr;
    return offset != nullptr && offset->value == 0 && buffer.strides.empty() && extent != nullptr &&
           extent->value > 0;
  }

  /// Whether a loop around the store does not mention its variable in the indices.
  bool IsRepeated(const BufferStore* store) const {
    absl::flat_hash_set<const Var*> mentioned;
    for (const Expr* index : store->indices) {
      Walk(index, [&](const Node* node) {
        if (const auto* var = dyn_cast<Var>(node)) mentioned.insert(var);
        return true;
      });
    }
    return std::any_of(loops_.begin(), loops_.end(),
                       [&](const Var* loop) { return !mentioned.contains(loop); });
  }

  void Access(const Buffer& buffer, DataType dtype) {
    const auto [found, added] = dtype_of_.emplace(buffer.data, buffer.dtype);
    if (found->second != buffer.dtype || dtype != buffer.dtype) elsewhere_.insert(buffer.data);
  }

  absl::flat_hash_map<const Var*, DataType> dtype_of_;
  absl::flat_hash_set<const Var*> sums_;
  /// Sums over a loop, to each element several times. Other sums are not vectorised incorrectly.
  absl::flat_hash_set<const Var*> repeated_;
  std::vector<const Var*> loops_;
  /// Pointers that the function defines, and those of its parameters' buffers.
  absl::flat_hash_set<const Var*> own_;
  absl::flat_hash_set<const Var*> params_;
  /// Pointers with other uses than accesses of one dtype.
  absl::flat_hash_set<const Var*> elsewhere_;
};

DataType UnsignedOf(DataType dtype) { return DataType::UInt(dtype.bits(), dtype.lanes()); }

class SumRewriter : public Rewriter<SumRewriter> {
 public:
  SumRewriter(Context& context, std::shared_ptr<Storage> storage,
              const absl::flat_hash_set<const Var*>& sums)
      : Rewriter(context, std::move(storage)), sums_(sums) {}

  const PrimFunc* RewriteWhole(const PrimFunc& func) {
    std::vector<const Buffer*> viewed;
    for (const Buffer* buffer : func.buffers) {
      if (buffer == nullptr || !sums_.contains(buffer->data)) continue;
      viewed.push_back(buffer);
      const std::string name = fmt::format("{}_sums", buffer->data->name.view());
      view_of_[buffer->data] = builder().NewVar(name, UnsignedPointer(*buffer->data->type));
    }
    PrimFunc copy = func;
    copy.body = RewriteStmt(func.body);
    for (const Buffer* buffer : viewed) {
      const Expr* address = builder().NewCall(DataType::Handle(), OpKind::kAddressOf,
                                              {builder().Load(buffer, {builder().Int(0)})});
      copy.body =
          builder().New<LetStmt>(func.body->range, view_of_.at(buffer->data), address, copy.body);
    }
    return arena().New<PrimFunc>(copy);
  }

  const Buffer* RewriteBuffer(const Buffer* buffer) {
    if (buffer == nullptr || !sums_.contains(buffer->data) || buffer_map.contains(buffer))
      return Rewriter::RewriteBuffer(buffer);
    Buffer copy = *RewriteChildren(buffer);
    copy.dtype = UnsignedOf(buffer->dtype);
    if (const auto view = view_of_.find(buffer->data); view != view_of_.end())
      copy.data = view->second;
    return buffer_map[buffer] = arena().New<Buffer>(copy);
  }

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    const BufferLoad* now = RewriteChildren(load);
    if (!sums_.contains(load->buffer->data)) return now;
    BufferLoad copy = *now;
    copy.dtype = UnsignedOf(load->dtype);
    return builder().New<Cast>(load->range, load->dtype, arena().New<BufferLoad>(copy));
  }

  const Stmt* RewriteBufferStore(const BufferStore* store) {
    if (!sums_.contains(store->buffer->data)) return RewriteChildren(store);
    BufferStore copy = *RewriteChildren(store);
    copy.value = Unsigned(store->value, store->buffer->data);
    return arena().New<BufferStore>(copy);
  }

  const Stmt* RewriteAllocate(const Allocate* allocate) {
    if (!sums_.contains(allocate->buffer_var)) return RewriteChildren(allocate);
    Retype(allocate->buffer_var);
    Allocate copy = *RewriteChildren(allocate);
    copy.dtype = UnsignedOf(allocate->dtype);
    return arena().New<Allocate>(copy);
  }

  const Stmt* RewriteLetStmt(const LetStmt* let) {
    if (sums_.contains(let->var)) Retype(let->var);
    return RewriteChildren(let);
  }

 private:
  /// The bits of a value of the original function, as an unsigned number. Sums to which elements of
  /// `data` belong are computed in unsigned numbers.
  const Expr* Unsigned(const Expr* value, const Var* data) {
    const DataType dtype = UnsignedOf(value->dtype);
    if (const auto* imm = dyn_cast<IntImm>(value))
      return builder().Int(dtype, WrapToDType(imm->value, dtype), imm->range);
    if (IsSumKind(value->kind) && AddsTo(value, data)) {
      const auto* sum = static_cast<const BinaryExpr*>(value);
      const Expr* a = WithStack([&] { return Unsigned(sum->a, data); });
      return MakeBinary(builder(), sum->kind, a, Unsigned(sum->b, data), sum->range);
    }
    const Expr* now = RewriteExpr(value);
    const auto* cast = dyn_cast<Cast>(now);
    if (cast != nullptr && cast->value->dtype == dtype) return cast->value;
    return builder().New<Cast>(value->range, dtype, now);
  }

  /// Gives a pointer to unsigned elements.
  void Retype(const Var* var) {
    var_map[var] = builder().NewVar(var->name.view(), UnsignedPointer(*var->type), var->range);
  }
  const Type* UnsignedPointer(const Type& type) {
    return builder().context().PointerType(UnsignedOf(type.dtype), type.scope);
  }

  /// Second pointers to the storage of parameters.
  absl::flat_hash_map<const Var*, const Var*> view_of_;
  const absl::flat_hash_set<const Var*>& sums_;
};

}  // namespace

absl::StatusOr<IRModule> UnsignedSums(const IRModule& module, const NoOptions&,
                                      PassContext& context) {
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    SumFinder finder(*function.func);
    finder.Visit(function.func->body);
    const absl::flat_hash_set<const Var*> sums = finder.Found();
    if (sums.empty()) return function;
    auto storage = std::make_shared<Storage>(function.storage);
    SumRewriter rewriter(module.context(), storage, sums);
    const PrimFunc* now = rewriter.RewriteWhole(*function.func);
    return Function{function.name, now, std::move(storage)};
  });
}

}  // namespace tenon
