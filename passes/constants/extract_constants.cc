// Constants are numbered in the order of the text, on one thread. A hash reads all bytes, so
// constants of a unique size get none: most weights are not read at all.

#include "passes/constants/extract_constants.h"

#include <fmt/format.h>

#include "absl/container/flat_hash_set.h"
#include "ir/rewriter.h"

namespace tenon {

namespace {

bool SaysNothing(const ConstantPlacement& placement) { return placement == ConstantPlacement(); }

/// The module's table while constants are added.
class ConstantTable {
 public:
  ConstantTable(Context& context, std::vector<const Constant*> constants)
      : context_(context), constants_(std::move(constants)) {
    for (const Constant* constant : constants_) Index(constant);
  }

  /// The constant of the table that replaces `constant`.
  const Constant* Intern(const Constant* constant, Symbol base) {
    if (members_.contains(constant)) return constant;
    if (const auto known = made_.find(constant); known != made_.end()) return known->second;
    const Constant*& result = made_[constant];
    result = FindEqual(*constant);
    if (result != nullptr) {
      ++merged;
      bytes_saved += constant->size_bytes();
      return result;
    }
    ++extracted;
    result = context_.AddConstant(UniqueName(base), constant->dtype(), constant->shape(),
                                  constant->source(), constant->placement(), constant->range());
    constants_.push_back(result);
    Index(result);
    return result;
  }

  const std::vector<const Constant*>& constants() const { return constants_; }

  int64_t extracted = 0;
  int64_t merged = 0;
  int64_t bytes_saved = 0;

 private:
  void Index(const Constant* constant) {
    members_.insert(constant);
    names_.insert(constant->name());
    if (constant->placement().address_significant) return;
    // A hash reads all bytes, and is not needed for the only constant of a size.
    unhashed_[constant->size_bytes()].push_back(constant);
  }

  const Constant* FindEqual(const Constant& constant) {
    if (constant.placement().address_significant) return nullptr;
    const auto waiting = unhashed_.find(constant.size_bytes());
    if (waiting == unhashed_.end()) return nullptr;
    for (const Constant* other : waiting->second) {
      const absl::StatusOr<ContentHash> hash = other->Hash();
      if (hash.ok()) by_hash_[hash->low].push_back(other);
    }
    waiting->second.clear();
    const absl::StatusOr<ContentHash> hash = constant.Hash();
    const auto found = hash.ok() ? by_hash_.find(hash->low) : by_hash_.end();
    if (found == by_hash_.end()) return nullptr;
    for (const Constant* other : found->second) {
      const bool placed_alike =
          SaysNothing(constant.placement()) || constant.placement() == other->placement();
      if (placed_alike && SameContents(constant, *other)) return other;
    }
    return nullptr;
  }

  Symbol UniqueName(Symbol base) {
    for (int64_t number = 0;; ++number) {
      const Symbol name =
          number == 0 ? base : context_.Intern(fmt::format("{}_{}", base.view(), number));
      if (!names_.contains(name)) return name;
    }
  }

  Context& context_;
  std::vector<const Constant*> constants_;
  absl::flat_hash_set<const Constant*> members_;
  absl::flat_hash_map<const Constant*, const Constant*> made_;
  absl::flat_hash_set<Symbol> names_;
  /// By size: constants that by_hash_ does not contain yet. It has an entry for every size.
  absl::flat_hash_map<int64_t, std::vector<const Constant*>> unhashed_;
  absl::flat_hash_map<uint64_t, std::vector<const Constant*>> by_hash_;
};

class Extractor : public Rewriter<Extractor> {
 public:
  Extractor(Context& context, std::shared_ptr<Storage> storage, ConstantTable& table)
      : Rewriter(context, std::move(storage)), table_(table) {}

  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) {
    const Constant* data = allocate->data;
    if (data != nullptr) data = table_.Intern(data, allocate->buffer_var->name);
    const AllocateConst* now = RewriteChildren(allocate);
    if (data == now->data) return now;
    AllocateConst copy = *now;
    copy.data = data;
    return arena().New<AllocateConst>(copy);
  }

 private:
  ConstantTable& table_;
};

}  // namespace

absl::StatusOr<IRModule> ExtractConstants(const IRModule& module, const NoOptions&,
                                          PassContext& context) {
  ConstantTable table(module.context(), module.constants);
  IRModule result = module;
  // In the order of the text, on one thread, so that names and order are deterministic.
  for (const Function& function : module.functions()) {
    Function now = RewriteFunction<Extractor>(module.context(), function, table);
    if (now.func != function.func) result.Update(std::move(now));
  }
  result.constants = table.constants();
  context.Count("extract-constants.extracted", table.extracted);
  context.Count("extract-constants.merged", table.merged);
  context.Count("extract-constants.bytes_saved", table.bytes_saved);
  return result;
}

}  // namespace tenon
