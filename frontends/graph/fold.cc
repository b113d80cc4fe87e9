#include "frontends/graph/fold.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontends/graph/operator_code.h"
#include "frontends/graph/operators.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "support/little_endian.h"

namespace tenon::graph {

namespace {

/// The most elements of a tensor that takes part.
constexpr int64_t kMostElements = 1024;

/// Runs the statements of an operator on integers. It knows the nodes that builders write for
/// integers, and gives up at others.
class HostRun {
 public:
  /// Takes at most `steps` steps.
  explicit HostRun(int64_t steps) : left_(steps) {}
  int64_t left() const { return left_; }
  /// False if a statement is not supported, or goes wrong.
  bool Run(const Stmt* stmt);
  /// The elements of a buffer after the run; nullopt if nothing was stored.
  std::optional<std::vector<int64_t>> Elements(const Buffer* buffer) const {
    const auto found = memory_.find(buffer->data);
    if (found == memory_.end()) return std::nullopt;
    return found->second;
  }

 private:
  using Number = std::optional<int64_t>;

  bool RunFor(const For* loop);
  bool RunStore(const BufferStore* store);
  bool LoadConstant(const AllocateConst* scope);
  Number Of(const Expr* expr);
  Number OfChoice(const Expr* condition, const Expr* then_value, const Expr* else_value);
  Number OfBinary(const BinaryExpr* binary);
  Number OfLoad(const BufferLoad* load);
  /// The place of an element in memory that has all of the buffer.
  std::optional<size_t> PlaceOf(const Buffer* buffer, Span<const Expr*> indices);

