// Writes the loops of dot products: blocks of places and columns, with packed elements, constants
// and sums in registers. Offsets of factors are constant, so their products with the weights are
// added to the start values of sums.

#include "passes/loops/dot_products.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "analysis/contraction.h"
#include "arith/index_math.h"
#include "fmt/format.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "passes/loops/computed_function.h"
#include "passes/loops/dot_schedule.h"
#include "passes/loops/dot_sums.h"
#include "schedule/op_loops.h"
#include "support/check.h"
#include "support/little_endian.h"

namespace tenon {

namespace {

using Statements = std::vector<const Stmt*>;

/// The bit that changes the sign of a byte.
constexpr int64_t kSignBit = 128;

/// A sum, its schedule, and the memory that its dot products use.
struct DotCode {
  const DotSum* sum = nullptr;
  DotShape shape;
  Combine combine = Combine::kNothing;
  /// The number of steps, including those that fill up all lanes.
  int64_t steps = 0;
  /// The instruction needs factors of the same signedness, so unsigned elements minus 128 are
  /// multiplied, which only flips their upper bit.
  bool flips = false;

  /// DotSum::offset, for the elements that are multiplied.
  int64_t offset = 0;
  NewConstant weights;
  /// The start values of the sums, which account for `offset`. Its buffer is null if that is 0.
  NewConstant starts;
  /// Packed elements of all places of a block; null if they are read in place.
  const Buffer* packed = nullptr;
  /// The positions of summed loops and of columns in the constants.
  LinearIndex step_index;
  LinearIndex start_index;
  /// The sums of a block, one array of one element each.
  std::vector<const Buffer*> sums;
  /// The adjacent sums of one place; null unless a loop finishes them.
  const Buffer* results = nullptr;
  /// For unsigned weights: the sums of the elements of each place.
  std::vector<const Buffer*> totals;

  /// The elements that one dot product adds up.
  int64_t lanes() const { return StepsOf(combine); }
};

/// Writes the loops of one function.
class DotWriter {
 public:
  /// `schedules[i]` is legal for `sums[i]`.
  DotWriter(NodeBuilder& builder, const Computation& all, const std::vector<DotSum>& sums,
            const std::vector<Schedule>& schedules, const std::vector<const Buffer*>& operands)
      : builder_(builder),
        all_(all),
        loops_(builder, all, operands, {.repeats = schedules[0].finishes_in_lanes}),
        math_(builder, {}),
        store_(all.stores[0]),
        target_(operands[static_cast<size_t>(AccessAt(store_.access).operand)]),
        is_unsigned_(schedules[0].combine == Combine::kUnsignedProducts),
        finishes_in_loop_(schedules[0].finishes_in_loop) {
    for (size_t i = 0; i < sums.size(); ++i) {
      std::string because;
      const std::optional<DotShape> shape = DotShapeOf(schedules[i], all, sums, sums[i], because);
      TENON_CHECK(shape.has_value());
      DotCode& code = codes_.emplace_back();
      code.sum = &sums[i];
      code.shape = *shape;
      code.combine = schedules[i].combine;
      row_ = shape->row;
      rows_ = shape->rows;
      column_ = shape->column;
      columns_ = shape->columns;
    }
    for (DotCode& code : codes_) LayOut(code);
    finishes_in_lanes_ = schedules[0].finishes_in_lanes && columns_ > 1;
  }

  /// Returns the loops inside of the allocations that they need. The constants are bound elsewhere.
  const Stmt* Write() {
    const Stmt* all = codes_[0].sum->around < 0 ? WriteResult() : WriteTotals();
    for (const DotCode& code : codes_) {
      if (code.packed != nullptr) {
        all = builder_.New<Allocate>({}, code.packed->data, code.packed->dtype, code.packed->shape,
                                     builder_.Bool(true), nullptr, all);
      }
    }
    return all;
  }

  std::vector<NewConstant> Constants() const {
    std::vector<NewConstant> constants;
    for (const DotCode& code : codes_) {
      constants.push_back(code.weights);
      if (code.starts.buffer != nullptr) constants.push_back(code.starts);
    }
    return constants;
  }

