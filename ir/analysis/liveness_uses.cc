#include "ir/analysis/liveness_clock.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "support/check.h"
#include "support/checked.h"

// Uses by expressions, and overwrites by statements.

namespace tenon::liveness_internal {

namespace {

/// Whether a call may end the function that contains it.
bool MayLeave(OpKind op) {
  return op == OpKind::kRet || op == OpKind::kTvmCheckReturn || op == OpKind::kTvmThrowLastError;
}

}  // namespace

void Clock::VisitCallOf(const CallSite& site, bool certain) {
  Frame frame;
  TENON_CHECK(site.callee != nullptr);
  frame.function = site.callee;
  frame.roots = &RootsOf(*site.callee);
  const PrimFunc& callee = *site.callee->func;
  TENON_CHECK(callee.params.size() == callee.buffers.size());
  CallSpan span{site.call, site.callee->name, now_, now_, {}};
  span.arguments.resize(site.args.size());
  for (size_t i = 0; i < site.args.size(); ++i) {
    const Expr* arg = site.args[i];
    if (!arg->dtype.is_handle()) {
      Visit(arg);
      continue;
    }
    const int32_t slot = SlotOf(arg);
    if (slot < 0) {
      VisitEscaping(arg);
      span.arguments[i].chosen = ChosenBy(arg);
      continue;
    }
    VisitIndices(arg);
    if (i >= callee.params.size()) {
      TouchSlot(slot, kAllBytes);
      continue;
    }
    // Other operands of the expression may be evaluated before this call, or after it.
    if (!certain && statement_ != nullptr) statement_->push_back(slot);
    const std::optional<int64_t> offset = OffsetOf(arg);
    span.arguments[i] = {slots_.at(slot).index, offset == 0, {}};
    const Var* data = callee.buffers[i] == nullptr ? nullptr : callee.buffers[i]->data;
    for (const Var* var : {callee.params[i], data}) {
      if (var == nullptr) continue;
      frame.slot_of[var] = slot;
      if (offset) frame.offset_of[var] = *offset;
    }
  }
  const size_t number = liveness_.calls.size();
  const int64_t start = now_;
  liveness_.calls.push_back(std::move(span));
  EnterFunction(frame, certain);
  liveness_.calls[number].upper = now_ + 1;
  // The body does not tell in which order the code of a generator accesses its arguments.
  if (site.callee->FindAttr(attr_key::kCompiler) == nullptr) return;
  for (const auto& [var, slot] : frame.slot_of) slots_.Add(slot, {start, now_ + 1, -1, {}, {}});
}

std::vector<int32_t> Clock::ChosenBy(const Expr* pointer) const {
  std::vector<int32_t> allocations;
  for (const Var* root : frame_->roots->TargetsOf(pointer).roots) {
    const auto found = frame_->slot_of.find(root);
    if (found != frame_->slot_of.end()) allocations.push_back(slots_.at(found->second).index);
  }
  return allocations;
}

void Clock::VisitExtern(const CallSite& site, bool certain) {
  TENON_CHECK(site.call != nullptr);
  const ArrayAttr* declaration = ExternDeclaration(module_, *frame_->function, site.name);
  std::vector<Overwritten> overwritten;
  for (size_t i = 0; i < site.args.size(); ++i) {
    const Expr* arg = site.args[i];
    const int32_t slot = arg->dtype.is_handle() ? SlotOf(arg) : -1;
    if (slot < 0) {
      Visit(arg);
      continue;
    }
    VisitIndices(arg);
    const ArgumentEffect effect = EffectOfExtern(site, declaration, i);
    const std::optional<int64_t> offset = OffsetOf(arg);
    if (effect.overwrites && certain && offset && MayOverwrite(slot)) {
      overwritten.push_back({slot, {*offset, kAllBytes.end}});
    } else if (effect.reads || effect.writes) {
      TouchSlot(slot, effect.reads ? kAllBytes : ByteRange{});
    }
  }
  for (const auto& [slot, bytes] : overwritten) {
    AddOverwrite(slot, bytes);
  }
}

std::optional<ByteRange> Clock::OverwrittenBy(const BufferStore* store, int32_t slot) {
  const std::optional<int64_t> offset = OffsetOf(store->buffer->data);
  if (!offset || !MayOverwrite(slot)) return std::nullopt;
  const std::optional<ByteRange> bytes = BytesStored(store);
  // Smaller parts would not be tracked separately.
  if (!bytes || slots_.at(slot).size / kMostStretches > bytes->end - bytes->first ||
      MayRead(store->value, slot)) {
    return std::nullopt;
  }
  return Moved(*bytes, *offset);
}

bool Clock::MayRead(const Expr* value, int32_t slot) const {
  bool reads = false;
  Walk(value, [&](const Node* node) {
    if (const auto* load = dyn_cast<BufferLoad>(node)) {
      reads |= SlotOf(load->buffer->data) == slot;
    } else if (const auto* call = dyn_cast<Call>(node)) {
      reads |= call->dtype.is_handle() || AsCallSite(module_, call).callee != nullptr;
    } else if (const auto* var = dyn_cast<Var>(node)) {
      reads |= var->dtype.is_handle() && SlotOf(var) == slot;
    }
    return !reads;
  });
  return reads;
}

void Clock::NoteOverwrites(const For* nest, int64_t start) {
  if (slots_.count() == overwrite_floor_) return;
  const auto [entry, added] = nests_.try_emplace(nest);
  if (added) entry->second = std::make_unique<NestEffects>(EffectsOfNest(module_, nest));
  const NestEffects& effects = *entry->second;
  for (const Overwrite& overwrite : effects.overwrites) {
    const int32_t slot = SlotOf(overwrite.data);
    const std::optional<int64_t> offset = OffsetOf(overwrite.data);
    if (slot < 0 || !offset || !MayOverwrite(slot)) continue;
    const bool doubtful = std::any_of(effects.others.begin(), effects.others.end(),
                                      [&](const Var* other) { return SlotOf(other) == slot; });
    if (!doubtful) slots_.Add(slot, {start, start, -1, {}, Moved(overwrite.bytes, *offset)});
  }
}

void Clock::VisitIndices(const Expr* pointer) {
  while (true) {
    if (const auto* cast_expr = dyn_cast<Cast>(pointer)) {
      pointer = cast_expr->value;
      continue;
    }
    const auto* call = dyn_cast<Call>(pointer);
    if (call == nullptr) return;
    if (call->op->kind == OpKind::kAddressOf) {
      for (const Expr* index : cast<BufferLoad>(call->args[0])->indices) Visit(index);
      return;
    }
    const size_t inner = call->op->kind == OpKind::kTvmAccessPtr ? 1 : 0;
    TENON_CHECK(inner < call->args.size());
    for (size_t i = inner + 1; i < call->args.size(); ++i) Visit(call->args[i]);
    pointer = call->args[inner];
  }
}

void Clock::VisitBoundValue(const Var* var, const Expr* value) {
  if (!var->dtype.is_handle()) return Visit(value);
  if (SlotOf(value) < 0) return VisitEscaping(value);
  VisitIndices(value);
  if (const std::optional<int64_t> offset = OffsetOf(value)) frame_->offset_of[var] = *offset;
}

int32_t Clock::SlotOf(const Expr* pointer) const {
  TENON_DCHECK(frame_ != nullptr);
  const Var* root = frame_->roots->RootOf(pointer);
  if (root == nullptr) return -1;
  const auto found = frame_->slot_of.find(root);
  return found == frame_->slot_of.end() ? -1 : found->second;
}

std::optional<int64_t> Clock::OffsetOf(const Expr* pointer) const {
  int64_t offset = 0;
  while (true) {
    if (const auto* var = dyn_cast<Var>(pointer)) {
      const auto found = frame_->offset_of.find(var);
      if (found == frame_->offset_of.end()) return std::nullopt;
      return CheckedAdd(offset, found->second);
    }
    if (const auto* cast_expr = dyn_cast<Cast>(pointer)) {
      pointer = cast_expr->value;
      continue;
    }
    const auto* call = dyn_cast<Call>(pointer);
    if (call == nullptr || call->args.empty()) return std::nullopt;
    std::optional<int64_t> more = 0;
    if (call->op->kind == OpKind::kAddressOf) {
      const auto* load = dyn_cast<BufferLoad>(call->args[0]);
      if (load == nullptr) return std::nullopt;
      const auto bytes = BytesReached(load->buffer, load->indices, {});
      // An access to more than one element does not have a constant index.
      if (!bytes || bytes->end - bytes->first != load->buffer->dtype.bytes()) return std::nullopt;
      more = bytes->first;
      pointer = load->buffer->data;
    } else if (call->op->kind == OpKind::kTvmAccessPtr && call->args.size() > 2) {
      const int64_t* elements = AsIntImm(call->args[2]);
      if (elements == nullptr) return std::nullopt;
      more = CheckedMul(*elements, call->args[0]->dtype.bytes());
      pointer = call->args[1];
    } else if (call->op->kind == OpKind::kReinterpret && call->dtype.is_handle()) {
      pointer = call->args[0];
    } else {
      return std::nullopt;
    }
    const std::optional<int64_t> sum = more ? CheckedAdd(offset, *more) : std::nullopt;
    if (!sum) return std::nullopt;
    offset = *sum;
  }
}

void Clock::NoteUse(int32_t slot) {
  TENON_DCHECK(slot >= 0 && slot < slots_.count());
  const auto index = static_cast<size_t>(slots_.at(slot).index);
  if (liveness_.uses.size() <= index) liveness_.uses.resize(index + 1);
  std::vector<int64_t>& uses = liveness_.uses[index];
  if (uses.empty() || uses.back() != now_) uses.push_back(now_);
}

void Clock::AddOverwrite(int32_t slot, const ByteRange& bytes) {
  NoteUse(slot);
  slots_.Add(slot, {now_, now_ + 1, -1, {}, bytes});
  if (statement_ != nullptr) statement_->push_back(slot);
}

void Clock::TouchSlot(int32_t slot, const ByteRange& read) {
  Slot& used = slots_.at(slot);
  NoteUse(slot);
  used.escaped |= escaping_ > 0;
  if (parallel_depth_ > 0 && slot < parallel_slots_) {
    if (!used.in_parallel) in_parallel_.push_back(slot);
    used.in_parallel = true;
    used.read_in_parallel |= !read.empty();
    return;
  }
  slots_.Add(slot, {now_, now_ + 1, -1, read, {}});
  if (statement_ != nullptr) statement_->push_back(slot);
}

void Clock::VisitCall(const Call* call) {
  const bool certain = std::exchange(whole_statement_, nullptr) == call;
  const CallSite site = AsCallSite(module_, call);
  if (site.callee != nullptr) return VisitCallOf(site, certain);
  if (site.call != nullptr) return VisitExtern(site, certain);
  if (call->op->kind == OpKind::kAddressOf) {
    if (const auto* load = dyn_cast<BufferLoad>(call->args[0])) {
      VisitBuffer(load->buffer);
      for (const Expr* index : load->indices) Visit(index);
      return Touch(load->buffer->data);
    }
  }
  if (certain && call->op->kind == OpKind::kTvmCheckReturn) whole_statement_ = call->args[2];
  const bool escapes = call->op->kind == OpKind::kTvmStructSet ||
                       (call->op->kind == OpKind::kReinterpret && !call->dtype.is_handle());
  escaping_ += escapes ? 1 : 0;
  VisitChildren(call);
  escaping_ -= escapes ? 1 : 0;
  if (call->op->kind == OpKind::kRet) EndRun(call);
  if (MayLeave(call->op->kind)) MayLeaveFunction();
}

void Clock::EndRun(const Call* ret) {
  const int64_t* status = ret->args.empty() ? nullptr : AsIntImm(ret->args[0]);
  const bool fails = status != nullptr && *status != 0;
  // A run that fails need not produce outputs.
  if (fails || active_.size() > 1) return;
  for (int32_t slot = 0; slot < slots_.count(); ++slot) {
    if (slots_.at(slot).goes_out) TouchSlot(slot, kAllBytes);
  }
}

}  // namespace tenon::liveness_internal
