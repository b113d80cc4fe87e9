// A payload is data for a function of a library, so its code is the same for all generators. The
// data becomes a constant, and a C function passes it on with all arguments.

#include "byoc/payload_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "byoc/generators/external_body.h"
#include "ir/attributes.h"
#include "ir/builder.h"
#include "ir/function_interface.h"
#include "ir/memory_pools.h"
#include "lowering/runtime_files.h"
#include "lowering/symbol_names.h"
#include "support/checked.h"

namespace tenon {

namespace {

std::string CallerName(const ExternalCode& code) { return code.symbol + "_payload"; }

/// The C source of the function that calls a run-time function with all its arguments.
std::string CallerText(const ExternalCode& code, const Payload& payload, size_t args) {
  std::string params = "const void* payload";
  std::string list;
  for (size_t i = 0; i < args; ++i) {
    params += fmt::format(", void* arg{}", i);
    list += fmt::format("{}arg{}", i == 0 ? "" : ", ", i);
  }
  if (code.workspace_bytes > 0) params += ", void* scratch";
  if (code.state_bytes > 0) params += ", void* state";
  const auto memory = [](bool exists, const char* name, int64_t bytes) {
    return fmt::format("{}, INT64_C({})", exists ? name : "0", bytes);
  };
  return fmt::format(
      "/* Made by Tenon: calls a run-time function with its payload. */\n\n"
      "#include \"{header}\"\n\n"
      "int32_t {run}(const tenon_payload_call* call);\n"
      "int32_t {caller}({params});\n"
      "int32_t {caller}({params}) {{\n"
      "  void* const args[] = {{{list}}};\n"
      "  const tenon_payload_call call = {{\"{symbol}\", payload, INT64_C({bytes}), args, {args},\n"
      "                                   {scratch}, {state}}};\n"
      "  return {run}(&call);\n"
      "}}\n",
      fmt::arg("header", ExternalHeader().name), fmt::arg("run", payload.runtime_symbol),
      fmt::arg("caller", CallerName(code)), fmt::arg("params", params),
      fmt::arg("list", args == 0 ? "0" : list), fmt::arg("symbol", code.symbol),
      fmt::arg("bytes", payload.bytes.size()), fmt::arg("args", args),
      fmt::arg("scratch", memory(code.workspace_bytes > 0, "scratch", code.workspace_bytes)),
      fmt::arg("state", memory(code.state_bytes > 0, "state", code.state_bytes)));
}

/// The attributes of the function in TIR.
const MapAttr* AttrsOf(NodeBuilder& builder, const MapAttr* attrs, const ExternalCode& code,
                       const std::vector<std::string>& letters) {
  for (const std::string_view key : {attr_key::kExternal, attr_key::kNoAlias, attr_key::kOp})
    attrs = builder.With(attrs, key, nullptr);
  attrs = builder.With(attrs, attr_key::kGlobalSymbol, builder.StringValue(code.symbol));
  std::vector<const Attr*> values;
  for (const std::string& letter : letters) values.push_back(builder.StringValue(letter));
  const MapAttr* externs =
      builder.With(builder.Map({}), builder.arena().Copy(std::string_view(CallerName(code))),
                   builder.Array(Span<const Attr*>(values)));
  return builder.With(attrs, attr_key::kExterns, externs);
}

}  // namespace

std::string PayloadProblem(const IRModule& module, const Payload& payload) {
  if (payload.name.empty() || SanitizeName(payload.name) != payload.name)
    return fmt::format("expected an identifier of C as its name, found `{}`", payload.name);
  if (payload.runtime_symbol.empty() ||
      SanitizeName(payload.runtime_symbol) != payload.runtime_symbol)
    return fmt::format("expected an identifier of C as its run-time function, found `{}`",
                       payload.runtime_symbol);
  if (module.FindCallee(payload.runtime_symbol) != nullptr)
    return fmt::format("its run-time function `{}` is a function of the module",
                       payload.runtime_symbol);
  if (payload.bytes.empty()) return "it has no bytes";
  constexpr int64_t kMostAlignment = 4096;
  if (!IsPowerOfTwo(payload.alignment) || payload.alignment > kMostAlignment)
    return fmt::format("it has the alignment {}, expected a power of two up to {}",
                       payload.alignment, kMostAlignment);
  for (const Constant* constant : module.constants) {
    if (constant->name().view() == payload.name) return "the module has a constant of that name";
  }
  return {};
}

const Constant* PayloadConstant(Context& context, const Payload& payload) {
  const auto bytes = std::make_shared<const std::string>(payload.bytes);
  ConstantSource source;
  source.bytes = {reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()};
  source.owner = bytes;
  ConstantPlacement placement;
  placement.alignment = payload.alignment;
  return context.AddConstant(context.Intern(payload.name), DataType::UInt(8),
                             {static_cast<int64_t>(bytes->size())}, std::move(source), placement);
}

std::string PayloadProblem(const Function& function) {
  const PrimFunc& func = *function.func;
  for (size_t i = 0; i < NewParamIndex(func); ++i) {
    if (func.buffers[i] == nullptr)
      return fmt::format("its parameter {} is not a tensor; run-time functions get pointers",
                         i + 1);
  }
  return {};
}

PayloadCode MakePayloadCode(Context& context, const Function& function, const ExternalCode& code,
                            const Payload& payload, const Constant* constant) {
  auto storage = std::make_shared<Storage>(function.storage);
  NodeBuilder builder(context, storage->arena());
  PrimFunc copy = *function.func;
  const Var* data = builder.NewVar(payload.name, context.PointerType(DataType::UInt(8), "global"));
  // The parameters for scratch memory and state are the last ones before a device's handle.
  const size_t memory = (code.workspace_bytes > 0 ? 1 : 0) + (code.state_bytes > 0 ? 1 : 0);
  const size_t end = NewParamIndex(copy);
  std::vector<const Expr*> args = {data};
  std::vector<std::string> letters = {"c"};
  for (size_t i = 0; i < end; ++i) {
    args.push_back(copy.buffers[i]->data);
    letters.push_back(code.effects[i].empty() ? "r" : code.effects[i]);
  }
  const auto size = static_cast<int64_t>(payload.bytes.size());
  const Stmt* body = CheckedCall(builder, CallerName(code), args);
  copy.body =
      builder.New<AllocateConst>({}, data, DataType::UInt(8),
                                 builder.List<Expr>({builder.Int(size)}), constant, nullptr, body);
  copy.attrs = AttrsOf(builder, copy.attrs, code, letters);
  const PrimFunc* func = storage->arena().New<PrimFunc>(copy);
  return {{function.name, func, std::move(storage)},
          {{CallerName(code) + ".c", CallerText(code, payload, end - memory)}, ExternalHeader()}};
}

}  // namespace tenon
