// The C of entry functions: their signatures, which the header also declares, and their builtins.
// Fields are numbers in the IR, and get the names of the structs here.

#include <fmt/format.h>

#include <utility>

#include "ir/attributes.h"
#include "ir/builtins.h"
#include "lowering/c/c_internal.h"

namespace tenon::c_lowering {

namespace {

/// The names of the fields of a struct that entry functions take.
std::vector<std::string> FieldsOf(const EntryAbi& abi, std::string_view structure) {
  std::vector<std::string> names;
  if (structure == entry_struct::kPools) {
    for (const EntryPool& pool : abi.pools) names.push_back(pool.name);
  } else if (structure == entry_struct::kInputs || structure == entry_struct::kOutputs) {
    for (const EntryField& field : abi.Fields(structure == entry_struct::kOutputs))
      names.push_back(field.name);
  }
  return names;
}

}  // namespace

std::string FunctionEmitter::MapResult() const {
  const std::string_view mapped = MappedStruct(EntryFunctionOf(function_));
  return mapped.empty() ? std::string() : fmt::format("struct {}_{}", state_.prefix, mapped);
}

Text FunctionEmitter::EntryField(const Call* call) {
  const auto* structure = dyn_cast<Var>(call->args[0]);
  const int64_t* field = AsIntImm(call->args[1]);
  if (structure == nullptr || field == nullptr || state_.entry.abi == nullptr)
    return Unsupported(call, fmt::format("`{}` outside of entry functions", call->op->text));
  const bool is_set = call->op->kind == OpKind::kSetEntryField;
  read_.insert(NameOf(structure));
  const std::vector<std::string> fields =
      FieldsOf(*state_.entry.abi,
               is_set ? MappedStruct(EntryFunctionOf(function_)) : structure->name.view());
  if (*field < 0 || static_cast<size_t>(*field) >= fields.size())
    return Unsupported(call, fmt::format("field {} of a struct of {}", *field, fields.size()));
  return {fmt::format("{}{}{}", NameOf(structure), is_set ? "." : "->",
                      fields[static_cast<size_t>(*field)]),
          Binding::kPrimary, 1};
}

Text FunctionEmitter::EntryData(const Call* call) {
  const auto* kind = dyn_cast<StringImm>(call->args[0]);
  const auto* name = dyn_cast<StringImm>(call->args[1]);
  const int64_t* index = AsIntImm(call->args[1]);
  if (kind != nullptr && name != nullptr && kind->value == entry_data::kPool) {
    const auto pool = state_.entry.pools.find(std::string(name->value));
    if (pool != state_.entry.pools.end())
      return {pool->second.address, pool->second.is_constant ? Binding::kUnary : Binding::kPrimary,
              1};
  } else if (kind != nullptr && name != nullptr && kind->value == entry_data::kFlag) {
    return {fmt::format("&{}_{}", state_.prefix, name->value), Binding::kUnary, 1};
  } else if (kind != nullptr && index != nullptr && kind->value == entry_data::kStored &&
             *index >= 0 && static_cast<size_t>(*index) < state_.entry.loads.size()) {
    return {
        fmt::format("(const uint8_t*){}", state_.entry.loads[static_cast<size_t>(*index)].stored),
        Binding::kUnary, 1};
  }
  return Unsupported(call, "data that the module's entry does not have");
}

bool FunctionEmitter::IsConstData(const Expr* expr) const {
  const auto* call = dyn_cast<Call>(expr);
  if (call == nullptr || call->op->kind != OpKind::kEntryData) return false;
  const auto* name = dyn_cast<StringImm>(call->args[1]);
  if (name == nullptr) return true;
  const auto pool = state_.entry.pools.find(std::string(name->value));
  return pool != state_.entry.pools.end() && pool->second.is_constant;
}

Text FunctionEmitter::AtomicCall(const Call* call) {
  state_.has_atomics = true;
  const bool is_store = call->op->kind == OpKind::kAtomicStore;
  std::string args;
  for (const Expr* arg : call->args)
    args += fmt::format("{}{}", args.empty() ? "" : ", ", Argument(arg));
  return {fmt::format("{}_{}({})", state_.prefix, is_store ? "set_flag" : "exchange_flag", args),
          Binding::kPrimary, 2};
}

Text FunctionEmitter::ZstdCall(const Call* call) {
  const std::string size = Argument(call->args[1]);
  return {fmt::format("ZSTD_decompress({}, {}, {}, {}) == {} ? 0 : -1", Argument(call->args[0]),
                      size, Argument(call->args[2]), Argument(call->args[3]), size),
          Binding::kTernary, 2};
}

std::string FunctionEmitter::StatusText(const Expr* status) {
  const int64_t* code = IsEntryFunction() ? AsIntImm(status) : nullptr;
  if (code != nullptr && *code == kStatusNotLoaded)
    return MacroName(state_.prefix) + "_ERROR_NOT_LOADED";
  if (code != nullptr && *code == kStatusDamagedConstant)
    return MacroName(state_.prefix) + "_ERROR_DAMAGED_CONSTANT";
  if (code != nullptr && *code == kStatusTooManyRows)
    return MacroName(state_.prefix) + "_ERROR_TOO_MANY_ROWS";
  return Expression(status).text;
}

bool FunctionEmitter::EntryStatement(const Call* call) {
  switch (call->op->kind) {
    case OpKind::kSetEntryField:
      Line(fmt::format("{} = {};", EntryField(call).text, Argument(call->args[2])));
      return true;
    case OpKind::kCopyBytes:
      Line(fmt::format("{}({}, {}, {});",
                       load_ != nullptr && load_->is_copied ? "TENON_CONST_COPY" : "memcpy",
                       Argument(call->args[0]), Argument(call->args[1]), Argument(call->args[2])));
      return true;
    case OpKind::kAtomicStore:
      Line(fmt::format("{};", AtomicCall(call).text));
      return true;
    default:
      return false;
  }
}

void FunctionEmitter::LoadStatement(const AttrStmt* attr) {
  const int64_t* index = AsIntImm(attr->value);
  if (index == nullptr || *index < 0 || static_cast<size_t>(*index) >= state_.entry.loads.size())
    return Unsupported(attr, "a constant that the module's entry does not load");
  const EntryText::Load& load = state_.entry.loads[static_cast<size_t>(*index)];
  Line(fmt::format("/* {} */", load.comment));
  for (const std::string& check : load.checks)
    Line(fmt::format("if ({}) return TENON_CONSTANTS_DAMAGED;", check));
  const EntryText::Load* outer = std::exchange(load_, &load);
  Statement(attr->body);
  load_ = outer;
}

}  // namespace tenon::c_lowering
