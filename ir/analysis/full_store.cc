#include "ir/analysis/full_store.h"

#include <algorithm>
#include <utility>

#include "ir/analysis/digits.h"
#include "ir/analysis/effects.h"
#include "ir/thread_binding.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

/// Larger nests count as unknown. This bounds the cost of a query that is made often.
constexpr int kMostNodes = 2000;
constexpr size_t kMostLoops = 32;

/// The groups of digits: those of the loops around everything that is analyzed, and others.
enum LoopGroup { kInnerLoop = 0, kOuterLoop = 1 };

/// Scans the statements of one nest in execution order of one iteration.
class Scan : public Visitor<Scan> {
 public:
  explicit Scan(const IRModule& module) : module_(module) {}

  NestEffects Run(const For* nest) {
    const Stmt* body = EnterOuter(nest);
    if (body == nullptr) return {};
    if (const auto* seq = dyn_cast<SeqStmt>(body)) {
      for (const Stmt* child : seq->seq) VisitChild(child);
    } else {
      VisitChild(body);
    }
    NestEffects effects;
    if (unknown_) return effects;
    for (const Target& target : targets_) {
      if (target.alive) effects.overwrites.push_back({target.buffer->data, target.bytes});
    }
    effects.others = std::move(others_);
    return effects;
  }

  void Visit(const Node* node) {
    if (node != nullptr && Step()) Visitor::Visit(node);
  }
  void VisitFor(const For* loop) {
    Visit(loop->min);
    Visit(loop->extent);
    const bool known = loops_ < kMostLoops && forms_.Enter(loop, kInnerLoop);
    loops_ += known ? 1 : 0;
    Visit(loop->body);
    if (!known) return;
    forms_.Leave(loop);
    --loops_;
  }
  void VisitBufferLoad(const BufferLoad* load) {
    VisitOperands(load->buffer, load->indices, load->predicate);
    Access(load->buffer, load->indices);
  }
  void VisitBufferStore(const BufferStore* store) {
    Visit(store->value);
    VisitOperands(store->buffer, store->indices, store->predicate);
    Access(store->buffer, store->indices);
  }
  void VisitVar(const Var* var) {
    if (var->dtype.is_handle()) Other(var);
  }
  void VisitBuffer(const Buffer* buffer) { VisitOperands(buffer, {}, nullptr); }
  void VisitCall(const Call* call) {
    unknown_ |= call->dtype.is_handle() || call->op->effect == OpEffect::kControl ||
                AsCallSite(module_, call).callee != nullptr;
    VisitChildren(call);
  }
  void VisitAssertStmt(const AssertStmt*) { unknown_ = true; }
  void VisitBlockRealize(const BlockRealize*) { unknown_ = true; }

 private:
  /// A store that may be an overwrite.
  struct Target {
    const Buffer* buffer;
    /// All bytes that it writes.
    ByteRange bytes;
    /// Its address.
    LinearIndex form;
    /// The bytes that it writes in one iteration of the outer loops; nullopt until the enclosing
    /// statement ends, and if the bytes are not contiguous.
    std::optional<ByteRange> slice;
    bool alive = true;
  };

  bool Step() {
    unknown_ = unknown_ || ++nodes_ > kMostNodes;
    return !unknown_;
  }

  /// Enters perfectly nested loops and statements that bind names. Returns the innermost statement;
  /// null if a loop may be empty.
  const Stmt* EnterOuter(const Stmt* stmt) {
    while (true) {
      if (const auto* loop = dyn_cast<For>(stmt)) {
        if (loops_ == kMostLoops || !forms_.Enter(loop, kOuterLoop)) return nullptr;
        ++loops_;
        stmt = loop->body;
      } else if (const Stmt* body = VisitBinding(stmt)) {
        stmt = body;
      } else {
        return stmt;
      }
    }
  }

  /// Visits the operands of a statement that binds names and returns its body. Null for other
  /// statements.
  const Stmt* VisitBinding(const Stmt* stmt) {
    if (const auto* decl = dyn_cast<DeclBuffer>(stmt)) {
      VisitOperands(decl->buffer, {}, nullptr);
      return decl->body;
    }
    if (const auto* allocate = dyn_cast<Allocate>(stmt)) {
      for (const Expr* extent : allocate->extents) Visit(extent);
      Visit(allocate->condition);
      return allocate->body;
    }
    if (const auto* let = dyn_cast<LetStmt>(stmt)) {
      Visit(let->value);
      return let->body;
    }
    const auto* attr = dyn_cast<AttrStmt>(stmt);
    if (attr == nullptr || BindsThread(attr)) return nullptr;
    Visit(attr->value);
    return attr->body;
  }

