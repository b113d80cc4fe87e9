// Checks, loading and the call of the model become TIR once, so that back ends only translate them.
// A function is added after those that it calls, whose free names are then known.

#include "passes/lowering/make_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/analysis/effects.h"
#include "ir/analysis/model_entry.h"
#include "ir/attributes.h"
#include "ir/builder.h"
#include "ir/builtins.h"
#include "ir/emitted_names.h"
#include "ir/text_names.h"
#include "passes/lowering/lz4_function.h"
#include "support/check.h"

namespace tenon {

namespace {

class EntryMaker {
 public:
  EntryMaker(const IRModule& module, const ModuleEffects& effects, const Function& main,
             ModelEntry entry, const MakeEntryOptions& options)
      : result_(module),
        main_(main),
        entry_(std::move(entry)),
        options_(options),
        prefix_(EmittedPrefix(module, options.module_name)),
        storage_(std::make_shared<Storage>(main.storage)),
        builder_(module.context(), storage_->arena()) {
    for (const Function& function : module.functions()) {
      for (const CallSite& call : effects.Of(function).calls) {
        if (call.callee == nullptr) externs_.emplace(call.name);
      }
    }
  }

  IRModule Make() {
    for (const bool is_output : {false, true}) {
      if (entry_.MapsAny(is_output)) AddMap(is_output);
    }
    if (!options_.runtime_lz4) AddLz4();
    if (!entry_.inits.empty()) AddInitExternals();
    if (entry_.HasInit()) AddInit();
    if (entry_.HasFini()) AddFini();
    AddRun();
    if (entry_.feed) AddFeed();
    return std::move(result_);
  }

 private:
  /// A function under construction: buffers over its pools, which are bound before its statements.
  struct Draft {
    std::vector<const Var*> params;
    const Var* pools = nullptr;
    std::map<size_t, const Buffer*> buffers;
    std::vector<const Stmt*> body;
  };

  // Expressions.
  const Expr* Null() {
    return builder_.NewCall(DataType::Handle(), OpKind::kReinterpret,
                            {builder_.Int(DataType::UInt(64), 0)});
  }
  const Expr* Number(int64_t value) {
    const bool is_short = value >= INT32_MIN && value <= INT32_MAX;
    return builder_.Int(DataType::Int(is_short ? 32 : 64), value);
  }
  const Expr* Field(const Var* structure, size_t field) {
    TENON_CHECK(structure != nullptr);
    return builder_.NewCall(DataType::Handle(), OpKind::kEntryField,
                            {structure, Number(static_cast<int64_t>(field))});
  }
  const Expr* Data(std::string_view kind, const Expr* name) {
    return builder_.NewCall(DataType::Handle(), OpKind::kEntryData, {builder_.String(kind), name});
  }
  const Expr* Flag(std::string_view name) { return Data(entry_data::kFlag, builder_.String(name)); }
  const Expr* PoolPointer(const Draft& draft, size_t pool) {
    const std::optional<size_t> field = entry_.PoolField(pool);
    if (field) return Field(draft.pools, *field);
    return Data(entry_data::kPool, builder_.String(entry_.signature.pools[pool].pool.name));
  }
  const Expr* Extern(std::string_view name, std::vector<const Expr*> args,
                     DataType dtype = DataType::Int(32)) {
    args.insert(args.begin(), builder_.String(name));
    return builder_.New<Call>({}, dtype, Op::Get(OpKind::kCallExtern),
                              builder_.arena().Copy(Span<const Expr*>(args.data(), args.size())));
  }
  /// A call of a function that this pass added.
  const Expr* Own(std::string_view role, std::initializer_list<const Expr*> args) {
    return builder_.New<Call>({}, DataType::Int(32), Op::Get(OpKind::kGlobalCall),
                              builder_.List<Expr>(args), own_.at(role));
  }
  const Expr* CallInit(const Draft& draft) {
    if (draft.pools == nullptr) return Own(entry_function::kInit, {});
    return Own(entry_function::kInit, {draft.pools});
  }
  const Expr* IsNotZero(const Expr* value) {
    return builder_.New<NE>({}, value, builder_.Int(value->dtype, 0));
  }

