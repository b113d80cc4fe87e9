// Before each call of external code, its body runs on copies of the same inputs. Guards around
// results detect writes outside of them. A second call, on magnitudes, determines the bound for
// errors of floats.

#include "byoc/check_externals.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "byoc/code_generator.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/pointers.h"
#include "ir/analysis/statement_call.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/external_code.h"
#include "ir/function_attrs.h"
#include "ir/function_interface.h"
#include "ir/rewriter.h"
#include "ir/visitor.h"
#include "lowering/entry/c_text.h"
#include "passes/constants/constant_entries.h"

namespace tenon {

namespace {

/// The use of one parameter of an external function by the checks.
struct CheckedParam {
  const Buffer* buffer = nullptr;
  bool reads = false;
  bool writes = false;
  /// The function reads the old value, or does not overwrite all of it.
  bool keeps = false;
  /// The number of a result; -1 for other parameters.
  int result = -1;
  /// The number of an input that the code must not change; -1 for other parameters.
  int input = -1;
};

struct CheckedFunction {
  Symbol body;
  std::vector<CheckedParam> params;
  /// For each argument of the body, its index among the arguments of the function.
  std::vector<size_t> body_args;
  size_t check = 0;
  bool has_bound = false;
  /// Only the beginning and the end of its calls are reported.
  bool is_timed = false;
  /// The C function that says whether the body runs instead of the code; empty: it never does.
  std::string missing = {};
  /// The caller of the program is notified if the body runs.
  bool notes = false;
};
using CheckedFunctions = absl::flat_hash_map<Symbol, CheckedFunction>;

bool HasMagnitude(const Buffer& buffer) {
  const int bits = buffer.dtype.bits();
  return (buffer.dtype.is_float() && (bits == 16 || bits == 32 || bits == 64)) ||
         buffer.dtype.is_bfloat16();
}

/// The operators of a function, and the terms of all their sums.
void AddOperators(const IRModule& module, const Function& function, ExternalCheck& check) {
  const ExternalFunction external = ReadExternalFunction(module, function);
  if (!external.ops) return;
  for (const OpCall& call : *external.ops) {
    const OpInfo& info = call.op.info;
    check.operators.emplace_back(call.op.name);
    check.reorders |= !info.bitwise;
    if (info.elements > 0) check.terms += (info.macs + info.elements - 1) / info.elements;
  }
}

/// Lists the C declarations of the outside functions that a function in TIR calls.
class PrototypeLister {
 public:
  PrototypeLister(const IRModule& module, const std::vector<Function>& tir)
      : module_(module), tir_(tir) {}

  std::vector<std::string> Of(Symbol name) {
    for (const Function& function : tir_) {
      if (function.name == name) Add(function);
    }
    return std::move(prototypes_);
  }

 private:
  void Add(const Function& function) {
    if (!seen_.insert(function.name).second) return;
    const PointerRoots roots(*function.func);
    Walk(function.func->body, [&](const Node* node) {
      const CallSite call = AsCallSite(module_, dyn_cast<Call>(node));
      if (call.call == nullptr || call.callee != nullptr) return true;
      const auto own = std::find_if(tir_.begin(), tir_.end(), [&](const Function& other) {
        return other.name.view() == call.name;
      });
      if (own != tir_.end()) {
        Add(*own);
      } else if (seen_externs_.insert(call.name).second) {
        prototypes_.push_back(Prototype(function, call, roots));
      }
      return true;
    });
  }

  std::string Prototype(const Function& function, const CallSite& call,
                        const PointerRoots& roots) const {
    const ArrayAttr* declared = ExternDeclaration(module_, function, call.name);
    std::string params;
    for (size_t i = 0; i < call.args.size(); ++i) {
      const Expr* arg = call.args[i];
      const DataType dtype = arg->dtype;
      std::string type(CType(dtype));
      if (dtype.is_handle()) {
        const Var* root = roots.RootOf(arg);
        std::string_view element = root == nullptr ? "" : CType(root->type->dtype.element());
        if (element.empty() || root->type->dtype.is_handle()) element = "void";
        const bool writes = EffectOfExtern(call, declared, i).writes;
        type = fmt::format("{}{}*", writes ? "" : "const ", element);
      }
      params += fmt::format("{}{}", i == 0 ? "" : ", ", type);
    }
    const DataType result = call.call->dtype;
    return fmt::format("{} {}({})", result.is_void() ? "void" : CType(result), call.name,
                       params.empty() ? "void" : params);
  }

