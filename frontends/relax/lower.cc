#include "frontends/relax/lower.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/attributes.h"
#include "ir/builder.h"
#include "ir/builtins.h"
#include "ir/dialect.h"
#include "support/check.h"

namespace tenon::relax {

namespace {

std::string TextOf(const TensorType& type) {
  return fmt::format("{} [{}]", type.dtype.ToString(), fmt::join(type.shape, ", "));
}

/// The type of a parameter's buffer, if all its extents are constants.
std::optional<TensorType> TypeOf(const Buffer& buffer) {
  TensorType type{buffer.dtype, {}};
  for (const Expr* extent : buffer.shape) {
    const int64_t* value = AsIntImm(extent);
    if (value == nullptr) return std::nullopt;
    type.shape.push_back(*value);
  }
  return type;
}

/// Compares calls with their callees.
class CallChecker {
 public:
  CallChecker(Function& function, const IRModule& module, Diagnostics& diagnostics)
      : function_(function), module_(module), diagnostics_(diagnostics) {}

  bool Check(const Call& call) {
    const tenon::Function* callee = module_.Find(module_.context().Intern(call.function));
    if (callee == nullptr) {
      return Error(call.range, fmt::format("the module has no function `{}`", call.function));
    }
    const PrimFunc& func = *callee->func;
    const size_t count = call.arguments.size() + call.results.size();
    if (count != func.params.size()) {
      return Error(call.range,
                   fmt::format("`{}` has {} parameters, expected {}: {} arguments and {} results",
                               call.function, func.params.size(), count, call.arguments.size(),
                               call.results.size()));
    }
    bool ok = true;
    for (size_t i = 0; i < count; ++i) {
      const bool is_argument = i < call.arguments.size();
      const size_t tensor =
          is_argument ? call.arguments[i] : call.results[i - call.arguments.size()];
      const SourceRange range = is_argument ? call.argument_ranges[i] : call.range;
      ok &= CheckTensor(function_.tensors[tensor], func.buffers[i], range, call.function);
    }
    return ok;
  }

 private:
  bool Error(SourceRange range, std::string message) {
    diagnostics_.Error(DiagnosticKind::kType, range, std::move(message));
    return false;
  }

  bool CheckTensor(Tensor& tensor, const Buffer* param, SourceRange range,
                   std::string_view function) {
    if (param == nullptr) {
      return Error(range, fmt::format("`{}` takes a scalar here, expected a tensor", function));
    }
    const std::optional<TensorType> expected = TypeOf(*param);
    if (!expected) {
      return Error(range, fmt::format("`{}` takes a tensor whose shape is not constant here, which "
                                      "is not supported",
                                      function));
    }
    if (!tensor.type) {
      tensor.type = *expected;
      return true;
    }
    if (*tensor.type == *expected) return true;
    return Error(range, fmt::format("`{}` takes {} here, found {}", function, TextOf(*expected),
                                    TextOf(*tensor.type)));
  }

  Function& function_;
  const IRModule& module_;
  Diagnostics& diagnostics_;
};

/// Builds the TIR function.
class Lowering {
 public:
  Lowering(const Function& function, const IRModule& module, std::shared_ptr<Storage> storage)
      : function_(function),
        module_(module),
        storage_(std::move(storage)),
        builder_(module.context(), storage_->arena()),
        data_(function.tensors.size()),
        buffers_(function.tensors.size()) {}

  tenon::Function Run() {
    for (const size_t input : function_.inputs) AddParam(input);
    for (const Output& output : function_.outputs) AddOutput(output);
    for (const Call& call : function_.calls) {
      for (const size_t argument : call.arguments) Provide(argument);
      for (const size_t result : call.results) Provide(result);
      AddCall(call);
    }
    for (const auto& [from, to] : copies_) {
      Provide(from);
      AddCopy(from, to);
    }
    return Finish();
  }

 private:
  /// A statement, or the beginning of a scope around all following statements.
  struct Item {
    const Stmt* statement = nullptr;
    size_t tensor = 0;  ///< of a scope
  };

  const TensorType& TypeOfTensor(size_t tensor) const { return *function_.tensors[tensor].type; }