  // Statements.
  const Stmt* Do(const Expr* value) { return builder_.New<Evaluate>({}, value); }
  const Stmt* Return(const Expr* status) {
    return Do(builder_.NewCall(DataType::Int(32), OpKind::kRet, {status}));
  }
  const Stmt* If(const Expr* condition, const Stmt* then) {
    return builder_.New<IfThenElse>({}, condition, then, nullptr);
  }
  const Stmt* List(const std::vector<const Stmt*>& statements) {
    return builder_.Seq(Span<const Stmt*>(statements.data(), statements.size()));
  }
  /// Calls, and returns the result unless it is 0; then continues with `rest`.
  const Stmt* ReturnUnlessZero(std::string_view name, const Expr* call,
                               std::vector<const Stmt*> rest) {
    const Var* result = builder_.NewVar(name, DataType::Int(32));
    rest.insert(rest.begin(), If(IsNotZero(result), Return(result)));
    return builder_.New<LetStmt>({}, result, call, List(rest));
  }
  /// `body` with the flag `name` as a buffer of one int32.
  template <class Body>
  const Stmt* WithFlag(std::string_view name, Body body) {
    const Buffer* flag = NewBuffer(name, DataType::Int(32), 1);
    return builder_.New<LetStmt>({}, flag->data, Flag(name), body(flag));
  }

  const Buffer* NewBuffer(std::string_view name, DataType dtype, int64_t extent) {
    Context& context = builder_.context();
    const Var* data = builder_.NewVar(name, context.PointerType(dtype, "global"));
    return builder_.New<Buffer>({}, data->name, data, dtype, builder_.List<Expr>({Number(extent)}),
                                builder_.Int(0));
  }
  const Stmt* Set(const Buffer* buffer, const Expr* value) {
    return builder_.New<BufferStore>({}, buffer, value, builder_.List<Expr>({builder_.Int(0)}));
  }
  const Expr* Get(const Buffer* buffer) { return builder_.Load(buffer, {builder_.Int(0)}); }

  /// The address of a byte of a pool.
  const Expr* AddressIn(Draft& draft, size_t pool, int64_t offset) {
    const PoolArg& arg = entry_.signature.pools[pool];
    const Buffer*& buffer = draft.buffers[pool];
    if (buffer == nullptr) {
      const bool is_plain =
          IsPlainName(arg.pool.name) && !IsReservedName(arg.pool.name, result_.dialect);
      buffer = NewBuffer(is_plain ? arg.pool.name : fmt::format("pool_{}", pool), DataType::UInt(8),
                         std::max<int64_t>(arg.size_bytes, 1));
    }
    return builder_.NewCall(DataType::Handle(), OpKind::kAddressOf,
                            {builder_.Load(buffer, {Number(offset)})});
  }

  const Var* AddParam(Draft& draft, std::string_view name, DataType dtype = DataType::Handle()) {
    return draft.params.emplace_back(builder_.NewVar(name, dtype));
  }
  void AddPoolsParam(Draft& draft) {
    if (entry_.HasCallerPools()) draft.pools = AddParam(draft, entry_struct::kPools);
  }

  /// A name and symbol that no function of the module has, and that no call refers to. Back ends
  /// emit `<prefix>_<role>`.
  std::string FreeName(std::string_view role) const {
    std::string name = fmt::format("{}_{}", prefix_, role);
    while (result_.FindCallee(name) != nullptr || externs_.contains(name)) name += "_1";
    return name;
  }
  const MapAttr* Attrs(std::string_view role, bool is_private) {
    const MapAttr* attrs = builder_.Map({{attr_key::kEntryFunction, builder_.StringValue(role)}});
    if (is_private) return attrs;
    return builder_.With(attrs, attr_key::kGlobalSymbol, builder_.StringValue(FreeName(role)));
  }
  void AddFunction(std::string_view role, const PrimFunc* func) {
    const Symbol name = builder_.context().Intern(FreeName(role));
    own_.emplace(role, name);
    result_.Add({name, func, storage_});
  }
  void Add(std::string_view role, bool is_private, const Type* result, const Draft& draft) {
    const Stmt* body = List(draft.body);
    for (auto pool = draft.buffers.rbegin(); pool != draft.buffers.rend(); ++pool)
      body = builder_.New<LetStmt>({}, pool->second->data, PoolPointer(draft, pool->first), body);
    const std::vector<const Buffer*> buffers(draft.params.size(), nullptr);
    Arena& arena = builder_.arena();
    AddFunction(role,
                builder_.New<PrimFunc>(
                    {}, arena.Copy(Span<const Var*>(draft.params.data(), draft.params.size())),
                    arena.Copy(Span<const Buffer*>(buffers.data(), buffers.size())), result,
                    Attrs(role, is_private), body));
  }
  const Type* StatusType() { return builder_.context().PrimType(DataType::Int(32)); }

