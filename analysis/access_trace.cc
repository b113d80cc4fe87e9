#include "analysis/access_trace.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "ir/builtins.h"
#include "ir/thread_binding.h"
#include "ir/visitor.h"
#include "support/check.h"

namespace tenon {

namespace {

/// Wider vectors with a separate index per lane are assumed to reach the whole buffer.
constexpr int kMostLanes = 256;

using SlotId = int32_t;

/// slot = a op b, with the width of a dtype.
struct Op3 {
  NodeKind kind = NodeKind::kIntImm;
  OpKind call = OpKind::kUnknown;  ///< of a Call
  SlotId to = 0;
  SlotId a = 0;
  SlotId b = 0;
  SlotId c = 0;
  int8_t bits = 64;
  bool is_signed = true;
};

struct AccessItem {
  size_t buffer = 0;
  bool is_store = false;
  /// Element indices: one per lane, or the first one and a step.
  std::vector<SlotId> elements;
  int64_t step = 0;
  int64_t lanes = 1;
  int64_t width = 1;
  /// True if the index is unknown.
  bool anywhere = false;
  int32_t number = 0;
};

struct LoopItem;
struct BranchItem;

/// An access, a loop or a branch: the other two pointers are null.
struct Item {
  std::unique_ptr<AccessItem> access;
  std::unique_ptr<LoopItem> loop;
  std::unique_ptr<BranchItem> branch;
};

struct LoopItem {
  SlotId counter = 0;
  SlotId min = 0;
  SlotId extent = 0;
  /// True if nothing in the body depends on the counter.
  bool is_plain = true;
  /// Computed at the start of each iteration.
  std::vector<Op3> ops;
  std::vector<Item> items;
};

struct BranchItem {
  SlotId condition = 0;
  std::vector<Item> then_items;
  std::vector<Item> else_items;
};

int64_t Wrap(int64_t value, int bits, bool is_signed) {
  if (bits >= 64) return value;
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  const uint64_t low = static_cast<uint64_t>(value) & mask;
  if (is_signed && (low >> (bits - 1)) != 0) return static_cast<int64_t>(low | ~mask);
  return static_cast<int64_t>(low);
}

struct Quotient {
  int64_t quotient = 0;
  int64_t remainder = 0;
};

/// Quotient and remainder, rounded toward zero or minus infinity; zeros if the division is an
/// error.
Quotient Divide(int64_t a, int64_t b, bool floor) {
  if (b == 0 || (b == -1 && a == INT64_MIN)) return {};
  Quotient result{a / b, a % b};
  if (floor && result.remainder != 0 && (result.remainder < 0) != (b < 0)) {
    --result.quotient;
    result.remainder += b;
  }
  return result;
}

int64_t Bits(OpKind kind, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a);
  const auto y = static_cast<uint64_t>(b);
  switch (kind) {
    case OpKind::kShiftLeft:
      return y < 64 ? static_cast<int64_t>(x << y) : 0;
    case OpKind::kShiftRight:
      return y < 64 ? a >> y : 0;
    case OpKind::kBitwiseAnd:
      return static_cast<int64_t>(x & y);
    case OpKind::kBitwiseOr:
      return static_cast<int64_t>(x | y);
    case OpKind::kBitwiseXor:
      return static_cast<int64_t>(x ^ y);
    default:
      TENON_UNREACHABLE();
  }
}

/// Unsigned 64-bit integers never occur here, so comparing int64 values is correct.
int64_t Compute(const Op3& op, int64_t a, int64_t b, int64_t c) {
  const auto x = static_cast<uint64_t>(a);
  const auto y = static_cast<uint64_t>(b);
  switch (op.kind) {
    case NodeKind::kCast:
      return a;
    case NodeKind::kAdd:
      return static_cast<int64_t>(x + y);
    case NodeKind::kSub:
      return static_cast<int64_t>(x - y);
    case NodeKind::kMul:
      return static_cast<int64_t>(x * y);
    case NodeKind::kDiv:
      return Divide(a, b, false).quotient;
    case NodeKind::kMod:
      return Divide(a, b, false).remainder;
    case NodeKind::kFloorDiv:
      return Divide(a, b, true).quotient;
    case NodeKind::kFloorMod:
      return Divide(a, b, true).remainder;
    case NodeKind::kMin:
      return std::min(a, b);
    case NodeKind::kMax:
      return std::max(a, b);
    case NodeKind::kEQ:
      return a == b ? 1 : 0;
    case NodeKind::kNE:
      return a != b ? 1 : 0;
    case NodeKind::kLT:
      return a < b ? 1 : 0;
    case NodeKind::kLE:
      return a <= b ? 1 : 0;
    case NodeKind::kGT:
      return a > b ? 1 : 0;
    case NodeKind::kGE:
      return a >= b ? 1 : 0;
    case NodeKind::kAnd:
      return a != 0 && b != 0 ? 1 : 0;
    case NodeKind::kOr:
      return a != 0 || b != 0 ? 1 : 0;
    case NodeKind::kNot:
      return a == 0 ? 1 : 0;
    case NodeKind::kSelect:
      return a != 0 ? b : c;
    case NodeKind::kCall:
      return Bits(op.call, a, b);
    default:
      TENON_UNREACHABLE();
  }
}

/// Reduces a function to its relevant loops, branches and accesses.
class Compiler {
 public:
  Compiler(const PrimFunc& func, std::span<const FunctionBuffer> buffers) {
    for (size_t i = 0; i < buffers.size(); ++i) index_of_[buffers[i].data] = i;
    for (size_t i = 0; i < func.params.size(); ++i) {
      const Buffer* buffer = func.buffers[i];
      if (buffer == nullptr || !index_of_.contains(buffer->data)) continue;
      // A copy: emplace moves the map's elements.
      const size_t index = index_of_.at(buffer->data);
      index_of_.emplace(func.params[i], index);
    }
    open_.push_back({&root, {}});
    items_ = &root.items;
    Statement(func.body);
  }