  const IRModule& module_;
  const std::vector<Function>& tir_;
  absl::flat_hash_set<Symbol> seen_;
  absl::flat_hash_set<std::string_view> seen_externs_;
  std::vector<std::string> prototypes_;
};

/// Adds calls of the body and comparisons to calls of external functions.
class CheckAdder : public Rewriter<CheckAdder> {
 public:
  CheckAdder(Context& context, std::shared_ptr<Storage> storage, const IRModule& module,
             const CheckedFunctions& checked)
      : Rewriter(context, std::move(storage)),
        module_(module),
        checked_(checked),
        names_(context) {}

  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    names_.TakeAll(*function);
    roots_ = PointerRoots(*function);
    constants_.clear();
    for (const AllocateConst* constant : ConstantsOf(*function))
      constants_.insert(constant->buffer_var);
    PrimFunc copy = *function;
    copy.body = RewriteAny(function->body);
    if (copy.body == function->body) return function;
    copy.attrs = Declared(function->attrs);
    return arena().New<PrimFunc>(copy);
  }

  const Stmt* RewriteEvaluate(const Evaluate* evaluate) {
    const CallSite site = CallOfStatement(module_, evaluate).site;
    const auto found = site.callee == nullptr ? checked_.end() : checked_.find(site.callee->name);
    if (found == checked_.end() || site.args.size() < found->second.params.size())
      return RewriteChildren(evaluate);
    return Checked(evaluate, site, found->second);
  }

 private:
  /// Memory of the checks, allocated around the statement.
  struct Copy {
    const Var* var = nullptr;
    DataType dtype;
    Span<const Expr*> shape;
    /// The buffer declared inside of the allocation; null: the variable is enough.
    const Buffer* buffer = nullptr;
  };
  /// The check of one call, during its construction.
  struct CallCheck {
    SourceRange range;
    const CheckedFunction& function;
    Span<const Expr*> args;
    std::vector<Copy> copies = {};
    std::vector<const Stmt*> statements = {};
    /// The values of each argument: for the code, for the body, and for the body on magnitudes of
    /// inputs.
    std::vector<const Expr*> got, expected, bounds;
  };

  const Stmt* Checked(const Evaluate* evaluate, const CallSite& site,
                      const CheckedFunction& function) {
    const std::vector<const Expr*> args(site.args.begin(), site.args.end());
    CallCheck check{evaluate->range, function, site.args, {}, {}, args, args, args};
    if (function.is_timed) return Timed(evaluate, check);
    if (!function.missing.empty()) return Fallback(evaluate, site, check);
    for (size_t i = 0; i < function.params.size(); ++i) Prepare(check, i);
    check.statements.push_back(CallBody(function, check.expected, site.call, check.range));
    if (function.has_bound)
      check.statements.push_back(CallBody(function, check.bounds, site.call, check.range));
    Guard(check);
    ForInputs(check, kSaveFunction);
    const Expr* number = Number(static_cast<int64_t>(function.check));
    check.statements.push_back(CallHelper(kEnterFunction, {number}, check.range));
    check.statements.push_back(CallWith(evaluate, site, check.got));
    check.statements.push_back(CallHelper(kLeaveFunction, {number}, check.range));
    ForInputs(check, kUnchangedFunction);
    Compare(check);
    return WithCopies(check);
  }

  const Stmt* Timed(const Evaluate* evaluate, CallCheck& check) {
    const Expr* number = Number(static_cast<int64_t>(check.function.check));
    check.statements = {CallHelper(kEnterFunction, {number}, check.range), evaluate,
                        CallHelper(kLeaveFunction, {number}, check.range)};
    return WithCopies(check);
  }

  /// A choice between the code and the body.
  const Stmt* Fallback(const Evaluate* evaluate, const CallSite& site, CallCheck& check) {
    const CheckedFunction& function = check.function;
    std::vector<const Stmt*> body;
    if (function.notes) {
      body.push_back(CallHelper(kFallbackFunction, {Number(static_cast<int64_t>(function.check))},
                                check.range));
    }
    body.push_back(CallBody(function, check.expected, site.call, check.range));
    missing_ = function.missing;
    const Expr* const name = builder().String(function.missing, check.range);
    const Expr* missing =
        builder().New<Call>(check.range, DataType::Int(32), Op::Get(OpKind::kCallExtern),
                            arena().Copy(Span<const Expr*>(&name, 1)));
    const Expr* is_there = builder().New<EQ>(check.range, missing, builder().Int(0));
    return builder().New<IfThenElse>(
        check.range, is_there, evaluate,
        builder().Seq(Span<const Stmt*>(body.data(), body.size()), check.range));
  }

