// Reads a region back into calls, constants and intermediates. A body of another form has no
// operators: generators then receive only the function, and can still compute it.

#include <optional>

#include "absl/container/flat_hash_set.h"
#include "byoc/call_flow.h"
#include "byoc/code_generator.h"
#include "byoc/region_units.h"
#include "ir/analysis/byte_range.h"
#include "ir/analysis/statement_call.h"
#include "ir/builtins.h"
#include "ir/function_interface.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

/// The distance of a pointer from the start of its memory in bytes, or nullopt.
std::optional<int64_t> OffsetOf(const Expr* pointer) {
  if (isa<Var>(pointer)) return 0;
  const auto* call = dyn_cast<Call>(pointer);
  if (call == nullptr || call->op->kind != OpKind::kAddressOf) return std::nullopt;
  const auto* load = dyn_cast<BufferLoad>(call->args[0]);
  if (load == nullptr) return std::nullopt;
  const std::optional<ByteRange> bytes = BytesReached(load->buffer, load->indices, {});
  // More than one element is not a constant index.
  if (!bytes || bytes->end - bytes->first != load->buffer->dtype.bytes()) return std::nullopt;
  return bytes->first;
}

class ExternalReader {
 public:
  ExternalReader(const IRModule& module, const Function& function)
      : module_(module), function_(function), roots_(*function.func) {
    const PrimFunc& func = *function.func;
    for (size_t i = 0; i < func.params.size(); ++i) {
      const OpArgument param{OpArgument::Kind::kParameter, static_cast<int>(i), 0, nullptr};
      argument_of_.emplace(func.params[i], param);
      if (func.buffers[i] != nullptr) argument_of_.emplace(func.buffers[i]->data, param);
    }
  }

  ExternalFunction Run() {
    ExternalFunction external;
    external.context = &module_.context();
    external.function = function_;
    external.ops.emplace();
    Read(function_.func->body, external);
    return external;
  }

 private:
  void Read(const Stmt* stmt, ExternalFunction& external) {
    while (true) {
      if (const auto* allocate = dyn_cast<Allocate>(stmt)) {
        argument_of_.emplace(
            allocate->buffer_var,
            OpArgument{OpArgument::Kind::kIntermediate,
                       static_cast<int>(external.intermediates.size()), 0, nullptr});
        external.intermediates.push_back(allocate);
        stmt = allocate->body;
      } else if (const auto* constant = dyn_cast<AllocateConst>(stmt)) {
        AddConstant(constant, external);
        stmt = constant->body;
      } else if (const auto* decl = dyn_cast<DeclBuffer>(stmt)) {
        stmt = decl->body;
      } else {
        break;
      }
    }
    if (const auto* seq = dyn_cast<SeqStmt>(stmt)) {
      for (const Stmt* child : seq->seq) Read(child, external);
      return;
    }
    const auto* evaluate = dyn_cast<Evaluate>(stmt);
    if (evaluate != nullptr && isa<IntImm>(evaluate->value)) return;
    const CallSite site = CallOfStatement(module_, stmt).site;
    if (!IsOperatorCall(module_, function_, site)) {
      external.ops.reset();
    } else if (external.ops) {
      external.ops->push_back(CallOf(site));
    }
  }

  void AddConstant(const AllocateConst* constant, ExternalFunction& external) {
    size_t index = 0;
    while (index < external.constants.size() &&
           external.constants[index].constant != constant->data) {
      ++index;
    }
    if (index == external.constants.size()) {
      external.constants.push_back(
          {constant->data, constant->buffer_var->name.view(), constant->range});
    }
    argument_of_.emplace(constant->buffer_var, OpArgument{OpArgument::Kind::kConstant,
                                                          static_cast<int>(index), 0, nullptr});
  }

  OpCall CallOf(const CallSite& site) const {
    OpCall call;
    call.op = RegionOpOf(module_, site);
    for (const Expr* arg : site.args) {
      const Var* root = arg->dtype.is_handle() ? roots_.RootOf(arg) : dyn_cast<Var>(arg);
      const auto found = root == nullptr ? argument_of_.end() : argument_of_.find(root);
      OpArgument argument;
      if (found != argument_of_.end()) {
        argument = found->second;
        argument.offset = OffsetOf(arg);
      }
      argument.expr = arg;
      call.args.push_back(argument);
    }
    return call;
  }

  const IRModule& module_;
  const Function& function_;
  PointerRoots roots_;
  absl::flat_hash_map<const Var*, OpArgument> argument_of_;
};

}  // namespace

std::vector<bool> ConstantParams(const IRModule& module, const Function& function) {
  std::vector<bool> constant(function.func->params.size(), true);
  bool is_called = false;
  for (const Function& caller : module.functions()) {
    std::optional<PointerRoots> roots;
    absl::flat_hash_set<const Var*> constants;
    Walk(caller.func->body, [&](const Node* node) {
      const CallSite site = AsCallSite(module, dyn_cast<Call>(node));
      if (site.call == nullptr || site.callee == nullptr || site.callee->name != function.name)
        return true;
      is_called = true;
      if (!roots) {
        roots.emplace(*caller.func);
        for (const AllocateConst* each : ConstantsOf(*caller.func))
          constants.insert(each->buffer_var);
      }
      for (size_t i = 0; i < constant.size(); ++i) {
        constant[i] =
            constant[i] && i < site.args.size() && constants.contains(roots->RootOf(site.args[i]));
      }
      return true;
    });
  }
  if (!is_called) constant.assign(constant.size(), false);
  return constant;
}

ExternalFunction ReadExternalFunction(const IRModule& module, const Function& function) {
  return ExternalReader(module, function).Run();
}

}  // namespace tenon
