// The row becomes the variable of a loop around the rest of the nest. The pass simplify then
// decides the conditions that depend on it: all of them hold in inner rows, and a border row is a
// constant.

#include "passes/streaming/row_functions.h"

#include <fmt/format.h>

#include <algorithm>

#include "arith/index_math.h"
#include "arith/interval.h"
#include "ir/extents.h"
#include "ir/rewriter.h"
#include "passes/cleanup/simplify.h"
#include "passes/fusion/top_level.h"
#include "passes/inlining.h"
#include "passes/outlining.h"
#include "passes/streaming/row_reduction.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The limit on rows at a border: each has a function of its own.
constexpr int64_t kMostBorderRows = 8;

/// The buffer of a parameter, and the element at which it begins.
struct RowParam {
  const Buffer* buffer = nullptr;
  const Expr* begin = nullptr;
};

/// Moves the accesses of parameters to buffers that begin at a row.
class RowIndices : public Rewriter<RowIndices> {
 public:
  RowIndices(Context& context, std::shared_ptr<Storage> storage,
             const absl::flat_hash_map<const Var*, RowParam>& params)
      : Rewriter(context, std::move(storage)), params_(params) {}

  const Expr* RewriteBufferLoad(const BufferLoad* load) { return Moved(RewriteChildren(load)); }
  const Stmt* RewriteBufferStore(const BufferStore* store) { return Moved(RewriteChildren(store)); }

 private:
  template <class T>
  const T* Moved(const T* access) {
    const auto found = params_.find(access->buffer->data);
    if (found == params_.end()) return access;
    const IndexMath math(builder(), access->range);
    T copy = *access;
    copy.buffer = found->second.buffer;
    copy.indices = builder().List<Expr>({math.Sub(access->indices[0], found->second.begin)});
    return arena().New<T>(copy);
  }

  const absl::flat_hash_map<const Var*, RowParam>& params_;
};

bool IsImplied(const std::vector<RowOperand>& operands, const Expr* condition) {
  return std::any_of(operands.begin(), operands.end(), [&](const RowOperand& operand) {
    if (!operand.is_padded) return false;
    const std::vector<const Expr*>& implied = operand.window->implied;
    return std::find(implied.begin(), implied.end(), condition) != implied.end();
  });
}

/// Removes the conditions that pads imply.
class WithoutConditions : public Rewriter<WithoutConditions> {
 public:
  WithoutConditions(Context& context, std::shared_ptr<Storage> storage,
                    const std::vector<RowOperand>& operands)
      : Rewriter(context, std::move(storage)), operands_(operands) {}

  const Expr* RewriteExpr(const Expr* expr) {
    if (expr != nullptr && IsImplied(operands_, expr)) return builder().Bool(true);
    return Rewriter::RewriteExpr(expr);
  }

 private:
  const std::vector<RowOperand>& operands_;
};

/// Makes the function for one range of rows.
class RowFunctionMaker {
 public:
  RowFunctionMaker(Context& context, const RowOperator& op, const std::vector<RowOperand>& operands)
      : context_(context),
        op_(op),
        operands_(operands),
        storage_(std::make_shared<Storage>(op.function->storage)),
        builder_(context, storage_->arena()),
        row_(builder_.NewVar("row", DataType::Int(32))) {}

  /// The function, with a loop over its rows.
  RowFunction Make(int64_t first, int64_t last) {
    RowFunction result{first, last, nullptr, storage_, {}};
    AddParams(first, last, result.shifts);
    const Expr* extent = builder_.Int(last - first + 1);
    std::vector<const Stmt*> nests;
    for (const RowNest& nest : op_.nests) nests.push_back(RowOf(nest, first, extent));
    const Stmt* body = builder_.Seq(Span<const Stmt*>(nests));
    body =
        builder_.New<For>(body->range, row_, builder_.Int(first), extent, ForKind::kSerial, body);
    body = InBindings(builder_, SplitTopLevel(op_.function->func->body).bindings, body);
    PrimFunc func = *op_.function->func;
    func.attrs = AttrsOfPart(builder_, func);
    func.params = Copied(vars_);
    func.buffers = Copied(buffers_);
    func.body = WithNewVars(context_, storage_, body);
    result.func = storage_->arena().New<PrimFunc>(func);
    return result;
  }