  /// Allocates memory for the body's writes through parameter `index`, and for magnitudes.
  void Prepare(CallCheck& check, size_t index) {
    const CheckedParam& param = check.function.params[index];
    if (param.buffer == nullptr) return;
    const Expr* arg = check.args[index];
    const auto copy = [&](const Expr* to) {
      check.statements.push_back(
          CallHelper(kCopyFunction, {to, arg, Number(Bytes(*param.buffer))}, check.range));
    };
    if (param.writes) check.expected[index] = NewCopy(check, param.buffer, "expected");
    if (param.writes && param.keeps) copy(check.expected[index]);
    if (!check.function.has_bound) return;
    const bool is_magnitude = param.reads && HasMagnitude(*param.buffer);
    if (param.writes || is_magnitude)
      check.bounds[index] = NewCopy(check, param.buffer, "magnitude");
    if (is_magnitude) {
      const int64_t elements = Bytes(*param.buffer) / param.buffer->dtype.element_bytes();
      check.statements.push_back(CallHelper(
          kMagnitudeFunction,
          {check.bounds[index], arg, Number(elements), Number(param.buffer->dtype.bits())},
          check.range));
    } else if (param.writes && param.keeps) {
      copy(check.bounds[index]);
    }
  }

  /// Passes memory between guards to the code, for its results.
  void Guard(CallCheck& check) {
    for (size_t i = 0; i < check.function.params.size(); ++i) {
      const CheckedParam& param = check.function.params[i];
      if (param.result < 0) continue;
      const int64_t bytes = Bytes(*param.buffer);
      const Buffer* memory = NewGuarded(check, bytes + 2 * kGuardBytes);
      check.statements.push_back(
          CallHelper(kGuardFunction, {memory->data, Number(bytes + 2 * kGuardBytes)}, check.range));
      check.got[i] = builder().NewCall(DataType::Handle(), OpKind::kAddressOf,
                                       {builder().Load(memory, {Number(kGuardBytes)}, check.range)},
                                       check.range);
      if (!param.keeps) continue;
      check.statements.push_back(
          CallHelper(kCopyFunction, {check.got[i], check.args[i], Number(bytes)}, check.range));
    }
  }

  /// Calls a helper for each input that the code must not change.
  void ForInputs(CallCheck& check, std::string_view helper) {
    for (size_t i = 0; i < check.function.params.size(); ++i) {
      const int input = check.function.params[i].input;
      if (input < 0 || constants_.contains(roots_.RootOf(check.args[i]))) continue;
      check.statements.push_back(CallHelper(
          helper,
          {Number(static_cast<int64_t>(check.function.check)), Number(input), check.args[i]},
          check.range));
    }
  }

  /// Compares the results, and copies them to their destinations.
  void Compare(CallCheck& check) {
    for (size_t i = 0; i < check.function.params.size(); ++i) {
      const CheckedParam& param = check.function.params[i];
      if (param.result < 0) continue;
      const bool has_bound = check.function.has_bound && HasMagnitude(*param.buffer);
      check.statements.push_back(CallHelper(
          kCompareFunction,
          {Number(static_cast<int64_t>(check.function.check)), Number(param.result), check.got[i],
           check.expected[i], has_bound ? check.bounds[i] : check.expected[i]},
          check.range));
      check.statements.push_back(CallHelper(
          kCopyFunction, {check.args[i], check.got[i], Number(Bytes(*param.buffer))}, check.range));
    }
  }

  const Stmt* WithCopies(const CallCheck& check) {
    const Stmt* result = builder().Seq(
        Span<const Stmt*>(check.statements.data(), check.statements.size()), check.range);
    for (size_t i = check.copies.size(); i-- > 0;) {
      const Copy& copy = check.copies[i];
      if (copy.buffer != nullptr)
        result = builder().New<DeclBuffer>(check.range, copy.buffer, result);
      result = builder().New<Allocate>(check.range, copy.var, copy.dtype, copy.shape,
                                       builder().Bool(true), nullptr, result);
    }
    return result;
  }