 private:
  /// A group of sums that are computed together: some places and columns, beginning at a start.
  struct Piece {
    const Expr* row_start;
    int64_t rows;
    const Expr* column_start;
    int64_t columns;
  };

  /// Writes the loops over blocks of elements of the result.
  const Stmt* WriteResult() {
    std::vector<int> outer;
    std::vector<int> outer_columns;
    for (const int loop : store_.loops) {
      if (loop == row_ || loop == column_) continue;
      (IsColumn(loop) ? outer_columns : outer).push_back(loop);
    }
    return loops_.Around(outer, [&] {
      return InPieces(row_, rows_, [&](const Expr* row_start, int64_t rows) {
        Statements stmts = Pack(row_start, rows);
        stmts.push_back(WithTotals(row_start, rows, [&] {
          return loops_.Around(outer_columns, [&] {
            return InPieces(column_, columns_, [&](const Expr* column_start, int64_t columns) {
              const Piece piece = {row_start, rows, column_start, columns};
              if (finishes_in_loop_) return BlockWithLoop(piece);
              return Block(piece, [&](const Expr*) { return StoreResult(); });
            });
          });
        }));
        return builder_.Seq(Span<const Stmt*>(stmts));
      });
    });
  }

  /// Writes the loops over blocks of columns. If values that contain the sums are reduced, each
  /// block has a total.
  const Stmt* WriteTotals() {
    const int around = codes_[0].sum->around;
    const Step& reduction = all_.steps[static_cast<size_t>(around)];
    const std::vector<int> outer = Without(store_.loops, column_);
    return loops_.Around(outer, [&] {
      return InPieces(column_, columns_, [&](const Expr* column_start, int64_t columns) {
        std::vector<const Buffer*> totals;
        Statements stmts;
        // If a loop runs over columns, their totals are adjacent.
        for (int64_t i = 0; i < (finishes_in_lanes_ ? 1 : columns); ++i) {
          totals.push_back(
              loops_.NewBuffer("total", reduction.dtype, finishes_in_lanes_ ? columns : 1));
        }
        const auto total_of = [&](const Expr* column) {
          return finishes_in_lanes_
                     ? std::pair(totals[0], column)
                     : std::pair(totals[static_cast<size_t>(*AsIntImm(column))], Int(0));
        };
        using Make = std::function<const Stmt*(const Expr*)>;
        const auto for_each_total = [&](const Make& make) {
          if (finishes_in_lanes_) {
            stmts.push_back(ForColumns(column_start, columns, make));
            return;
          }
          for (int64_t column = 0; column < columns; ++column) {
            stmts.push_back(loops_.AtPlace(column_, column_start, Int(column),
                                           [&] { return make(Int(column)); }));
          }
        };
        for_each_total([&](const Expr* column) {
          const auto [total, index] = total_of(column);
          return loops_.Assign(total, index, loops_.Value(reduction.args[0]));
        });
        stmts.push_back(loops_.Around(Without(reduction.loops, row_), [&] {
          return InPieces(row_, rows_, [&](const Expr* row_start, int64_t rows) {
            const auto add = [&](const Expr* column) {
              const auto [total, index] = total_of(column);
              return loops_.Assign(
                  total, index,
                  MakeBinary(builder_, reduction.node, builder_.Load(total, {index}),
                             loops_.Value(reduction.args[1]), {}));
            };
            return WithTotals(row_start, rows, [&] {
              return Block({row_start, rows, column_start, columns}, add);
            });
          });
        }));
        for_each_total([&](const Expr* column) {
          const auto [total, index] = total_of(column);
          loops_.ReplaceBy(around, total, index);
          return StoreResult();
        });
        const Stmt* all = builder_.Seq(Span<const Stmt*>(stmts));
        for (const Buffer* total : totals) all = loops_.OnStack(total, all);
        return all;
      });
    });
  }

  const Stmt* StoreResult() {
    return loops_.Store(target_, AccessAt(store_.access).element, store_.step, {});
  }

  static std::vector<int> Without(std::vector<int> loops, int loop) {
    std::erase(loops, loop);
    return loops;
  }