  LoopItem root;
  std::vector<int64_t> slots;
  std::vector<SourceRange> ranges;
  std::string_view refusal;

 private:
  /// A loop that is being compiled, and the results of its operations.
  struct Open {
    LoopItem* loop = nullptr;
    absl::flat_hash_map<std::tuple<int, int, SlotId, SlotId, SlotId, int>, SlotId> known;
  };
  struct SlotInfo {
    /// The open loop that computes the slot; 0 for none.
    size_t depth = 0;
    /// True for the counter of that loop.
    bool is_counter = false;
  };

  void Refuse(std::string_view why) {
    if (refusal.empty()) refusal = why;
  }

  SlotId NewSlot(int64_t value, size_t depth, bool is_counter = false) {
    slots.push_back(value);
    infos_.push_back({depth, is_counter});
    return static_cast<SlotId>(slots.size() - 1);
  }
  SlotInfo& InfoOf(SlotId slot) { return infos_[static_cast<size_t>(slot)]; }

  SlotId Number(int64_t value) {
    const auto [at, is_new] = numbers_.try_emplace(value, 0);
    if (is_new) at->second = NewSlot(value, 0);
    return at->second;
  }

  SlotId Emit(Op3 op, DataType dtype) {
    op.bits = static_cast<int8_t>(dtype.is_bool() ? 1 : dtype.bits());
    op.is_signed = dtype.is_int() && !dtype.is_bool();
    const size_t depth = std::max({InfoOf(op.a).depth, InfoOf(op.b).depth, InfoOf(op.c).depth});
    for (const SlotId operand : {op.a, op.b, op.c}) UsesSlot(operand);
    if (depth == 0) {
      const int64_t value = Compute(op, slots[At(op.a)], slots[At(op.b)], slots[At(op.c)]);
      return Number(Wrap(value, op.bits, op.is_signed));
    }
    const auto key = std::make_tuple(static_cast<int>(op.kind), static_cast<int>(op.call), op.a,
                                     op.b, op.c, op.is_signed ? op.bits : -op.bits);
    const auto [at, is_new] = open_[depth].known.try_emplace(key, 0);
    if (is_new) {
      op.to = at->second = NewSlot(0, depth);
      open_[depth].loop->ops.push_back(op);
    }
    return at->second;
  }
  static size_t At(SlotId slot) { return static_cast<size_t>(slot); }