  /// The statement with other arguments in its call.
  const Stmt* CallWith(const Evaluate* evaluate, const CallSite& site,
                       const std::vector<const Expr*>& args) {
    const Call* call = site.call;
    std::vector<const Expr*> all(call->args.begin(), call->args.end());
    std::copy(args.begin(), args.end(), all.end() - static_cast<ptrdiff_t>(args.size()));
    Call copy = *call;
    copy.args = arena().Copy(Span<const Expr*>(all.data(), all.size()));
    const Expr* now = arena().New<Call>(copy);
    if (evaluate->value != call) {
      Call checked = *cast<Call>(evaluate->value);
      std::vector<const Expr*> outer(checked.args.begin(), checked.args.end());
      std::replace(outer.begin(), outer.end(), static_cast<const Expr*>(call), now);
      checked.args = arena().Copy(Span<const Expr*>(outer.data(), outer.size()));
      now = arena().New<Call>(checked);
    }
    return builder().New<Evaluate>(evaluate->range, now);
  }

  static int64_t Bytes(const Buffer& buffer) {
    return StaticBytes(buffer.dtype, buffer.shape).value_or(0);
  }
  const Expr* Number(int64_t value) { return builder().Int(DataType::Int(64), value); }

  const Var* NewMemory(std::string_view name, DataType dtype, SourceRange range) {
    const Symbol symbol = names_.Make(builder().context().Intern(name));
    const Type* type = builder().context().PointerType(dtype, "global.workspace");
    return builder().NewVar(symbol.view(), type, range);
  }

  const Expr* NewCopy(CallCheck& check, const Buffer* like, std::string_view name) {
    const Var* var = NewMemory(name, like->dtype, check.range);
    check.copies.push_back({var, like->dtype, like->shape, nullptr});
    return var;
  }

  const Buffer* NewGuarded(CallCheck& check, int64_t bytes) {
    const Var* var = NewMemory("guarded", DataType::UInt(8), check.range);
    const auto shape = builder().List<Expr>({Number(bytes)});
    const Buffer* buffer = builder().New<Buffer>(check.range, var->name, var, DataType::UInt(8),
                                                 shape, builder().Int(0));
    check.copies.push_back({var, DataType::UInt(8), shape, buffer});
    return buffer;
  }

  const Stmt* CallHelper(std::string_view name, std::initializer_list<const Expr*> args,
                         SourceRange range) {
    std::vector<const Expr*> all = {builder().String(name, range)};
    all.insert(all.end(), args.begin(), args.end());
    return NewCall(std::move(all), DataType::Int(32), OpKind::kCallExtern, range);
  }

  const Stmt* CallBody(const CheckedFunction& function, const std::vector<const Expr*>& args,
                       const Call* like, SourceRange range) {
    std::vector<const Expr*> all = {builder().String(function.body.view(), range)};
    for (const size_t index : function.body_args) all.push_back(args[index]);
    return NewCall(std::move(all), like->dtype, OpKind::kCallExtern, range);
  }

  const Stmt* NewCall(std::vector<const Expr*> args, DataType dtype, OpKind kind,
                      SourceRange range) {
    const Call* call = builder().New<Call>(
        range, dtype, Op::Get(kind), arena().Copy(Span<const Expr*>(args.data(), args.size())));
    return builder().New<Evaluate>(range, call);
  }

  /// Declares the effects of the helpers on their arguments.
  const MapAttr* Declared(const MapAttr* attrs) {
    const auto* externs = dyn_cast_or_null<MapAttr>(attrs->Find(attr_key::kExterns));
    const auto declare = [&](std::string_view name, std::initializer_list<const char*> letters) {
      std::vector<const Attr*> items;
      for (const char* letter : letters) items.push_back(builder().StringValue(letter));
      externs = builder().With(externs, name, builder().Array(items));
    };
    if (!missing_.empty()) declare(missing_, {});
    declare(kFallbackFunction, {""});
    declare(kCopyFunction, {"w", "r", ""});
    declare(kMagnitudeFunction, {"o", "r", "", ""});
    declare(kGuardFunction, {"o", ""});
    declare(kEnterFunction, {""});
    declare(kSaveFunction, {"", "", "r"});
    declare(kLeaveFunction, {""});
    declare(kUnchangedFunction, {"", "", "r"});
    declare(kCompareFunction, {"", "", "r", "r", "r"});
    return builder().With(attrs, attr_key::kExterns, externs);
  }