  const ComputationAccess& AccessAt(int access) const {
    return all_.accesses[static_cast<size_t>(access)];
  }
  int64_t ExtentOf(int loop) const { return LoopExtent(all_, loop); }
  const Expr* Int(int64_t value) const { return builder_.Int(loops_.index_dtype(), value); }
  bool IsColumn(int loop) const {
    return std::any_of(codes_.begin(), codes_.end(),
                       [&](const DotCode& code) { return Includes(code.sum->columns, loop); });
  }

  /// Creates the constants of a sum, and the memory for its elements.
  void LayOut(DotCode& code) {
    const DotSum& sum = *code.sum;
    const int64_t steps = Iterations(all_, sum.summed);
    const int64_t columns = Iterations(all_, sum.columns);
    code.steps = StepsOfDots(all_, sum, code.combine);
    const DataType element = all_.steps[static_cast<size_t>(sum.read)].dtype;
    code.flips = !Extends(element, FactsOf(code.combine).data);
    const int64_t lanes = code.lanes();
    code.offset = sum.offset + (code.flips ? kSignBit : 0);
    // In this order: columns outside of the block, blocks of columns, groups of steps, columns,
    // steps.
    std::vector<uint8_t> bytes(static_cast<size_t>(columns * code.steps));
    std::vector<uint32_t> starts(static_cast<size_t>(columns));
    std::vector<int64_t> in_text;
    for (int64_t step = 0; step < steps; ++step)
      in_text.push_back(Reordered(step, code.shape.summed, sum.summed));
    std::vector<int> order = sum.columns;
    if (const auto block = std::find(order.begin(), order.end(), column_); block != order.end())
      std::rotate(block, block + 1, order.end());
    for (int64_t from = 0; from < columns; ++from) {
      const int64_t column = Reordered(from, sum.columns, order);
      const int64_t in_block = Includes(order, column_) ? column % columns_ : 0;
      const int64_t width = Includes(order, column_) ? columns_ : 1;
      for (int64_t step = 0; step < steps; ++step) {
        const int64_t number = from * steps + in_text[static_cast<size_t>(step)];
        const int8_t weight = sum.weights[static_cast<size_t>(number)];
        const int64_t to = (column - in_block) * code.steps + step / lanes * lanes * width +
                           in_block * lanes + step % lanes;
        bytes[static_cast<size_t>(to)] =
            static_cast<uint8_t>(weight + (is_unsigned_ ? kSignBit : 0));
        starts[static_cast<size_t>(column)] +=
            static_cast<uint32_t>(weight) * static_cast<uint32_t>(code.offset);
      }
    }
    code.weights = MakeConstant("weights", is_unsigned_ ? DataType::UInt(8) : DataType::Int(8),
                                std::move(bytes));
    if (code.offset != 0 || sum.offset_step >= 0) {
      std::string text;
      for (const uint32_t start : starts) AppendLittleEndian(start, &text);
      code.starts = MakeConstant("starts", DataType::Int(32), {text.begin(), text.end()});
    }
    SetIndices(code, order);
    if (code.shape.packs) {
      code.packed =
          loops_.NewBuffer("packed", code.flips ? DataType::Int(8) : element, rows_ * code.steps);
    }
  }

  /// Renumbers iteration `number` of the loops `from` as an iteration of the loops `to`.
  int64_t Reordered(int64_t number, const std::vector<int>& from,
                    const std::vector<int>& to) const {
    std::vector<int64_t> place(all_.loops.size());
    for (size_t i = from.size(); i-- > 0;) {
      place[static_cast<size_t>(from[i])] = number % ExtentOf(from[i]);
      number /= ExtentOf(from[i]);
    }
    int64_t result = 0;
    for (const int loop : to) result = result * ExtentOf(loop) + place[static_cast<size_t>(loop)];
    return result;
  }

  void SetIndices(DotCode& code, const std::vector<int>& order) {
    int64_t stride = 1;
    for (size_t i = order.size(); i-- > 0;) {
      code.start_index.terms.emplace_back(order[i], stride);
      stride *= ExtentOf(order[i]);
    }
    stride = 1;
    for (size_t i = code.shape.summed.size(); i-- > 0;) {
      code.step_index.terms.emplace_back(code.shape.summed[i], stride);
      stride *= ExtentOf(code.shape.summed[i]);
    }
  }

