#ifndef TENON_SCHEDULE_OP_LOOPS_H_
#define TENON_SCHEDULE_OP_LOOPS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/computation.h"
#include "ir/builder.h"
#include "schedule/pads.h"
#include "schedule/schedule.h"
#include "schedule/step_facts.h"

// Generates loops in TIR for a computation, from which passes and generators build their code.

namespace tenon {

/// The reason why loops cannot compute a computation; empty if they can. If they can, every step
/// has a value where it is used, numbers are in range, and an operand that is both read and written
/// is used element by element.
std::string WhyNoLoops(const Computation& computation);

/// The longest rows of results that vectorize-loops computes in one vector with the next rows, so
/// that vectors have no gaps.
inline constexpr int64_t kLongestJoinedRow = 8;

struct OpLoopsOptions {
  /// True: sums of neighbouring output elements are computed together, in a row of accumulators, so
  /// that the innermost loop accesses memory in order. False: each element has one accumulator, and
  /// loops are in the order of the claim.
  bool rows = false;
  /// The bytes of a vector register of the machine; 0: values are not computed in vectors.
  int64_t register_bytes = 0;
  /// True: small values that are used twice are computed twice, instead of bound to variables, so
  /// that loops around them can be vectorised.
  bool repeats = false;
  /// True: each element is stored by one statement, in loops whose iterations are all alike.
  bool is_uniform = false;
  /// How a sum is computed in blocks of vectors. It must be legal for the stores (WhyNotSchedule).
  /// Null: stores are not computed in blocks.
  const Schedule* schedule = nullptr;
};

/// Generates the statements of one computation, for which WhyNoLoops returns no reason.
class OpLoops {
 public:
  /// `operands[i]` is a flat buffer over operand i of the computation.
  OpLoops(NodeBuilder& builder, const Computation& computation, std::vector<const Buffer*> operands,
          OpLoopsOptions options);
  OpLoops(const OpLoops&) = delete;
  OpLoops& operator=(const OpLoops&) = delete;

  /// From here on, step `step` is read from `element` of `buffer` instead of being computed.
  void Replace(int step, const Buffer* buffer, LinearIndex element);
  /// The same for the element number `place`, for all open loops.
  void ReplaceBy(int step, const Buffer* buffer, const Expr* place);
  /// All stores of the computation.
  const Stmt* Stores();
  /// For all values of `loops`, the outermost first, `element` of `buffer` becomes the value of
  /// `step`.
  const Stmt* Store(const Buffer* buffer, const LinearIndex& element, int step,
                    const std::vector<int>& loops);
  /// Generates loops around the statement that `body` returns. `body` may call Index for these
  /// loops.
  const Stmt* Around(const std::vector<int>& loops, const std::function<const Stmt*()>& body);
  /// The number of an element. All its loops must be open.
  const Expr* Index(const LinearIndex& element);
  /// A flat buffer over new memory, which Allocation makes.
  const Buffer* NewBuffer(std::string_view name, DataType dtype, int64_t elements);
  /// The value of a step. All its loops must be open.
  const Expr* Value(int step);
  /// Calls `make` for the statement of each place, with `loop` at `start + place`. A loop of -1 has
  /// no places.
  const Stmt* AtPlace(int loop, const Expr* start, const Expr* place,
                      const std::function<const Stmt*()>& make);
  /// Generates a loop over blocks of `size` iterations of `loop`, and a block for the remainder;
  /// `body` receives the start.
  const Stmt* Pieces(int loop, int64_t size,
                     const std::function<const Stmt*(const Expr*, int64_t)>& body);
  /// The number of pieces of `size`, the last of which may be smaller.
  static constexpr int64_t CountPieces(int64_t all, int64_t size) {
    return (all + size - 1) / size;
  }
  const Stmt* PiecesOf(int64_t extent, int64_t size, std::string_view name,
                       const std::function<const Stmt*(const Expr*, int64_t)>& body);
  /// Vectors of lanes of a row: `size` lanes, beginning with `lane`. Their sums are elements of an
  /// array, beginning with `at`. The last vector may overlap the one before it.
  struct LanePiece {
    int64_t lane = 0;
    int64_t at = 0;
    int size = 1;
  };
  static std::vector<LanePiece> Scalars(int64_t lanes);
  static std::vector<LanePiece> LanePiecesOf(int64_t lanes, bool overlap);
  /// The most elements that the sums of `lanes` lanes take in an array: lanes of two vectors have a
  /// sum in each of them.
  static int64_t MostWidth(int64_t lanes) {
    const LanePiece last = LanePiecesOf(lanes, /*overlap=*/true).back();
    return last.at + last.size;
  }
  /// The largest number of lanes of a store without sums, for registers of this many bytes.
  static int64_t MostLanes(int64_t register_bytes);
  const Buffer* operand(int index) const { return operands_[static_cast<size_t>(index)]; }
  /// The type of loop counters: int32, or int64 if int32 is too small.
  DataType index_dtype() const { return index_dtype_; }
  /// Stores a value in an element of a buffer.
  const Stmt* Assign(const Buffer* buffer, const Expr* index, const Expr* value);
  /// Loads elements of a buffer in lanes, beginning with `first`, `stride` elements apart.
  const Expr* Lanes(const Buffer* buffer, const Expr* first, int lanes, int64_t stride = 1);
  /// Allocates memory on the stack, which is not planned.
  const Stmt* OnStack(const Buffer* buffer, const Stmt* body);