  /// A loop with a used counter cannot skip iterations.
  void UsesSlot(SlotId slot) {
    const SlotInfo& info = InfoOf(slot);
    if (info.is_counter) open_[info.depth].loop->is_plain = false;
  }

  /// The slot of an integer, or of one lane of a vector; nullopt if it depends on values.
  std::optional<SlotId> Value(const Expr* expr, int lane = 0) {
    if (const int64_t* value = AsIntImm(expr)) return Number(*value);
    if (const auto* ramp = dyn_cast<Ramp>(expr)) {
      const std::optional<SlotId> base = Value(ramp->base);
      const std::optional<SlotId> stride = Value(ramp->stride);
      if (!base || !stride) return std::nullopt;
      const DataType dtype = ramp->base->dtype;
      const SlotId step = Emit({.kind = NodeKind::kMul, .a = *stride, .b = Number(lane)}, dtype);
      return Emit({.kind = NodeKind::kAdd, .a = *base, .b = step}, dtype);
    }
    if (const auto* broadcast = dyn_cast<Broadcast>(expr)) return Value(broadcast->value);
    if (const auto* var = dyn_cast<Var>(expr)) {
      const auto found = variables_.find(var);
      if (found == variables_.end()) return std::nullopt;
      return found->second;
    }
    const DataType dtype = expr->dtype.with_lanes(1);
    const bool is_known_type =
        dtype.is_bool() || dtype.is_int() || (dtype.is_integer() && dtype.bits() < 64);
    if (!is_known_type) return std::nullopt;
    if (const auto* binary = dyn_cast<BinaryExpr>(expr)) {
      const DataType operand = binary->a->dtype;
      if (!operand.is_integer() || (!operand.is_int() && operand.bits() >= 64)) return std::nullopt;
      return Operation({.kind = expr->kind}, dtype, lane, {binary->a, binary->b});
    }
    if (const auto* cast_expr = dyn_cast<Cast>(expr)) {
      const DataType from = cast_expr->value->dtype;
      if (!from.is_integer() || dtype.is_bool()) return std::nullopt;
      return Operation({.kind = NodeKind::kCast}, dtype, lane, {cast_expr->value});
    }
    if (const auto* negated = dyn_cast<Not>(expr))
      return Operation({.kind = NodeKind::kNot}, dtype, lane, {negated->a});
    if (const auto* select = dyn_cast<Select>(expr)) {
      return Operation({.kind = NodeKind::kSelect}, dtype, lane,
                       {select->condition, select->true_value, select->false_value});
    }
    if (const auto* call = dyn_cast<Call>(expr)) return ValueOfCall(call, dtype, lane);
    return std::nullopt;
  }

  std::optional<SlotId> ValueOfCall(const Call* call, DataType dtype, int lane) {
    switch (call->op->kind) {
      case OpKind::kLikely:
        return Value(call->args[0], lane);
      case OpKind::kIfThenElse:
        return Operation({.kind = NodeKind::kSelect}, dtype, lane,
                         {call->args[0], call->args[1], call->args[2]});
      case OpKind::kShiftLeft:
      case OpKind::kShiftRight:
      case OpKind::kBitwiseAnd:
      case OpKind::kBitwiseOr:
      case OpKind::kBitwiseXor:
        return Operation({.kind = NodeKind::kCall, .call = call->op->kind}, dtype, lane,
                         {call->args[0], call->args[1]});
      default:
        return std::nullopt;
    }
  }

