// One round of narrow-storage: groups, stored values, encodings, then the rewriting of all
// functions. It returns the facts of its claim, so that tests can check the claim against runs of
// both modules.

#include "passes/fusion/narrowing.h"

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "arith/analyzer.h"
#include "arith/index_math.h"
#include "ir/analysis/node_queries.h"
#include "ir/const_fold.h"
#include "ir/extents.h"
#include "ir/rewriter.h"
#include "passes/fusion/choose_encodings.h"
#include "passes/fusion/constant_elements.h"
#include "passes/fusion/stored_values.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The decisions for a module.
struct Decisions {
  const StorageGroups& groups;
  const std::vector<Interval>& values;
  const std::vector<std::optional<Encoding>>& encodings;

  bool IsNumber(int group) const {
    const auto at = static_cast<size_t>(group);
    return group >= 0 && IsOneNumber(groups[at], values[at]);
  }
  const Encoding* Of(const Var* data) const {
    const int group = groups.Of(data);
    if (group < 0 || !encodings[static_cast<size_t>(group)].has_value()) return nullptr;
    return &*encodings[static_cast<size_t>(group)];
  }
};

/// Makes each constant with elements of another type once.
class NarrowConstants {
 public:
  explicit NarrowConstants(Context& context) : context_(context) {}

  const Constant* Of(const Constant* constant, DataType element) {
    const Constant*& now = now_[constant];
    if (now == nullptr) now = WithElementType(context_, *constant, element);
    return now;
  }
  const Constant* Find(const Constant* constant) const {
    const auto found = now_.find(constant);
    return found == now_.end() ? nullptr : found->second;
  }

 private:
  Context& context_;
  absl::flat_hash_map<const Constant*, const Constant*> now_;
};

class NarrowRewriter : public Rewriter<NarrowRewriter> {
 public:
  NarrowRewriter(Context& context, std::shared_ptr<Storage> storage, const Decisions& decisions,
                 const std::vector<StorageGroups::Member>& members, NarrowConstants& constants,
                 std::vector<NarrowedPointer>& pointers)
      : Rewriter(context, storage),
        decisions_(decisions),
        constants_(constants),
        analyzer_(context, storage->arena()) {
    for (const StorageGroups::Member& member : members) {
      const Encoding* encoding = decisions_.Of(member.data);
      if (encoding == nullptr || var_map.contains(member.data)) continue;
      var_map[member.data] = Renewed(*member.data, *encoding);
      pointers.push_back({member.data, var_map[member.data], *encoding});
    }
    number_of_ = [this](const Expr* expr) {
      return KnownNumber(expr, decisions_.groups, decisions_.values);
    };
  }