 private:
  using Leaf = std::function<const Stmt*()>;
  /// A term of a sum: a number times a factor.
  using Term = std::pair<const Expr*, int64_t>;
  struct Replaced {
    const Buffer* buffer = nullptr;
    LinearIndex element;
    /// The number of the element, if it does not depend on the computation's loops; otherwise null.
    const Expr* place = nullptr;
  };

  const Step& StepAt(int step) const { return facts_.StepAt(step); }
  LoopSet FreeOf(int step) const { return facts_.FreeOf(step); }
  int64_t ExtentOf(int loop) const { return facts_.ExtentOf(loop); }
  bool IsGiven(int step) const;

  static void AddTerms(const Expr* place, int64_t factor, std::vector<Term>& terms,
                       int64_t& constant);
  const Expr* IndexComparison(const Step& step);
  const Expr* NodeValue(const Step& step);
  const Expr* Choice(const Step& step);
  const Expr* Element(const Buffer* buffer, const Expr* index);

  /// Generates loops around `leaf`, which uses the values of `roots`. Sums that these values need
  /// are computed in the outermost possible loop. The leaf opens the loops of `hidden`.
  const Stmt* Nest(const std::vector<int>& loops, size_t at, const std::vector<int>& roots,
                   LoopSet hidden, const Leaf& leaf);
  /// Generates `loop` from `start`, in `extent` steps, around the statement that `body` returns for
  /// the number of the step.
  const Stmt* OneLoop(int loop, const Expr* start, int64_t extent,
                      const std::function<const Stmt*(const Expr*)>& body);
  const Stmt* FillSum(int sum, const Buffer* accumulator);
  const Stmt* FillPlace(int sum, const Buffer* places);
  const Stmt* KeepBest(const Step& step, const Buffer* places, const Buffer* values);
  /// The statement that adds one more value, of the step `value`, to a reduction.
  const Stmt* Join(int sum, const Buffer* accumulator, const Expr* index, int value);
  const Stmt* Bind(const std::vector<int>& steps, const Leaf& leaf);
  const Stmt* BindShared(int step, const Leaf& leaf);
  std::vector<int> UsedTwice(const std::vector<int>& roots) const;
  std::vector<int> WithoutLoop(int root, int loop) const;
  int64_t TreeSize(int step) const;
  const Stmt* AssignBound(const Buffer* buffer, const Expr* index, int step);

  const Stmt* ChoiceStore(const Buffer* buffer, const LinearIndex& element, int step,
                          const std::vector<int>& loops);
  int RowLoop(int step, const LinearIndex& element, const std::vector<int>& loops) const;
  const Stmt* RowStore(const Buffer* buffer, const LinearIndex& element, int step,
                       const std::vector<int>& loops, int row);
  const Stmt* RowBody(const Buffer* buffer, const LinearIndex& element, int step, int row,
                      int64_t width, const Expr* start);
  const Stmt* FillRow(int sum, const Buffer* accumulators, int row, int64_t width,
                      const Expr* start);