  std::optional<SlotId> Operation(Op3 op, DataType dtype, int lane,
                                  std::initializer_list<const Expr*> operands) {
    SlotId* const to[] = {&op.a, &op.b, &op.c};
    for (SlotId* slot : to) *slot = Number(0);
    size_t i = 0;
    for (const Expr* operand : operands) {
      const std::optional<SlotId> value = Value(operand, lane);
      if (!value) return std::nullopt;
      *to[i++] = *value;
    }
    return Emit(op, dtype);
  }

  /// Compiles the loads of an expression in order. For a vector condition, both arms are loaded.
  void Loads(const Expr* expr) {
    if (expr == nullptr) return;
    WithStack([&] { LoadsOf(expr); });
  }

  void LoadsOf(const Expr* expr) {
    if (const auto* load = dyn_cast<BufferLoad>(expr)) {
      for (const Expr* index : load->indices) Loads(index);
      Loads(load->predicate);
      return Access(load->buffer, load->indices, load->range, false);
    }
    if (const auto* var = dyn_cast<Var>(expr)) {
      if (index_of_.contains(var)) Refuse("a pointer escapes");
      return;
    }
    if (const auto* let = dyn_cast<Let>(expr)) {
      Loads(let->value);
      Bind(let->var, let->value);
      Loads(let->body);
      variables_.erase(let->var);
      return;
    }
    const auto* call = dyn_cast<Call>(expr);
    if (call != nullptr && call->op->kind == OpKind::kAddressOf && !call->args.empty()) {
      const auto* load = dyn_cast<BufferLoad>(call->args[0]);
      if (load != nullptr) Loads(load->buffer->data);
    }
    if (call != nullptr && call->op->kind == OpKind::kIfThenElse &&
        call->args[0]->dtype.is_scalar()) {
      Loads(call->args[0]);
      return Branch(
          call->args[0], [&] { Loads(call->args[1]); }, [&] { Loads(call->args[2]); });
    }
    if (isa<ProducerLoad>(expr) || isa<Reduce>(expr)) return Refuse("the function has tensors");
    ForEachChild(expr, [&](const Node* child, FieldRole) {
      if (Expr::ClassOf(child)) Loads(static_cast<const Expr*>(child));
    });
  }

  template <class Then, class Else>
  void Branch(const Expr* condition, Then&& then_case, Else&& else_case) {
    const std::optional<SlotId> slot = Value(condition);
    if (!slot) {
      then_case();
      else_case();
      return;
    }
    auto branch = std::make_unique<BranchItem>();
    branch->condition = *slot;
    std::vector<Item>* const outer = std::exchange(items_, &branch->then_items);
    then_case();
    items_ = &branch->else_items;
    else_case();
    items_ = outer;
    if (branch->then_items.empty() && branch->else_items.empty()) return;
    UsesSlot(*slot);
    items_->push_back({nullptr, nullptr, std::move(branch)});
  }

  void Bind(const Var* var, const Expr* value) {
    variables_.erase(var);
    if (!var->dtype.is_scalar() || var->dtype.is_handle()) return;
    if (const std::optional<SlotId> slot = Value(value)) variables_[var] = *slot;
  }

  void Access(const Buffer* buffer, Span<const Expr*> indices, SourceRange range, bool is_store) {
    const auto found = index_of_.find(buffer->data);
    if (found == index_of_.end()) return;
    if (unordered_ > 0) return Refuse("an access is in code whose order is not known");
    auto access = std::make_unique<AccessItem>();
    access->buffer = found->second;
    access->is_store = is_store;
    access->width = buffer->dtype.bytes();
    access->number = static_cast<int32_t>(ranges.size());
    ranges.push_back(range);
    access->anywhere = access->width <= 0 || !FindElements(buffer, indices, *access);
    for (const SlotId slot : access->elements) UsesSlot(slot);
    items_->push_back({std::move(access), nullptr, nullptr});
  }

