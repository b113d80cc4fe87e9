#include "byoc/check_externals.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "byoc/code_generator.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/statement_call.h"
#include "ir/attributes.h"
#include "ir/extents.h"
#include "ir/external_code.h"
#include "ir/rewriter.h"
#include "passes/constants/constant_entries.h"

namespace tenon {

namespace {

/// The use of one parameter of an external function by the checks.
struct CheckedParam {
  const Buffer* buffer = nullptr;
  bool reads = false;
  bool writes = false;
  /// The old value matters: it is read, or not all of it is written.
  bool keeps = false;
  /// The number of a result; -1 for other parameters.
  int result = -1;
};

struct CheckedFunction {
  Symbol body;
  std::vector<CheckedParam> params;
  /// The argument of the function that each argument of the body is.
  std::vector<size_t> body_args;
  size_t check = 0;
  bool has_bound = false;
};
using CheckedFunctions = absl::flat_hash_map<Symbol, CheckedFunction>;

bool HasMagnitude(const Buffer& buffer) {
  return buffer.dtype.is_float() && (buffer.dtype.bits() == 32 || buffer.dtype.bits() == 64);
}

/// Terms of the sums of all operators in a function.
int64_t TermsOf(const IRModule& module, const Function& function) {
  const ExternalFunction external = ReadExternalFunction(module, function);
  int64_t terms = 0;
  if (!external.ops) return terms;
  for (const OpCall& call : *external.ops) {
    const OpInfo& info = call.op.info;
    if (info.elements > 0) terms += (info.macs + info.elements - 1) / info.elements;
  }
  return terms;
}

/// Puts calls of the body and comparisons around calls of external functions.
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
    const Buffer* like = nullptr;
  };

  const Stmt* Checked(const Evaluate* evaluate, const CallSite& site,
                      const CheckedFunction& function) {
    const SourceRange range = evaluate->range;
    std::vector<Copy> copies;
    std::vector<const Stmt*> statements;
    std::vector<const Expr*> expected(site.args.begin(), site.args.end());
    std::vector<const Expr*> bounds = expected;
    for (size_t i = 0; i < function.params.size(); ++i) {
      const CheckedParam& param = function.params[i];
      if (param.buffer == nullptr) continue;
      if (param.writes) expected[i] = NewCopy(param.buffer, "expected", range, copies);
      if (param.writes && param.keeps)
        statements.push_back(CallHelper(
            kCopyFunction, {expected[i], site.args[i], Number(Bytes(*param.buffer))}, range));
      if (!function.has_bound) continue;
      const bool is_magnitude = param.reads && HasMagnitude(*param.buffer);
      if (param.writes || is_magnitude)
        bounds[i] = NewCopy(param.buffer, "magnitude", range, copies);
      if (is_magnitude) {
        const int64_t elements = Bytes(*param.buffer) / param.buffer->dtype.element_bytes();
        statements.push_back(CallHelper(
            kMagnitudeFunction,
            {bounds[i], site.args[i], Number(elements), Number(param.buffer->dtype.bits())},
            range));
      } else if (param.writes && param.keeps) {
        statements.push_back(CallHelper(
            kCopyFunction, {bounds[i], site.args[i], Number(Bytes(*param.buffer))}, range));
      }
    }
    statements.push_back(CallBody(function, expected, site.call, range));
    if (function.has_bound) statements.push_back(CallBody(function, bounds, site.call, range));
    statements.push_back(evaluate);
    for (size_t i = 0; i < function.params.size(); ++i) {
      const CheckedParam& param = function.params[i];
      if (param.result < 0) continue;
      const bool has_bound = function.has_bound && HasMagnitude(*param.buffer);
      statements.push_back(
          CallHelper(kCompareFunction,
                     {Number(static_cast<int64_t>(function.check)), Number(param.result),
                      site.args[i], expected[i], has_bound ? bounds[i] : expected[i]},
                     range));
    }
    const Stmt* result =
        builder().Seq(Span<const Stmt*>(statements.data(), statements.size()), range);
    for (size_t i = copies.size(); i-- > 0;) {
      const Buffer& like = *copies[i].like;
      result = builder().New<Allocate>(range, copies[i].var, like.dtype, like.shape,
                                       builder().Bool(true), nullptr, result);
    }
    return result;
  }

  static int64_t Bytes(const Buffer& buffer) {
    return StaticBytes(buffer.dtype, buffer.shape).value_or(0);
  }
  const Expr* Number(int64_t value) { return builder().Int(DataType::Int(64), value); }