  NewConstant MakeConstant(std::string_view name, DataType dtype, std::vector<uint8_t> bytes) {
    const int64_t elements = static_cast<int64_t>(bytes.size()) / dtype.bytes();
    const Constant* data = builder_.context().AddConstant({}, dtype, {elements}, std::move(bytes),
                                                          ConstantPlacement(), SourceRange());
    return {loops_.NewBuffer(name, dtype, elements), data};
  }

  const Stmt* InPieces(int loop, int64_t size,
                       const std::function<const Stmt*(const Expr*, int64_t)>& body) {
    return loop < 0 ? body(Int(0), 1) : loops_.Pieces(loop, size, body);
  }

  /// `make` returns the statement for one place and one column of a block.
  const Stmt* At(const Piece& piece, int64_t row, int64_t column,
                 const std::function<const Stmt*()>& make) {
    return loops_.AtPlace(row_, piece.row_start, Int(row), [&] {
      return loops_.AtPlace(column_, piece.column_start, Int(column), make);
    });
  }

  /// Copies the elements of a block of places that dot products cannot load.
  Statements Pack(const Expr* row_start, int64_t rows) {
    Statements all;
    for (const DotCode& code : codes_) {
      if (code.packed == nullptr) continue;
      for (int64_t row = 0; row < rows; ++row) {
        all.push_back(loops_.AtPlace(row_, row_start, Int(row),
                                     [&] { return PackPlace(code, row * code.steps); }));
      }
    }
    return all;
  }

  /// The element that encodes 0, for places outside of a padded input.
  const Expr* ZeroOf(const DotCode& code) {
    const DotSum& sum = *code.sum;
    if (sum.offset_step < 0) return builder_.Int(code.packed->dtype, -code.offset);
    const DataType element = all_.steps[static_cast<size_t>(sum.read)].dtype;
    return Flipped(code, builder_.New<Cast>({}, element, loops_.Value(sum.offset_step)));
  }

  /// Copies the elements of one place, beginning with `first`. Conditions enclose the loops whose
  /// variables they do not contain.
  const Stmt* PackPlace(const DotCode& code, int64_t first) {
    const DotSum& sum = *code.sum;
    LinearIndex to = code.step_index;
    to.offset = first;
    const auto copy = [&](size_t outer, const std::function<const Expr*()>& value) {
      return loops_.Around(
          {sum.summed.begin() + static_cast<std::ptrdiff_t>(outer), sum.summed.end()},
          [&] { return loops_.Assign(code.packed, loops_.Index(to), value()); });
    };
    const auto read = [&] { return Flipped(code, loops_.Value(sum.read)); };
    const auto zero = [&] { return ZeroOf(code); };
    Statements all;
    if (sum.guards.empty()) {
      all.push_back(copy(0, read));
    } else {
      LoopSet free = 0;
      const std::vector<LoopSet> of_step = FreeLoops(all_);
      for (const int guard : sum.guards) free |= of_step[static_cast<size_t>(guard)];
      size_t outer = sum.summed.size();
      while (outer > 0 && (free & Bit(sum.summed[outer - 1])) == 0) --outer;
      const std::vector<int> around(sum.summed.begin(),
                                    sum.summed.begin() + static_cast<std::ptrdiff_t>(outer));
      all.push_back(loops_.Around(around, [&]() -> const Stmt* {
        const Expr* holds = nullptr;
        for (const int guard : sum.guards) {
          const Expr* next = loops_.Value(guard);
          holds = holds == nullptr ? next : math_.And(holds, next);
        }
        const Stmt* inside = copy(outer, read);
        return builder_.New<IfThenElse>({}, holds, inside, copy(outer, zero));
      }));
    }
    for (int64_t step = Iterations(all_, sum.summed); step < code.steps; ++step)
      all.push_back(
          loops_.Assign(code.packed, Int(first + step), builder_.Int(code.packed->dtype, 0)));
    return builder_.Seq(Span<const Stmt*>(all));
  }

