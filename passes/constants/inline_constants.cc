// Each constant is made inline once, although several functions may allocate it. A slice becomes
// data without a base, so that the base may leave the table if no other use of it remains.

#include "passes/constants/inline_constants.h"

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/constant_layout.h"
#include "ir/builtins.h"
#include "ir/rewriter.h"
#include "ir/storage_defaults.h"

namespace tenon {

namespace {

using Kind = ConstantSource::Kind;

/// Larger splats stay splats.
constexpr int64_t kMostExpanded = int64_t{1} << 20;

/// Makes constants without names.
class Inliner {
 public:
  explicit Inliner(Context& context) : context_(context) {}

  /// The constant as inline data, or itself if that is impossible.
  const Constant* Inline(const Constant* constant) {
    if (constant == nullptr || constant->name().empty()) return constant;
    const Constant*& made = made_[constant];
    if (made == nullptr) made = Make(*constant);
    if (made != constant) ++inlined;
    return made;
  }

  int64_t inlined = 0;

 private:
  const Constant* Make(const Constant& constant) {
    ConstantPlacement placement = constant.placement();
    const bool is_slice = constant.source().kind == Kind::kSlice;
    // Merging records the alignment that inline constants have anyway.
    if (is_slice && placement.alignment <= kDefaultAlignment) placement.alignment = 0;
    const ConstantSource& root = RootOf(constant).data->source();
    const bool is_large = root.kind == Kind::kSplat && constant.size_bytes() > kMostExpanded;
    if (placement != ConstantPlacement() || is_large || root.kind == Kind::kHash) return &constant;
    const absl::StatusOr<std::span<const uint8_t>> bytes = constant.Bytes();
    if (!bytes.ok()) return &constant;
    ConstantSource source = constant.source();
    if (source.kind != Kind::kBytes) {
      source = ConstantSource();
      source.bytes = *bytes;
      source.owner = root.owner;
      source.is_mapped = root.is_mapped;
    }
    return context_.AddConstant(Symbol(), constant.dtype(), constant.shape(), std::move(source), {},
                                constant.range());
  }

  Context& context_;
  absl::flat_hash_map<const Constant*, const Constant*> made_;
};

class Rewriting : public Rewriter<Rewriting> {
 public:
  Rewriting(Context& context, std::shared_ptr<Storage> storage, Inliner& inliner)
      : Rewriter(context, std::move(storage)), inliner_(inliner) {}

  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) {
    const AllocateConst* now = RewriteChildren(allocate);
    const Constant* data = inliner_.Inline(now->data);
    if (data == now->data) return now;
    AllocateConst copy = *now;
    copy.data = data;
    return arena().New<AllocateConst>(copy);
  }

 private:
  Inliner& inliner_;
};

/// Finds the constants that a module refers to.
class References {
 public:
  explicit References(const IRModule& module) {
    for (const Function& function : module.functions()) Collect(function.func);
    Collect(module.attrs());
    if (module.global_infos() != nullptr) Collect(module.global_infos());
  }

  absl::flat_hash_set<const Constant*> constants;
  bool by_name = false;

 private:
  void Collect(const Node* root) {
    Walk(root, [&](const Node* node) {
      if (const auto* allocate = dyn_cast<AllocateConst>(node)) Add(allocate->data);
      if (const auto* attr = dyn_cast<ConstantAttr>(node)) Add(attr->value);
      const auto* call = dyn_cast<Call>(node);
      by_name |= call != nullptr && call->op->kind == OpKind::kLookupParam;
      return true;
    });
  }
  void Add(const Constant* constant) {
    if (constant == nullptr) return;
    constants.insert(constant);
    // A slice prints with the name of its base.
    if (constant->source().kind == Kind::kSlice) Add(constant->source().base);
  }
};

}  // namespace

absl::StatusOr<IRModule> InlineConstants(const IRModule& module, const NoOptions&,
                                         PassContext& context) {
  Inliner inliner(module.context());
  IRModule result = module;
  for (const Function& function : module.functions()) {
    Function now = RewriteFunction<Rewriting>(module.context(), function, inliner);
    if (now.func != function.func) result.Update(std::move(now));
  }
  const References references(result);
  if (!references.by_name) {
    std::erase_if(result.constants, [&](const Constant* constant) {
      return !references.constants.contains(constant);
    });
  }
  context.Count("inline-constants.inlined", inliner.inlined);
  context.Count("inline-constants.removed",
                static_cast<int64_t>(module.constants.size() - result.constants.size()));
  return result;
}

}  // namespace tenon