 private:
  /// One row of a nest, which depends on the variable of the row.
  const Stmt* RowOf(const RowNest& rows, int64_t first, const Expr* extent) {
    Analyzer analyzer(context_, storage_->arena());
    const FusionTools tools{builder_, storage_, analyzer};
    analyzer.BindRange(row_, builder_.Int(first), extent);
    const IndexMath math(builder_, {});
    const Var* step = builder_.NewVar("step", DataType::Int(32));
    const Expr* count = math.Mul(row_, builder_.Int(rows.steps));
    if (rows.steps > 1) {
      analyzer.BindRange(step, builder_.Int(0), builder_.Int(rows.steps));
      count = math.Add(count, step);
    }
    const Span<const For*> outer(rows.nest.loops.data(), rows.depth);
    const Stmt* body =
        WithoutConditions(context_, storage_, operands_).RewriteStmt(outer.back()->body);
    body = ReplaceVars(tools, body, ValuesAt(tools, outer, count));
    body = RowIndices(context_, storage_, params_).RewriteStmt(body);
    if (rows.steps == 1) return body;
    return builder_.New<For>(body->range, step, builder_.Int(0), builder_.Int(rows.steps),
                             ForKind::kSerial, body);
  }

  template <class T>
  Span<const T*> Copied(const std::vector<const T*>& list) {
    return storage_->arena().Copy(Span<const T*>(list.data(), list.size()));
  }

  void AddParams(int64_t first, int64_t last, std::vector<int64_t>& shifts) {
    shifts.assign(op_.reads.size(), 0);
    const IndexMath math(builder_, {});
    const PrimFunc& func = *op_.function->func;
    for (size_t param = 0; param < func.params.size(); ++param) {
      if (param == op_.output) {
        const int64_t step = op_.accumulates ? 0 : op_.row_elements;
        Add(param, op_.row_elements, math.Mul(row_, builder_.Int(step)));
        continue;
      }
      const auto read = std::find_if(op_.reads.begin(), op_.reads.end(),
                                     [&](const RowRead& r) { return r.param == param; });
      TENON_CHECK(read != op_.reads.end());
      const size_t index = static_cast<size_t>(read - op_.reads.begin());
      const auto [window, is_padded] = operands_[index];
      if (window == nullptr) {
        Add(param, read->elements, builder_.Int(0));
        continue;
      }
      const int64_t rows = read->elements / window->row_elements;
      const int64_t wanted = window->stride * first + window->first;
      const int64_t begin = is_padded ? wanted : std::clamp<int64_t>(wanted, 0, rows - 1);
      const int64_t last_end = window->stride * last + window->first + window->count;
      const int64_t end = is_padded ? last_end : std::min(rows, last_end);
      shifts[index] = begin - wanted;
      const int64_t count = std::max<int64_t>(end - (begin + window->stride * (last - first)), 1);
      const Expr* element =
          math.Add(math.Mul(row_, builder_.Int(window->stride * window->row_elements)),
                   builder_.Int((window->first + shifts[index]) * window->row_elements));
      Add(param, count * window->row_elements, element);
    }
  }

  void Add(size_t param, int64_t elements, const Expr* begin) {
    const PrimFunc& func = *op_.function->func;
    const Buffer* given = func.buffers[param];
    const Var* data = builder_.NewVar(given->data->name.view(), given->data->type);
    Buffer buffer(data->name, data, given->dtype, builder_.List<Expr>({builder_.Int(elements)}),
                  builder_.Int(0));
    const Buffer* made = storage_->arena().New<Buffer>(buffer);
    vars_.push_back(
        builder_.NewVar(fmt::format("{}_handle", data->name.view()), DataType::Handle()));
    buffers_.push_back(made);
    params_.emplace(given->data, RowParam{made, begin});
  }

  Context& context_;
  const RowOperator& op_;
  const std::vector<RowOperand>& operands_;
  std::shared_ptr<Storage> storage_;
  NodeBuilder builder_;
  const Var* row_;
  std::vector<const Var*> vars_;
  std::vector<const Buffer*> buffers_;
  absl::flat_hash_map<const Var*, RowParam> params_;
};

/// Shortens loops whose body runs only in some neighbouring iterations: a border row has fewer rows
/// of a kernel.
class ShortLoops : public Rewriter<ShortLoops> {
 public:
  ShortLoops(Context& context, std::shared_ptr<Storage> storage)
      : Rewriter(context, storage), storage_(storage), analyzer_(context, storage->arena()) {}