  bool FindElements(const Buffer* buffer, Span<const Expr*> indices, AccessItem& access) {
    int lanes = 1;
    for (const Expr* index : indices) lanes = std::max(lanes, index->dtype.lanes());
    const auto* ramp = indices.empty() ? nullptr : dyn_cast<Ramp>(indices.back());
    const int64_t* step = ramp == nullptr ? nullptr : AsIntImm(ramp->stride);
    if (step != nullptr && buffer->strides.empty()) {
      access.step = *step;
      access.lanes = lanes;
      lanes = 1;
    }
    if (lanes > kMostLanes) return false;
    for (int lane = 0; lane < lanes; ++lane) {
      const std::optional<SlotId> slot = Element(buffer, indices, lane);
      if (!slot) return false;
      access.elements.push_back(*slot);
    }
    return true;
  }

  /// The number of the element that a lane accesses.
  std::optional<SlotId> Element(const Buffer* buffer, Span<const Expr*> indices, int lane) {
    const DataType wide = DataType::Int(64);
    if (indices.size() != buffer->shape.size()) return std::nullopt;
    std::optional<SlotId> sum =
        buffer->elem_offset == nullptr ? Number(0) : Value(buffer->elem_offset);
    std::optional<SlotId> stride = Number(1);
    for (size_t i = indices.size(); i-- > 0;) {
      if (!buffer->strides.empty()) stride = Value(buffer->strides[i]);
      const std::optional<SlotId> index = Value(indices[i], lane);
      if (!sum || !stride || !index) return std::nullopt;
      const SlotId term = Emit({.kind = NodeKind::kMul, .a = *index, .b = *stride}, wide);
      sum = Emit({.kind = NodeKind::kAdd, .a = *sum, .b = term}, wide);
      const std::optional<SlotId> extent = Value(buffer->shape[i]);
      if (!extent) {
        if (i > 0 && buffer->strides.empty()) return std::nullopt;
      } else {
        stride = Emit({.kind = NodeKind::kMul, .a = *stride, .b = *extent}, wide);
      }
    }
    return sum;
  }

  void Statement(const Stmt* stmt) {
    if (stmt == nullptr || !refusal.empty()) return;
    WithStack([&] { StatementOf(stmt); });
  }

  void StatementOf(const Stmt* stmt) {
    switch (stmt->kind) {
      case NodeKind::kSeqStmt:
        for (const Stmt* child : cast<SeqStmt>(stmt)->seq) Statement(child);
        return;
      case NodeKind::kFor:
        return Loop(cast<For>(stmt));
      case NodeKind::kWhile:
        ++unordered_;
        Loads(cast<While>(stmt)->condition);
        Statement(cast<While>(stmt)->body);
        --unordered_;
        return;
      case NodeKind::kBufferStore: {
        const auto* store = cast<BufferStore>(stmt);
        Loads(store->value);
        for (const Expr* index : store->indices) Loads(index);
        Loads(store->predicate);
        return Access(store->buffer, store->indices, store->range, true);
      }
      case NodeKind::kIfThenElse: {
        const auto* branch = cast<IfThenElse>(stmt);
        Loads(branch->condition);
        return Branch(
            branch->condition, [&] { Statement(branch->then_case); },
            [&] { Statement(branch->else_case); });
      }
      case NodeKind::kLetStmt: {
        const auto* let = cast<LetStmt>(stmt);
        Loads(let->value);
        Bind(let->var, let->value);
        Statement(let->body);
        variables_.erase(let->var);
        return;
      }
      case NodeKind::kEvaluate:
        return Loads(cast<Evaluate>(stmt)->value);
      default:
        return ScopeStatement(stmt);
    }
  }