  const IRModule& module_;
  const CheckedFunctions& checked_;
  std::string missing_;
  FreeNames names_;
  PointerRoots roots_;
  absl::flat_hash_set<const Var*> constants_;
};

/// For each parameter of `original`, its index in `now`; nullopt if `now` lacks a parameter.
std::optional<std::vector<size_t>> SharedParams(const PrimFunc& original, const PrimFunc& now) {
  std::vector<size_t> indices;
  for (const Var* param : original.params) {
    const auto found = std::find(now.params.begin(), now.params.end(), param);
    if (found == now.params.end()) return std::nullopt;
    indices.push_back(static_cast<size_t>(found - now.params.begin()));
  }
  return indices;
}

/// The function under another name, for the host to compile.
Function BodyOf(const IRModule& module, const Function& function) {
  std::string name = fmt::format("{}_body", function.name.view());
  while (module.FindCallee(name) != nullptr) name += '_';
  Function body = WithoutAttrs(module.context(), function,
                               {attr_key::kCompiler, attr_key::kExternal, attr_key::kGlobalSymbol});
  body.name = module.context().Intern(name);
  return body;
}

/// True if the elements are contiguous from the start of the memory, and their number is known.
bool IsPlainTensor(const Buffer* buffer) {
  return buffer != nullptr && buffer->strides.empty() && IsConstInt(buffer->elem_offset, 0) &&
         StaticBytes(buffer->dtype, buffer->shape).has_value();
}

/// The checks of a function; nullopt if the function cannot be checked.
std::optional<CheckedFunction> Check(const IRModule& module, const ModuleEffects& effects,
                                     const Function& function, const ExternalCode& code,
                                     ExternalCheck& check) {
  CheckedFunction checked;
  const PrimFunc& func = *function.func;
  const std::string_view* target = AsString(function.FindAttr(attr_key::kCompiler));
  check.symbol = code.symbol;
  if (target != nullptr) check.target = *target;
  AddOperators(module, function, check);
  bool has_float = false;
  for (size_t i = 0; i < func.params.size(); ++i) {
    CheckedParam& param = checked.params.emplace_back();
    const ArgumentEffect effect = effects.Of(function).params[i];
    if (!effect.reads && !effect.writes) continue;
    const Buffer* buffer = func.buffers[i];
    const bool is_plain = IsPlainTensor(buffer);
    if (!is_plain && effect.writes) return std::nullopt;
    if (!is_plain) continue;
    param.buffer = buffer;
    param.reads = effect.reads;
    param.writes = effect.writes;
    const std::string letters = i < code.effects.size() ? code.effects[i] : std::string();
    param.keeps = effect.reads || letters != "o";
    ExternalCheck::Tensor tensor{std::string(buffer->name.view()), buffer->dtype,
                                 *StaticShape(buffer->shape),
                                 *StaticBytes(buffer->dtype, buffer->shape)};
    if (effect.writes) {
      param.result = static_cast<int>(check.results.size());
      has_float |= HasMagnitude(*buffer);
      check.results.push_back(std::move(tensor));
    } else if (letters.find_first_of("wo") == std::string::npos) {
      param.input = static_cast<int>(check.inputs.size());
      check.inputs.push_back(std::move(tensor));
    }
  }
  if (check.results.empty()) return std::nullopt;
  checked.has_bound = has_float && check.terms > 0;
  return checked;
}

}  // namespace

CheckedExternals AddExternalChecks(const IRModule& module, const std::vector<Function>& tir,
                                   const OriginalFunctions& originals) {
  CheckedExternals result(module);
  const ModuleEffects effects(module);
  CheckedFunctions checked;
  for (const Function& function : module.functions()) {
    const std::optional<ExternalCode> code = ReadExternalCode(function);
    if (!code) continue;
    ExternalCheck check;
    std::optional<CheckedFunction> how = Check(module, effects, function, *code, check);
    const auto original = originals.find(function.name);
    const Function& meaning = original == originals.end() ? function : original->second;
    std::optional<std::vector<size_t>> body_args = SharedParams(*meaning.func, *function.func);
    if (!how || !body_args) {
      check.results.clear();
      result.checks.push_back(std::move(check));
      continue;
    }
    check.prototypes = PrototypeLister(module, tir).Of(function.name);
    how->body_args = *std::move(body_args);
    Function body = BodyOf(result.module, meaning);
    how->body = body.name;
    how->check = result.checks.size();
    result.module.Add(std::move(body));
    result.checks.push_back(std::move(check));
    checked.emplace(function.name, *std::move(how));
  }
  if (checked.empty()) return result;
  for (const Function& function : module.functions()) {
    Function now = RewriteFunction<CheckAdder>(module.context(), function, module, checked);
    if (now.func != function.func) result.module.Update(std::move(now));
  }
  return result;
}

