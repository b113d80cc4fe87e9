#include "tools/onednn/generator_request.h"

#include <fmt/format.h>

#include <utility>

#include "byoc/generators/program/claim_json.h"
#include "byoc/generators/program/request.h"
#include "ir/dtype.h"
#include "support/checked.h"
#include "support/json_reader.h"

namespace tenon {

namespace {

absl::Status Wrong(std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("the request has no {}", what));
}

std::string TextOf(const JsonValue& json, std::string_view key) {
  const JsonValue* member = json.Find(key);
  const std::string* text = member == nullptr ? nullptr : member->as_string();
  return text == nullptr ? std::string() : *text;
}

/// The elements of a list; null if the member is not a list.
const JsonValue::Array* ListOf(const JsonValue& json, std::string_view key) {
  const JsonValue* member = json.Find(key);
  return member == nullptr ? nullptr : member->as_array();
}

absl::StatusOr<RequestTensor> ReadTensor(const JsonValue& json) {
  RequestTensor tensor;
  tensor.name = TextOf(json, "name");
  tensor.dtype = TextOf(json, "dtype");
  tensor.effects = TextOf(json, "effects");
  const std::optional<DataType> dtype = DataType::Parse(tensor.dtype);
  const JsonValue::Array* shape = ListOf(json, "shape");
  if (!dtype || shape == nullptr) return Wrong("type and constant shape of a tensor");
  std::optional<int64_t> elements = 1;
  for (const JsonValue& item : *shape) {
    const std::optional<int64_t> extent = item.as_int64();
    if (extent && *extent >= 0 && elements) elements = CheckedMul(*elements, *extent);
  }
  const std::optional<int64_t> bytes =
      elements ? CheckedMul(*elements, int64_t{dtype->bytes()}) : std::nullopt;
  if (!bytes) return Wrong("possible size of a tensor");
  tensor.elements = *elements;
  tensor.bytes = *bytes;
  return tensor;
}

absl::StatusOr<std::vector<RequestTensor>> ReadTensors(const JsonValue& json,
                                                       std::string_view key) {
  const JsonValue::Array* list = ListOf(json, key);
  if (list == nullptr) return Wrong(fmt::format("`{}`", key));
  std::vector<RequestTensor> tensors;
  for (const JsonValue& item : *list) {
    absl::StatusOr<RequestTensor> tensor = ReadTensor(item);
    if (!tensor.ok()) return tensor.status();
    tensors.push_back(*std::move(tensor));
  }
  return tensors;
}

absl::StatusOr<OpInfo> ReadOneClaim(const JsonValue& json, Context& context) {
  std::string problem;
  std::optional<OpInfo> claim = ReadClaim(json, context, problem);
  if (!claim) return absl::InvalidArgumentError(fmt::format("a claim is wrong: {}", problem));
  return *std::move(claim);
}

absl::StatusOr<RequestArgument> ReadArgument(const JsonValue& json, const RequestFunction& owner) {
  using Kind = RequestArgument::Kind;
  struct Place {
    std::string_view key;
    Kind kind;
    size_t count;
  };
  const Place places[] = {{"parameter", Kind::kParameter, owner.parameters.size()},
                          {"intermediate", Kind::kIntermediate, owner.intermediates.size()},
                          {"constant", Kind::kConstant, owner.constants.size()}};
  for (const Place& place : places) {
    const JsonValue* member = json.Find(place.key);
    if (member == nullptr) continue;
    const std::optional<int64_t> index = member->as_int64();
    const JsonValue* offset = json.Find("offset");
    const int64_t bytes = offset == nullptr ? -1 : offset->as_int64().value_or(-1);
    if (!index || *index < 0 || static_cast<size_t>(*index) >= place.count)
      return Wrong("tensor for an argument");
    if (bytes < 0) return RequestArgument();
    return RequestArgument{place.kind, static_cast<size_t>(*index), bytes};
  }
  return RequestArgument();
}

absl::StatusOr<RequestFunction> ReadFunction(const JsonValue& json, Context& context) {
  RequestFunction function;
  function.symbol = TextOf(json, "symbol");
  auto parameters = ReadTensors(json, "parameters");
  auto intermediates = ReadTensors(json, "intermediates");
  auto constants = ReadTensors(json, "constants");
  for (const auto* list : {&parameters, &intermediates, &constants}) {
    if (!list->ok()) return list->status();
  }
  function.parameters = *std::move(parameters);
  function.intermediates = *std::move(intermediates);
  function.constants = *std::move(constants);
  const JsonValue::Array* operators = ListOf(json, "operators");
  if (operators == nullptr) {
    return absl::InvalidArgumentError(
        fmt::format("`{}` has statements other than calls of operators", function.symbol));
  }
  for (const JsonValue& item : *operators) {
    RequestOperator made;
    made.name = TextOf(item, "name");
    const JsonValue* claim = item.Find("claim");
    if (claim == nullptr) return Wrong("claim of an operator");
    absl::StatusOr<OpInfo> info = ReadOneClaim(*claim, context);
    if (!info.ok()) return info.status();
    made.claim = *std::move(info);
    const JsonValue::Array* args = ListOf(item, "arguments");
    if (args == nullptr) return Wrong("`arguments`");
    for (const JsonValue& arg : *args) {
      const absl::StatusOr<RequestArgument> read = ReadArgument(arg, function);
      if (!read.ok()) return read.status();
      made.args.push_back(*read);
    }
    for (const ComputationOperand& operand : made.claim.computation.operands) {
      if (operand.constant || static_cast<size_t>(operand.index) >= made.args.size())
        return Wrong("argument for each operand");
    }
    function.operators.push_back(std::move(made));
  }
  return function;
}

bool HasFastLoops(const JsonValue& host) {
  const JsonValue* optimised = host.Find("optimised");
  const JsonValue* vector = host.Find("vector_bytes");
  return TextOf(host, "back_end") == "llvm" && optimised != nullptr &&
         optimised->as_bool() != nullptr && *optimised->as_bool() && vector != nullptr &&
         vector->as_int64().value_or(0) >= 64;
}

}  // namespace