  /// The code returns the struct by value; in the function it is a parameter.
  void AddMap(bool is_output) {
    Draft draft;
    const Var* mapped = AddParam(draft, "mapped");
    AddPoolsParam(draft);
    const std::vector<size_t> fields = entry_.Fields(is_output);
    for (size_t i = 0; i < fields.size(); ++i) {
      const std::optional<EntryTensor::Place>& place = entry_.signature.tensors[fields[i]].place;
      draft.body.push_back(
          Do(builder_.NewCall(DataType::Int(32), OpKind::kSetEntryField,
                              {mapped, Number(static_cast<int64_t>(i)),
                               place ? AddressIn(draft, place->pool, place->offset) : Null()})));
    }
    Add(is_output ? entry_function::kMapOutputs : entry_function::kMapInputs, /*is_private=*/false,
        builder_.context().VoidType(), draft);
  }

  void AddLz4() {
    int64_t most = -1;
    for (const PlacedLoad& load : entry_.loads) {
      if (load.constant.codec != "lz4") continue;
      most = std::max({most, load.constant.size_bytes, load.constant.stored->size_bytes()});
    }
    if (most < 0) return;
    lz4_size_ = Lz4SizeType(most);
    AddFunction(entry_function::kLz4,
                MakeLz4Function(builder_, lz4_size_, Attrs(entry_function::kLz4, true)));
  }

  void AddInitExternals() {
    Draft draft;
    const Buffer* seen = NewBuffer("seen", DataType::Int(32), 1);
    const Buffer* result = NewBuffer("result", DataType::Int(32), 1);
    const Expr* flag = Flag(entry_data::kExternalsState);
    const Stmt* claim = Set(seen, builder_.NewCall(DataType::Int(32), OpKind::kAtomicCas,
                                                   {flag, builder_.Int(0), builder_.Int(1)}));
    std::vector<const Stmt*> calls = {Set(result, builder_.Int(0))};
    for (const ExternalInit& init : entry_.inits) {
      const Expr* state =
          init.bytes == 0 ? Null() : AddressIn(draft, *entry_.state_pool, init.offset);
      const Expr* call = Extern(init.symbol, {state, builder_.Int(DataType::Int(64), init.bytes)});
      calls.push_back(If(builder_.New<EQ>({}, Get(result), builder_.Int(0)), Set(result, call)));
    }
    const Expr* is_ready = builder_.New<EQ>({}, Get(result), builder_.Int(0));
    calls.push_back(Do(builder_.NewCall(
        DataType::Int(32), OpKind::kAtomicStore,
        {flag, builder_.New<Select>({}, is_ready, builder_.Int(2), builder_.Int(0))})));
    calls.push_back(Return(Get(result)));
    const Stmt* body = builder_.Seq(
        {claim, builder_.New<While>({}, builder_.New<EQ>({}, Get(seen), builder_.Int(1)), claim),
         If(builder_.New<EQ>({}, Get(seen), builder_.Int(2)), Return(builder_.Int(0))),
         List(calls)});
    for (const Buffer* buffer : {result, seen}) {
      body = builder_.New<Allocate>({}, buffer->data, buffer->dtype, buffer->shape,
                                    builder_.Bool(true), nullptr, body);
    }
    draft.body.push_back(body);
    Add(entry_function::kInitExternals, /*is_private=*/true, StatusType(), draft);
  }

