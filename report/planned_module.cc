#include "report/planned_module.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/effects.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/memory_pools.h"
#include "ir/rewriter.h"
#include "support/check.h"

namespace tenon {

namespace {

struct Place {
  std::string_view pool;
  int64_t offset = 0;
};

/// Pools are the last parameters, except for a final parameter without a buffer.
absl::flat_hash_map<const Buffer*, std::string> PoolBuffers(const PrimFunc& func,
                                                            const std::vector<PoolArg>& pools) {
  absl::flat_hash_map<const Buffer*, std::string> names;
  size_t behind = func.params.size();
  TENON_CHECK(func.buffers.size() == behind);
  if (behind > 0 && func.buffers[behind - 1] == nullptr) --behind;
  if (pools.size() > behind) return names;
  for (size_t i = 0; i < pools.size(); ++i) {
    const Buffer* buffer = func.buffers[behind - pools.size() + i];
    if (buffer != nullptr && !pools[i].pool.is_constant) names[buffer] = pools[i].pool.name;
  }
  return names;
}

/// 0 if unknown.
int64_t BytesOf(const Buffer& buffer) {
  return StaticBytes(buffer.dtype, buffer.shape).value_or(0);
}

/// The number of bytes of the buffers on each pointer.
class Sizes {
 public:
  Sizes(const IRModule& module, const PrimFunc& func) {
    Walk(func.body, [&](const Node* node) {
      if (const auto* buffer = dyn_cast<Buffer>(node)) Add(buffer->data, BytesOf(*buffer));
      if (const auto* load = dyn_cast<BufferLoad>(node)) {
        Add(load->buffer->data, BytesOf(*load->buffer));
      } else if (const auto* store = dyn_cast<BufferStore>(node)) {
        Add(store->buffer->data, BytesOf(*store->buffer));
      } else if (const auto* call = dyn_cast<Call>(node)) {
        AddArguments(AsCallSite(module, call));
      }
      return true;
    });
  }
  int64_t Of(const Var* var) const {
    const auto found = bytes_.find(var);
    return found == bytes_.end() ? 0 : found->second;
  }

 private:
  void Add(const Var* var, int64_t bytes) {
    int64_t& most = bytes_[var];
    most = std::max(most, bytes);
  }
  void AddArguments(const CallSite& site) {
    if (site.callee == nullptr) return;
    const PrimFunc& callee = *site.callee->func;
    for (size_t i = 0; i < std::min(site.args.size(), callee.buffers.size()); ++i) {
      const auto* var = dyn_cast<Var>(site.args[i]);
      if (var != nullptr && callee.buffers[i] != nullptr) Add(var, BytesOf(*callee.buffers[i]));
    }
  }

  absl::flat_hash_map<const Var*, int64_t> bytes_;
};

class Allocator : public Rewriter<Allocator> {
 public:
  Allocator(Context& context, std::shared_ptr<Storage> storage,
            const absl::flat_hash_map<const Buffer*, std::string>& pools, const Sizes& sizes)
      : Rewriter(context, std::move(storage)), pools_(pools), sizes_(sizes) {}

  const Stmt* RewriteLetStmt(const LetStmt* let) {
    const std::optional<Place> place = PlaceOf(let);
    const LetStmt* now = RewriteChildren(let);
    if (!place) return now;
    const DataType dtype = let->var->type->dtype;
    const int64_t element = std::max<int64_t>(dtype.bytes(), 1);
    const int64_t count = (sizes_.Of(let->var) + element - 1) / element;
    const Expr* extents[] = {builder().Int(DataType::Int(64), count)};
    const Attr* note[] = {builder().StringValue(place->pool),
                          builder().ExprValue(builder().Int(DataType::Int(64), place->offset))};
    const MapAttr* annotations =
        builder().With(builder().Map({}), attr_key::kPlacement, builder().Array(note));
    return builder().New<Allocate>(let->range, now->var, dtype,
                                   arena().Copy(Span<const Expr*>(extents, 1)),
                                   builder().Bool(true), annotations, now->body);
  }

 private:
  /// The place in `T.address_of(pool[offset])`.
  std::optional<Place> PlaceOf(const LetStmt* let) const {
    const auto* call = dyn_cast<Call>(let->value);
    if (call == nullptr || call->op->kind != OpKind::kAddressOf || !let->var->type->is_pointer())
      return std::nullopt;
    const auto* load = dyn_cast<BufferLoad>(call->args[0]);
    if (load == nullptr || load->indices.size() != 1) return std::nullopt;
    const auto pool = pools_.find(load->buffer);
    const int64_t* offset = AsIntImm(load->indices[0]);
    if (pool == pools_.end() || offset == nullptr) return std::nullopt;
    return Place{pool->second, *offset};
  }

  const absl::flat_hash_map<const Buffer*, std::string>& pools_;
  const Sizes& sizes_;
};

}  // namespace

IRModule WithAllocations(const IRModule& module) {
  IRModule result = module;
  for (const Function& function : module.functions()) {
    const std::vector<PoolArg> pool_args = ReadPoolArgs(*function.func);
    if (pool_args.empty()) continue;
    const auto pools = PoolBuffers(*function.func, pool_args);
    const Sizes sizes(module, *function.func);
    Function now = RewriteFunction<Allocator>(module.context(), function, pools, sizes);
    if (now.func != function.func) result.Update(std::move(now));
  }
  return result;
}

}  // namespace tenon
