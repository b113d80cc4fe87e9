// Tensors are shown where they are complete, and only if they are needed afterwards, so that no
// tensor lives longer than without the pass and the plan stays the same.

#include "passes/memory/debug_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/entry_steps.h"
#include "ir/analysis/param_names.h"
#include "ir/analysis/pointers.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/debug_tensors.h"
#include "ir/extents.h"
#include "ir/rewriter.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

/// A tensor of the entry.
struct ShownTensor {
  const Var* data = nullptr;
  std::string name;
  DataType dtype;
  int64_t elements = 0;
  /// The caller reads it after the run.
  bool is_output = false;
};

/// The tensors to show, by the statement after which they are.
struct ShownTensors {
  std::vector<ShownTensor> inputs;
  absl::flat_hash_map<const Stmt*, std::vector<ShownTensor>> after;
  absl::flat_hash_map<const Stmt*, int64_t> number;
};

class TensorFinder {
 public:
  TensorFinder(const IRModule& module, const Function& entry)
      : module_(module), entry_(entry), effects_(module), roots_(*entry.func) {
    AddParams();
    Walk(entry.func->body, [&](const Node* node) {
      if (const auto* allocate = dyn_cast<Allocate>(node)) AddAllocation(*allocate);
      return !isa<Expr>(node);
    });
  }

  ShownTensors Find() {
    const std::vector<EntryStep> steps = EntrySteps(module_, entry_);
    std::vector<Uses> uses;
    absl::flat_hash_map<const Var*, size_t> last_read;
    for (size_t i = 0; i < steps.size(); ++i) {
      uses.push_back(UsesOf(steps[i].stmt));
      for (const Var* var : uses.back().reads) last_read[var] = i;
    }
    ShownTensors shown;
    for (size_t i = 0; i < steps.size(); ++i) {
      shown.number[steps[i].stmt] = static_cast<int64_t>(i) + 1;
      for (const Var* var : uses[i].writes) {
        const ShownTensor& tensor = tensors_.at(var);
        const auto read = last_read.find(var);
        if (tensor.is_output || (read != last_read.end() && read->second > i))
          shown.after[steps[i].stmt].push_back(tensor);
      }
    }
    for (const Var* var : params_) {
      if (!tensors_.at(var).is_output) shown.inputs.push_back(tensors_.at(var));
    }
    return shown;
  }

 private:
  struct Uses {
    std::vector<const Var*> reads;
    std::vector<const Var*> writes;
  };

  void AddParams() {
    const PrimFunc& func = *entry_.func;
    for (size_t i = 0; i < func.params.size(); ++i) {
      const Buffer* buffer = func.buffers[i];
      if (buffer == nullptr) continue;
      const std::optional<int64_t> bytes = StaticBytes(buffer->dtype, buffer->shape);
      if (!bytes) continue;
      Add({buffer->data, std::string(ParamName(func, i)), buffer->dtype,
           *bytes / std::max<int64_t>(buffer->dtype.bytes(), 1),
           effects_.Of(entry_).params[i].writes});
      alias_[func.params[i]] = buffer->data;
      params_.push_back(buffer->data);
    }
  }

  void AddAllocation(const Allocate& allocate) {
    const std::optional<int64_t> bytes = StaticBytes(allocate.dtype, allocate.extents);
    if (!bytes) return;
    const bool is_output = allocate.annotations != nullptr &&
                           allocate.annotations->Find(attr_key::kOutputTensor) != nullptr;
    Add({allocate.buffer_var, std::string(allocate.buffer_var->name.view()), allocate.dtype,
         *bytes / std::max<int64_t>(allocate.dtype.bytes(), 1), is_output});
  }

  void Add(ShownTensor tensor) { tensors_.emplace(tensor.data, std::move(tensor)); }

  Uses UsesOf(const Stmt* stmt) const {
    Uses uses;
    const auto add = [&](std::vector<const Var*>& list, const Var* root) {
      if (const auto found = alias_.find(root); found != alias_.end()) root = found->second;
      if (tensors_.contains(root) && std::find(list.begin(), list.end(), root) == list.end())
        list.push_back(root);
    };
    const auto use = [&](const Expr* pointer, ArgumentEffect effect) {
      for (const Var* root : roots_.TargetsOf(pointer).roots) {
        if (effect.reads) add(uses.reads, root);
        if (effect.writes) add(uses.writes, root);
      }
    };
    Walk(stmt, [&](const Node* node) {
      if (const auto* load = dyn_cast<BufferLoad>(node)) use(load->buffer->data, {.reads = true});
      if (const auto* store = dyn_cast<BufferStore>(node))
        use(store->buffer->data, {.writes = true});
      const auto* call = dyn_cast<Call>(node);
      if (call == nullptr) return true;
      const CallSite site = AsCallSite(module_, call);
      for (size_t i = 0; i < site.args.size(); ++i) {
        if (site.args[i]->dtype.is_handle())
          use(site.args[i], effects_.OfArgument(entry_, site, i));
      }
      return true;
    });
    return uses;
  }

  const IRModule& module_;
  const Function& entry_;
  const ModuleEffects effects_;
  const PointerRoots roots_;
  absl::flat_hash_map<const Var*, ShownTensor> tensors_;
  absl::flat_hash_map<const Var*, const Var*> alias_;
  std::vector<const Var*> params_;
};

class Shower : public Rewriter<Shower> {
 public:
  Shower(Context& context, std::shared_ptr<Storage> storage, const ShownTensors& shown,
         bool outputs)
      : Rewriter(context, std::move(storage)), shown_(shown), outputs_(outputs) {}