  const Buffer* RewriteBuffer(const Buffer* buffer) {
    const Encoding* encoding = buffer == nullptr ? nullptr : decisions_.Of(buffer->data);
    if (encoding == nullptr || buffer_map.contains(buffer)) return Rewriter::RewriteBuffer(buffer);
    Buffer copy = *RewriteChildren(buffer);
    copy.dtype = encoding->narrow.with_lanes(buffer->dtype.lanes());
    const Buffer* now = arena().New<Buffer>(copy);
    buffer_map.emplace(buffer, now);
    return now;
  }

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    if (const auto number = number_of_(load)) return Number(load->dtype, *number, load->range);
    const Encoding* encoding = decisions_.Of(load->buffer->data);
    return encoding == nullptr ? RewriteChildren(load)
                               : Decoded(builder(), *encoding, NarrowLoad(load, *encoding));
  }

  const Expr* RewriteAdd(const Add* node) { return Centred(node); }
  const Expr* RewriteSub(const Sub* node) { return Centred(node); }

  /// A cast of a cast that changes no value is one cast.
  const Expr* RewriteCast(const Cast* node) {
    const Cast* now = RewriteChildren(node);
    const auto* inner = dyn_cast<Cast>(now->value);
    if (now == node || inner == nullptr) return now;
    const DataType from = inner->value->dtype;
    if (!from.is_integer() || !inner->dtype.is_integer() || inner->dtype.is_bool() ||
        now->dtype.is_bool() ||
        !Interval::OfDType(inner->dtype).Contains(Interval::OfDType(from))) {
      return now;
    }
    if (from == now->dtype) return inner->value;
    return builder().New<Cast>(node->range, now->dtype, inner->value);
  }

  const Stmt* RewriteBufferStore(const BufferStore* store) {
    const Encoding* encoding = decisions_.Of(store->buffer->data);
    if (encoding == nullptr) return RewriteChildren(store);
    BufferStore copy = *store;
    copy.buffer = RewriteBuffer(store->buffer);
    copy.predicate = RewriteExpr(store->predicate);
    RewriteSpan(copy.indices);
    copy.value = Encoded(store->value, *encoding);
    return arena().New<BufferStore>(copy);
  }

  const Stmt* RewriteAllocate(const Allocate* node) {
    const Encoding* encoding = decisions_.Of(node->buffer_var);
    const Allocate* now = RewriteChildren(node);
    if (encoding == nullptr) return now;
    Allocate copy = *now;
    copy.dtype = encoding->narrow.with_lanes(node->dtype.lanes());
    if (node->dtype.element() != encoding->wide) {
      const std::optional<int64_t> bytes = StaticBytes(node->dtype, node->extents);
      TENON_CHECK(bytes.has_value());
      const int64_t count = *bytes / encoding->wide.element_bytes();
      const Expr* extent = IndexMath(builder(), node->range).Constant(count);
      copy.extents = builder().List<Expr>({extent});
    }
    return arena().New<Allocate>(copy);
  }

  const Stmt* RewriteAllocateConst(const AllocateConst* node) {
    const AllocateConst* now = RewriteChildren(node);
    const int group = decisions_.groups.Of(node->buffer_var);
    if (decisions_.IsNumber(group) && !Mentions(now->body, now->buffer_var)) return now->body;
    const Encoding* encoding = decisions_.Of(node->buffer_var);
    if (encoding == nullptr) return now;
    AllocateConst copy = *now;
    copy.dtype = encoding->narrow.with_lanes(node->dtype.lanes());
    copy.data = constants_.Of(node->data, encoding->narrow);
    return arena().New<AllocateConst>(copy);
  }

 private:
  const Var* Renewed(const Var& var, const Encoding& encoding) {
    const DataType element = encoding.narrow.with_lanes(var.type->dtype.lanes());
    const Type* type = builder().context().PointerType(element, var.type->scope);
    Var copy = var;
    copy.type = type;
    return arena().New<Var>(copy);
  }

  const Expr* Number(DataType dtype, int64_t value, SourceRange range) {
    const Expr* number = builder().Int(dtype.element(), value, range);
    return dtype.is_scalar() ? number : builder().New<Broadcast>(range, number, dtype.lanes());
  }

  const BufferLoad* NarrowLoad(const BufferLoad* load, const Encoding& encoding) {
    BufferLoad copy = *RewriteChildren(load);
    copy.dtype = encoding.narrow.with_lanes(load->dtype.lanes());
    return arena().New<BufferLoad>(copy);
  }

  /// A value that readers computed may be the stored number itself.
  template <class T>
  const Expr* Centred(const T* node) {
    int64_t centre = 0;
    const BufferLoad* load = AsCentred(node, number_of_, &centre);
    const Encoding* encoding = load == nullptr ? nullptr : decisions_.Of(load->buffer->data);
    if (encoding == nullptr || encoding->offset != centre || encoding->wide != load->dtype)
      return RewriteChildren(node);
    return builder().template New<Cast>(node->range, node->dtype, NarrowLoad(load, *encoding));
  }

  /// The number that encodes a stored value.
  const Expr* Encoded(const Expr* value, const Encoding& encoding) {
    return WithStack([&]() -> const Expr* {
      const DataType narrow = encoding.narrow.with_lanes(value->dtype.lanes());
      const auto* load = dyn_cast<BufferLoad>(value);
      if (const auto number = number_of_(value)) {
        const auto stored = EncodedNumber(builder().context(), encoding, *number);
        TENON_CHECK(stored.has_value());
        return Number(narrow, WrapToDType(*stored, narrow.element()), value->range);
      }
      if (load != nullptr && decisions_.Of(load->buffer->data) == &encoding) {
        return NarrowLoad(load, encoding);
      }
      const Expr* condition = nullptr;
      const Expr* a = nullptr;
      const Expr* b = nullptr;
      if (IsChoice(value, &condition, &a, &b)) {
        return ChoiceLike(builder(), value, RewriteExpr(condition), Encoded(a, encoding),
                          Encoded(b, encoding));
      }
      const Expr* cut = MatchChain(value, encoding.chain, number_of_);
      // ChooseEncodings only keeps chains that all stores of the group match.
      TENON_CHECK(cut != nullptr);
      cut = RewriteExpr(cut);
      if (encoding.offset != 0) {
        const Expr* offset =
            Number(cut->dtype, WrapToDType(encoding.offset, cut->dtype.element()), value->range);
        cut = analyzer_.Simplify(builder().New<Sub>(value->range, cut, offset));
      }
      return AsNarrow(builder(), cut, narrow);
    });
  }

  const Decisions& decisions_;
  NarrowConstants& constants_;
  Analyzer analyzer_;
  NumberOf number_of_;
};

/// Puts constants of other types in the place of entries of the module's table. Entries that were
/// used, and are not any more, go.
void UpdateTable(const IRModule& before, const NarrowConstants& constants, IRModule& module) {
  const auto uses = [](const IRModule& of) {
    absl::flat_hash_set<const Constant*> used;
    for (const Function& function : of.functions()) {
      Walk(function.func, [&](const Node* node) {
        if (const auto* allocate = dyn_cast<AllocateConst>(node)) used.insert(allocate->data);
        return !isa<Expr>(node);
      });
    }
    return used;
  };
  const auto was_used = uses(before);
  const auto is_used = uses(module);
  std::vector<const Constant*> table;
  for (const Constant* constant : module.constants) {
    const Constant* now = constants.Find(constant);
    if (now != nullptr && !is_used.contains(constant)) constant = now;
    if (is_used.contains(constant) || !was_used.contains(constant)) table.push_back(constant);
  }
  module.constants = std::move(table);
}

}  // namespace

Narrowing NarrowOnce(const IRModule& module, const NarrowStorageOptions& options) {
  const StorageGroups groups(module);
  return NarrowBy(module, groups, StoredValues(module, groups, options.replaceable), options);
}

Narrowing NarrowBy(const IRModule& module, const StorageGroups& groups,
                   const std::vector<Interval>& values, const NarrowStorageOptions& options) {
  const auto encodings = ChooseEncodings(module, groups, values, options);
  const Decisions decisions{groups, values, encodings};
  NarrowConstants constants(module.context());
  Narrowing result{module, {}};
  bool changed = false;
  for (size_t i = 0; i < module.functions().size(); ++i) {
    const Function& function = module.functions()[i];
    Function now = RewriteFunction<NarrowRewriter>(module.context(), function, decisions,
                                                   groups.MembersOf(i), constants, result.pointers);
    if (now.func == function.func) continue;
    changed = true;
    result.module.Update(std::move(now));
  }
  if (changed) UpdateTable(module, constants, result.module);
  return result;
}

}  // namespace tenon
