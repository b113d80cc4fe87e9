#ifndef TENON_ANALYSIS_ACCESS_PROGRAM_H_
#define TENON_ANALYSIS_ACCESS_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/index_program.h"
#include "ir/analysis/effects.h"
#include "ir/module.h"

// A function reduced to its accesses of memory, for judges of memory plans. Values that are not
// indices are gone; the order of accesses, and the loops and branches around them, stay. Nothing
// here is shared with the analyses that planning uses (ir/analysis/liveness.h,
// analysis/safe_distances.h), so that one mistake cannot hide another.

namespace tenon {

/// A number for each pointer that a program tracks: a parameter or an allocation.
using PointerRoot = int32_t;

/// One of the places that a pointer may point to.
struct PointsTo {
  PointerRoot root = 0;
  /// The distance from the root in bytes; nullopt if it depends on data.
  std::optional<SlotId> offset;
  /// The distance is always 0.
  bool is_start = false;
};
/// Everything that a pointer may point to, as far as it is tracked.
using Pointer = std::vector<PointsTo>;

struct AccessItem;
struct LoopItem;
struct BranchItem;
struct UnorderedItem;
struct OpenItem;
struct CloseItem;
struct CallItem;
struct ExternItem;
struct EscapeItem;
struct LeaveItem;
struct Item;
using Items = std::vector<Item>;

/// A load or a store of elements.
struct AccessItem {
  Pointer pointer;
  bool is_store = false;
  /// True if a store certainly writes all of its elements.
  bool is_certain = true;
  /// True if the index is unknown.
  bool anywhere = false;
  /// Numbers of elements: one per lane, or the first one and a step.
  std::vector<SlotId> elements;
  int64_t step = 0;
  int64_t lanes = 1;
  int64_t width = 1;  ///< bytes of an element
  SourceRange range;
  /// The number of the access in its program.
  int32_t number = 0;
};

/// How often a loop runs its items, and in which order.
enum class LoopOrder : uint8_t {
  kSerial,    ///< `extent` times, one after the other
  kUnknown,   ///< any number of times, one after the other
  kParallel,  ///< at the same time; the bounds are unknown if `has_bounds` is false
};

struct LoopItem {
  LoopOrder order = LoopOrder::kSerial;
  bool has_bounds = true;
  SlotId min = 0;
  SlotId extent = 0;
  IndexLoop index;
  Items items;
};

/// Runs one of two lists. Without a condition, either may run.
struct BranchItem {
  std::optional<SlotId> condition;
  Items then_items;
  Items else_items;
};

/// Items of one expression that contains calls: their order is not specified.
struct UnorderedItem {
  Items items;
};

/// The begin and the end of an allocation's scope, in one list of items. Each run of the scope has
/// an instance of its own.
struct OpenItem {
  /// An Allocate or AllocateConst.
  const Stmt* stmt = nullptr;
  PointerRoot root = 0;
};
struct CloseItem {
  PointerRoot root = 0;
};

/// A call of a function of the module: a pointer for each argument, empty if nothing is tracked.
struct CallItem {
  const Function* callee = nullptr;
  std::vector<Pointer> arguments;
  SourceRange range;
};

/// A call of other code, which may access anything that its arguments point to.
struct ExternItem {
  std::string_view name;
  struct Argument {
    Pointer pointer;
    ArgumentEffect effect;
  };
  std::vector<Argument> arguments;
  SourceRange range;
};

/// From here on, the memory may be accessed at any time.
struct EscapeItem {
  Pointer pointer;
  SourceRange range;
};

/// The function may end here (T.ret): what follows may not run.
struct LeaveItem {
  /// It returns a number that is not 0, so the run fails.
  bool fails = false;
};

struct Item {
  std::variant<AccessItem, LoopItem, BranchItem, UnorderedItem, OpenItem, CloseItem, CallItem,
               ExternItem, EscapeItem, LeaveItem>
      what;
  /// The roots that the item mentions, ascending.
  std::vector<PointerRoot> roots = {};
  /// The item contains calls of functions of the module, pointers that escape, or ends of the
  /// function.
  bool calls = false;
  bool escapes = false;
  bool leaves = false;
};

/// The accesses of one function.
class AccessProgram {
 public:
  /// Tracks the pointer parameters and the allocations of a function. The root of parameter i is i;
  /// allocations have further numbers. `refusal` is not empty for a function with tensors.
  AccessProgram(const IRModule& module, const Function& function);
  /// Tracks only these pointers; their roots are their indices. Calls are not followed: a tracked
  /// argument escapes.
  AccessProgram(const PrimFunc& function, std::span<const Var* const> tracked);

  Items items;
  /// The slots' values before the walk.
  std::vector<int64_t> slots;
  PointerRoot roots = 0;
  int32_t accesses = 0;
  std::string_view refusal;
};

}  // namespace tenon

#endif  // TENON_ANALYSIS_ACCESS_PROGRAM_H_
