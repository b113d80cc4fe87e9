// Requests contain only values, but no pointers, times or paths of the machine, so that requests
// for equal functions are equal. They also contain the functions in TVMScript, for programs that
// read it.

#include "byoc/generators/program/request.h"

#include <fmt/format.h>

#include "byoc/generators/program/claim_json.h"
#include "ir/analysis/effects.h"
#include "ir/attributes.h"
#include "ir/attrs.h"
#include "ir/extents.h"
#include "ir/function_interface.h"
#include "printer/constant_plan.h"
#include "printer/printer.h"
#include "printer/sidecar.h"
#include "support/json_writer.h"

namespace tenon {

namespace {

/// The members of all requests.
void WriteHead(JsonWriter& json, std::string_view action, const GeneratorTarget& target) {
  json.Member("tenon_generator", kGeneratorProtocol);
  json.Member("versions", std::vector<int64_t>{kGeneratorProtocol, kNewestGeneratorProtocol});
  json.Member("action", action);
  json.Key("target");
  json.BeginObject(JsonLayout::kInline);
  json.Member("name", target.name);
  json.Member("generator", target.generator);
  json.Member("instance", target.instance);
  json.Member("floats", target.may_reassociate ? "reassociate" : "bitwise");
  json.Member("inexact", target.inexact);
  json.Member("vector_registers", target.vectors.count);
  json.Member("vector_bytes", target.vectors.bytes);
  json.Key("host");
  json.BeginObject();
  json.Member("back_end", target.host.back_end);
  json.Member("cpu", target.host.cpu);
  json.Member("vector_bytes", target.host.vector_width);
  json.Member("optimised", target.host.optimises);
  json.Member("contracts", target.host.contracts);
  json.EndObject();
  json.EndObject();
}

/// The functions and the operators that they call, each once, operators first.
IRModule ModuleOf(std::span<const ExternalFunction> functions) {
  IRModule module(*functions[0].context);
  module.name = module.context().Intern("Module");
  const auto add = [&](const Function& function) {
    if (module.Find(function.name) == nullptr) module.Add(function);
  };
  for (const ExternalFunction& external : functions) {
    if (external.ops) {
      for (const OpCall& call : *external.ops) {
        if (call.op.function != nullptr) add(*call.op.function);
      }
    }
    add(external.function);
  }
  return module;
}

/// The names of a claim's operands in TVMScript: of a parameter's buffer, or of a constant. Null
/// for an operator without a body.
void WriteTensorNames(JsonWriter& json, const OpInfo& op, const Function* function) {
  if (function == nullptr) return json.Null();
  const PrimFunc& func = *function->func;
  const std::vector<const AllocateConst*> constants = ConstantsOf(func);
  json.List(op.computation.operands, JsonLayout::kInline, [&](const ComputationOperand& operand) {
    const auto index = static_cast<size_t>(operand.index);
    if (index >= (operand.constant ? constants.size() : func.params.size())) return json.Null();
    if (operand.constant) return json.Value(constants[index]->buffer_var->name.view());
    const Buffer* buffer = func.buffers[index];
    json.Value(buffer == nullptr ? func.params[index]->name.view() : buffer->name.view());
  });
}

/// Writes the description of functions in a request.
class FunctionWriter {
 public:
  FunctionWriter(JsonWriter& json, const IRModule& module, const ConstantPlan& constants)
      : json_(json), module_(module), effects_(module), constants_(constants) {}

  void Write(const ExternalFunction& external) {
    json_.BeginObject(JsonLayout::kLines);
    json_.Member("symbol", SymbolOf(external.function));
    json_.Key("parameters");
    json_.BeginList(JsonLayout::kLines);
    for (size_t i = 0; i < external.function.func->params.size(); ++i) WriteParam(external, i);
    json_.EndList();
    json_.Key("intermediates");
    json_.List(external.intermediates, JsonLayout::kLines, [&](const Allocate* allocate) {
      json_.BeginObject(JsonLayout::kInline);
      WriteTensor(allocate->buffer_var->name.view(), allocate->dtype,
                  StaticShape(allocate->extents));
      json_.Member("bytes", StaticBytes(allocate->dtype, allocate->extents));
      json_.EndObject();
    });
    json_.Key("constants");
    json_.List(external.constants, JsonLayout::kLines, [&](const FunctionConstant& constant) {
      json_.BeginObject(JsonLayout::kInline);
      const std::string* name = constants_.NameOf(constant.constant);
      WriteTensor(name == nullptr ? constant.variable : *name, constant.constant->dtype(),
                  constant.constant->shape());
      json_.EndObject();
    });
    WriteOperators(external);
    json_.EndObject();
  }

 private:
  void WriteTensor(std::string_view name, DataType dtype,
                   const std::optional<std::vector<int64_t>>& shape) {
    json_.Member("name", name);
    json_.Member("dtype", dtype.ToString());
    json_.Member("shape", shape);
  }