  /// Visits one statement of the sequence in the outer loops. The bytes that its stores write are
  /// known when it has ended.
  void VisitChild(const Stmt* child) {
    const size_t first = targets_.size();
    VisitCertain(child);
    for (size_t i = first; i < targets_.size(); ++i) {
      Target& target = targets_[i];
      target.slice =
          BytesCovered(digits_, PartOf(target.form, kInnerLoop), target.buffer->dtype.bytes());
    }
  }

  /// Visits a statement that runs in every iteration of the enclosing loops.
  void VisitCertain(const Stmt* stmt) {
    if (!Step()) return;
    if (const auto* loop = dyn_cast<For>(stmt)) {
      if (loops_ == kMostLoops || !forms_.Enter(loop, kInnerLoop)) return Visit(stmt);
      ++loops_;
      VisitCertain(loop->body);
      forms_.Leave(loop);
      --loops_;
    } else if (const auto* seq = dyn_cast<SeqStmt>(stmt)) {
      for (const Stmt* part : seq->seq) VisitCertain(part);
    } else if (const auto* store = dyn_cast<BufferStore>(stmt)) {
      VisitTarget(store);
    } else if (const Stmt* body = VisitBinding(stmt)) {
      VisitCertain(body);
    } else {
      Visit(stmt);
    }
  }

  void VisitTarget(const BufferStore* store) {
    Visit(store->value);
    VisitOperands(store->buffer, store->indices, store->predicate);
    const Var* data = store->buffer->data;
    const bool seen = std::find(others_.begin(), others_.end(), data) != others_.end();
    std::optional<LinearIndex> form;
    if (!seen && store->predicate == nullptr)
      form = forms_.AddressOf(store->buffer, store->indices);
    const auto bytes =
        form ? BytesCovered(digits_, *form, store->buffer->dtype.bytes()) : std::nullopt;
    if (!bytes) return Access(store->buffer, store->indices);
    targets_.push_back({store->buffer, *bytes, *std::move(form), {}});
  }

  void VisitOperands(const Buffer* buffer, Span<const Expr*> indices, const Expr* predicate) {
    for (const Expr* stride : buffer->strides) Visit(stride);
    for (const Expr* extent : buffer->shape) Visit(extent);
    Visit(buffer->elem_offset);
    for (const Expr* index : indices) Visit(index);
    Visit(predicate);
  }

  void Access(const Buffer* buffer, Span<const Expr*> indices) {
    const bool known = std::any_of(targets_.begin(), targets_.end(), [&](const Target& target) {
      return target.alive && target.buffer->data == buffer->data &&
             IsInSlice(target, buffer, indices);
    });
    if (!known) Other(buffer->data);
  }

  /// Whether an access after a target's store reaches only bytes that the store has written in the
  /// same iteration of the outer loops.
  bool IsInSlice(const Target& target, const Buffer* buffer, Span<const Expr*> indices) {
    const std::optional<LinearIndex> form = forms_.AddressOf(buffer, indices);
    if (!form || !target.slice) return false;
    const LinearIndex outer = PartOf(*form, kOuterLoop);
    if (outer.terms != PartOf(target.form, kOuterLoop).terms) return false;
    const std::optional<Bounds> reach = digits_.BoundsOf(PartOf(*form, kInnerLoop));
    return reach && target.slice->Covers({reach->min, reach->max + buffer->dtype.bytes()});
  }

  /// The form where the digits of other groups are 0.
  LinearIndex PartOf(const LinearIndex& form, LoopGroup group) const {
    LinearIndex part = digits_.Normalised(form);
    part.Drop([&](int digit) { return digits_.group(digit) != group; });
    return part;
  }

  /// Records an access through `pointer` that is not analyzed.
  void Other(const Var* pointer) {
    for (Target& target : targets_) {
      if (target.buffer->data == pointer) target.alive = false;
    }
    if (std::find(others_.begin(), others_.end(), pointer) == others_.end())
      others_.push_back(pointer);
  }

  const IRModule& module_;
  Digits digits_;
  FormBuilder forms_{digits_};
  std::vector<Target> targets_;
  std::vector<const Var*> others_;
  size_t loops_ = 0;
  int nodes_ = 0;
  bool unknown_ = false;
};

}  // namespace

NestEffects EffectsOfNest(const IRModule& module, const For* nest) {
  return Scan(module).Run(nest);
}

std::optional<ByteRange> BytesStored(const BufferStore* store) {
  if (store->predicate != nullptr) return std::nullopt;
  Digits digits;
  const auto form = FormBuilder(digits).AddressOf(store->buffer, store->indices);
  if (!form) return std::nullopt;
  return BytesCovered(digits, *form, store->buffer->dtype.bytes());
}

}  // namespace tenon