  /// Sums that are computed together: for `lanes` neighbouring elements along the loop `row`, at
  /// `places` places of the loop `jam`.
  struct Block : BlockShape {
    const Buffer* buffer = nullptr;
    const LinearIndex* element = nullptr;
    int step = 0;
    /// The start of the block; null for 0.
    const Expr* row_start = nullptr;
    const Expr* jam_start = nullptr;
    const Expr* rows_start = nullptr;
    /// First values of `jam` and `jam_rows`. They may be those of another block, because blocks
    /// with equal padding share code.
    int64_t first_place = 0;
    int64_t first_row = 0;
    /// Bit i: place i reads padding in the open iteration of the sum's loops.
    uint64_t pads = 0;
    /// The first of the tiles; null without tiles.
    const Expr* tile_start = nullptr;
    /// Arrays of sums, each for `places_of_array` places.
    std::vector<const Buffer*> accumulators;
    int64_t places_of_array = 1;
    /// The vectors of a place, and the elements that their sums take in an array.
    std::vector<LanePiece> pieces;
    int64_t width = 1;
  };
  using Statements = std::vector<const Stmt*>;

  /// Iterations of a loop: from `first` to just before `end`.
  struct BoxSide {
    int loop = 0;
    int64_t first = 0;
    int64_t end = 0;
  };
  /// A store of one value in a box of loops, and of another value outside.
  struct BoxTarget {
    const Buffer* buffer = nullptr;
    const LinearIndex& element;
    int inside = 0;
    int outside = 0;
    /// One side for each loop, the outermost first.
    std::vector<BoxSide> box;
  };

  std::optional<int64_t> NumberAt(int at, int loop, int64_t place) const;
  bool NarrowBox(int condition, std::vector<BoxSide>& box) const;
  const Stmt* BoxStore(const Buffer* buffer, const LinearIndex& element, int step,
                       const std::vector<int>& loops);
  const Stmt* BoxLevel(const BoxTarget& target, size_t at, bool is_inside);
  const Stmt* BoxPart(const BoxTarget& target, size_t at, const BoxSide& part, bool is_inside);
  bool AreOneRun(const LinearIndex& element, int value, int outer, int inner) const;
  const Stmt* Run(const BoxTarget& target, int value, size_t at, const Expr* first,
                  int64_t elements);