  const PrimFunc* Show(const PrimFunc* func) {
    PrimFunc copy = *func;
    copy.body = RewriteStmt(func->body);
    if (!outputs_) {
      std::vector<const Stmt*> body;
      for (const ShownTensor& tensor : shown_.inputs) body.push_back(CallOf(tensor, 0));
      body.push_back(copy.body);
      copy.body = builder().Seq(body);
      copy.attrs = WithExtern(func->attrs);
    }
    AddParams(*func, copy);
    return arena().New<PrimFunc>(copy);
  }

  const Stmt* RewriteEvaluate(const Evaluate* stmt) { return After(stmt, RewriteChildren(stmt)); }
  const Stmt* RewriteFor(const For* stmt) { return After(stmt, RewriteChildren(stmt)); }
  const Stmt* RewriteWhile(const While* stmt) { return After(stmt, RewriteChildren(stmt)); }
  const Stmt* RewriteBufferStore(const BufferStore* stmt) {
    return After(stmt, RewriteChildren(stmt));
  }

 private:
  const Stmt* After(const Stmt* before, const Stmt* now) {
    const auto found = shown_.after.find(before);
    if (found == shown_.after.end()) return now;
    std::vector<const Stmt*> all = {now};
    for (const ShownTensor& tensor : found->second) {
      const int64_t number = shown_.number.at(before);
      all.push_back(outputs_ ? CopyOf(tensor, number) : CallOf(tensor, number));
    }
    return builder().Seq(all);
  }

  const Stmt* CallOf(const ShownTensor& tensor, int64_t number) {
    const int64_t bytes = tensor.elements * tensor.dtype.bytes();
    const Call* call = builder().NewCall(
        DataType::Int(32), OpKind::kCallExtern,
        {builder().String(kDebugTensorFunction), builder().String(tensor.name),
         builder().Int(number), tensor.data, builder().Int(DataType::Int(32), bytes)});
    return builder().New<Evaluate>({}, call);
  }

  /// Copies a tensor to a new parameter.
  const Stmt* CopyOf(const ShownTensor& tensor, int64_t number) {
    const std::string name = DebugOutputName(number, tensor.name);
    const Type* type = context().PointerType(tensor.dtype, "global");
    const Buffer* to = FlatBuffer(builder().NewVar(name, type), tensor);
    params_.push_back(builder().NewVar(name + "_handle", DataType::Handle()));
    buffers_.push_back(to);
    const Var* i = builder().NewVar("i", DataType::Int(32));
    const Stmt* store = builder().New<BufferStore>(
        {}, to, builder().Load(FlatBuffer(tensor.data, tensor), {i}), builder().List<Expr>({i}));
    return builder().New<For>({}, i, builder().Int(0), builder().Int(tensor.elements),
                              ForKind::kSerial, store);
  }

  const Buffer* FlatBuffer(const Var* data, const ShownTensor& tensor) {
    const Buffer buffer(data->name, data, tensor.dtype,
                        builder().List<Expr>({builder().Int(tensor.elements)}), builder().Int(0));
    return arena().New<Buffer>(buffer);
  }

  /// A parameter without a buffer at the end stays there.
  void AddParams(const PrimFunc& func, PrimFunc& copy) {
    std::vector<const Var*> params(func.params.begin(), func.params.end());
    std::vector<const Buffer*> buffers(func.buffers.begin(), func.buffers.end());
    const auto behind = static_cast<ptrdiff_t>(!buffers.empty() && buffers.back() == nullptr);
    params.insert(params.end() - behind, params_.begin(), params_.end());
    buffers.insert(buffers.end() - behind, buffers_.begin(), buffers_.end());
    copy.params = arena().Copy(params);
    copy.buffers = arena().Copy(buffers);
  }

  const MapAttr* WithExtern(const MapAttr* attrs) {
    const auto* externs = dyn_cast_or_null<MapAttr>(attrs->Find(attr_key::kExterns));
    const Attr* effects[] = {builder().StringValue(""), builder().StringValue(""),
                             builder().StringValue("r"), builder().StringValue("")};
    return builder().With(attrs, attr_key::kExterns,
                          builder().With(externs == nullptr ? builder().Map({}) : externs,
                                         kDebugTensorFunction, builder().Array(effects)));
  }

  Context& context() { return builder().context(); }

  const ShownTensors& shown_;
  const bool outputs_;
  std::vector<const Var*> params_;
  std::vector<const Buffer*> buffers_;
};

IRModule Shown(const IRModule& module, bool outputs) {
  const Function* entry = module.Main();
  if (entry == nullptr) return module;
  const ShownTensors shown = TensorFinder(module, *entry).Find();
  auto storage = std::make_shared<Storage>(entry->storage);
  Shower shower(module.context(), storage, shown, outputs);
  const PrimFunc* func = shower.Show(entry->func);
  IRModule result = module;
  result.Update({entry->name, func, std::move(storage)});
  return result;
}

}  // namespace

absl::StatusOr<IRModule> DebugTensors(const IRModule& module, const NoOptions& /*options*/,
                                      PassContext& /*context*/) {
  return Shown(module, /*outputs=*/false);
}

std::string DebugOutputName(int64_t number, std::string_view name) {
  return fmt::format("debug_{}_{}", number, name);
}

IRModule WithDebugOutputs(const IRModule& module) { return Shown(module, /*outputs=*/true); }

}  // namespace tenon