  /// Unsigned weights are larger by 128, so each product is larger by 128 times an element. Adds up
  /// the elements of each place before the statement that `make` returns.
  const Stmt* WithTotals(const Expr* row_start, int64_t rows,
                         const std::function<const Stmt*()>& make) {
    if (!is_unsigned_) return make();
    Statements all;
    std::vector<const Buffer*> totals;
    for (DotCode& code : codes_) {
      code.totals.clear();
      for (int64_t row = 0; row < rows; ++row) {
        code.totals.push_back(loops_.NewBuffer("elements", DataType::Int(32), 1));
        const Buffer* total = code.totals.back();
        all.push_back(loops_.Assign(total, Int(0), builder_.Int(DataType::Int(32), 0)));
        all.push_back(
            loops_.AtPlace(row_, row_start, Int(row), [&] { return AddElements(code, row); }));
      }
      totals.insert(totals.end(), code.totals.begin(), code.totals.end());
    }
    all.push_back(make());
    const Stmt* stmt = builder_.Seq(Span<const Stmt*>(all));
    for (const Buffer* total : totals) stmt = loops_.OnStack(total, stmt);
    return stmt;
  }

  /// Adds up the elements of one place, whose loops are open.
  const Stmt* AddElements(const DotCode& code, int64_t row) {
    const Buffer* total = code.totals[static_cast<size_t>(row)];
    const auto add = [&](const Expr* element) {
      return loops_.Assign(total, Int(0),
                           math_.Add(builder_.Load(total, {Int(0)}),
                                     builder_.New<Cast>({}, DataType::Int(32), element)));
    };
    if (code.packed == nullptr)
      return loops_.Around(code.shape.summed, [&] { return add(loops_.Value(code.sum->read)); });
    return loops_.PiecesOf(code.steps, 1, "k", [&](const Expr* step, int64_t) {
      return add(builder_.Load(code.packed, {math_.Add(step, Int(row * code.steps))}));
    });
  }

  /// Computes the sums of a block.
  void Sums(const Piece& piece, Statements& all, std::vector<const Buffer*>& buffers) {
    for (DotCode& code : codes_) {
      code.sums.clear();
      for (int64_t i = 0; i < piece.rows * piece.columns; ++i)
        code.sums.push_back(loops_.NewBuffer("sum", DataType::Int(32), 1));
      buffers.insert(buffers.end(), code.sums.begin(), code.sums.end());
      AddStarts(code, piece, all);
      all.push_back(Products(code, piece));
    }
  }

  const Stmt* OnStack(const std::vector<const Buffer*>& buffers, const Statements& all) {
    const Stmt* block = builder_.Seq(Span<const Stmt*>(all));
    for (const Buffer* buffer : buffers) block = loops_.OnStack(buffer, block);
    return block;
  }

  /// Computes the sums of a block, and then the statements that `finish` returns for each. The
  /// loops of the sum's place and column are open there.
  const Stmt* Block(const Piece& piece,
                    const std::function<const Stmt*(const Expr* column)>& finish) {
    Statements all;
    std::vector<const Buffer*> buffers;
    Sums(piece, all, buffers);
    if (finishes_in_lanes_) {
      for (int64_t row = 0; row < piece.rows; ++row) all.push_back(FinishPlace(piece, row, finish));
      return OnStack(buffers, all);
    }
    ForEachSum(piece, [&](int64_t row, int64_t column, size_t number) {
      all.push_back(At(piece, row, column, [&] {
        for (const DotCode& code : codes_) loops_.Replace(code.sum->step, code.sums[number], {});
        return finish(Int(column));
      }));
    });
    return OnStack(buffers, all);
  }

