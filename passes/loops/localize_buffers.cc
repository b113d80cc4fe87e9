#include "passes/loops/localize_buffers.h"

#include <algorithm>

#include "ir/attributes.h"
#include "ir/extents.h"
#include "ir/memory_pools.h"
#include "ir/rewriter.h"
#include "support/check.h"
#include "support/checked.h"

namespace tenon {

namespace {

bool Mentions(const Node* node, const Var* data) {
  bool found = false;
  Walk(node, [&](const Node* n) {
    found |= n == data;
    return !found;
  });
  return found;
}

/// The pointer is used by loads and stores only.
bool IsOnlyAccessed(const Stmt* body, const Var* data) {
  bool only = true;
  Walk(body, [&](const Node* node) {
    if (isa<Buffer>(node)) return false;
    only &= node != data;
    if (const auto* call = dyn_cast<Call>(node))
      only &= call->op->kind != OpKind::kAddressOf || !Mentions(call, data);
    return only && !isa<Block>(node);
  });
  return only;
}

/// Running the statement writes the only element before it reads it; nullopt: neither.
std::optional<bool> WritesFirst(const Stmt* stmt, const Var* data) {
  return WithStack([&]() -> std::optional<bool> {
    if (!Mentions(stmt, data)) return std::nullopt;
    switch (stmt->kind) {
      case NodeKind::kSeqStmt:
        for (const Stmt* child : cast<SeqStmt>(stmt)->seq) {
          if (const auto writes = WritesFirst(child, data)) return writes;
        }
        return std::nullopt;
      case NodeKind::kBufferStore: {
        const auto* store = cast<BufferStore>(stmt);
        const bool whole = store->buffer->data == data && store->predicate == nullptr &&
                           store->indices.size() == 1 && IsConstInt(store->indices[0], 0);
        return whole && !Mentions(store->value, data);
      }
      case NodeKind::kFor: {
        const auto* loop = cast<For>(stmt);
        const int64_t* extent = AsIntImm(loop->extent);
        return extent != nullptr && *extent > 0 && WritesFirst(loop->body, data) == true;
      }
      case NodeKind::kLetStmt:
        if (Mentions(cast<LetStmt>(stmt)->value, data)) return false;
        return WritesFirst(cast<LetStmt>(stmt)->body, data);
      case NodeKind::kDeclBuffer:
        return WritesFirst(cast<DeclBuffer>(stmt)->body, data);
      case NodeKind::kAllocate:
        return WritesFirst(cast<Allocate>(stmt)->body, data);
      case NodeKind::kAllocateConst:
        return WritesFirst(cast<AllocateConst>(stmt)->body, data);
      default:
        return false;
    }
  });
}

class Localizer : public Rewriter<Localizer> {
 public:
  Localizer(Context& context, std::shared_ptr<Storage> storage, int64_t max_bytes)
      : Rewriter(context, std::move(storage)), max_bytes_(max_bytes) {}

  const Stmt* RewriteAllocate(const Allocate* allocate) {
    const Allocate* now = RewriteChildren(allocate);
    if (!IsSmall(*now) || !IsOnlyAccessed(now->body, now->buffer_var)) return now;
    Allocate local = *now;
    local.annotations =
        builder().With(now->annotations, attr_key::kCandidateMemoryPools, builder().Array({}));
    return Sink(local, now->body);
  }

 private:
  bool IsSmall(const Allocate& allocate) const {
    if (allocate.annotations != nullptr &&
        allocate.annotations->Find(attr_key::kCandidateMemoryPools) != nullptr)
      return false;
    if (!IsConstInt(allocate.condition, 1)) return false;
    const int64_t bytes = StaticBytes(allocate.dtype, allocate.extents).value_or(0);
    return 0 < bytes && bytes <= max_bytes_;
  }

  /// The element is all of it, in every buffer that shows it.
  static bool IsOneElement(const Allocate& allocate) {
    for (const Expr* extent : allocate.extents) {
      if (!IsConstInt(extent, 1)) return false;
    }
    bool one = true;
    Walk(allocate.body, [&](const Node* node) {
      const auto* buffer = dyn_cast<Buffer>(node);
      if (buffer == nullptr) return true;
      if (buffer->data == allocate.buffer_var)
        one &= buffer->dtype == allocate.dtype && IsConstInt(buffer->elem_offset, 0);
      return false;
    });
    return one;
  }

  /// `stmt` with the allocation around what uses it.
  const Stmt* Sink(const Allocate& allocate, const Stmt* stmt) {
    return WithStack([&]() -> const Stmt* {
      const auto around = [&](auto copy) -> const Stmt* {
        copy.body = Sink(allocate, copy.body);
        return arena().New<decltype(copy)>(copy);
      };
      if (const auto* constant = dyn_cast<AllocateConst>(stmt)) return around(*constant);
      if (const auto* other = dyn_cast<Allocate>(stmt)) return around(*other);
      if (const auto* loop = dyn_cast<For>(stmt)) {
        if (loop->for_kind == ForKind::kSerial && IsOneElement(allocate) &&
            WritesFirst(loop->body, allocate.buffer_var) == true)
          return around(*loop);
      }
      if (const auto* seq = dyn_cast<SeqStmt>(stmt)) return SinkInto(allocate, seq);
      Allocate copy = allocate;
      copy.body = stmt;
      return arena().New<Allocate>(copy);
    });
  }

  const Stmt* SinkInto(const Allocate& allocate, const SeqStmt* seq) {
    const auto uses = [&](const Stmt* s) { return Mentions(s, allocate.buffer_var); };
    const auto first = std::find_if(seq->seq.begin(), seq->seq.end(), uses);
    if (first == seq->seq.end()) return seq;
    const auto last = std::find_if(seq->seq.rbegin(), seq->seq.rend(), uses).base();
    TENON_CHECK(first < last);
    std::vector<const Stmt*> out(seq->seq.begin(), first);
    if (last - first == 1) {
      out.push_back(Sink(allocate, *first));
    } else {
      Allocate copy = allocate;
      copy.body = builder().Seq(
          arena().Copy(Span<const Stmt*>(&*first, static_cast<size_t>(last - first))), seq->range);
      out.push_back(arena().New<Allocate>(copy));
    }
    out.insert(out.end(), last, seq->seq.end());
    return builder().Seq(out, seq->range);
  }

  int64_t max_bytes_;
};

}  // namespace

absl::StatusOr<IRModule> LocalizeBuffers(const IRModule& module,
                                         const LocalizeBuffersOptions& options,
                                         PassContext& context) {
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<Localizer>(module.context(), function, options.max_bytes);
  });
}

}  // namespace tenon
