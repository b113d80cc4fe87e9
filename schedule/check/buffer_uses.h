#ifndef TENON_SCHEDULE_CHECK_BUFFER_USES_H_
#define TENON_SCHEDULE_CHECK_BUFFER_USES_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/function.h"

namespace tenon::check {

/// How a function uses its local buffers, by the pointers to them.
class BufferUses {
 public:
  explicit BufferUses(const Stmt* body);

  /// True if each element of a buffer is tracked separately: a sum that is updated, or an array
  /// that is read and then written again. Other buffers are filled once before they are read.
  bool IsCells(const Var* data) const { return cells_.contains(data); }
  /// True if an index of cells uses the variable of a loop.
  bool IndexesCells(const Var* loop) const { return indexing_.contains(loop); }
  /// The cells that the body of a loop stores to, in the order of the statements.
  const std::vector<const Var*>& StoredIn(const For* loop) const;
  /// A local buffer that the body of a loop stores to, and that is allocated outside of the loop;
  /// or null.
  const Var* StoredOutside(const For* loop) const;

 private:
  absl::flat_hash_set<const Var*> locals_;
  absl::flat_hash_set<const Var*> cells_;
  absl::flat_hash_set<const Var*> indexing_;
  absl::flat_hash_map<const For*, std::vector<const Var*>> stored_;
};

}  // namespace tenon::check

#endif  // TENON_SCHEDULE_CHECK_BUFFER_USES_H_
