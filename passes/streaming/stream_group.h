#ifndef TENON_PASSES_STREAMING_STREAM_GROUP_H_
#define TENON_PASSES_STREAMING_STREAM_GROUP_H_

#include <map>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/module.h"
#include "passes/fusion/top_level.h"
#include "passes/streaming/row_functions.h"
#include "passes/streaming/row_operator.h"
#include "passes/streaming/row_reduction.h"

// Groups of operators that run row by row: which rows each operator computes when, and which rows
// of its result stay for the readers.

namespace tenon {

/// A call of an operator in the entry. `callee` is null for any other statement.
struct StreamCall {
  const Stmt* stmt = nullptr;
  const Function* callee = nullptr;
  std::vector<const Var*> args;
  /// The operator in three parts, and the arguments of each, if it adds up rows.
  std::shared_ptr<const RowReduction> reduction;
  std::vector<const Var*> before_args;
  std::vector<const Var*> rows_args;
  std::vector<const Var*> after_args;
};

/// An allocation of the entry.
struct StreamTensor {
  const Allocate* allocate = nullptr;
  int64_t bytes = 0;
  /// The positions of the statements that mention it, ascending.
  std::vector<size_t> uses;
  /// The only statement that writes it, if that is a call and the first statement that mentions it;
  /// -1 if not.
  int64_t writer = -1;
};

/// The entry as a list of calls.
struct StreamProgram {
  TopLevel top;
  std::vector<StreamCall> calls;
  /// True if the parameters of the entry do not overlap.
  bool params_are_apart = false;
  absl::flat_hash_map<const Var*, StreamTensor> tensors;
  /// The parameters of the entry that are counted: inputs are live from the start, and outputs to
  /// the end.
  absl::flat_hash_map<const Var*, StreamTensor> counted;
  /// The parameters of the entry, and their data pointers.
  absl::flat_hash_set<const Var*> params;
};

/// The rows of a result for which a window lies in its operand.
struct RowsInside {
  int64_t first = 0;
  int64_t last = 0;
};
RowsInside RowsInsideOf(const RowRead& read, const RowWindow& window);

/// An operator of a group. In each step of the loop that contains it, it computes one row.
struct StreamedOperator {
  /// The position in the entry.
  size_t position = 0;
  const RowOperator* rows = nullptr;
  const std::vector<RowFunction>* functions = nullptr;
  /// For each of RowOperator::reads, how it is passed, and the operator of the group that computes
  /// it, or -1.
  std::vector<RowOperand> operands;
  std::vector<int> sources;
  /// The rows in each step of the group.
  int64_t rate = 1;
  /// In step t of a loop with its rate, it computes row t + lead.
  int64_t lead = 0;
  /// The loop that contains it, as an index into StreamGroup::loops.
  int loop = 0;
  /// True if the result stays in the group, and only `kept` rows of it at a time. These move up at
  /// the beginning of each step of `ring_loop`.
  bool is_ring = false;
  int64_t kept = 0;
  int ring_loop = 0;
  /// The rows outside of the tensor that are in the ring have this value, from row `pad_first` on.
  /// If there are none, that is 0.
  std::optional<int64_t> pad;
  int64_t pad_first = 0;
  /// True if nothing outside of the group reads the result.
  bool is_inner = false;
};

/// A loop of a group. The outermost one has the rate 1; a loop inside has a multiple of it.
struct StreamLoop {
  int64_t rate = 1;
  int parent = -1;
  /// Operators (index) and loops (-1 - index), in order.
  std::vector<int> items;
};

/// A tensor that the group reads, and one that it writes. If nothing reads the first one after the
/// group, the second may begin at most `bytes` after it.
struct RowDistance {
  const Var* dying = nullptr;
  const Var* begun = nullptr;
  int64_t bytes = 0;
};

struct StreamGroup {
  /// The first and the last call.
  size_t first = 0;
  size_t last = 0;
  std::vector<StreamedOperator> ops;
  std::vector<StreamLoop> loops;
  /// The last operator is the part `rows` of its reduction.
  bool reduces = false;
  /// The first operator copies rows that come one after another.
  bool is_fed = false;
  /// The steps of the outermost loop.
  int64_t begin = 0;
  int64_t end = 0;
  /// The bytes of the buffers inside, and of all copies of rows.
  int64_t workspace_bytes = 0;
  int64_t copied_bytes = 0;
  std::vector<RowDistance> distances;
};

/// Finds groups in an entry.
class StreamPlanner {
 public:
  /// `copy_borders`: see StreamOperatorsOptions.
  StreamPlanner(const IRModule& module, const StreamProgram& program, bool copy_borders,
                PassContext& pass)
      : module_(module),
        program_(program),
        copy_borders_(copy_borders),
        pass_(pass),
        operators_(module.context()) {}

  /// The group of the calls `first`, ..., `last` that needs the fewest bytes; nullopt if they
  /// cannot run row by row.
  std::optional<StreamGroup> Find(size_t first, size_t last);

  /// The arguments of an operator of a group.
  static const std::vector<const Var*>& ArgsOf(const StreamProgram& program,
                                               const StreamGroup& group,
                                               const StreamedOperator& op) {
    const StreamCall& call = program.calls[op.position];
    return group.reduces && op.position == group.last ? call.rows_args : call.args;
  }

 private:
  void FindBest(size_t first, size_t last, bool reduces, std::optional<StreamGroup>& best);

  friend class StreamGroupFinder;
  const std::vector<RowFunction>* FunctionsOf(const RowOperator& op,
                                              const std::vector<RowOperand>& operands);

  const IRModule& module_;
  const StreamProgram& program_;
  const bool copy_borders_;
  PassContext& pass_;
  RowOperators operators_;
  std::map<std::pair<const RowOperator*, std::vector<RowOperand>>,
           std::optional<std::vector<RowFunction>>>
      functions_;
};

}  // namespace tenon

#endif  // TENON_PASSES_STREAMING_STREAM_GROUP_H_