  const Expr* NewCopy(const Buffer* like, std::string_view name, SourceRange range,
                      std::vector<Copy>& copies) {
    const Symbol symbol = names_.Make(builder().context().Intern(name));
    const Type* type = builder().context().PointerType(like->dtype, "global.workspace");
    copies.push_back({builder().NewVar(symbol.view(), type, range), like});
    return copies.back().var;
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

  /// Declares what the helpers do to their arguments.
  const MapAttr* Declared(const MapAttr* attrs) {
    const auto* externs = dyn_cast_or_null<MapAttr>(attrs->Find(attr_key::kExterns));
    const auto declare = [&](std::string_view name, std::initializer_list<const char*> letters) {
      std::vector<const Attr*> items;
      for (const char* letter : letters) items.push_back(builder().StringValue(letter));
      externs = builder().With(externs, name, builder().Array(items));
    };
    declare(kCopyFunction, {"o", "r", ""});
    declare(kMagnitudeFunction, {"o", "r", "", ""});
    declare(kCompareFunction, {"", "", "r", "r", "r"});
    return builder().With(attrs, attr_key::kExterns, externs);
  }

  const IRModule& module_;
  const CheckedFunctions& checked_;
  FreeNames names_;
};

/// For each parameter of `original` its index in `now`; nullopt when one is not there.
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
  auto storage = std::make_shared<Storage>(function.storage);
  NodeBuilder builder(module.context(), storage->arena());
  PrimFunc copy = *function.func;
  for (const std::string_view key :
       {attr_key::kCompiler, attr_key::kExternal, attr_key::kGlobalSymbol})
    copy.attrs = builder.With(copy.attrs, key, nullptr);
  const PrimFunc* now = storage->arena().New<PrimFunc>(copy);
  return {module.context().Intern(name), now, std::move(storage)};
}

/// The checks of a function; nullopt where it cannot be checked.
std::optional<CheckedFunction> Check(const IRModule& module, const ModuleEffects& effects,
                                     const Function& function, const ExternalCode& code,
                                     ExternalCheck& check) {
  CheckedFunction checked;
  const PrimFunc& func = *function.func;
  const std::string_view* target = AsString(function.FindAttr(attr_key::kCompiler));
  check.symbol = code.symbol;
  if (target != nullptr) check.target = *target;
  check.terms = TermsOf(module, function);
  bool has_float = false;
  for (size_t i = 0; i < func.params.size(); ++i) {
    CheckedParam& param = checked.params.emplace_back();
    const ArgumentEffect effect = effects.Of(function).params[i];
    if (!effect.reads && !effect.writes) continue;
    const Buffer* buffer = func.buffers[i];
    const bool is_sized = buffer != nullptr && StaticBytes(buffer->dtype, buffer->shape);
    if (!is_sized && effect.writes) return std::nullopt;
    if (!is_sized) continue;
    param.buffer = buffer;
    param.reads = effect.reads;
    param.writes = effect.writes;
    const std::string letters = i < code.effects.size() ? code.effects[i] : std::string();
    param.keeps = effect.reads || letters != "o";
    if (!effect.writes) continue;
    param.result = static_cast<int>(check.results.size());
    has_float |= HasMagnitude(*buffer);
    check.results.push_back({std::string(buffer->name.view()), buffer->dtype,
                             *StaticShape(buffer->shape),
                             *StaticBytes(buffer->dtype, buffer->shape)});
  }
  if (check.results.empty()) return std::nullopt;
  checked.has_bound = has_float && check.terms > 0;
  return checked;
}

}  // namespace

CheckedExternals AddExternalChecks(const IRModule& module, const OriginalFunctions& originals) {
  CheckedExternals result(module);
  const ModuleEffects effects(module);
  CheckedFunctions checked;
  for (const Function& function : module.functions()) {
    const std::optional<ExternalCode> code = ReadExternalCode(function);
    if (!code) continue;
    ExternalCheck check;
    std::optional<CheckedFunction> how = Check(module, effects, function, *code, check);
    if (!how) continue;
    const auto original = originals.find(function.name);
    const Function& meaning = original == originals.end() ? function : original->second;
    std::optional<std::vector<size_t>> body_args = SharedParams(*meaning.func, *function.func);
    if (!body_args) continue;
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

}  // namespace tenon