CheckedExternals AddExternalTimers(const IRModule& module) {
  CheckedExternals result(module);
  CheckedFunctions checked;
  for (const Function& function : module.functions()) {
    const std::optional<ExternalCode> code = ReadExternalCode(function);
    if (!code) continue;
    CheckedFunction how;
    how.check = result.checks.size();
    how.is_timed = true;
    ExternalCheck& check = result.checks.emplace_back();
    check.symbol = code->symbol;
    const std::string_view* target = AsString(function.FindAttr(attr_key::kCompiler));
    if (target != nullptr) check.target = *target;
    checked.emplace(function.name, std::move(how));
  }
  for (const Function& function : module.functions()) {
    Function now = RewriteFunction<CheckAdder>(module.context(), function, module, checked);
    if (now.func != function.func) result.module.Update(std::move(now));
  }
  return result;
}

namespace {

/// C of the functions that call `inits` instead of the entry, and of the function `missing`.
std::string FallbackText(const std::vector<ExternalInit>& inits, std::string_view missing) {
  std::string text = fmt::format(
      "/* Made by Tenon: remembers whether the machine can run external functions. */\n\n"
      "#include <stdint.h>\n\n"
      "static int32_t is_missing;\n"
      "int32_t {0}(void);\n"
      "int32_t {0}(void) {{ return is_missing; }}\n",
      missing);
  for (const ExternalInit& init : inits) {
    text += fmt::format(
        "\nint32_t {0}(void* state, int64_t bytes);\n"
        "int32_t {0}_or_body(void* state, int64_t bytes);\n"
        "int32_t {0}_or_body(void* state, int64_t bytes) {{\n"
        "  const int32_t result = is_missing ? 0 : {0}(state, bytes);\n"
        "  if (result != 1) return result; /* TENON_EXTERNAL_UNAVAILABLE */\n"
        "  is_missing = 1;\n"
        "  return 0;\n"
        "}}\n",
        init.symbol);
    if (init.fini.empty()) continue;
    text += fmt::format(
        "\nint32_t {0}(void* state, int64_t bytes);\n"
        "int32_t {0}_or_body(void* state, int64_t bytes);\n"
        "int32_t {0}_or_body(void* state, int64_t bytes) {{\n"
        "  return is_missing ? 0 : {0}(state, bytes);\n"
        "}}\n",
        init.fini);
  }
  return text;
}

/// The entry with the functions of FallbackText as its inits.
Function WithFallbackInits(const IRModule& module, const Function& entry,
                           std::vector<ExternalInit> inits) {
  for (ExternalInit& init : inits) {
    init.symbol += "_or_body";
    if (!init.fini.empty()) init.fini += "_or_body";
  }
  return WithAttrs(module.context(), entry, [&](NodeBuilder& builder, const MapAttr* attrs) {
    return builder.With(attrs, attr_key::kExternal, WriteExternalInits(builder, inits));
  });
}

}  // namespace

FallbackExternals AddExternalFallback(const IRModule& module, const OriginalFunctions& originals,
                                      bool notes) {
  FallbackExternals result{CheckedExternals(module), {}};
  IRModule& now = result.checked.module;
  const Function* entry = module.Main();
  const std::vector<ExternalInit> inits =
      entry == nullptr ? std::vector<ExternalInit>() : ReadExternalInits(*entry->func);
  // Code without checks and inits runs on every machine.
  if (inits.empty()) return result;
  const std::string missing = fmt::format("{}_missing", inits[0].symbol);
  CheckedFunctions checked;
  for (const Function& function : module.functions()) {
    const std::optional<ExternalCode> code = ReadExternalCode(function);
    if (!code) continue;
    const auto original = originals.find(function.name);
    const Function& meaning = original == originals.end() ? function : original->second;
    std::optional<std::vector<size_t>> args = SharedParams(*meaning.func, *function.func);
    if (!args) continue;
    Function body = BodyOf(now, meaning);
    CheckedFunction how;
    how.body = body.name;
    how.body_args = *std::move(args);
    how.missing = missing;
    how.notes = notes;
    how.check = result.checked.checks.size();
    if (notes) result.checked.checks.emplace_back().symbol = code->symbol;
    now.Add(std::move(body));
    checked.emplace(function.name, std::move(how));
  }
  now.Update(WithFallbackInits(module, *entry, inits));
  const IRModule before = now;
  for (const Function& function : before.functions()) {
    Function called = RewriteFunction<CheckAdder>(module.context(), function, before, checked);
    if (called.func != function.func) now.Update(std::move(called));
  }
  result.source = {missing + ".c", FallbackText(inits, missing)};
  return result;
}

}  // namespace tenon
