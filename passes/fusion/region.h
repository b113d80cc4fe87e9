#ifndef TENON_PASSES_FUSION_REGION_H_
#define TENON_PASSES_FUSION_REGION_H_

#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/loop_independence.h"
#include "ir/builder.h"

// Lists of statements, with the memory accesses of each.

namespace tenon {

/// The uses of one pointer in a statement.
struct PointerUse {
  /// Loads and stores in the text.
  int loads = 0;
  int stores = 0;
  /// True if the pointer is used in another way: it is an argument, or an address is taken.
  bool escapes = false;
  /// True if all loads and stores are scalar, without predicates, by one index, through buffers of
  /// one dimension and of this dtype that start at the pointer.
  bool is_plain = true;
  DataType dtype;
};

/// The accesses of a statement to memory.
struct StmtAccesses {
  absl::flat_hash_map<const Var*, PointerUse> pointers;
  /// True if it calls a function that is not pure, which may do anything.
  bool is_opaque = false;

  const PointerUse* Find(const Var* data) const {
    const auto found = pointers.find(data);
    return found == pointers.end() ? nullptr : &found->second;
  }
};

StmtAccesses AccessesOf(const Stmt* stmt);

/// The number of loads of `node` from `data`; INT64_MAX if it is not known, or too large.
int64_t CountLoads(const Node* node, const Var* data);

/// True if the two must keep their order: one may write memory that the other one accesses.
bool Conflict(const StmtAccesses& a, const StmtAccesses& b, const FunctionStorage& storage);

/// True if `stmt` may write the memory of `data`.
bool MayWrite(const StmtAccesses& stmt, const Var* data, const FunctionStorage& storage);

/// The statements that run one after the other in the body of a function, a loop or a branch.
/// Scopes of allocations of constant size reach over all of them.
class StmtRegion {
 public:
  /// Allocate and AllocateConst, the outermost first.
  std::vector<const Stmt*> scopes;

  void AddScope(const Stmt* scope);
  void RemoveScope(const Allocate* allocate);
  void Add(const Stmt* stmt);
  /// The number of statements at the start; null stands for a removed one.
  size_t size() const { return stmts_.size(); }
  const Stmt* stmt(size_t index) const { return stmts_[index]; }
  const StmtAccesses& accesses(size_t index) const { return accesses_[index]; }
  /// The statements that have the pointer, in order.
  std::vector<size_t> UsesOf(const Var* data) const;
  /// The Allocate of `data`, which a pass may shrink or remove; null if the region has none.
  const Allocate* Find(const Var* data) const;
  bool IsConstant(const Var* data) const { return constants_.contains(data); }

  /// Null removes the statement.
  void Replace(size_t index, const Stmt* stmt);

 private:
  std::vector<const Stmt*> stmts_;
  std::vector<StmtAccesses> accesses_;
  absl::flat_hash_map<const Var*, absl::btree_set<size_t>> uses_;
  absl::flat_hash_map<const Var*, const Allocate*> allocations_;
  absl::flat_hash_set<const Var*> constants_;
};

StmtRegion OpenRegion(const Stmt* stmt);

/// The statement for a region, without allocations that nothing mentions.
const Stmt* CloseRegion(NodeBuilder& builder, const StmtRegion& region, SourceRange range);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_REGION_H_