  /// Compiles statements that contain a single other statement.
  void ScopeStatement(const Stmt* stmt) {
    if (const auto* allocate = dyn_cast<Allocate>(stmt)) {
      for (const Expr* extent : allocate->extents) Loads(extent);
      Loads(allocate->condition);
      return Statement(allocate->body);
    }
    if (const auto* constant = dyn_cast<AllocateConst>(stmt)) return Statement(constant->body);
    if (const auto* decl = dyn_cast<DeclBuffer>(stmt)) return Statement(decl->body);
    if (const auto* assertion = dyn_cast<AssertStmt>(stmt)) {
      Loads(assertion->condition);
      return Statement(assertion->body);
    }
    if (const auto* attr = dyn_cast<AttrStmt>(stmt)) {
      Loads(attr->value);
      const int is_thread = BindsThread(attr) ? 1 : 0;
      unordered_ += is_thread;
      Statement(attr->body);
      unordered_ -= is_thread;
      return;
    }
    if (!isa<Prefetch>(stmt)) Refuse("the function is not lowered");
  }

  void Loop(const For* loop) {
    Loads(loop->min);
    Loads(loop->extent);
    const std::optional<SlotId> min = Value(loop->min);
    const std::optional<SlotId> extent = Value(loop->extent);
    const bool is_serial =
        loop->for_kind == ForKind::kSerial || loop->for_kind == ForKind::kUnrolled;
    const int is_unknown = is_serial && min && extent ? 0 : 1;
    auto item = std::make_unique<LoopItem>();
    open_.push_back({item.get(), {}});
    item->counter = NewSlot(0, open_.size() - 1, true);
    item->min = min.value_or(item->counter);
    item->extent = extent.value_or(item->counter);
    variables_[loop->loop_var] = item->counter;
    std::vector<Item>* const outer = std::exchange(items_, &item->items);
    unordered_ += is_unknown;
    Statement(loop->body);
    unordered_ -= is_unknown;
    items_ = outer;
    variables_.erase(loop->loop_var);
    open_.pop_back();
    if (item->items.empty() || is_unknown != 0) return;
    UsesSlot(item->min);
    UsesSlot(item->extent);
    items_->push_back({nullptr, std::move(item), nullptr});
  }

  absl::flat_hash_map<const Var*, size_t> index_of_;
  absl::flat_hash_map<const Var*, SlotId> variables_;
  absl::flat_hash_map<int64_t, SlotId> numbers_;
  std::vector<SlotInfo> infos_;
  std::vector<Open> open_;
  std::vector<Item>* items_ = nullptr;
  int unordered_ = 0;
};

/// Runs the compiled program.
class Walker {
 public:
  Walker(std::vector<int64_t>& slots, std::vector<AccessTrace::ByteTimes>& times, int64_t limit)
      : slots_(slots), times_(times), limit_(limit) {}

  void Run(const std::vector<Item>& items) {
    for (const Item& item : items) {
      if (item.access != nullptr) {
        Access(*item.access);
      } else if (item.loop != nullptr) {
        Loop(*item.loop);
      } else {
        Run(At(item.branch->condition) != 0 ? item.branch->then_items : item.branch->else_items);
      }
      if (steps > limit_) return;
    }
  }

  int64_t steps = 0;

 private:
  int64_t& At(SlotId slot) { return slots_[static_cast<size_t>(slot)]; }

  void Loop(const LoopItem& loop) {
    const int64_t min = At(loop.min);
    int64_t extent = At(loop.extent);
    // Identical iterations are represented by the first and the last one.
    if (loop.is_plain) extent = std::min<int64_t>(extent, 2);
    for (int64_t i = 0; i < extent && steps <= limit_; ++i) {
      ++steps;
      At(loop.counter) = min + i;
      for (const Op3& op : loop.ops) {
        At(op.to) = Wrap(Compute(op, At(op.a), At(op.b), At(op.c)), op.bits, op.is_signed);
      }
      Run(loop.items);
    }
  }