  Span<const Expr*> ExtentsOf(size_t tensor) {
    std::vector<const Expr*> extents;
    for (const int64_t extent : TypeOfTensor(tensor).shape) {
      extents.push_back(extent <= INT32_MAX ? builder_.Int(extent)
                                            : builder_.Int(DataType::Int(64), extent));
    }
    return builder_.arena().Copy(Span<const Expr*>(extents.data(), extents.size()));
  }

  /// A name that no other parameter, constant or allocation has.
  std::string UniqueName(std::string_view hint) {
    const std::string base(hint.empty() ? std::string_view("c") : hint);
    std::string name = base;
    for (int i = 1; !names_.insert(name).second; ++i) name = fmt::format("{}_{}", base, i);
    return name;
  }

  const Buffer* NewBuffer(size_t tensor, const std::string& name, const Var* data) {
    const SourceRange range = function_.tensors[tensor].range;
    return builder_.New<Buffer>(range, module_.context().Intern(name), data,
                                TypeOfTensor(tensor).dtype, ExtentsOf(tensor), builder_.Int(0));
  }

  const Type* PointerTo(size_t tensor) {
    const DataType dtype = TypeOfTensor(tensor).dtype;
    const DataType element = dtype == DataType::Bool() ? DataType::Int(8) : dtype;
    return module_.context().PointerType(element, "global");
  }

  const Buffer* AddParam(size_t tensor) {
    const Tensor& info = function_.tensors[tensor];
    const std::string name = UniqueName(info.name.empty() ? "output" : info.name);
    const Var* data = builder_.NewVar(name, PointerTo(tensor), info.range);
    const Buffer* buffer = NewBuffer(tensor, name, data);
    params_.push_back(builder_.NewVar(fmt::format("{}_handle", name), DataType::Handle()));
    param_buffers_.push_back(buffer);
    if (data_[tensor] == nullptr) {
      data_[tensor] = data;
      buffers_[tensor] = buffer;
    }
    return buffer;
  }

  void AddOutput(const Output& output) {
    const bool is_first = function_.tensors[output.tensor].kind == Tensor::Kind::kResult &&
                          data_[output.tensor] == nullptr;
    if (is_first) {
      AddParam(output.tensor);
      return;
    }
    // The tensor keeps its own memory, and is copied at the end.
    const Var* data = data_[output.tensor];
    const Buffer* buffer = buffers_[output.tensor];
    copies_.emplace_back(output.tensor, AddParam(output.tensor));
    data_[output.tensor] = data;
    buffers_[output.tensor] = buffer;
  }

  /// Opens the scope of an allocation or a constant, at its first use.
  void Provide(size_t tensor) {
    if (data_[tensor] != nullptr) return;
    const Tensor& info = function_.tensors[tensor];
    const std::string name = UniqueName(
        info.data != nullptr && !info.data->name().empty() ? info.data->name().view() : info.name);
    if (info.kind == Tensor::Kind::kConstant) {
      data_[tensor] = builder_.NewVar(
          name, module_.context().PointerType(TypeOfTensor(tensor).dtype, ""), info.range);
    } else {
      data_[tensor] = builder_.NewVar(name, PointerTo(tensor), info.range);
      buffers_[tensor] = NewBuffer(tensor, name, data_[tensor]);
    }
    items_.push_back({nullptr, tensor});
  }

  void AddCall(const Call& call) {
    std::vector<const Expr*> arguments;
    for (const size_t argument : call.arguments) arguments.push_back(data_[argument]);
    for (const size_t result : call.results) arguments.push_back(data_[result]);
    const Expr* value = builder_.New<tenon::Call>(
        call.range, DataType::Void(), Op::Get(OpKind::kGlobalCall),
        builder_.arena().Copy(Span<const Expr*>(arguments.data(), arguments.size())),
        module_.context().Intern(call.function));
    items_.push_back({builder_.New<Evaluate>(call.range, value), 0});
  }