  /// Ends external functions that are ready, the last one first.
  void AddFini() {
    Draft draft;
    AddPoolsParam(draft);
    const Buffer* result = NewBuffer("result", DataType::Int(32), 1);
    const Expr* flag = Flag(entry_data::kExternalsState);
    const Expr* claim = builder_.NewCall(DataType::Int(32), OpKind::kAtomicCas,
                                         {flag, builder_.Int(2), builder_.Int(1)});
    std::vector<const Stmt*> calls = {
        Set(result, claim),
        If(builder_.New<NE>({}, Get(result), builder_.Int(2)), Return(builder_.Int(0))),
        Set(result, builder_.Int(0))};
    for (size_t i = entry_.inits.size(); i-- > 0;) {
      const ExternalInit& init = entry_.inits[i];
      if (init.fini.empty()) continue;
      const Expr* state =
          init.bytes == 0 ? Null() : AddressIn(draft, *entry_.state_pool, init.offset);
      const Expr* call = Extern(init.fini, {state, builder_.Int(DataType::Int(64), init.bytes)});
      calls.push_back(If(IsNotZero(call), Set(result, builder_.Int(-1))));
    }
    calls.push_back(
        Do(builder_.NewCall(DataType::Int(32), OpKind::kAtomicStore, {flag, builder_.Int(0)})));
    calls.push_back(Return(Get(result)));
    draft.body.push_back(builder_.New<Allocate>({}, result->data, result->dtype, result->shape,
                                                builder_.Bool(true), nullptr, List(calls)));
    Add(entry_function::kFini, /*is_private=*/false, StatusType(), draft);
  }

  /// The statements that load constant number `index`.
  const Stmt* LoadConstant(Draft& draft, size_t index) {
    const PlacedLoad& load = entry_.loads[index];
    const LoadedConstant& constant = load.constant;
    const auto number = static_cast<int64_t>(index);
    const Expr* to = AddressIn(draft, load.pool, constant.offset);
    const Expr* from = load.stored_pool
                           ? AddressIn(draft, *load.stored_pool, constant.stored_offset)
                           : Data(entry_data::kStored, Number(number));
    const int64_t stored = constant.stored->size_bytes();
    const Stmt* statement = nullptr;
    if (constant.codec.empty()) {
      statement = Do(builder_.NewCall(DataType::Int(32), OpKind::kCopyBytes,
                                      {to, from, Number(constant.size_bytes)}));
    } else {
      statement = If(IsNotZero(Decode(constant, to, from, stored)),
                     Return(builder_.Int(kStatusDamagedConstant)));
    }
    return builder_.New<AttrStmt>({}, builder_.ExprValue(builder_.Int(0)), attr_key::kEntryLoad,
                                  Number(number), statement);
  }
  const Expr* Decode(const LoadedConstant& constant, const Expr* to, const Expr* from,
                     int64_t stored) {
    const int64_t size = constant.size_bytes;
    if (constant.codec != "lz4") {
      return builder_.NewCall(DataType::Int(32), OpKind::kZstdDecompress,
                              {to, Number(size), from, Number(stored)});
    }
    if (options_.runtime_lz4)
      return Extern("tenon_lz4_decompress", {from, Number(stored), to, Number(size)});
    return Own(entry_function::kLz4,
               {from, builder_.Int(lz4_size_, stored), to, builder_.Int(lz4_size_, size)});
  }

  void AddInit() {
    Draft draft;
    AddPoolsParam(draft);
    for (size_t i = 0; i < entry_.loads.size(); ++i) draft.body.push_back(LoadConstant(draft, i));
    if (!entry_.loads.empty()) {
      draft.body.push_back(WithFlag(
          entry_data::kIsLoaded, [&](const Buffer* flag) { return Set(flag, builder_.Int(1)); }));
    }
    draft.body.push_back(
        Return(entry_.inits.empty() ? builder_.Int(0) : Own(entry_function::kInitExternals, {})));
    if (options_.constants_file && !entry_.loads.empty())
      draft.body = {ReturnUnlessZero("constants", ReadyConstants(), draft.body)};
    Add(entry_function::kInit, /*is_private=*/false, StatusType(), draft);
  }

  const Expr* ReadyConstants() { return Extern(prefix_ + "_ready_constants", {}); }

  /// Rows of the input, and a call for them.
  struct FedCall {
    const Var* rows = nullptr;
    const Expr* first = nullptr;
    const Var* count = nullptr;
  };