  void WriteParam(const ExternalFunction& external, size_t index) {
    const Function& function = external.function;
    const Buffer* buffer = function.func->buffers[index];
    const Var* param = function.func->params[index];
    const ArgumentEffect does = effects_.Of(function).params[index];
    json_.BeginObject(JsonLayout::kInline);
    if (buffer != nullptr) {
      WriteTensor(buffer->name.view(), buffer->dtype, StaticShape(buffer->shape));
    } else {
      WriteTensor(param->name.view(), param->dtype, std::vector<int64_t>());
    }
    json_.Member("effects", fmt::format("{}{}", does.reads ? "r" : "", does.writes ? "w" : ""));
    if (index < external.constant_params.size() && external.constant_params[index])
      json_.Member("constant", true);
    json_.EndObject();
  }

  void WriteOperators(const ExternalFunction& external) {
    json_.Key("operators");
    if (!external.ops) return json_.Null();
    json_.List(*external.ops, JsonLayout::kLines, [&](const OpCall& call) {
      json_.BeginObject(JsonLayout::kLines);
      json_.Member("name", call.op.name);
      json_.Key("tensors");
      WriteTensorNames(json_, call.op.info, call.op.function);
      json_.Key("claim");
      WriteClaim(json_, module_.context(), call.op.info);
      json_.Key("arguments");
      json_.List(call.args, JsonLayout::kInline,
                 [&](const OpArgument& argument) { WriteArgument(argument); });
      json_.EndObject();
    });
  }

  void WriteArgument(const OpArgument& argument) {
    json_.BeginObject(JsonLayout::kInline);
    if (argument.kind == OpArgument::Kind::kOther) {
      json_.Member("text", PrintNode(argument.expr));
    } else {
      json_.Member(argument.kind == OpArgument::Kind::kParameter      ? "parameter"
                   : argument.kind == OpArgument::Kind::kIntermediate ? "intermediate"
                                                                      : "constant",
                   argument.index);
      json_.Member("offset", argument.offset);
    }
    json_.EndObject();
  }

  JsonWriter& json_;
  const IRModule& module_;
  ModuleEffects effects_;
  const ConstantPlan& constants_;
};

/// A request about functions.
absl::StatusOr<std::string> FunctionsRequest(std::string_view action,
                                             std::span<const ExternalFunction> functions,
                                             const GeneratorTarget& target,
                                             const std::string& folder) {
  const IRModule module = ModuleOf(functions);
  PrintOptions print;
  print.constants = ConstantsMode::kSidecar;
  print.sidecar_threshold = 0;
  print.sidecar_name = kRequestConstants;
  const bool has_constants = CountSidecarConstants(module, print) > 0;
  const absl::Status written =
      WriteSidecar(module, print, fmt::format("{}/{}", folder, kRequestConstants));
  if (!written.ok()) return written;
  std::string text;
  JsonWriter json(text);
  json.BeginObject(JsonLayout::kLines);
  WriteHead(json, action, target);
  json.Member("module", PrintModule(module, print) + "\n");
  json.Key("constants");
  if (has_constants) {
    json.Value(kRequestConstants);
  } else {
    json.Null();
  }
  const ConstantPlan constants(module, print);
  FunctionWriter writer(json, module, constants);
  json.Key("functions");
  json.List(functions, JsonLayout::kLines,
            [&](const ExternalFunction& external) { writer.Write(external); });
  json.EndObject();
  return text + "\n";
}

}  // namespace

std::string SupportsRequest(std::span<const SupportQuestion> questions,
                            const GeneratorTarget& target, Context& context) {
  std::string text;
  JsonWriter json(text);
  json.BeginObject(JsonLayout::kLines);
  WriteHead(json, "supports", target);
  json.Key("operators");
  json.List(questions, JsonLayout::kLines,
            [&](const SupportQuestion& question) { WriteClaim(json, context, *question.op); });
  json.Key("names");
  json.List(questions, JsonLayout::kLines, [&](const SupportQuestion& question) {
    json.BeginObject(JsonLayout::kInline);
    json.Member("name", question.name);
    json.Key("tensors");
    WriteTensorNames(json, *question.op, question.function);
    json.EndObject();
  });
  json.EndObject();
  return text + "\n";
}

absl::StatusOr<std::string> GenerateRequest(std::span<const ExternalFunction> functions,
                                            const GeneratorTarget& target,
                                            const std::string& folder) {
  return FunctionsRequest("generate", functions, target, folder);
}

absl::StatusOr<std::string> PackRequest(const ExternalFunction& function,
                                        const GeneratorTarget& target, const std::string& folder) {
  return FunctionsRequest("pack", {&function, 1}, target, folder);
}

}  // namespace tenon