absl::StatusOr<GeneratorRequest> ReadGeneratorRequest(std::string_view text, Context& context) {
  const absl::StatusOr<JsonValue> root = ParseJson(text);
  if (!root.ok()) return root.status();
  const JsonValue* version = root->Find("tenon_generator");
  if (version == nullptr || version->as_int64() != kGeneratorProtocol)
    return Wrong(fmt::format("`\"tenon_generator\": {}`", kGeneratorProtocol));
  GeneratorRequest request;
  request.action = TextOf(*root, "action");
  request.constants = TextOf(*root, "constants");
  if (const JsonValue* target = root->Find("target")) {
    request.may_reassociate = TextOf(*target, "floats") != "bitwise";
    if (const JsonValue* host = target->Find("host")) request.has_fast_host = HasFastLoops(*host);
  }
  if (request.action == "supports") {
    const JsonValue::Array* operators = ListOf(*root, "operators");
    if (operators == nullptr) return Wrong("`operators`");
    for (const JsonValue& item : *operators) {
      absl::StatusOr<OpInfo> info = ReadOneClaim(item, context);
      if (!info.ok()) return info.status();
      request.operators.push_back(*std::move(info));
    }
    return request;
  }
  if (request.action != "generate" && request.action != "pack") return Wrong("known `action`");
  const JsonValue::Array* functions = ListOf(*root, "functions");
  if (functions == nullptr) return Wrong("`functions`");
  for (const JsonValue& item : *functions) {
    absl::StatusOr<RequestFunction> function = ReadFunction(item, context);
    if (!function.ok()) return function.status();
    request.functions.push_back(*std::move(function));
  }
  return request;
}

}  // namespace tenon