  /// Computes the sums of a block, and stores its results in a loop: one copy of the code for all
  /// sums. The sums are stored in arrays on the stack, because registers cannot be indexed.
  const Stmt* BlockWithLoop(const Piece& piece) {
    Statements all;
    std::vector<const Buffer*> buffers;
    Sums(piece, all, buffers);
    const Var* column = builder_.NewVar("column", loops_.index_dtype());
    Statements in_loop;
    std::vector<const Buffer*> in_loop_buffers;
    for (const DotCode& code : codes_) {
      const Buffer* array = loops_.NewBuffer("sums", DataType::Int(32), piece.columns);
      const Buffer* one = loops_.NewBuffer("sum", DataType::Int(32), 1);
      for (size_t i = 0; i < code.sums.size(); ++i) {
        all.push_back(loops_.Assign(array, Int(static_cast<int64_t>(i)),
                                    builder_.Load(code.sums[i], {Int(0)})));
      }
      in_loop.push_back(loops_.Assign(one, Int(0), builder_.Load(array, {column})));
      loops_.Replace(code.sum->step, one, {});
      buffers.push_back(array);
      in_loop_buffers.push_back(one);
    }
    in_loop.push_back(loops_.AtPlace(row_, piece.row_start, Int(0), [&] {
      return loops_.AtPlace(column_, piece.column_start, column, [&] { return StoreResult(); });
    }));
    all.push_back(builder_.New<For>({}, column, Int(0), Int(piece.columns), ForKind::kSerial,
                                    OnStack(in_loop_buffers, in_loop)));
    return OnStack(buffers, all);
  }

  /// Returns a loop over the columns of one place around the statement of `finish`. Its iterations
  /// are independent, and read and write neighbours.
  const Stmt* FinishPlace(const Piece& piece, int64_t row,
                          const std::function<const Stmt*(const Expr* column)>& finish) {
    Statements all;
    const auto for_columns = [&](const std::function<const Stmt*(const Expr*)>& make) {
      return loops_.AtPlace(row_, piece.row_start, Int(row),
                            [&] { return ForColumns(piece.column_start, piece.columns, make); });
    };
    for (DotCode& code : codes_) {
      code.results = loops_.NewBuffer("results", DataType::Int(32), piece.columns);
      for (int64_t column = 0; column < piece.columns; ++column) {
        const Buffer* sum = code.sums[static_cast<size_t>(row * piece.columns + column)];
        all.push_back(loops_.Assign(code.results, Int(column), builder_.Load(sum, {Int(0)})));
      }
      if (code.starts.buffer == nullptr) continue;
      all.push_back(for_columns([&](const Expr* column) {
        const Expr* own = builder_.Load(code.starts.buffer, {loops_.Index(code.start_index)});
        return loops_.Assign(code.results, column,
                             math_.Add(builder_.Load(code.results, {column}), own));
      }));
    }
    all.push_back(for_columns([&](const Expr* column) {
      for (const DotCode& code : codes_) loops_.ReplaceBy(code.sum->step, code.results, column);
      return finish(column);
    }));
    const Stmt* body = builder_.Seq(Span<const Stmt*>(all));
    for (const DotCode& code : codes_) body = loops_.OnStack(code.results, body);
    return body;
  }

  /// Returns a loop over the columns of a block. `make` receives the number of the column.
  const Stmt* ForColumns(const Expr* start, int64_t columns,
                         const std::function<const Stmt*(const Expr*)>& make) {
    const Var* column = builder_.NewVar("column", loops_.index_dtype());
    const Stmt* body = loops_.AtPlace(column_, start, column, [&] { return make(column); });
    return builder_.New<For>({}, column, Int(0), Int(columns), ForKind::kSerial, body);
  }

  static void ForEachSum(const Piece& piece,
                         const std::function<void(int64_t, int64_t, size_t)>& f) {
    for (int64_t row = 0; row < piece.rows; ++row) {
      for (int64_t column = 0; column < piece.columns; ++column)
        f(row, column, static_cast<size_t>(row * piece.columns + column));
    }
  }

  void AddStarts(const DotCode& code, const Piece& piece, Statements& all) {
    ForEachSum(piece, [&](int64_t row, int64_t column, size_t number) {
      all.push_back(At(piece, row, column, [&] {
        const Step& step = all_.steps[static_cast<size_t>(code.sum->step)];
        const Expr* start = loops_.Value(step.args[0]);
        if (code.starts.buffer != nullptr && !finishes_in_lanes_) {
          const Expr* own = builder_.Load(code.starts.buffer, {loops_.Index(code.start_index)});
          start = IsConstInt(start, 0) ? own : math_.Add(start, own);
        }
        if (is_unsigned_) {
          const Expr* total = builder_.Load(code.totals[static_cast<size_t>(row)], {Int(0)});
          start = math_.Sub(start, math_.Mul(total, builder_.Int(DataType::Int(32), kSignBit)));
        }
        return loops_.Assign(code.sums[number], Int(0), start);
      }));
    });
  }

