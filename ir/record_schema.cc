#include "ir/record_schema.h"

#include <fmt/format.h>

#include "support/whole_number.h"

namespace tenon {
namespace {

constexpr std::string_view kStatedReference = "reference";
constexpr std::string_view kStatedNumber = "number";

constexpr RecordField Ref(std::string_view name) { return {name, RecordFieldKind::kReference}; }
constexpr RecordField Int(std::string_view name) { return {name, RecordFieldKind::kInt}; }
constexpr RecordField Bool(std::string_view name) { return {name, RecordFieldKind::kBool}; }
constexpr RecordField Text(std::string_view name) { return {name, RecordFieldKind::kText}; }
constexpr RecordField NdArray(std::string_view name) { return {name, RecordFieldKind::kNdArray}; }

// The last field of every Relay expression.
constexpr RecordField kDevice = Ref("virtual_device_");
constexpr RecordField kSpan = Ref("span");
constexpr RecordField kCheckedType = Ref("_checked_type_");

// Memory pools.
constexpr RecordField kWorkspacePoolInfo[] = {
    Ref("pool_name"),
    Ref("targets"),
    Ref("size_hint_bytes"),
    Ref("clock_frequency_hz"),
    Ref("read_bandwidth_bytes_per_cycle"),
    Ref("write_bandwidth_bytes_per_cycle"),
    Ref("read_latency_cycles"),
    Ref("write_latency_cycles"),
    Ref("target_burst_bytes"),
    Bool("is_internal"),
    // The next fields are not TVM's, and are present only if they differ from their defaults.
    Ref("alignment"),
    Ref("base_address"),
    Ref("section"),
};
constexpr RecordField kConstantPoolInfo[] = {
    Ref("pool_name"),
    Ref("targets"),
    Ref("size_hint_bytes"),
    Ref("clock_frequency_hz"),
    Ref("read_bandwidth_bytes_per_cycle"),
    Ref("write_bandwidth_bytes_per_cycle"),
    Ref("read_latency_cycles"),
    Ref("write_latency_cycles"),
    Ref("target_burst_bytes"),
    Bool("is_internal"),
    Ref("constant_info_array"),
    Ref("alignment"),
    Ref("base_address"),
    Ref("section"),
    Ref("header"),
};
constexpr RecordField kPools[] = {Ref("pools")};
constexpr RecordField kConstantInfo[] = {Ref("name_hint"), Ref("byte_offset"), NdArray("data")};
constexpr RecordField kAllocatedPoolInfo[] = {Ref("pool_info"), Ref("allocated_size"),
                                              Ref("pool_var_idx")};

// Targets and how the module is run.
constexpr RecordField kTarget[] = {Ref("kind"),  Ref("tag"),      Ref("keys"),
                                   Ref("attrs"), Ref("features"), Ref("host")};
constexpr RecordField kTargetKind[] = {Ref("name"), Int("default_device_type"),
                                       Ref("default_keys")};
constexpr RecordField kNameAttrs[] = {Ref("name"), Ref("attrs")};
constexpr RecordField kVirtualDevice[] = {Int("device_type_int"), Int("virtual_device_id"),
                                          Ref("target"), Ref("memory_scope")};
constexpr RecordField kDictAttrs[] = {Ref("__dict__")};
constexpr RecordField kFunctionInfo[] = {Ref("workspace_sizes"), Ref("io_sizes"),
                                         Ref("constant_sizes"), Ref("tir_primfuncs"),
                                         Ref("relay_primfuncs")};

// Relay, as far as lowered functions keep it.
constexpr RecordField kRelayFunction[] = {
    Ref("params"), Ref("body"), Ref("ret_type"), Ref("type_params"),
    Ref("attrs"),  kDevice,     kSpan,           kCheckedType};
constexpr RecordField kRelayVar[] = {Ref("vid"), Ref("type_annotation"), kDevice, kSpan,
                                     kCheckedType};
constexpr RecordField kNameHint[] = {Ref("name_hint")};
// TVM visits chains of lets without recursion, so the body comes last.
constexpr RecordField kRelayLet[] = {Ref("var"), Ref("value"), kDevice,
                                     kSpan,      kCheckedType, Ref("body")};
constexpr RecordField kRelayCall[] = {Ref("op"), Ref("args"), Ref("attrs"), Ref("type_args"),
                                      kDevice,   kSpan,       kCheckedType};
constexpr RecordField kRelayTuple[] = {Ref("fields"), kDevice, kSpan, kCheckedType};
constexpr RecordField kRelayTupleGetItem[] = {Ref("tuple_value"), Int("index"), kDevice, kSpan,
                                              kCheckedType};
constexpr RecordField kRelayConstant[] = {NdArray("data"), kDevice, kSpan, kCheckedType};
constexpr RecordField kRelayIf[] = {Ref("cond"), Ref("true_branch"), Ref("false_branch"), kDevice,
                                    kSpan,       kCheckedType};
constexpr RecordField kGlobalVar[] = {Ref("name_hint"), kDevice, kSpan, kCheckedType};
constexpr RecordField kTensorType[] = {Ref("shape"), Text("dtype"), kSpan};
constexpr RecordField kTupleType[] = {Ref("fields"), kSpan};
constexpr RecordField kFuncType[] = {Ref("arg_types"), Ref("ret_type"), Ref("type_params"),
                                     Ref("type_constraints"), kSpan};
constexpr RecordField kPrimType[] = {Text("dtype")};
constexpr RecordField kCallLoweredAttrs[] = {Ref("metadata")};
constexpr RecordField kOnDeviceAttrs[] = {Bool("constrain_result"), Bool("constrain_body"),
                                          Ref("virtual_device")};
constexpr RecordField kSourceSpan[] = {Ref("source_name"), Int("line"), Int("column"),
                                       Int("end_line"), Int("end_column")};

// Multi-line text in an expression.
constexpr RecordField kStringImm[] = {Text("dtype"), Ref("value"), kSpan};

struct Schema {
  std::string_view type_key;
  std::span<const RecordField> fields;
};
constexpr Schema kSchemas[] = {
    {"ir.WorkspacePoolInfo", kWorkspacePoolInfo},
    {"ir.ConstantPoolInfo", kConstantPoolInfo},
    {"ir.WorkspaceMemoryPools", kPools},
    {"ir.ConstantMemoryPools", kPools},
    {"ir.ConstantInfo", kConstantInfo},
    {"tir.usmp.AllocatedPoolInfo", kAllocatedPoolInfo},
    {"tir.StringImm", kStringImm},
    {"Target", kTarget},
    {"TargetKind", kTargetKind},
    {"Executor", kNameAttrs},
    {"Runtime", kNameAttrs},
    {"VirtualDevice", kVirtualDevice},
    {"DictAttrs", kDictAttrs},
    {"relay.backend.FunctionInfo", kFunctionInfo},
    {"relay.Function", kRelayFunction},
    {"relay.Var", kRelayVar},
    {"relay.Id", kNameHint},
    {"relay.Let", kRelayLet},
    {"relay.Call", kRelayCall},
    {"relay.Tuple", kRelayTuple},
    {"relay.TupleGetItem", kRelayTupleGetItem},
    {"relay.Constant", kRelayConstant},
    {"relay.If", kRelayIf},
    {"GlobalVar", kGlobalVar},
    {"relay.TensorType", kTensorType},
    {"TupleType", kTupleType},
    {"FuncType", kFuncType},
    {"PrimType", kPrimType},
    {"relay.attrs.CallLoweredAttrs", kCallLoweredAttrs},
    {"relay.attrs.OnDeviceAttrs", kOnDeviceAttrs},
    {"Span", kSourceSpan},
};

}  // namespace

std::span<const RecordField> RecordFieldsOf(std::string_view type_key) {
  for (const Schema& schema : kSchemas) {
    if (schema.type_key == type_key) return schema.fields;
  }
  return {};
}

std::optional<int64_t> CanonicalInt(std::string_view text) {
  if (text.size() > 1 && (text[0] == '0' || text.starts_with("-0"))) return std::nullopt;
  return WholeNumber<int64_t>(text);
}

void UnlistedFields::Add(std::string_view type_key, std::string_view field, const std::string* text,
                         size_t index, size_t count) {
  Guess& guess = guesses_[AttributeKey(type_key, field)];
  const std::optional<int64_t> value = text != nullptr ? CanonicalInt(*text) : std::nullopt;
  if (!value || *value < 0 || static_cast<size_t>(*value) >= count) {
    guess.all_indices = false;
  } else if (static_cast<size_t>(*value) > index) {
    guess.has_later = true;
  }
}

void UnlistedFields::State(std::string_view attribute, std::string_view value) {
  if (value != kStatedReference && value != kStatedNumber) return;
  guesses_[std::string(attribute)].stated = value == kStatedReference;
}

bool UnlistedFields::IsReference(std::string_view type_key, std::string_view field) const {
  const auto found = guesses_.find(AttributeKey(type_key, field));
  if (found == guesses_.end()) return false;
  const Guess& guess = found->second;
  return guess.stated.value_or(guess.all_indices && guess.has_later);
}

std::string UnlistedFields::AttributeKey(std::string_view type_key, std::string_view field) {
  // A line break separates them: no type of TVM has one.
  return fmt::format("tenon.field\n{}\n{}", type_key, field);
}

std::string_view UnlistedFields::AttributeValue(bool is_reference) {
  return is_reference ? kStatedReference : kStatedNumber;
}

}  // namespace tenon