  /// The call of the model's own entry, with NULL for parameters that the application does not see.
  /// With `fed`, that of the function that takes rows.
  const Expr* CallMain(Draft& draft, const Var* inputs, const Var* outputs, DataType dtype,
                       const FedCall* fed) {
    const EntrySignature& signature = entry_.signature;
    std::vector<const Expr*> args(main_.func->params.size(), nullptr);
    if (fed != nullptr) args[static_cast<size_t>(entry_.feed->param)] = fed->rows;
    for (const bool is_output : {false, true}) {
      if (!is_output && fed != nullptr) continue;
      const std::vector<size_t> fields = entry_.Fields(is_output);
      for (size_t i = 0; i < fields.size(); ++i) {
        const EntryTensor& tensor = signature.tensors[fields[i]];
        if (tensor.place) continue;
        args[tensor.param] = Field(is_output ? outputs : inputs, i);
        if (tensor.is_scalar) args[tensor.param] = Scalar(tensor, args[tensor.param]);
      }
    }
    for (size_t i = 0; i < signature.pools.size(); ++i)
      args[signature.pool_params[i]] = PoolPointer(draft, i);
    for (const Expr*& arg : args) {
      if (arg == nullptr) arg = Null();
    }
    if (fed == nullptr) return Extern(main_.name.view(), std::move(args), dtype);
    args.insert(args.end(), {fed->first, fed->count});
    return Extern(entry_.feed->function, std::move(args), dtype);
  }

  /// A number that the application passes by its address.
  const Expr* Scalar(const EntryTensor& tensor, const Expr* address) {
    const bool is_bool = tensor.dtype.is_bool();
    const Buffer* buffer = NewBuffer(tensor.name, is_bool ? DataType::UInt(8) : tensor.dtype, 1);
    scalars_.emplace_back(buffer->data, address);
    const Expr* value = Get(buffer);
    return is_bool ? IsNotZero(value) : value;
  }

  /// The result of the model's entry as a status; null without an integer result, which succeeds.
  const Expr* StatusOf(const Expr* result) {
    const DataType dtype = result->dtype;
    if (!dtype.is_integer() || !dtype.is_scalar()) return nullptr;
    if (dtype != DataType::Int(32)) result = builder_.New<Cast>({}, DataType::Int(32), result);
    return options_.constants_file ? Extern(prefix_ + "_constants_result", {result}) : result;
  }
  DataType ResultType() const {
    const Type& type = *main_.func->ret_type;
    return type.kind == Type::Kind::kVoid ? DataType::Int(32) : type.value_dtype();
  }

  const Stmt* RunMain(Draft& draft, const Var* inputs, const Var* outputs) {
    const Expr* result = CallMain(draft, inputs, outputs, ResultType(), nullptr);
    const Expr* status = StatusOf(result);
    const Stmt* statement =
        status != nullptr ? Return(status) : builder_.Seq({Do(result), Return(builder_.Int(0))});
    for (auto scalar = scalars_.rbegin(); scalar != scalars_.rend(); ++scalar)
      statement = builder_.New<LetStmt>({}, scalar->first, scalar->second, statement);
    return statement;
  }

  void AddRun() {
    Draft draft;
    const Var* inputs = entry_.MapsAll(false) ? nullptr : AddParam(draft, entry_struct::kInputs);
    const Var* outputs = entry_.MapsAll(true) ? nullptr : AddParam(draft, entry_struct::kOutputs);
    AddPoolsParam(draft);
    std::vector<const Stmt*> rest;
    if (entry_.feed) rest.push_back(ForgetRows());
    rest.push_back(RunMain(draft, inputs, outputs));
    draft.body = Prepared(draft, std::move(rest));
    Add(entry_function::kRun, /*is_private=*/false, StatusType(), draft);
  }

  /// `rest` after all that must precede the first run.
  std::vector<const Stmt*> Prepared(const Draft& draft, std::vector<const Stmt*> rest) {
    const auto init_externals = [&] {
      if (entry_.inits.empty()) return;
      rest = {ReturnUnlessZero("externals", Own(entry_function::kInitExternals, {}), rest)};
    };
    if (entry_.NeedsInit()) init_externals();
    if (!entry_.loads.empty()) rest = {CheckLoaded(draft, rest)};
    if (!entry_.NeedsInit()) init_externals();
    if (options_.constants_file) rest = {ReturnUnlessZero("constants", ReadyConstants(), rest)};
    return rest;
  }

  const Stmt* ForgetRows() {
    return WithFlag(entry_data::kFedRows,
                    [&](const Buffer* flag) { return Set(flag, builder_.Int(0)); });
  }