  void AddCopy(size_t from, const Buffer* to) {
    const Buffer* source = buffers_[from];
    const bool is_new = source == nullptr;
    if (is_new) {
      source = NewBuffer(from, UniqueName(to->name.view()), data_[from]);
    }
    std::vector<const Expr*> indices;
    std::vector<const Var*> vars;
    for (size_t i = 0; i < to->shape.size(); ++i) {
      vars.push_back(builder_.NewVar(fmt::format("i{}", i), to->shape[i]->dtype));
      indices.push_back(vars.back());
    }
    const Span<const Expr*> list =
        builder_.arena().Copy(Span<const Expr*>(indices.data(), indices.size()));
    const Expr* value = builder_.New<BufferLoad>(to->range, source->dtype, source, list, nullptr);
    const Stmt* body = builder_.New<BufferStore>(to->range, to, value, list, nullptr);
    for (size_t i = vars.size(); i-- > 0;) {
      body = builder_.New<For>(to->range, vars[i], builder_.Int(vars[i]->dtype, 0), to->shape[i],
                               ForKind::kSerial, body, nullptr, nullptr);
    }
    if (is_new) body = builder_.New<DeclBuffer>(to->range, source, body);
    items_.push_back({body, 0});
  }

  const Stmt* Scope(size_t tensor, const Stmt* body) {
    const Tensor& info = function_.tensors[tensor];
    const DataType dtype = TypeOfTensor(tensor).dtype;
    if (info.kind == Tensor::Kind::kConstant) {
      TENON_CHECK(info.data != nullptr);
      return builder_.New<AllocateConst>(info.range, data_[tensor], dtype, ExtentsOf(tensor),
                                         info.data, static_cast<const MapAttr*>(nullptr), body);
    }
    const Stmt* declared = builder_.New<DeclBuffer>(info.range, buffers_[tensor], body);
    return builder_.New<Allocate>(info.range, data_[tensor], dtype, ExtentsOf(tensor),
                                  builder_.Bool(true), static_cast<const MapAttr*>(nullptr),
                                  declared);
  }

  const Stmt* Body() {
    std::vector<const Stmt*> later;  // the last statement first
    const auto join = [&] {
      std::reverse(later.begin(), later.end());
      const Stmt* body = builder_.Seq(Span<const Stmt*>(later.data(), later.size()));
      later.clear();
      return body;
    };
    for (size_t i = items_.size(); i-- > 0;) {
      const Item& item = items_[i];
      later.push_back(item.statement != nullptr ? item.statement : Scope(item.tensor, join()));
    }
    return join();
  }

  tenon::Function Finish() {
    const MapAttr* attrs =
        builder_.Map({{attr_key::kGlobalSymbol, builder_.StringValue(function_.name)}});
    const DialectRules& rules = RulesOf(module_.dialect);
    const Attr* yes = rules.has_bare_values
                          ? static_cast<const Attr*>(builder_.New<BoolAttr>({}, true))
                          : builder_.ExprValue(builder_.Bool(true));
    attrs = builder_.With(attrs, attr_key::kNoAlias, yes);
    if (rules.marks_s_tir) attrs = builder_.With(attrs, attr_key::kSTir, yes);
    Arena& arena = builder_.arena();
    const PrimFunc* func = builder_.New<PrimFunc>(
        function_.range, arena.Copy(Span<const Var*>(params_.data(), params_.size())),
        arena.Copy(Span<const Buffer*>(param_buffers_.data(), param_buffers_.size())),
        module_.context().VoidType(), attrs, Body());
    return {module_.context().Intern(function_.name), func, storage_};
  }

  const Function& function_;
  const IRModule& module_;
  std::shared_ptr<Storage> storage_;
  NodeBuilder builder_;
  std::vector<const Var*> data_;        ///< by tensor; null until it has a place
  std::vector<const Buffer*> buffers_;  ///< by tensor; null for constants
  std::vector<const Var*> params_;
  std::vector<const Buffer*> param_buffers_;
  std::vector<std::pair<size_t, const Buffer*>> copies_;
  std::vector<Item> items_;
  absl::flat_hash_set<std::string> names_;
};

}  // namespace

bool CheckCalls(Function& function, const IRModule& module, Diagnostics& diagnostics) {
  CallChecker checker(function, module, diagnostics);
  bool ok = true;
  for (const Call& call : function.calls) ok &= checker.Check(call);
  return ok;
}

tenon::Function Lower(const Function& function, const IRModule& module,
                      std::shared_ptr<Storage> storage) {
  return Lowering(function, module, std::move(storage)).Run();
}

}  // namespace tenon::relax
