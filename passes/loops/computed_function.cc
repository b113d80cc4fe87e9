// The common part of passes that replace a whole body: it derives a Computation from the loops, and
// builds a function from new loops. Only constants that the new body reads are bound again.

#include "passes/loops/computed_function.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "analysis/dataflow.h"
#include "arith/index_math.h"
#include "fmt/format.h"
#include "ir/attributes.h"
#include "ir/function_interface.h"
#include "ir/visitor.h"
#include "schedule/check/why_not_equal.h"
#include "schedule/op_loops.h"
#include "support/check.h"

namespace tenon {

namespace {

constexpr ComputationOptions kOptions = {.keeps_order = true};

}  // namespace

std::string_view WantedSchedule(const Function& function) {
  const std::string_view* given = AsString(function.FindAttr(attr_key::kSchedule));
  return given == nullptr ? std::string_view() : *given;
}

void RefuseSchedule(std::string_view pass, const Function& function, std::string_view because,
                    Diagnostics& diagnostics) {
  diagnostics.Error(DiagnosticKind::kPass, function.func->range,
                    fmt::format("{}: the schedule `{}` does not fit: {}", pass,
                                WantedSchedule(function), because));
}

bool StoresForward(const Computation& all) {
  return std::all_of(all.stores.begin(), all.stores.end(), [&](const ComputationStore& store) {
    const LinearIndex& element = all.accesses[static_cast<size_t>(store.access)].element;
    return element.divisor == 1 && std::all_of(element.terms.begin(), element.terms.end(),
                                               [](const auto& term) { return term.second > 0; });
  });
}

ComputedFunction::ComputedFunction(Context& context, const Function& function)
    : function_(ComputationForm(context, function, kOptions)),
      storage_(std::make_shared<Storage>(function_.storage)),
      builder_(context, storage_->arena()),
      constants_(ConstantsOf(*function_.func)) {}

std::optional<Computation> ComputedFunction::Find() {
  ComputationResult result = ComputationOf(*function_.func, kOptions);
  if (!result.computation || !WhyNoLoops(*result.computation).empty() ||
      !FindOperands(*result.computation))
    return std::nullopt;
  found_ = *std::move(result.computation);
  return found_;
}

bool ComputedFunction::ReadsBack(const Function& made, std::string_view pass,
                                 Diagnostics& diagnostics) const {
  TENON_CHECK(found_.has_value());
  const std::optional<std::string> difference = WhyNotEqual(*found_, data_, *made.func);
  if (!difference) return true;
  diagnostics.Error(DiagnosticKind::kInternal, function_.func->range,
                    fmt::format("{}: expected loops that compute the operator of `{}`, found a "
                                "difference: {}. Please report it with the module. "
                                "`--no-verify-schedules` compiles the loops as they are",
                                pass, function_.name.view(), *difference));
  return false;
}

/// False if an operand has no buffer.
bool ComputedFunction::FindOperands(const Computation& all) {
  for (const ComputationOperand& operand : all.operands) {
    const auto index = static_cast<size_t>(operand.index);
    const Var* data = nullptr;
    const Constant* constant = nullptr;
    if (operand.constant) {
      data = constants_[index]->buffer_var;
      constant = constants_[index]->data;
      if (constant == nullptr || constant->dtype() != operand.dtype) return false;
    } else {
      if (function_.func->buffers[index] == nullptr) return false;
      data = function_.func->buffers[index]->data;
    }
    const IndexMath math(builder_, {});
    operands_.push_back(builder_.New<Buffer>({}, data->name, data, operand.dtype,
                                             builder_.List<Expr>({math.Constant(operand.elements)}),
                                             builder_.Int(0)));
    data_.push_back(constant);
  }
  return true;
}

Function ComputedFunction::WithBody(const Stmt* body, const std::vector<NewConstant>& made,
                                    std::string_view schedule) {
  absl::flat_hash_set<const Var*> used;
  Walk(body, [&](const Node* node) {
    if (const auto* load = dyn_cast<BufferLoad>(node)) used.insert(load->buffer->data);
    return true;
  });
  for (size_t i = constants_.size(); i-- > 0;) {
    if (!used.contains(constants_[i]->buffer_var)) continue;
    AllocateConst copy = *constants_[i];
    copy.body = body;
    body = storage_->arena().New<AllocateConst>(copy);
  }
  for (const NewConstant& constant : made) {
    body = builder_.New<AllocateConst>({}, constant.buffer->data, constant.buffer->dtype,
                                       constant.buffer->shape, constant.data, nullptr, body);
  }
  PrimFunc copy = *function_.func;
  copy.body = body;
  copy.attrs = builder_.With(copy.attrs, attr_key::kOp, nullptr);
  copy.attrs = builder_.With(copy.attrs, attr_key::kSchedule,
                             schedule.empty() ? nullptr : builder_.StringValue(schedule));
  return {function_.name, storage_->arena().New<PrimFunc>(copy), storage_};
}

}  // namespace tenon