  void AddFeed() {
    Draft begin;
    begin.body = {ForgetRows(), Return(builder_.Int(0))};
    Add(entry_function::kBeginRows, /*is_private=*/false, StatusType(), begin);
    Draft draft;
    FedCall fed;
    fed.rows = AddParam(draft, "rows");
    fed.count = AddParam(draft, "count", DataType::Int(32));
    const Var* outputs = entry_.MapsAll(true) ? nullptr : AddParam(draft, entry_struct::kOutputs);
    AddPoolsParam(draft);
    const Stmt* feed = WithFlag(entry_data::kFedRows, [&](const Buffer* flag) {
      return FeedRows(draft, fed, outputs, flag);
    });
    draft.body = Prepared(draft, {feed});
    Add(entry_function::kFeedRows, /*is_private=*/false, StatusType(), draft);
  }

  /// Takes rows. `flag` counts those of calls that succeeded.
  const Stmt* FeedRows(Draft& draft, FedCall fed, const Var* outputs, const Buffer* flag) {
    const auto number = [&](int64_t value) { return builder_.Int(value); };
    const Var* first = builder_.NewVar("first", DataType::Int(32));
    const Expr* left = builder_.New<Sub>({}, number(entry_.feed->rows), first);
    const Expr* next = builder_.New<tenon::Add>({}, first, fed.count);
    fed.first = first;
    const Expr* result = CallMain(draft, nullptr, outputs, ResultType(), &fed);
    const Expr* status = StatusOf(result);
    const Expr* is_last = builder_.New<EQ>({}, next, number(entry_.feed->rows));
    const std::vector<const Stmt*> rest = {
        Set(flag, builder_.New<Select>({}, is_last, number(0), next)),
        Return(builder_.New<Sub>({}, left, fed.count))};
    const Stmt* run = status != nullptr ? ReturnUnlessZero("status", status, rest)
                                        : builder_.Seq({Do(result), List(rest)});
    const Expr* is_wrong = builder_.New<Or>({}, builder_.New<LT>({}, fed.count, number(0)),
                                            builder_.New<GT>({}, fed.count, left));
    const Stmt* body = builder_.Seq({If(is_wrong, Return(number(kStatusTooManyRows))),
                                     If(builder_.New<EQ>({}, fed.count, number(0)), Return(left)),
                                     // After a failure, the next row is the first one.
                                     Set(flag, number(0)), run});
    return builder_.New<LetStmt>({}, first, Get(flag), body);
  }

  /// Loads the constants unless that was done, or fails if only the caller can do it.
  const Stmt* CheckLoaded(const Draft& draft, std::vector<const Stmt*> rest) {
    return WithFlag(entry_data::kIsLoaded, [&](const Buffer* flag) {
      const Stmt* load = entry_.NeedsInit() ? Return(builder_.Int(kStatusNotLoaded))
                                            : ReturnUnlessZero("result", CallInit(draft), {});
      rest.insert(rest.begin(), If(builder_.New<EQ>({}, Get(flag), builder_.Int(0)), load));
      return List(rest);
    });
  }

  IRModule result_;
  const Function main_;
  ModelEntry entry_;
  const MakeEntryOptions& options_;
  std::string prefix_;
  std::shared_ptr<Storage> storage_;
  NodeBuilder builder_;
  /// External functions that the module calls.
  std::set<std::string, std::less<>> externs_;
  /// The names of the functions that were added, by what they do.
  std::map<std::string_view, Symbol> own_;
  DataType lz4_size_;
  /// Pointers to numbers, in the order of the parameters.
  std::vector<std::pair<const Var*, const Expr*>> scalars_;
};

}  // namespace

absl::StatusOr<IRModule> MakeEntry(const IRModule& given, const MakeEntryOptions& options,
                                   PassContext& context) {
  const IRModule module = WithoutEntryFunctions(given);
  const Function* main = module.Main();
  if (main == nullptr) return module;
  bool ok = true;
  const ModuleEffects effects(module);
  ModelEntry entry = ReadModelEntry(*main, effects.Of(*main), [&](std::string message) {
    context.diagnostics.Error(DiagnosticKind::kMetadata, main->func->range, std::move(message));
    ok = false;
  });
  if (!ok) return absl::InvalidArgumentError("the entry's attributes contradict each other");
  return EntryMaker(module, effects, *main, std::move(entry), options).Make();
}

}  // namespace tenon
