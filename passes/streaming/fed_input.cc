#include "passes/streaming/fed_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "arith/index_math.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/entry_signature.h"
#include "ir/analysis/param_names.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/rewriter.h"
#include "passes/fusion/origins.h"
#include "passes/fusion/top_level.h"

namespace tenon {

namespace {

constexpr std::string_view kFeed = "feed";

std::nullopt_t Refuse(const Function* entry, std::string message, Diagnostics& diagnostics) {
  diagnostics.Error(DiagnosticKind::kPass, entry != nullptr ? entry->func->range : SourceRange(),
                    fmt::format("rows cannot be fed: {}", message));
  return std::nullopt;
}

/// The parameter of the entry that is its only input.
std::optional<size_t> InputOf(const IRModule& module, Diagnostics& diagnostics) {
  const Function* entry = module.Main();
  if (entry == nullptr) return Refuse(entry, "the module has no entry", diagnostics);
  const ModuleEffects effects(module);
  std::vector<EntryTensor> inputs;
  for (EntryTensor& tensor : EntryTensors(*entry->func, effects.Of(*entry))) {
    if (!tensor.is_output) inputs.push_back(std::move(tensor));
  }
  if (inputs.size() != 1)
    return Refuse(entry, fmt::format("expected a model with one input, found {}", inputs.size()),
                  diagnostics);
  const Buffer* buffer = entry->func->buffers[inputs[0].param];
  if (buffer == nullptr || !CompactShape(*buffer) || StaticCount(buffer->shape).value_or(0) <= 0)
    return Refuse(entry,
                  fmt::format("expected a tensor of constant shape, without strides, as the input "
                              "`{}`",
                              inputs[0].name),
                  diagnostics);
  return inputs[0].param;
}

/// The function that copies the input: one loop, which row functions divide into rows.
Function FeedOf(const IRModule& module, const Buffer& input) {
  auto storage = std::make_shared<Storage>();
  NodeBuilder builder(module.context(), storage->arena());
  const int64_t elements = *StaticCount(input.shape);
  const Buffer* from = NewFlatBuffer(builder, "p0", input.dtype, elements);
  const Buffer* to = NewFlatBuffer(builder, "output", input.dtype, elements);
  const Var* i = builder.NewVar("i", DataType::Int(32));
  const Stmt* body =
      builder.New<BufferStore>(SourceRange(), to, builder.Load(from, {i}), builder.List<Expr>({i}));
  body = builder.New<For>(SourceRange(), i, builder.Int(0), builder.Int(elements), ForKind::kSerial,
                          body);
  const MapAttr* attrs =
      builder.Map({{attr_key::kOrigins, OriginsAttr(builder, {std::string(kFeed)})},
                   {attr_key::kNoAlias, builder.ExprValue(builder.Bool(true))}});
  const Var* params[] = {builder.NewVar("p0_handle", DataType::Handle()),
                         builder.NewVar("output_handle", DataType::Handle())};
  const Buffer* buffers[] = {from, to};
  std::string name(kFeed);
  while (module.FindCallee(name) != nullptr) name += "_1";
  return {module.context().Intern(name),
          builder.New<PrimFunc>({}, builder.arena().Copy(Span<const Var* const>(params)),
                                builder.arena().Copy(Span<const Buffer* const>(buffers)),
                                module.context().VoidType(), attrs, body),
          storage};
}

/// Replaces a variable.
class FedReader : public Rewriter<FedReader> {
 public:
  using Rewriter::Rewriter;
};

}  // namespace

std::optional<IRModule> WithFedInput(const IRModule& module, Diagnostics& diagnostics) {
  const std::optional<size_t> param = InputOf(module, diagnostics);
  if (!param) return std::nullopt;
  const Function& entry = *module.Main();
  const Buffer& input = *entry.func->buffers[*param];
  const Function feed = FeedOf(module, input);
  auto storage = std::make_shared<Storage>(entry.storage);
  FedReader reader(module.context(), storage);
  NodeBuilder builder(module.context(), storage->arena());
  const SourceRange range = entry.func->params[*param]->range;
  const Var* copy = builder.NewVar(fmt::format("{}_rows", ParamName(*entry.func, *param)),
                                   module.context().PointerType(input.dtype, "global"), range);
  reader.var_map.emplace(input.data, copy);
  TopLevel top = SplitTopLevel(reader.RewriteStmt(entry.func->body));
  top.bindings.push_back(builder.New<Allocate>(
      range, copy, input.dtype, builder.List<Expr>({builder.Int(*StaticCount(input.shape))}),
      builder.Bool(true), nullptr, nullptr));
  const Expr* args[] = {builder.String(feed.name.view()), input.data, copy};
  top.statements.insert(
      top.statements.begin(),
      builder.New<Evaluate>(
          range, builder.New<Call>(range, DataType::Int(32), Op::Get(OpKind::kCallExtern),
                                   builder.arena().Copy(Span<const Expr* const>(args)))));
  PrimFunc func = *entry.func;
  func.body = JoinTopLevel(builder, top);
  IRModule result = module;
  result.Add(feed);
  result.Update({entry.name, storage->arena().New<PrimFunc>(func), storage});
  return result;
}

void ReportNotFed(const IRModule& module, const StreamProgram& program, Diagnostics& diagnostics) {
  const Var* copy = program.calls.front().args.back();
  std::vector<std::string> readers;
  for (size_t i = 1; i < program.calls.size(); ++i) {
    const std::vector<size_t>& uses = program.tensors.at(copy).uses;
    const bool reads = std::find(uses.begin(), uses.end(), i) != uses.end();
    const Function* callee = program.calls[i].callee;
    if (reads)
      readers.push_back(callee != nullptr ? fmt::format("`{}`", callee->name.view())
                                          : "statements of the entry");
  }
  Refuse(module.Main(),
         fmt::format("the input is read by {}, which cannot run row by row together with it",
                     fmt::join(readers, ", ")),
         diagnostics);
}

}  // namespace tenon
