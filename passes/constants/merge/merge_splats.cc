#include "passes/constants/merge/merge_splats.h"

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/constant_layout.h"
#include "ir/builtins.h"
#include "ir/memory_pools.h"
#include "ir/rewriter.h"
#include "passes/constants/constant_entries.h"
#include "passes/constants/merge/merge_engine.h"

namespace tenon::merging {

namespace {

bool HasCalls(const Expr* expr) {
  bool has = false;
  Walk(expr, [&](const Node* node) {
    const auto* call = dyn_cast<Call>(node);
    has |= call != nullptr && call->op->effect != OpEffect::kPure;
    return !has;
  });
  return has;
}

/// Finds the allocations of a function from which only single elements are loaded.
class ElementLoads : public Visitor<ElementLoads> {
 public:
  /// Variables of constants with other uses.
  absl::flat_hash_set<const Var*> others;
  std::vector<const AllocateConst*> allocations;

  void VisitAllocateConst(const AllocateConst* allocate) {
    allocations.push_back(allocate);
    dtype_of_[allocate->buffer_var] = allocate->dtype;
    Visit(allocate->body);
  }
  void VisitBufferLoad(const BufferLoad* load) {
    const Buffer* buffer = load->buffer;
    const auto dtype = dtype_of_.find(buffer->data);
    bool is_element = dtype != dtype_of_.end() && buffer->dtype == dtype->second &&
                      load->dtype == buffer->dtype && load->predicate == nullptr;
    for (const Expr* index : load->indices) {
      is_element = is_element && index->dtype.is_scalar() && !HasCalls(index);
      Visit(index);
    }
    if (load->predicate != nullptr) Visit(load->predicate);
    if (!is_element) others.insert(buffer->data);
  }
  void VisitCall(const Call* call) {
    if (call->op->kind == OpKind::kAddressOf) {
      Walk(call, [&](const Node* node) {
        if (const auto* load = dyn_cast<BufferLoad>(node)) others.insert(load->buffer->data);
        return true;
      });
    }
    VisitChildren(call);
  }
  void VisitDeclBuffer(const DeclBuffer* decl) { Visit(decl->body); }
  void VisitVar(const Var* var) { others.insert(var); }
  void VisitBuffer(const Buffer* buffer) { others.insert(buffer->data); }

 private:
  absl::flat_hash_map<const Var*, DataType> dtype_of_;
};

/// One-element constants that replace larger ones.
class Elements {
 public:
  explicit Elements(const IRModule& module) : entries_(module), context_(module.context()) {}

  const Constant* Of(const Constant* data) {
    const Constant*& made = made_[data];
    if (made != nullptr) return made;
    const absl::StatusOr<std::span<const uint8_t>> bytes =
        data->source().kind == ConstantSource::Kind::kSplat ? Element(*data) : data->Bytes();
    const auto width = static_cast<std::ptrdiff_t>(data->dtype().bytes());
    made = context_.AddConstant(Symbol(), data->dtype(), {1},
                                std::vector<uint8_t>(bytes->begin(), bytes->begin() + width),
                                data->placement(), data->range());
    if (!data->name().empty()) made = entries_.EntryOf(made, data->name());
    return made;
  }

  const std::vector<const Constant*>& constants() const { return entries_.constants(); }
  const absl::flat_hash_map<const Constant*, const Constant*>& made() const { return made_; }

 private:
  /// All bytes of an element of a splat, including lanes.
  absl::StatusOr<std::span<const uint8_t>> Element(const Constant& splat) {
    const Constant* one =
        context_.AddConstant(Symbol(), splat.dtype(), {1}, splat.source(), {}, splat.range());
    return one->Bytes();
  }

  ConstantEntries entries_;
  Context& context_;
  absl::flat_hash_map<const Constant*, const Constant*> made_;
};

class Shrinker : public Rewriter<Shrinker> {
 public:
  Shrinker(Context& context, std::shared_ptr<Storage> storage,
           const absl::flat_hash_map<const Var*, const Constant*>& shrunk)
      : Rewriter(context, std::move(storage)), shrunk_(shrunk) {}

  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) {
    const AllocateConst* now = RewriteChildren(allocate);
    const auto found = shrunk_.find(allocate->buffer_var);
    if (found == shrunk_.end()) return now;
    AllocateConst copy = *now;
    copy.data = found->second;
    copy.extents = builder().List<Expr>({builder().Int(1, allocate->range)});
    return arena().New<AllocateConst>(copy);
  }
  const Stmt* RewriteDeclBuffer(const DeclBuffer* decl) {
    if (!shrunk_.contains(decl->buffer->data)) return RewriteChildren(decl);
    const Stmt* body = RewriteStmt(decl->body);
    return body != nullptr ? body : builder().NoOp(decl->range);
  }
  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    if (!shrunk_.contains(load->buffer->data)) return RewriteChildren(load);
    const Buffer*& one = ones_[load->buffer];
    if (one == nullptr) {
      Buffer buffer = *load->buffer;
      buffer.shape = builder().List<Expr>({builder().Int(1)});
      buffer.strides = {};
      buffer.axis_separators = {};
      buffer.elem_offset = builder().Int(0);
      one = arena().New<Buffer>(buffer);
    }
    return builder().Load(one, {builder().Int(0, load->range)}, load->range);
  }

 private:
  const absl::flat_hash_map<const Var*, const Constant*>& shrunk_;
  absl::flat_hash_map<const Buffer*, const Buffer*> ones_;
};

bool MayShrink(const AllocateConst& allocate, const absl::flat_hash_set<const Constant*>& kept) {
  const Constant* data = allocate.data;
  return data != nullptr && !kept.contains(data) && !data->placement().address_significant &&
         data->element_count() > 1 && data->dtype() == allocate.dtype &&
         !ReadPlacement(allocate.annotations) && IsPeriodic(*data, data->dtype().bytes());
}

}  // namespace

IRModule ShrinkSplats(const IRModule& module, const absl::flat_hash_set<const Constant*>& kept,
                      SplatCounts& counts) {
  Elements elements(module);
  IRModule result = module;
  for (const Function& function : module.functions()) {
    ElementLoads loads;
    loads.Visit(function.func->body);
    absl::flat_hash_map<const Var*, const Constant*> shrunk;
    for (const AllocateConst* allocate : loads.allocations) {
      if (!loads.others.contains(allocate->buffer_var) && MayShrink(*allocate, kept))
        shrunk[allocate->buffer_var] = elements.Of(allocate->data);
    }
    if (shrunk.empty()) continue;
    result.Update(RewriteFunction<Shrinker>(module.context(), function, shrunk));
  }
  if (elements.made().empty()) return result;
  absl::flat_hash_set<const Constant*> used = kept;
  for (const Function& function : result.functions()) {
    Walk(function.func->body, [&](const Node* node) {
      const auto* allocate = dyn_cast<AllocateConst>(node);
      if (allocate == nullptr || allocate->data == nullptr) return Stmt::ClassOf(node);
      used.insert(allocate->data);
      used.insert(RootOf(*allocate->data).data);
      return true;
    });
  }
  // A constant that some uses still need as a whole saves nothing.
  for (const auto& [data, one] : elements.made()) {
    if (used.contains(data)) continue;
    ++counts.constants;
    counts.bytes += data->size_bytes() - one->size_bytes();
  }
  result.constants.clear();
  for (const Constant* constant : elements.constants()) {
    const bool is_shrunk = elements.made().contains(constant) && !used.contains(constant);
    if (!is_shrunk) result.constants.push_back(constant);
  }
  return result;
}

}  // namespace tenon::merging