  /// The loop over dot products.
  const Stmt* Products(const DotCode& code, const Piece& piece) {
    const DotShape& shape = code.shape;
    const auto steps = [&](const Expr* start, int64_t size) {
      return Steps(code, piece, start, size);
    };
    if (shape.packs) return loops_.PiecesOf(code.steps, shape.steps, "k", steps);
    const std::vector<int> outer(shape.summed.begin(), shape.summed.end() - 1);
    return loops_.Around(outer,
                         [&] { return loops_.Pieces(shape.summed.back(), shape.steps, steps); });
  }

  /// Dot products of `size` steps, beginning with `start`, which counts all steps, or the
  /// iterations of the innermost loop.
  const Stmt* Steps(const DotCode& code, const Piece& piece, const Expr* start, int64_t size) {
    Statements all;
    for (int64_t step = 0; step < size; step += code.lanes()) {
      const Expr* first = math_.Add(start, Int(step));
      ForEachSum(piece, [&](int64_t row, int64_t column, size_t number) {
        all.push_back(At(piece, row, column, [&]() -> const Stmt* {
          if (code.shape.packs) return Product(code, row, column, number, first);
          return loops_.AtPlace(code.shape.summed.back(), first, Int(0),
                                [&] { return Product(code, row, column, number, nullptr); });
        }));
      });
    }
    return builder_.Seq(Span<const Stmt*>(all));
  }

  /// One dot product; all loops are open. `step` counts packed elements.
  const Stmt* Product(const DotCode& code, int64_t row, int64_t column, size_t number,
                      const Expr* step) {
    const int read = all_.steps[static_cast<size_t>(code.sum->read)].access;
    const ComputationAccess& access = AccessAt(read);
    const Buffer* from = code.packed;
    const Expr* place = nullptr;
    if (from == nullptr) {
      from = loops_.operand(access.operand);
      place = loops_.Index(access.element);
    } else {
      place = math_.Add(step, Int(row * code.steps));
    }
    const int64_t width = Includes(code.sum->columns, column_) ? columns_ : 1;
    LinearIndex weight = Scaled(code.start_index, code.steps);
    const int64_t lanes = code.lanes();
    if (width > 1) weight.offset = column * (lanes - code.steps);
    if (step == nullptr) {
      const LinearIndex more = Scaled(code.step_index, width);
      weight.terms.insert(weight.terms.end(), more.terms.begin(), more.terms.end());
    }
    const Expr* at = loops_.Index(weight);
    if (step != nullptr) at = math_.Add(math_.Mul(step, Int(width)), at);
    const Buffer* sum = code.sums[number];
    const Expr* added = builder_.Load(sum, {Int(0)});
    if (IsDotProduct(code.combine)) {
      const Expr* elements = loops_.Lanes(from, place, static_cast<int>(lanes));
      if (code.packed == nullptr) elements = Flipped(code, elements);
      added = builder_.NewCall(
          DataType::Int(32), OpKind::kDp4a,
          {elements, loops_.Lanes(code.weights.buffer, at, static_cast<int>(lanes)), added});
    } else {
      for (int64_t lane = 0; lane < lanes; ++lane) {
        const auto element = [&](const Buffer* buffer, const Expr* first) {
          return builder_.New<Cast>({}, DataType::Int(32),
                                    builder_.Load(buffer, {math_.Add(first, Int(lane))}));
        };
        added = math_.Add(added, MakeBinary(builder_, NodeKind::kMul, element(from, place),
                                            element(code.weights.buffer, at), {}));
      }
    }
    return loops_.Assign(sum, Int(0), added);
  }

  /// The elements that are multiplied.
  const Expr* Flipped(const DotCode& code, const Expr* elements) const {
    if (!code.flips) return elements;
    const int lanes = elements->dtype.lanes();
    const Expr* sign = builder_.Int(DataType::UInt(8), kSignBit);
    if (lanes > 1) sign = builder_.New<Broadcast>({}, sign, lanes);
    const Expr* flipped = builder_.NewCall(elements->dtype, OpKind::kBitwiseXor, {elements, sign});
    return builder_.New<Cast>({}, DataType::Int(8).with_lanes(lanes), flipped);
  }

