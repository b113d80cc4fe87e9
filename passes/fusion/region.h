#ifndef TENON_PASSES_FUSION_REGION_H_
#define TENON_PASSES_FUSION_REGION_H_

#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/loop_independence.h"
#include "ir/builder.h"

// Lists of statements, and what each of them does to memory.

namespace tenon {

/// The uses of one pointer in a statement.
struct PointerUse {
  /// Loads and stores in the text.
  int loads = 0;
  int stores = 0;
  /// The pointer is used in another way: it is an argument, an address is taken.
  bool escapes = false;
  /// All loads and stores are scalar, without predicates, by one index, through buffers of one
  /// dimension and of this dtype that start at the pointer.
  bool is_plain = true;
  DataType dtype;
};

/// The accesses of a statement to memory.
struct StmtAccesses {
  absl::flat_hash_map<const Var*, PointerUse> pointers;
  /// It calls something that is not pure: it may do anything.
  bool is_opaque = false;

  const PointerUse* Find(const Var* data) const {
    const auto found = pointers.find(data);
    return found == pointers.end() ? nullptr : &found->second;
  }
};

StmtAccesses AccessesOf(const Stmt* stmt);

/// How often `node` loads from `data`; INT64_MAX when that is not known, or more than fits.
int64_t CountLoads(const Node* node, const Var* data);

/// The two may not change places: one may write what the other one accesses.
bool Conflict(const StmtAccesses& a, const StmtAccesses& b, const FunctionStorage& storage);

/// `stmt` may write what `data` points to.
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
  /// How many statements there were; null stands for those that are gone.
  size_t size() const { return stmts_.size(); }
  const Stmt* stmt(size_t index) const { return stmts_[index]; }
  const StmtAccesses& accesses(size_t index) const { return accesses_[index]; }
  /// The statements that have the pointer, in order.
  std::vector<size_t> UsesOf(const Var* data) const;
  /// The Allocate of `data`, which a pass may shrink or take away; null when the region has none.
  const Allocate* Find(const Var* data) const;
  bool IsConstant(const Var* data) const { return constants_.contains(data); }

  /// Null takes the statement away.
  void Replace(size_t index, const Stmt* stmt);

 private:
  std::vector<const Stmt*> stmts_;
  std::vector<StmtAccesses> accesses_;
  absl::flat_hash_map<const Var*, absl::btree_set<size_t>> uses_;
  absl::flat_hash_map<const Var*, const Allocate*> allocations_;
  absl::flat_hash_set<const Var*> constants_;
};

StmtRegion OpenRegion(const Stmt* stmt);

/// The statement for a region. Allocations that nothing mentions go.
const Stmt* CloseRegion(NodeBuilder& builder, const StmtRegion& region, SourceRange range);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_REGION_H_
