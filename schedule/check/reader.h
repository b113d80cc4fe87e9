#ifndef TENON_SCHEDULE_CHECK_READER_H_
#define TENON_SCHEDULE_CHECK_READER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/function.h"
#include "schedule/check/buffer_uses.h"
#include "schedule/check/memory.h"
#include "schedule/check/terms.h"

namespace tenon::check {

/// Evaluates a function on terms instead of numbers. A loop is evaluated once for all of its
/// iterations, with a digit as its counter. If the loop adds to sums, each sum becomes a
/// repetition.
class FunctionReader {
 public:
  FunctionReader(TermTable& terms, const PrimFunc& func, int64_t most_steps);

  /// The stores of the function. False, with `problem` set, if a part of it cannot be analysed.
  bool Read();

  const Reading& reading() const { return reading_; }
  Reading& reading() { return reading_; }
  const std::string& problem() const { return problem_; }
  /// The memory of a parameter, and the memory of a constant; new memory if the function does not
  /// read it.
  int ParamMemory(int param) const { return params_[static_cast<size_t>(param)]; }
  int ConstantMemory(const Constant* constant);

 private:
  using Cells = std::vector<std::vector<TermId>>;

  bool Fail(std::string problem);
  TermId FailedTerm(std::string problem);
  bool Step(int64_t steps = 1);
  int AddMemory(Memory memory);
  int MemoryOf(const Var* data) const;

  bool ReadStmt(const Stmt* stmt);
  bool ReadStore(const BufferStore* store);
  bool StoreCells(int memory, const BufferStore* store, int lanes);
  bool StorePart(int memory, const BufferStore* store, FormId lane);
  bool ReadAllocate(const Allocate* allocate);
  bool ReadConstant(const AllocateConst* allocate);
  bool ReadLet(const LetStmt* let);
  bool ReadIf(const IfThenElse* branch);
  bool ReadArm(const Stmt* stmt, TermId condition, bool holds);
  TermId Joined(TermId condition, TermId yes, TermId no);
  bool ReadFor(const For* loop);
  bool ReadEach(const For* loop, int64_t first, int64_t extent);
  bool ReadOnce(const For* loop, int64_t first, int64_t extent);

  /// A loop that is evaluated once for all iterations.
  struct OpenLoop {
    const For* loop = nullptr;
    int digit = -1;
    int64_t extent = 0;
    std::vector<int> stored;
    /// The cells before the loop, and at the start of an iteration.
    Cells before;
    Cells entry;
    /// Cells that begin an iteration with the value that the iteration before has left: `value`.
    struct Carried {
      size_t stored = 0;
      size_t cell = 0;
      TermId value = -1;
    };
    std::vector<Carried> carried;
    /// The stores to each memory before the loop.
    std::vector<size_t> marks;
  };
  bool RunBody(OpenLoop& open, int64_t first);
  bool ReplaceEntries(OpenLoop& open);
  bool CloseLoop(const OpenLoop& open);
  TermId AfterLoop(const OpenLoop& open, TermId before, TermId entry, TermId after);

  TermId Evaluate(const Expr* expr, FormId lane);
  TermId EvaluateBinary(const BinaryExpr* expr, FormId lane);
  TermId EvaluateLoad(const BufferLoad* load, FormId lane);
  TermId LoadCell(int memory, TermId index);
  TermId EvaluateCall(const tenon::Call* call, FormId lane);
  TermId EvaluateChoice(const tenon::Call* call, FormId lane);
  TermId EvaluateShuffle(const Shuffle* shuffle, FormId lane);
  TermId EvaluateDot(const tenon::Call* call);
  bool NeedsLaneNumbers(const Expr* expr) const;
  void NoteAccess(int memory);

  TermTable& terms_;
  FormTable& forms_;
  const PrimFunc& func_;
  const int64_t most_steps_;
  BufferUses uses_;
  Reading reading_;
  std::string problem_;
  int64_t steps_ = 0;
  std::vector<int> params_;
  absl::flat_hash_map<const Var*, int> memory_of_;
  absl::flat_hash_map<const Constant*, int> constant_memory_;
  absl::flat_hash_map<const Var*, TermId> vars_;
  /// The cells of each memory; empty for others.
  Cells cells_;
  /// The digits of open loops, and the conditions around the current statement.
  std::vector<int> open_;
  Guards guards_;
  /// For each memory in parts, the loops that all accesses so far share.
  std::vector<std::vector<int>> shared_;
  std::vector<bool> is_accessed_;
  /// Enclosing conditions that prevent loads of other elements.
  int lazy_ = 0;
  /// Enclosing loops that are evaluated once.
  int depth_ = 0;
};

}  // namespace tenon::check

#endif  // TENON_SCHEDULE_CHECK_READER_H_