  static LinearIndex Scaled(LinearIndex index, int64_t factor) {
    for (auto& [loop, stride] : index.terms) stride *= factor;
    return index;
  }

  NodeBuilder& builder_;
  const Computation& all_;
  OpLoops loops_;
  IndexMath math_;
  const ComputationStore& store_;
  const Buffer* target_;
  std::vector<DotCode> codes_;
  /// The loops of a block; -1 for none.
  int row_ = -1;
  int column_ = -1;
  int64_t rows_ = 1;
  int64_t columns_ = 1;
  /// The channels of a place are finished in a loop, which becomes vectors or avoids copies of the
  /// code.
  bool finishes_in_lanes_ = false;
  bool is_unsigned_;
  bool finishes_in_loop_;
};

/// The numbers of sums that the pass has written, and of functions that it has read back.
struct DotCounts {
  std::atomic<int64_t> sums = 0;
  std::atomic<int64_t> read_back = 0;
};

/// Rewrites the loops of one function, if dot products compute its sums.
Function RewriteSums(Context& context, const Function& function, const DotProductsOptions& options,
                     Combine combine, bool reads_back, DotCounts& counts,
                     Diagnostics& diagnostics) {
  ComputedFunction computed(context, function);
  const std::optional<Computation> all = computed.Find();
  if (!all) return function;
  const std::vector<DotSum> sums = FindDotSums(*all, computed.data());
  if (sums.empty()) return function;
  std::vector<Schedule> schedules = ScheduleDots(*all, sums, options);
  const bool is_alone = sums.size() == 1;
  if (is_alone) TENON_DCHECK(WhyNotDots(schedules[0], *all, sums, combine).empty());
  if (const std::string_view wanted = WantedSchedule(function); !wanted.empty()) {
    std::string because = fmt::format("expected a function with one sum, found {}", sums.size());
    const std::optional<Schedule> given =
        is_alone ? ParseSchedule(wanted, *all, because) : std::nullopt;
    if (given) because = WhyNotDots(*given, *all, sums, combine);
    if (!given || !because.empty()) {
      RefuseSchedule("dot-products", function, because, diagnostics);
      return function;
    }
    schedules = {*given};
  }
  DotWriter writer(computed.builder(), *all, sums, schedules, computed.operands());
  const bool is_written = options.schedules && is_alone;
  Function changed = computed.WithBody(writer.Write(), writer.Constants(),
                                       is_written ? ScheduleText(schedules[0], *all) : "");
  if (reads_back && !computed.ReadsBack(changed, "dot-products", diagnostics)) return function;
  counts.sums += static_cast<int64_t>(sums.size());
  ++counts.read_back;
  return changed;
}

}  // namespace

absl::StatusOr<IRModule> DotProducts(const IRModule& module, const DotProductsOptions& options,
                                     PassContext& context) {
  constexpr int64_t kMost = 16;
  for (const int64_t size : {options.rows, options.columns, options.alone, options.steps}) {
    if (size < 1 || size > kMost)
      return absl::InvalidArgumentError(fmt::format(
          "dot-products: rows, columns, alone or steps is {}, expected 1 to {}", size, kMost));
  }
  if (options.finish_loop < 0)
    return absl::InvalidArgumentError(
        fmt::format("dot-products: finish-loop is {}, expected 0 or more", options.finish_loop));
  const std::optional<Combine> combine = FindCombine(options.combine);
  if (!combine || IsInLanes(*combine))
    return absl::InvalidArgumentError(
        fmt::format("dot-products: combine is {}, expected dots4, dots8, dots16, products or "
                    "unsigned-products",
                    options.combine));
  DotCounts counts;
  IRModule now =
      ForEachFunction(module, context, [&](const Function& function, Diagnostics& diagnostics) {
        return RewriteSums(module.context(), function, options, *combine, context.verify_schedules,
                           counts, diagnostics);
      });
  context.Count("dot-products.sums", counts.sums);
  if (context.verify_schedules) context.Count("dot-products.read_back", counts.read_back);
  return now;
}

}  // namespace tenon