  /// The statement with its outermost loops made parallel.
  const Stmt* InParallel(const Stmt* stmt);
  const Stmt* BlockStore(const Buffer* buffer, const LinearIndex& element, int step,
                         const std::vector<int>& loops);
  /// The loops whose iterations are the places of a block.
  static LoopSet LoopsOfPlaces(const Block& block) {
    return (block.jam < 0 ? 0 : Bit(block.jam)) | (block.jam_rows < 0 ? 0 : Bit(block.jam_rows));
  }
  static LoopSet LoopsInside(const Block& block) {
    return Bit(block.row) | LoopsOfPlaces(block) | (block.tile < 0 ? 0 : Bit(block.tile));
  }
  const Stmt* LanePieces(const Block& block, const std::function<const Stmt*(const Block&)>& body);
  /// A part of a loop's iterations: `count` pieces of `size` each, one after the other.
  struct Part {
    int64_t first = 0;
    int64_t size = 1;
    int64_t count = 1;
  };
  std::vector<Part> PartsOf(const Block& block, int loop, int64_t size) const;
  std::vector<bool> PadsOf(const Block& block, int loop, int64_t first, int64_t size) const;
  const Stmt* PlacePieces(const Block& block, const std::function<const Stmt*(const Block&)>& body);
  const Stmt* PartPieces(const Block& block, int loop, int64_t size,
                         const std::function<const Stmt*(const Expr*, const Part&)>& body);
  const Pads* PadsOfBlock() const;
  const Stmt* AddWithoutPads(const Block& block, const Pads& pads, size_t at,
                             std::map<int, int64_t>& known);
  const Stmt* WithoutUnrolling(const Stmt* stmt);
  const Stmt* WhereElements(const Block& block, const Pads& pads, int loop, const Leaf& body);
  uint64_t PadsAt(const Block& block, const Pads& pads, const std::map<int, int64_t>& known) const;
  const Stmt* AtBlockPlace(const Block& block, int64_t place, const Leaf& make);
  const Expr* LaneCall(const Step& step, int row, int lanes);
  const Stmt* LaneStore(const Buffer* buffer, const LinearIndex& element, int step,
                        const std::vector<int>& loops);
  bool MayOverlap(const Block& block);
  bool IsResult(const Buffer* buffer) const;
  bool Reads(int step, const Buffer* buffer) const;
  const Stmt* BlockBody(Block block);
  const Stmt* FillBlock(const Block& block);
  /// The lanes of a step, in an array on the stack.
  struct Shared {
    int step = 0;
    const Buffer* buffer = nullptr;
    /// The index of the first one in the array.
    int64_t offset = 0;
  };
  std::vector<Shared> SharedOf(const Block& block, int64_t steps);
  const Stmt* InBlock(const Block& block, const Expr* first, int64_t step, int64_t place,
                      int64_t lane, const std::function<const Stmt*()>& make);
  const Expr* InLanesOf(DataType element, const Expr* value);
  /// A constant in panels of the lanes of a block, which the sums of `places` places read.
  struct Stream {
    LinearIndex element;
    int64_t elements = 0;
    int64_t bytes = 0;  // of an element
    int64_t panel = 0;  // elements of a panel
    int64_t places = 0;
  };
  void FetchPanel(const Block& block, const Expr* first, int64_t steps,
                  const std::vector<Shared>& shared, Statements& all);
  bool HasWholeSteps(const Block& block, const Stream& stream) const;
  const Range* LaterElements(const Block& block, const Stream& stream, int64_t steps);
  const Range* NextPanel(const Block& block, const Stream& stream, int64_t steps);
  void LoadShared(const Block& block, int64_t steps, const Expr* first,
                  const std::vector<Shared>& shared, Statements& all);
  const Stmt* AddInLoop(const Block& block, int loop);
  const Stmt* AddToPiece(const Block& block, int64_t steps, const Expr* first,
                         const std::vector<Shared>& shared, int64_t place, const LanePiece& piece);
  void OpenElement(const Pads& pads, int row, int lanes);
  const Stmt* AddToBlock(const Block& block, int64_t steps, const Expr* first);
  const Stmt* AddToBlock(const Block& block, int64_t steps, const Expr* first,
                         const std::vector<Shared>& shared);
  static std::pair<const Buffer*, int64_t> SumsOf(const Block& block, int64_t place);
  const Stmt* FinishBlock(const Block& block);
  const Stmt* FinishPlace(const Block& block, const Buffer* array, const Expr* number);
  const Stmt* FinishScalars(const Block& block, const Buffer* array, const Expr* first,
                            int64_t lanes);
  const Stmt* FinishRow(const Block& block, const Buffer* array, const Expr* first, int64_t lanes,
                        const std::vector<LanePiece>& vectors);
  /// The value of a step in neighbouring lanes, of which the first is open.
  const Expr* LaneValue(int step, int row, int lanes);
  const Stmt* AssignLanes(const Buffer* buffer, const Expr* first, const Expr* value);

  NodeBuilder& builder_;
  const Computation& computation_;
  std::vector<const Buffer*> operands_;
  OpLoopsOptions options_;
  DataType index_dtype_ = DataType::Int(32);
  StepFacts facts_;
  /// For each step, true if a select may evaluate it even if it does not choose it: it reads
  /// nothing and cannot fail.
  std::vector<bool> is_harmless_;
  /// The value of each open loop.
  std::vector<const Expr*> open_;
  /// Values of steps that were computed before.
  std::vector<const Expr*> given_;
  /// Values of steps in lanes, for the current statement.
  std::map<int, const Expr*> lane_values_;
  std::vector<Replaced> replaced_;
  /// The padding of the sum of a block that omits it.
  std::optional<Pads> pads_;
};

}  // namespace tenon

#endif  // TENON_SCHEDULE_OP_LOOPS_H_