  const Stmt* RewriteFor(const For* given) {
    const auto* loop = cast<For>(RewriteChildren(given));
    const IfThenElse* branch = BranchIn(loop);
    const int64_t* min = AsIntImm(loop->min);
    const int64_t* extent = AsIntImm(loop->extent);
    if (branch == nullptr || min == nullptr || extent == nullptr || *extent > kMostTried ||
        loop->for_kind != ForKind::kSerial)
      return loop;
    const FusionTools tools{builder(), storage_, analyzer_};
    int64_t first = *extent;
    int64_t end = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < *extent; ++i) {
      const Expr* value = builder().Int(loop->loop_var->dtype, *min + i);
      const Expr* holds =
          analyzer_.Simplify(ReplaceVars(tools, branch->condition, {{loop->loop_var, value}}));
      if (IsConstInt(holds, 0)) continue;
      first = std::min(first, i);
      end = i + 1;
      ++count;
    }
    if (count == 0 || count == *extent || count != end - first) return loop;
    const IndexMath math(builder(), loop->range);
    const Expr* shifted =
        math.Add(loop->loop_var, builder().Int(loop->loop_var->dtype, *min + first));
    For copy = *loop;
    copy.min = builder().Int(loop->loop_var->dtype, 0);
    copy.extent = builder().Int(loop->loop_var->dtype, count);
    if (*min + first != 0) copy.body = ReplaceVars(tools, loop->body, {{loop->loop_var, shifted}});
    return arena().New<For>(copy);
  }

 private:
  /// The condition that is the whole body of the loop, or of loops in it.
  static const IfThenElse* BranchIn(const For* loop) {
    const Stmt* body = loop->body;
    while (const auto* inner = dyn_cast<For>(body)) body = inner->body;
    const auto* branch = dyn_cast<IfThenElse>(body);
    return branch != nullptr && branch->else_case == nullptr ? branch : nullptr;
  }

  static constexpr int64_t kMostTried = 64;

  std::shared_ptr<Storage> storage_;
  Analyzer analyzer_;
};

bool HasFloats(const PrimFunc& func) {
  return std::any_of(func.buffers.begin(), func.buffers.end(),
                     [](const Buffer* buffer) { return buffer->dtype.is_float(); });
}

bool Mentions(const Stmt* stmt, const Var* var) {
  bool found = false;
  Walk(stmt, [&](const Node* node) {
    found |= node == var;
    return !found;
  });
  return found;
}

/// Takes the loop over rows away; false if rows differ.
bool RemoveRowLoop(Context& context, RowFunction& function) {
  // A loop over one row is gone already.
  if (function.first == function.last) return true;
  TopLevel top = SplitTopLevel(function.func->body);
  if (top.statements.size() != 1) return false;
  const auto* loop = dyn_cast<For>(top.statements[0]);
  if (loop == nullptr || Mentions(loop->body, loop->loop_var)) return false;
  top.statements[0] = loop->body;
  NodeBuilder builder(context, function.storage->arena());
  function.func->body = JoinTopLevel(builder, top);
  return true;
}

/// The rows in the middle for which all conditions hold. All of them read the same elements of
/// their windows.
std::pair<int64_t, int64_t> InnerRows(const RowOperator& op,
                                      const std::vector<RowOperand>& operands) {
  int64_t first = 0;
  int64_t last = op.rows - 1;
  for (const RowLimit& limit : op.limits) {
    if (IsImplied(operands, limit.condition)) continue;
    first = std::max(first, limit.first);
    last = std::min(last, limit.last);
  }
  return {first, last};
}

}  // namespace

std::optional<std::vector<RowFunction>> MakeRowFunctions(Context& context, const RowOperator& op,
                                                         const std::vector<RowOperand>& operands,
                                                         PassContext& pass) {
  const auto [inner_first, inner_last] = InnerRows(op, operands);
  const int64_t inner = std::max<int64_t>(inner_last - inner_first + 1, 0);
  if (op.rows - inner > kMostBorderRows) return std::nullopt;
  std::vector<RowFunction> functions;
  IRModule module(context);
  for (int64_t row = 0; row < op.rows;) {
    const int64_t last = row == inner_first && inner_first <= inner_last ? inner_last : row;
    functions.push_back(RowFunctionMaker(context, op, operands).Make(row, last));
    module.Add({context.Intern(fmt::format("rows_{}", row)), functions.back().func,
                functions.back().storage});
    row = last + 1;
  }
  const absl::StatusOr<IRModule> simple = Simplify(module, NoOptions(), pass);
  if (!simple.ok()) return std::nullopt;
  for (size_t i = 0; i < functions.size(); ++i) {
    const Function& now = simple->functions()[i];
    auto storage = std::make_shared<Storage>(now.storage);
    functions[i].func = storage->arena().New<PrimFunc>(*now.func);
    functions[i].storage = std::move(storage);
    if (!RemoveRowLoop(context, functions[i])) return std::nullopt;
    // Sums of integers get packed constants later, which functions with all rows of a kernel share.
    if (HasFloats(*functions[i].func))
      functions[i].func->body =
          ShortLoops(context, functions[i].storage).RewriteStmt(functions[i].func->body);
  }
  return functions;
}

}  // namespace tenon
