#ifndef TENON_ANALYSIS_INDEX_PROGRAM_H_
#define TENON_ANALYSIS_INDEX_PROGRAM_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/expr.h"
#include "ir/node.h"

// Integer arithmetic on loop counters, compiled for walks that run a function's loops. A value is
// the number of a slot. Each loop computes its slots at the start of an iteration.

namespace tenon {

using SlotId = int32_t;

/// slot = a op b, with the width of a dtype.
struct IndexOp {
  NodeKind kind = NodeKind::kIntImm;
  OpKind call = OpKind{};  ///< of a Call
  SlotId to = 0;
  SlotId a = 0;
  SlotId b = 0;
  SlotId c = 0;
  int8_t bits = 64;
  bool is_signed = true;
};

/// The operations of a loop, which it runs for each value of its counter.
struct IndexLoop {
  SlotId counter = 0;
  /// True if no operation, access or condition depends on the counter.
  bool is_plain = true;
  std::vector<IndexOp> ops;
};

/// Sets the counter's slot and runs the operations of a loop.
void StartIteration(const IndexLoop& loop, int64_t counter, std::vector<int64_t>& slots);

/// Compiles index expressions.
class IndexCompiler {
 public:
  IndexCompiler() { open_.push_back({&root_, {}}); }

  /// The slots' values before the walk: numbers have theirs.
  std::vector<int64_t> TakeSlots() { return std::move(slots_); }

  /// Opens a loop inside the open ones. It must stay at its address until Close.
  void Open(IndexLoop& loop);
  void Close() { open_.pop_back(); }

  SlotId Number(int64_t value);
  /// The sum and the product of two values in 64 bits.
  SlotId Sum(SlotId a, SlotId b);
  SlotId Product(SlotId a, SlotId b);
  /// The value of an integer, or of one lane of a vector; nullopt if it depends on data.
  std::optional<SlotId> Value(const Expr* expr, int lane = 0);

  /// Gives a variable the value of a slot, or of an expression if that does not depend on data.
  void Bind(const Var* var, SlotId slot) { variables_[var] = slot; }
  void Bind(const Var* var, const Expr* value);
  void Forget(const Var* var) { variables_.erase(var); }

  /// A loop whose counter is used cannot skip iterations.
  void Use(SlotId slot);

 private:
  /// A loop that is being compiled, and the results of its operations.
  struct OpenLoop {
    IndexLoop* loop = nullptr;
    absl::flat_hash_map<std::tuple<int, int, SlotId, SlotId, SlotId, int>, SlotId> known;
  };
  struct SlotInfo {
    /// The open loop that computes the slot; 0 for none.
    size_t depth = 0;
    /// True for the counter of that loop.
    bool is_counter = false;
  };

  static size_t At(SlotId slot) { return static_cast<size_t>(slot); }
  SlotInfo& InfoOf(SlotId slot) { return infos_[At(slot)]; }
  SlotId NewSlot(int64_t value, size_t depth, bool is_counter = false);
  SlotId Emit(IndexOp op, DataType dtype);
  std::optional<SlotId> ValueOfCall(const Call* call, DataType dtype, int lane);
  std::optional<SlotId> Operation(IndexOp op, DataType dtype, int lane,
                                  std::initializer_list<const Expr*> operands);

  IndexLoop root_;
  std::vector<int64_t> slots_;
  std::vector<SlotInfo> infos_;
  std::vector<OpenLoop> open_;
  absl::flat_hash_map<const Var*, SlotId> variables_;
  absl::flat_hash_map<int64_t, SlotId> numbers_;
};

}  // namespace tenon

#endif  // TENON_ANALYSIS_INDEX_PROGRAM_H_