  void Access(const AccessItem& access) {
    AccessTrace::ByteTimes& times = times_[access.buffer];
    ++steps;
    if (access.anywhere) {
      if (access.is_store && now_ < times.any_first_write) {
        times.any_first_write = now_;
        times.any_first_writer = access.number;
      }
      times.any_last_access = now_;
      times.any_last_accessor = access.number;
    }
    for (const SlotId slot : access.elements) {
      if (access.anywhere) break;
      int64_t element = At(slot);
      for (int64_t lane = 0; lane < access.lanes; ++lane, element += access.step)
        Touch(times, access, element);
    }
    // The loads of a store have the store's time, and come before it.
    if (access.is_store) ++now_;
  }

  void Touch(AccessTrace::ByteTimes& times, const AccessItem& access, int64_t element) {
    const auto size = static_cast<int64_t>(times.first_write.size());
    int64_t byte = 0;
    // An access outside of the buffer is an error at every distance.
    if (__builtin_mul_overflow(element, access.width, &byte) || byte < 0 || byte >= size) return;
    const auto first = static_cast<size_t>(byte);
    const auto end = static_cast<size_t>(std::min(byte + access.width, size));
    for (size_t i = first; i < end; ++i) {
      if (access.is_store && times.first_write[i] == AccessTrace::kNever) {
        times.first_write[i] = now_;
        times.first_writer[i] = access.number;
      }
      times.last_access[i] = now_;
      times.last_accessor[i] = access.number;
    }
  }

  std::vector<int64_t>& slots_;
  std::vector<AccessTrace::ByteTimes>& times_;
  int64_t limit_;
  int64_t now_ = 0;
};

}  // namespace

absl::StatusOr<AccessTrace> AccessTrace::Of(const PrimFunc& func,
                                            std::span<const FunctionBuffer> buffers,
                                            const Options& options) {
  Compiler compiler(func, buffers);
  if (!compiler.refusal.empty())
    return absl::FailedPreconditionError(
        absl::string_view(compiler.refusal.data(), compiler.refusal.size()));
  AccessTrace trace;
  for (const FunctionBuffer& buffer : buffers) {
    const auto size = static_cast<size_t>(std::max<int64_t>(buffer.size_bytes, 0));
    ByteTimes& times = trace.times_.emplace_back();
    times.first_write.assign(size, kNever);
    times.last_access.assign(size, -1);
    times.first_writer.assign(size, -1);
    times.last_accessor.assign(size, -1);
  }
  Walker walker(compiler.slots, trace.times_, options.max_steps);
  walker.Run(compiler.root.items);
  if (walker.steps > options.max_steps)
    return absl::ResourceExhaustedError("the walk takes too many steps");
  trace.ranges_ = std::move(compiler.ranges);
  trace.steps_ = walker.steps;
  return trace;
}

std::optional<AccessTrace::Clash> AccessTrace::FindClash(size_t dying, size_t begun,
                                                         int64_t distance) const {
  TENON_CHECK(dying < times_.size() && begun < times_.size());
  const ByteTimes& reads = times_[dying];
  const ByteTimes& writes = times_[begun];
  const auto dying_size = static_cast<int64_t>(reads.last_access.size());
  const auto begun_size = static_cast<int64_t>(writes.first_write.size());
  for (int64_t y = std::max<int64_t>(0, -distance); y < std::min(begun_size, dying_size - distance);
       ++y) {
    const auto to = static_cast<size_t>(y);
    const auto from = static_cast<size_t>(y + distance);
    const bool any_write = writes.any_first_write < writes.first_write[to];
    const bool any_access = reads.any_last_access > reads.last_access[from];
    const int64_t written = any_write ? writes.any_first_write : writes.first_write[to];
    const int64_t accessed = any_access ? reads.any_last_access : reads.last_access[from];
    // At equal times, the access is a load of the storing statement, and comes first.
    if (written >= accessed) continue;
    const int32_t writer = any_write ? writes.any_first_writer : writes.first_writer[to];
    const int32_t accessor = any_access ? reads.any_last_accessor : reads.last_accessor[from];
    return Clash{y, ranges_[static_cast<size_t>(writer)], y + distance,
                 ranges_[static_cast<size_t>(accessor)]};
  }
  return std::nullopt;
}

}  // namespace tenon