  std::map<const Var*, std::vector<int64_t>> memory_;
  std::map<const Var*, int64_t> indices_;
  int64_t left_;
  // For the constants of OfBinary.
  Context context_;
  std::shared_ptr<Storage> storage_ = std::make_shared<Storage>();
  NodeBuilder builder_{context_, storage_->arena()};
};

bool HostRun::Run(const Stmt* stmt) {
  if (--left_ < 0) return false;
  if (const auto* seq = dyn_cast<SeqStmt>(stmt)) {
    return std::all_of(seq->seq.begin(), seq->seq.end(),
                       [&](const Stmt* child) { return Run(child); });
  }
  if (const auto* loop = dyn_cast<For>(stmt)) return RunFor(loop);
  if (const auto* store = dyn_cast<BufferStore>(stmt)) return RunStore(store);
  if (const auto* scope = dyn_cast<Allocate>(stmt)) {
    memory_.erase(scope->buffer_var);
    return Run(scope->body);
  }
  if (const auto* scope = dyn_cast<AllocateConst>(stmt))
    return LoadConstant(scope) && Run(scope->body);
  if (const auto* branch = dyn_cast<tenon::IfThenElse>(stmt)) {
    const Number holds = Of(branch->condition);
    if (!holds) return false;
    const Stmt* taken = *holds != 0 ? branch->then_case : branch->else_case;
    return taken == nullptr || Run(taken);
  }
  return false;
}

bool HostRun::RunFor(const For* loop) {
  const Number first = Of(loop->min);
  const Number count = Of(loop->extent);
  if (!first || !count) return false;
  for (int64_t i = 0; i < *count; ++i) {
    indices_[loop->loop_var] = *first + i;
    if (!Run(loop->body)) return false;
  }
  return true;
}

bool HostRun::RunStore(const BufferStore* store) {
  const std::optional<size_t> place = PlaceOf(store->buffer, store->indices);
  const Number value = Of(store->value);
  if (!place || !value) return false;
  memory_[store->buffer->data][*place] = *value;
  return true;
}

bool HostRun::LoadConstant(const AllocateConst* scope) {
  const tenon::Constant& constant = *scope->data;
  if (!constant.dtype().is_integer() || constant.element_count() > kMostElements) return false;
  Tensor tensor;
  tensor.dtype = constant.dtype();
  tensor.shape = constant.shape();
  const auto bytes = constant.Bytes();
  if (!bytes.ok()) return false;
  tensor.data = TensorData{*bytes, nullptr, false};
  memory_[scope->buffer_var] = *tensor.Integers();
  return true;
}

std::optional<size_t> HostRun::PlaceOf(const Buffer* buffer, Span<const Expr*> indices) {
  int64_t place = 0;
  int64_t elements = 1;
  for (size_t axis = 0; axis < indices.size(); ++axis) {
    const Number index = Of(indices[axis]);
    const int64_t* extent = AsIntImm(buffer->shape[axis]);
    if (!index || extent == nullptr || *index < 0 || *index >= *extent) return std::nullopt;
    place = place * *extent + *index;
    elements *= *extent;
  }
  if (elements > kMostElements) return std::nullopt;
  std::vector<int64_t>& memory = memory_[buffer->data];
  if (memory.empty()) memory.resize(static_cast<size_t>(elements));
  if (memory.size() != static_cast<size_t>(elements)) return std::nullopt;
  return static_cast<size_t>(place);
}

HostRun::Number HostRun::OfLoad(const BufferLoad* load) {
  const std::optional<size_t> place = PlaceOf(load->buffer, load->indices);
  if (!place) return std::nullopt;
  return memory_[load->buffer->data][*place];
}

HostRun::Number HostRun::OfChoice(const Expr* condition, const Expr* then_value,
                                  const Expr* else_value) {
  const Number holds = Of(condition);
  if (!holds) return std::nullopt;
  return Of(*holds != 0 ? then_value : else_value);
}

HostRun::Number HostRun::Of(const Expr* expr) {
  if (--left_ < 0 || !expr->dtype.is_integer()) return std::nullopt;
  if (const int64_t* number = AsIntImm(expr)) return *number;
  if (const auto* var = dyn_cast<Var>(expr)) {
    const auto found = indices_.find(var);
    return found == indices_.end() ? Number() : found->second;
  }
  if (const auto* load = dyn_cast<BufferLoad>(expr)) return OfLoad(load);
  if (const auto* cast = dyn_cast<tenon::Cast>(expr)) {
    const Number value = Of(cast->value);
    if (!value) return std::nullopt;
    if (expr->dtype.is_bool()) return *value != 0 ? 1 : 0;
    return WrapToDType(*value, expr->dtype);
  }
  if (const auto* choice = dyn_cast<tenon::Select>(expr))
    return OfChoice(choice->condition, choice->true_value, choice->false_value);
  if (const auto* negation = dyn_cast<Not>(expr)) {
    const Number value = Of(negation->a);
    if (!value) return std::nullopt;
    return *value == 0 ? 1 : 0;
  }
  if (const auto* call = dyn_cast<Call>(expr);
      call != nullptr && call->args.size() == 3 && call->op->kind == OpKind::kIfThenElse)
    return OfChoice(call->args[0], call->args[1], call->args[2]);
  if (expr->kind >= NodeKind::kAdd && expr->kind <= NodeKind::kOr)
    return OfBinary(static_cast<const BinaryExpr*>(expr));
  return std::nullopt;
}

HostRun::Number HostRun::OfBinary(const BinaryExpr* binary) {
  const Number a = Of(binary->a);
  const Number b = Of(binary->b);
  const DataType dtype = binary->a->dtype;
  if (!a || !b) return std::nullopt;
  if (binary->kind == NodeKind::kAnd) return *a != 0 && *b != 0 ? 1 : 0;
  if (binary->kind == NodeKind::kOr) return *a != 0 || *b != 0 ? 1 : 0;
  const Expr* folded =
      TryConstFold(builder_, binary->kind, builder_.Int(dtype, *a), builder_.Int(dtype, *b));
  const int64_t* number = folded == nullptr ? nullptr : AsIntImm(folded);
  return number == nullptr ? Number() : *number;
}

/// True if the operator's results follow from shapes and known integers alone.
bool HasKnownInputs(const Graph& graph, const Operator& op) {
  if (op.kind == "shape" || op.kind == "rank" || op.kind == "size") return true;
  return std::all_of(op.inputs.begin(), op.inputs.end(), [&](int number) {
    if (number == kAbsent) return true;
    const Tensor& tensor = graph.tensor(number);
    return tensor.HasIntegers() && tensor.elements() <= kMostElements;
  });
}

bool HasIntegerOutputs(const Graph& graph, const Operator& op) {
  return std::all_of(op.outputs.begin(), op.outputs.end(), [&](int number) {
    if (number == kAbsent) return false;
    const Tensor& tensor = graph.tensor(number);
    const bool is_index =
        tensor.dtype == kInt32 || tensor.dtype == kInt64 || tensor.dtype.is_bool();
    return is_index && tensor.elements() > 0 && tensor.elements() <= kMostElements;
  });
}

}  // namespace

absl::StatusOr<bool> FoldIntegers(Graph& graph, const Operator& op, int64_t& steps) {
  const OperatorKind* kind = FindOperatorKind(graph.format, op.kind);
  if (kind == nullptr || !HasKnownInputs(graph, op) || !HasIntegerOutputs(graph, op)) return false;
  Context context;
  GraphConstants constants(context, graph);
  OperatorCode code(context, graph, op, constants);
  const absl::Status built = BuildOperator(*kind, code);
  if (absl::IsInvalidArgument(built)) return built;
  if (!built.ok()) return false;
  const std::vector<int> params = code.Params();
  const PrimFunc* func = code.FinishFunction();
  HostRun run(steps);
  const bool is_known = params == op.outputs && run.Run(func->body);
  steps = std::max(run.left(), int64_t{0});
  if (!is_known) return false;
  std::vector<std::vector<int64_t>> results;
  for (size_t i = 0; i < params.size(); ++i) {
    auto elements = run.Elements(func->buffers[i]);
    if (!elements || static_cast<int64_t>(elements->size()) != graph.tensor(params[i]).elements())
      return false;
    results.push_back(*std::move(elements));
  }
  for (size_t i = 0; i < params.size(); ++i) {
    Tensor& tensor = graph.tensors[static_cast<size_t>(params[i])];
    tensor.data = DataOf(results[i], tensor.dtype);
  }
  return true;
}

}  // namespace tenon::graph
