#ifndef TENON_PASSES_LOOPS_STORE_NEST_H_
#define TENON_PASSES_LOOPS_STORE_NEST_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/loop_independence.h"
#include "arith/analyzer.h"
#include "ir/builder.h"
#include "ir/function.h"

// Internal to passes/loops: nests of loops around one store, and memory for what they compute.

namespace tenon {

/// Serial loops with constant bounds and without annotations around one store of a scalar. The
/// layouts of its buffers are literals.
struct StoreNest {
  /// The outermost first; at least one.
  std::vector<const For*> loops;
  const BufferStore* store = nullptr;
};

/// The loops from `loop` to the only store inside of them; nullopt if they contain anything else.
std::optional<StoreNest> StoreNestOf(const For* loop);

/// The nest with two loops for each loop over a blocked axis of a layout, as in `y[o // 4, o % 4]`,
/// and three if the blocks of another layout consist of smaller blocks. Indices then have constant
/// steps. Binds the new loops in the analyzer. The bodies of the new loops are not set:
/// LoopsAround() builds a nest from them.
StoreNest InBlocks(NodeBuilder& builder, const std::shared_ptr<Storage>& storage,
                   Analyzer& analyzer, const StoreNest& nest);

/// The statement with simplified indices and values of stores. The analyzer knows the loops around.
const Stmt* SimplifiedIndices(NodeBuilder& builder, const std::shared_ptr<Storage>& storage,
                              Analyzer& analyzer, const Stmt* stmt);

/// Merges two loops into one, which counts `outer * (extent of inner) + inner` (TVM's `fuse`). Both
/// count from 0 and have constant extents. `body` is the statement inside of both. Binds the new
/// loop in the analyzer.
const For* Fused(NodeBuilder& builder, const std::shared_ptr<Storage>& storage, Analyzer& analyzer,
                 const For& outer, const For& inner, const Stmt* body);

/// True if the iterations of each loop of the nest are independent; see IterationsAreIndependent.
bool AreIndependent(const FunctionStorage& pointers, std::vector<const For*> around,
                    const std::vector<const For*>& loops);

/// `body` inside of copies of `loops`, the outermost first.
const Stmt* LoopsAround(Arena& arena, const std::vector<const For*>& loops, const Stmt* body);

/// True if the analyzer proves that the element of a load is in bounds of its flat buffer.
bool IsInside(NodeBuilder& builder, Analyzer& analyzer, const BufferLoad& load);

/// The only load in a value, such as `T.Cast("int32", a[i]) - 3`; null if it has none, or several.
const BufferLoad* OnlyLoadIn(const Expr* value);

/// A sum, maximum or minimum of integers over the steps of loops. Sums wrap, so the order of the
/// steps does not matter.
struct IntegerSum {
  NodeKind op = NodeKind::kAdd;  ///< or kMax, kMin
  /// The number that a step adds, or compares.
  const Expr* value = nullptr;

  /// Both values in one.
  const Expr* Both(NodeBuilder& builder, const Expr* a, const Expr* b) const;
};

/// The sum of `y[i] = y[i] + value`, if the value does not depend on any `y[j]`; nullopt for any
/// other store.
std::optional<IntegerSum> IntegerSumOf(const FunctionStorage& pointers, const BufferStore& store);

/// `body` inside of the allocation of a buffer that no pool plans: it is in registers or on the
/// stack.
const Stmt* AllocateLocal(NodeBuilder& builder, const Buffer* buffer, const Stmt* body);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_STORE_NEST_H_
