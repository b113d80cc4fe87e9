// The function as a list of stores, each with its loops and conditions. A tensor's loops are those
// that all accesses share: within them, it is a new tensor in each iteration.

#include "analysis/stages.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "fmt/format.h"
#include "ir/buffer.h"
#include "ir/builtins.h"
#include "ir/constant.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

std::optional<int64_t> ProductOf(Span<const Expr*> extents) {
  int64_t product = 1;
  for (const Expr* extent : extents) {
    const int64_t* value = AsIntImm(extent);
    if (value == nullptr || *value < 0) return std::nullopt;
    if (__builtin_mul_overflow(product, *value, &product)) return std::nullopt;
  }
  return product;
}

class Collector {
 public:
  Collector(Digits& digits, Stages& stages, std::string& because)
      : digits_(digits), stages_(stages), because_(because) {}

  bool Collect(const PrimFunc& func) {
    for (size_t i = 0; i < func.params.size(); ++i) {
      const Buffer* buffer = func.buffers[i];
      if (buffer != nullptr) {
        const auto elements = ProductOf(buffer->shape);
        if (!elements) return Refuse("a parameter's shape is not constant");
        AddTensor(buffer->data, StageTensor::Kind::kParam, static_cast<int>(i), buffer->dtype,
                  *elements);
      } else if (func.params[i]->type->is_pointer()) {
        AddTensor(func.params[i], StageTensor::Kind::kParam, static_cast<int>(i),
                  func.params[i]->type->dtype, 0);
      }
    }
    return Visit(func.body);
  }

 private:
  bool Refuse(std::string because) {
    if (because_.empty()) because_ = std::move(because);
    return false;
  }

  void AddTensor(const Var* data, StageTensor::Kind kind, int index, DataType dtype,
                 int64_t elements) {
    StageTensor tensor;
    tensor.kind = kind;
    tensor.index = index;
    tensor.data = data;
    tensor.dtype = dtype.element();
    tensor.elements = elements * std::max(1, dtype.lanes());
    stages_.tensor_of.emplace(data, static_cast<int>(stages_.tensors.size()));
    stages_.tensors.push_back(std::move(tensor));
  }

  bool Visit(const Stmt* stmt) {
    return WithStack([&] { return VisitStmt(stmt); });
  }

  bool VisitStmt(const Stmt* stmt) {
    switch (stmt->kind) {
      case NodeKind::kSeqStmt: {
        const Span<const Stmt*> seq = cast<SeqStmt>(stmt)->seq;
        return std::all_of(seq.begin(), seq.end(), [&](const Stmt* child) { return Visit(child); });
      }
      case NodeKind::kFor:
        return VisitFor(cast<For>(stmt));
      case NodeKind::kBufferStore:
        return VisitStore(cast<BufferStore>(stmt));
      case NodeKind::kIfThenElse:
        return VisitIf(cast<IfThenElse>(stmt));
      case NodeKind::kAllocate: {
        const auto* allocate = cast<Allocate>(stmt);
        const auto elements = ProductOf(allocate->extents);
        if (!elements || !IsConstInt(allocate->condition, 1))
          return Refuse("the size of an allocation is not constant");
        AddTensor(allocate->buffer_var, StageTensor::Kind::kLocal, 0, allocate->dtype, *elements);
        return Visit(allocate->body);
      }
      case NodeKind::kAllocateConst: {
        const auto* constant = cast<AllocateConst>(stmt);
        const auto elements = ProductOf(constant->extents);
        if (!elements) return Refuse("the shape of a constant is not constant");
        AddTensor(constant->buffer_var, StageTensor::Kind::kConstant, constants_++, constant->dtype,
                  *elements);
        return Visit(constant->body);
      }
      case NodeKind::kDeclBuffer:
        return Visit(cast<DeclBuffer>(stmt)->body);
      case NodeKind::kAttrStmt: {
        const auto* attr = cast<AttrStmt>(stmt);
        if (isa<IterVarAttr>(attr->node)) return Refuse("it runs on threads of a device");
        return Visit(attr->body);
      }
      case NodeKind::kEvaluate:
        return VisitEvaluate(cast<Evaluate>(stmt));
      case NodeKind::kPrefetch:
        return true;
      case NodeKind::kWhile:
        return Refuse("it has a while loop");
      case NodeKind::kAssertStmt:
        return Refuse("it has an assertion");
      default:
        return Refuse(fmt::format("it has a statement of the kind {}", NodeKindName(stmt->kind)));
    }
  }

  bool VisitFor(const For* loop) {
    const int64_t* min = AsIntImm(loop->min);
    const int64_t* extent = AsIntImm(loop->extent);
    if (min == nullptr || extent == nullptr) return Refuse("the bounds of a loop are not constant");
    if (*extent <= 0) return true;
    stages_.loops.push_back({loop, digits_.Count(*extent)});
    loops_.push_back(static_cast<int>(stages_.loops.size()) - 1);
    const bool good = Visit(loop->body);
    loops_.pop_back();
    return good;
  }

  bool VisitIf(const IfThenElse* choice) {
    if (!MentionTensors(choice->condition)) return false;
    conditions_.push_back({choice->condition, true});
    bool good = Visit(choice->then_case);
    if (good && choice->else_case != nullptr) {
      conditions_.back().holds = false;
      good = Visit(choice->else_case);
    }
    conditions_.pop_back();
    return good;
  }

  bool VisitEvaluate(const Evaluate* evaluate) {
    if (isa<IntImm>(evaluate->value)) return true;
    const auto* call = dyn_cast<Call>(evaluate->value);
    if (call != nullptr && call->op->kind == OpKind::kRet && loops_.empty() &&
        conditions_.empty() && IsConstInt(call->args[0], 0)) {
      return true;
    }
    if (call == nullptr) return Refuse("it evaluates an expression for its effect");
    if (call->op->kind == OpKind::kCallExtern || call->op->kind == OpKind::kCallPacked ||
        call->op->kind == OpKind::kCallCPacked || call->op->kind == OpKind::kGlobalCall) {
      return Refuse("it calls another function");
    }
    return Refuse(fmt::format("it calls T.{}", call->op->text));
  }

  bool VisitStore(const BufferStore* store) {
    const auto found = stages_.tensor_of.find(store->buffer->data);
    if (found == stages_.tensor_of.end()) return Refuse("it writes to memory of an unknown origin");
    Stage stage;
    stage.store = store;
    stage.tensor = found->second;
    stage.loops = loops_;
    stage.conditions = conditions_;
    const int lanes = store->value->dtype.lanes();
    if (lanes < 1) return Refuse("it has vectors of an unknown length");
    if (store->predicate != nullptr) return Refuse("it has a store under a predicate");
    stage.lane = digits_.Count(lanes);
    StageTensor& tensor = stages_.tensors[static_cast<size_t>(stage.tensor)];
    if (tensor.kind == StageTensor::Kind::kConstant) return Refuse("it writes to a constant");
    tensor.written = true;
    if (!Mention(store->buffer) || !MentionTensors(store->value)) return false;
    for (const Expr* index : store->indices) {
      if (!MentionTensors(index)) return false;
    }
    stages_.stages.push_back(std::move(stage));
    return true;
  }

  /// Removes the loops that conditions mention: not all their iterations have the accesses, so they
  /// share the tensor.
  void LeaveLoopsOf(const std::vector<const Expr*>& conditions, StageTensor& tensor) {
    absl::flat_hash_set<const Var*> mentioned;
    for (const Expr* condition : conditions) {
      Walk(condition, [&](const Node* node) {
        if (const auto* var = dyn_cast<Var>(node)) mentioned.insert(var);
        return true;
      });
    }
    const auto first =
        std::find_if(tensor.shared_loops.begin(), tensor.shared_loops.end(), [&](int loop) {
          return mentioned.contains(stages_.loops[static_cast<size_t>(loop)].loop->loop_var);
        });
    tensor.shared_loops.erase(first, tensor.shared_loops.end());
  }

  /// Records that the current loops access a buffer.
  bool Mention(const Buffer* buffer) {
    const auto found = stages_.tensor_of.find(buffer->data);
    if (found == stages_.tensor_of.end()) return Refuse("it reads memory of an unknown origin");
    StageTensor& tensor = stages_.tensors[static_cast<size_t>(found->second)];
    if (tensor.dtype.is_void() || tensor.dtype.is_handle()) tensor.dtype = buffer->dtype.element();
    if (buffer->dtype.element() != tensor.dtype) return Refuse("it accesses memory by two dtypes");
    std::vector<const Expr*> conditions;
    for (const StageCondition& condition : conditions_) conditions.push_back(condition.condition);
    if (!tensor.accessed) {
      tensor.shared_loops = loops_;
      tensor.accessed = true;
      tensor.conditions = std::move(conditions);
      return true;
    }
    if (conditions != tensor.conditions) {
      LeaveLoopsOf(tensor.conditions, tensor);
      LeaveLoopsOf(conditions, tensor);
    }
    const auto differ = std::mismatch(tensor.shared_loops.begin(), tensor.shared_loops.end(),
                                      loops_.begin(), loops_.end());
    tensor.shared_loops.erase(differ.first, tensor.shared_loops.end());
    return true;
  }

  bool MentionTensors(const Expr* expr) {
    bool good = true;
    Walk(expr, [&](const Node* node) {
      if (const auto* load = dyn_cast<BufferLoad>(node)) good = good && Mention(load->buffer);
      return good && !isa<Buffer>(node);
    });
    return good;
  }

  Digits& digits_;
  Stages& stages_;
  std::string& because_;
  std::vector<int> loops_;
  std::vector<StageCondition> conditions_;
  int constants_ = 0;
};

}  // namespace

bool CollectStages(const PrimFunc& func, Digits& digits, Stages& stages, std::string& because) {
  return Collector(digits, stages, because).Collect(func);
}

std::optional<LinearIndex> ElementOf(const Buffer* buffer, Span<const Expr*> indices,
                                     const LinearIndex& lane, const DigitBounds& known,
                                     Digits& digits, FormBuilder& forms) {
  std::optional<LinearIndex> element = forms.ElementOf(buffer, indices, lane, known);
  const int lanes = buffer->dtype.lanes();
  if (!element || lanes == 1) return element;
  const bool lanes_used = std::any_of(indices.begin(), indices.end(),
                                      [](const Expr* index) { return index->dtype.lanes() != 1; });
  if (lanes < 1 || lanes_used) return std::nullopt;
  LinearIndex scaled;
  if (!digits.Accumulate(scaled, *element, lanes) || !digits.Accumulate(scaled, lane, 1))
    return std::nullopt;
  return scaled;
}

}  // namespace tenon
