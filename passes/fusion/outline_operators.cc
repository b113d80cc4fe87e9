// First, the statements of the entry are grouped by origin. Then the users of each variable decide
// what becomes a parameter, and what moves into a function. Equal bodies share one function.

#include "passes/fusion/outline_operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/rewriter.h"
#include "ir/structural.h"
#include "passes/fusion/origins.h"
#include "passes/fusion/top_level.h"
#include "passes/inlining.h"
#include "passes/outlining.h"

namespace tenon {

namespace {

struct Item;

/// Statements in a row, and the allocations around them.
struct Sequence {
  std::vector<const Stmt*> bindings;
  std::vector<Item> items;
};

/// Statements of the entry that stand side by side. With origins they become a call.
struct Item {
  std::vector<const Stmt*> statements;
  Origins origins;
  /// True if the statements may move to a function.
  bool can_move = true;
  /// Of a condition or a loop of the entry around operators, which become calls: the sequences of
  /// both cases, or that of the body.
  std::vector<Sequence> inner;
};

bool CanMove(const Stmt* stmt) {
  if (MayFail(stmt)) return false;
  bool can = true;
  Walk(stmt, [&](const Node* node) {
    const auto* call = dyn_cast<Call>(node);
    const auto* attr = dyn_cast<AttrStmt>(node);
    can &= (call == nullptr || call->op->kind != OpKind::kRet) &&
           (attr == nullptr || attr->key != attr_key::kRegion) && !isa<Block>(node);
    return can;
  });
  return can;
}

/// Puts a statement without origins into the item after it, where that item alone uses the same
/// memory: the start of a sum before its loop.
void JoinStarts(std::vector<Item>& items) {
  std::vector<std::vector<const Var*>> vars;
  absl::flat_hash_map<const Var*, int> users;
  for (const Item& item : items) {
    std::vector<const Var*>& own = vars.emplace_back(FreeVarsOf(item.statements));
    std::erase_if(own, [](const Var* var) { return !var->dtype.is_handle(); });
    for (const Var* var : own) ++users[var];
  }
  for (size_t i = items.size(); i-- > 1;) {
    Item& item = items[i];
    Item& start = items[i - 1];
    const absl::flat_hash_set<const Var*> next(vars[i].begin(), vars[i].end());
    const bool joins = !item.origins.empty() && start.origins.empty() && start.can_move &&
                       std::all_of(vars[i - 1].begin(), vars[i - 1].end(), [&](const Var* var) {
                         return next.contains(var) && users[var] == 2;
                       });
    if (!joins) continue;
    for (const Var* var : vars[i - 1]) --users[var];
    start.statements.insert(start.statements.end(), item.statements.begin(), item.statements.end());
    start.origins = std::move(item.origins);
    vars[i - 1] = std::move(vars[i]);
    item.statements.clear();
  }
  std::erase_if(items, [](const Item& item) { return item.statements.empty(); });
}

Sequence FindSequence(const Stmt* body);

/// Adds the origins of all items.
void AddOrigins(const Sequence& sequence, std::vector<Origins>& all) {
  for (const Item& item : sequence.items) {
    if (!item.origins.empty()) all.push_back(item.origins);
    for (const Sequence& inner : item.inner) AddOrigins(inner, all);
  }
}

std::vector<Origins> AllOrigins(const std::vector<Sequence>& sequences) {
  std::vector<Origins> all;
  for (const Sequence& sequence : sequences) AddOrigins(sequence, all);
  return all;
}

/// The sequences in a condition or a loop of the entry; empty for other statements. A condition
/// around one operator may be a part of it.
std::vector<Sequence> FindInner(const Stmt* stmt) {
  std::vector<Sequence> inner;
  if (const auto* branch = dyn_cast<IfThenElse>(stmt)) {
    inner = {FindSequence(branch->then_case), FindSequence(branch->else_case)};
    const std::vector<Origins> all = AllOrigins(inner);
    const bool is_part = std::all_of(all.begin(), all.end(), [&](const Origins& origins) {
      return AreOfOneCall(origins, all.front());
    });
    if (is_part) inner.clear();
  } else if (const auto* loop = dyn_cast<For>(stmt)) {
    const bool is_operator =
        loop->annotations != nullptr && loop->annotations->Find(attr_key::kOrigins) != nullptr;
    if (!is_operator && loop->for_kind == ForKind::kSerial) inner = {FindSequence(loop->body)};
    if (AllOrigins(inner).empty()) inner.clear();
  }
  return inner;
}

/// Statements without origins go with the neighbours that they stand between.
std::vector<Item> FindItems(const std::vector<const Stmt*>& statements) {
  std::vector<Item> items;
  std::vector<const Stmt*> waiting;
  const auto flush = [&] {
    for (const Stmt* stmt : waiting) items.push_back({{stmt}, {}, true, {}});
    waiting.clear();
  };
  for (const Stmt* stmt : statements) {
    const Origins origins = OriginsOf(stmt);
    std::vector<Sequence> inner = FindInner(stmt);
    if (!inner.empty() || !CanMove(stmt)) {
      flush();
      items.push_back({{stmt}, {}, false, std::move(inner)});
    } else if (origins.empty()) {
      waiting.push_back(stmt);
    } else if (!items.empty() && AreOfOneCall(items.back().origins, origins)) {
      Item& item = items.back();
      item.statements.insert(item.statements.end(), waiting.begin(), waiting.end());
      waiting.clear();
      item.statements.push_back(stmt);
      item.origins = Joined(item.origins, origins);
    } else {
      flush();
      items.push_back({{stmt}, origins, true, {}});
    }
  }
  flush();
  JoinStarts(items);
  return items;
}

Sequence FindSequence(const Stmt* body) {
  if (body == nullptr) return {};
  TopLevel top = SplitTopLevel(body);
  return {std::move(top.bindings), FindItems(top.statements)};
}

/// The bindings of a sequence and of the sequences in it.
void AddBindings(const Sequence& sequence, std::vector<const Stmt*>& bindings) {
  bindings.insert(bindings.end(), sequence.bindings.begin(), sequence.bindings.end());
  for (const Item& item : sequence.items) {
    for (const Sequence& inner : item.inner) AddBindings(inner, bindings);
  }
}

std::vector<const Stmt*> BindingsOf(const Sequence& sequence) {
  std::vector<const Stmt*> bindings;
  AddBindings(sequence, bindings);
  return bindings;
}

/// The origin of each variable of the entry.
class EntryVars {
 public:
  EntryVars(const PrimFunc& entry, const std::vector<const Stmt*>& bindings) : entry_(entry) {
    for (size_t i = 0; i < entry.params.size(); ++i) {
      params_.emplace(entry.params[i], i);
      if (entry.buffers[i] != nullptr) params_.emplace(entry.buffers[i]->data, i);
    }
    for (const Stmt* binding : bindings) bindings_.emplace(VarOf(binding), binding);
  }

  static const Var* VarOf(const Stmt* binding) {
    const auto* allocate = dyn_cast<Allocate>(binding);
    return allocate != nullptr ? allocate->buffer_var : cast<AllocateConst>(binding)->buffer_var;
  }
  const Stmt* BindingOf(const Var* var) const {
    const auto found = bindings_.find(var);
    return found == bindings_.end() ? nullptr : found->second;
  }
  bool IsParam(const Var* var) const { return params_.contains(var); }
  /// The buffer of a parameter, or null.
  const Buffer* ParamBuffer(const Var* var) const {
    const auto found = params_.find(var);
    return found == params_.end() ? nullptr : entry_.buffers[found->second];
  }
  /// One variable for all names of one parameter.
  const Var* RootOf(const Var* var) const {
    const Buffer* buffer = ParamBuffer(var);
    return buffer != nullptr ? buffer->data : var;
  }

 private:
  const PrimFunc& entry_;
  absl::flat_hash_map<const Var*, size_t> params_;
  absl::flat_hash_map<const Var*, const Stmt*> bindings_;
};

/// The accesses of statements to a pointer.
struct Access {
  bool reads = false;
  bool writes = false;
};

absl::flat_hash_map<const Var*, Access> AccessesOf(const std::vector<const Stmt*>& statements,
                                                   const EntryVars& vars) {
  absl::flat_hash_map<const Var*, Access> accesses;
  const auto visit = [&](const Node* node) {
    if (const auto* load = dyn_cast<BufferLoad>(node)) {
      accesses[vars.RootOf(load->buffer->data)].reads = true;
    } else if (const auto* store = dyn_cast<BufferStore>(node)) {
      accesses[vars.RootOf(store->buffer->data)].writes = true;
    } else if (const auto* var = dyn_cast<Var>(node)) {
      Access& access = accesses[vars.RootOf(var)];
      access.reads = access.writes = true;
    }
    return !isa<Buffer>(node);
  };
  for (const Stmt* stmt : statements) Walk(stmt, visit);
  // The address of an element may be written through.
  const auto visit_address = [&](const Node* node) {
    const auto* call = dyn_cast<Call>(node);
    if (call == nullptr || call->op->kind != OpKind::kAddressOf) return true;
    if (const auto* load = dyn_cast<BufferLoad>(call->args[0]))
      accesses[vars.RootOf(load->buffer->data)].writes = true;
    return true;
  };
  for (const Stmt* stmt : statements) Walk(stmt, visit_address);
  return accesses;
}

/// Makes a function of an item.
class OperatorMaker : public Rewriter<OperatorMaker> {
 public:
  OperatorMaker(Context& context, std::shared_ptr<Storage> storage, const EntryVars& vars)
      : Rewriter(context, std::move(storage)), vars_(vars) {}

  /// `inside` are the bindings that the function has. The function has no attributes yet.
  const PrimFunc* Make(const Item& item, const std::vector<const Stmt*>& inside) {
    absl::flat_hash_set<const Var*> own;
    for (const Stmt* binding : inside) own.insert(EntryVars::VarOf(binding));
    std::vector<const Var*> roots;
    absl::flat_hash_set<const Var*> seen;
    for (const Var* var : FreeVarsOf(item.statements)) {
      const Var* root = vars_.RootOf(var);
      if (!own.contains(root) && seen.insert(root).second) roots.push_back(root);
    }
    AddParams(item, roots);
    std::vector<const Stmt*> statements;
    for (const Stmt* stmt : item.statements) {
      const Stmt* now = RewriteStmt(stmt);
      if (now != nullptr) statements.push_back(now);
    }
    const SourceRange range = item.statements.front()->range;
    const Stmt* body =
        builder().Seq(Span<const Stmt*>(statements.data(), statements.size()), range);
    PrimFunc function(arena().Copy(Span<const Var*>(params_.data(), params_.size())),
                      arena().Copy(Span<const Buffer*>(buffers_.data(), buffers_.size())),
                      builder().context().VoidType(), builder().Map({}),
                      InBindings(builder(), inside, body));
    function.range = range;
    return arena().New<PrimFunc>(function);
  }

  /// The arguments that the entry passes.
  const std::vector<const Expr*>& args() const { return args_; }

  /// True if no two of the arguments can overlap. `entry_is_apart`: parameters of the entry do not.
  bool AreArgsApart(bool entry_is_apart) const {
    int of_entry = 0;
    int pointers = 0;
    int unknown = 0;
    for (const Expr* arg : args_) {
      const auto* var = cast<Var>(arg);
      if (!var->dtype.is_handle()) continue;
      ++pointers;
      of_entry += vars_.IsParam(var) ? 1 : 0;
      unknown += !vars_.IsParam(var) && vars_.BindingOf(var) == nullptr ? 1 : 0;
    }
    return (unknown == 0 || pointers == 1) && (of_entry <= 1 || entry_is_apart);
  }

  const Buffer* RewriteBuffer(const Buffer* buffer) {
    const auto found = param_of_.find(buffer->data);
    if (found != param_of_.end() && IsSameView(*buffer, *found->second)) return found->second;
    return Rewriter::RewriteBuffer(buffer);
  }

  const Stmt* RewriteFor(const For* loop) {
    return RewriteChildren(WithoutOrigins(builder(), loop));
  }

 private:
  void AddParams(const Item& item, const std::vector<const Var*>& roots) {
    const auto accesses = AccessesOf(item.statements, vars_);
    const auto add = [&](std::string_view prefix, bool reads, bool writes) {
      int number = 0;
      for (const Var* root : roots) {
        const auto found = accesses.find(root);
        const Access access = found == accesses.end() ? Access{} : found->second;
        if (!root->dtype.is_handle() || access.writes != writes) continue;
        if (writes && access.reads != reads) continue;
        AddMemory(root, writes && number == 0 ? std::string(prefix)
                                              : fmt::format("{}{}", prefix, number));
        ++number;
      }
    };
    add("p", true, false);
    add("inout", true, true);
    add("output", false, true);
    for (const Var* root : roots) {
      if (!root->dtype.is_handle()) AddPlain(root, root->name.view());
    }
  }

  void AddPlain(const Var* var, std::string_view name) {
    const Var* param = builder().NewVar(name, var->type, var->range);
    var_map[var] = param;
    params_.push_back(param);
    buffers_.push_back(nullptr);
    args_.push_back(var);
  }

  void AddMemory(const Var* root, const std::string& name) {
    const Buffer* own = vars_.ParamBuffer(root);
    const auto* allocate = dyn_cast_or_null<Allocate>(vars_.BindingOf(root));
    const bool has_shape = own != nullptr ? CompactShape(*own).has_value() : allocate != nullptr;
    if (!has_shape) return AddPlain(root, name);
    const Var* data = builder().NewVar(name, root->type, root->range);
    Buffer copy = own != nullptr ? *own
                                 : Buffer(data->name, data, allocate->dtype, allocate->extents,
                                          builder().Int(0));
    copy.name = data->name;
    copy.data = data;
    const Buffer* buffer = arena().New<Buffer>(copy);
    var_map[root] = data;
    param_of_[root] = buffer;
    params_.push_back(builder().NewVar(fmt::format("{}_handle", name), DataType::Handle()));
    buffers_.push_back(buffer);
    args_.push_back(root);
  }

  static bool IsSameView(const Buffer& view, const Buffer& param) {
    const auto shape = CompactShape(view);
    return shape && view.dtype == param.dtype && shape == CompactShape(param);
  }

  const EntryVars& vars_;
  absl::flat_hash_map<const Var*, const Buffer*> param_of_;
  std::vector<const Var*> params_;
  std::vector<const Buffer*> buffers_;
  std::vector<const Expr*> args_;
};

/// Rewrites the entry of one module.
class Outliner {
 public:
  Outliner(const IRModule& module, const Function& entry)
      : module_(module),
        entry_(entry),
        top_(FindSequence(entry.func->body)),
        bindings_(BindingsOf(top_)),
        vars_(*entry.func, bindings_),
        storage_(std::make_shared<Storage>(entry.storage)),
        builder_(module.context(), storage_->arena()) {}

  /// The module with the functions; nullopt if there is nothing to do.
  std::optional<IRModule> Run(PassContext& context) {
    if (AllOrigins({top_}).empty()) return std::nullopt;
    FindUsers(top_);
    PrimFunc copy = *entry_.func;
    copy.body = WithCalls(top_);
    IRModule result = module_;
    result.Update({entry_.name, builder_.arena().New<PrimFunc>(copy), storage_});
    for (Function& function : functions_) result.Add(std::move(function));
    context.Count("outline-operators.calls", calls_);
    context.Count("outline-operators.functions", static_cast<int64_t>(functions_.size()));
    return result;
  }

 private:
  void FindUsers(const Sequence& sequence) {
    for (const Item& item : sequence.items) {
      if (item.inner.empty()) {
        AddUser(item, item.statements);
        continue;
      }
      for (const Expr* control : ControlOf(item.statements.front()))
        AddUser(item, {builder_.New<Evaluate>(control->range, control)});
      for (const Sequence& inner : item.inner) FindUsers(inner);
    }
  }

  static std::vector<const Expr*> ControlOf(const Stmt* stmt) {
    if (const auto* branch = dyn_cast<IfThenElse>(stmt)) return {branch->condition};
    return {cast<For>(stmt)->min, cast<For>(stmt)->extent};
  }

  void AddUser(const Item& item, const std::vector<const Stmt*>& statements) {
    for (const Var* var : FreeVarsOf(statements)) {
      std::vector<const Item*>& users = users_[var];
      if (users.empty() || users.back() != &item) users.push_back(&item);
    }
  }

  /// The statements of a sequence, with calls of operators.
  const Stmt* WithCalls(const Sequence& sequence) {
    TopLevel now;
    for (const Item& item : sequence.items) {
      const Stmt* stmt = item.statements.front();
      if (!item.inner.empty()) stmt = Around(item);
      if (!item.origins.empty()) stmt = CallOf(item);
      now.statements.push_back(stmt);
    }
    for (const Stmt* binding : sequence.bindings) {
      if (!MovesAway(binding)) now.bindings.push_back(binding);
    }
    return JoinTopLevel(builder_, now);
  }

  /// A condition or a loop, with calls of operators.
  const Stmt* Around(const Item& item) {
    const Stmt* stmt = item.statements.front();
    if (const auto* loop = dyn_cast<For>(stmt)) {
      For copy = *loop;
      copy.body = WithCalls(item.inner[0]);
      return builder_.arena().New<For>(copy);
    }
    IfThenElse copy = *cast<IfThenElse>(stmt);
    copy.then_case = WithCalls(item.inner[0]);
    if (copy.else_case != nullptr) copy.else_case = WithCalls(item.inner[1]);
    return builder_.arena().New<IfThenElse>(copy);
  }

  /// True for a binding that moves into functions.
  bool MovesAway(const Stmt* binding) const {
    const auto found = users_.find(EntryVars::VarOf(binding));
    if (found == users_.end()) return false;
    const std::vector<const Item*>& users = found->second;
    const bool all_move = std::all_of(users.begin(), users.end(),
                                      [](const Item* user) { return !user->origins.empty(); });
    if (isa<AllocateConst>(binding)) return all_move;
    return all_move && users.size() == 1 && cast<Allocate>(binding)->annotations == nullptr;
  }

  /// The bindings that the function of an item contains.
  std::vector<const Stmt*> InsideOf(const Item& item) const {
    std::vector<const Stmt*> inside;
    for (const Stmt* binding : bindings_) {
      const auto found = users_.find(EntryVars::VarOf(binding));
      if (found == users_.end()) continue;
      const std::vector<const Item*>& users = found->second;
      const bool uses = std::find(users.begin(), users.end(), &item) != users.end();
      if (uses && (isa<AllocateConst>(binding) || MovesAway(binding))) inside.push_back(binding);
    }
    return inside;
  }

  const Stmt* CallOf(const Item& item) {
    auto storage = std::make_shared<Storage>(entry_.storage);
    OperatorMaker maker(module_.context(), storage, vars_);
    const PrimFunc* func = maker.Make(item, InsideOf(item));
    NodeBuilder builder(module_.context(), storage->arena());
    const MapAttr* attrs = builder.Map({});
    if (maker.AreArgsApart(IsNoAlias(*entry_.func)))
      attrs = builder.With(attrs, attr_key::kNoAlias, builder.ExprValue(builder.Bool(true)));
    if (const Attr* externs = entry_.FindAttr(attr_key::kExterns); externs != nullptr)
      attrs = builder.With(attrs, attr_key::kExterns, externs);
    PrimFunc copy = *func;
    copy.attrs = attrs;
    const Symbol name = Named(builder.arena().New<PrimFunc>(copy), item.origins, storage);
    std::vector<const Expr*> args = {builder_.String(name.view())};
    args.insert(args.end(), maker.args().begin(), maker.args().end());
    const SourceRange range = item.statements.front()->range;
    ++calls_;
    return builder_.New<Evaluate>(
        range,
        builder_.New<Call>(range, DataType::Int(32), Op::Get(OpKind::kCallExtern),
                           builder_.arena().Copy(Span<const Expr*>(args.data(), args.size()))));
  }

  /// The name of a function with this body; the function may exist already.
  Symbol Named(const PrimFunc* func, const Origins& origins, std::shared_ptr<Storage> storage) {
    std::vector<std::pair<const PrimFunc*, Symbol>>& equal = by_hash_[StructuralHash(func)];
    for (const auto& [other, name] : equal) {
      if (StructuralEqual(func, other)) return name;
    }
    NodeBuilder builder(module_.context(), storage->arena());
    PrimFunc copy = *func;
    copy.attrs =
        builder.With(func->attrs, attr_key::kOrigins, OriginsAttr(builder, Plain(origins)));
    const Symbol name = FreeName(NameOfOrigins(origins));
    functions_.push_back({name, builder.arena().New<PrimFunc>(copy), std::move(storage)});
    equal.emplace_back(func, name);
    return name;
  }

  Symbol FreeName(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 1; module_.FindCallee(name) != nullptr || !names_.insert(name).second; ++i)
      name = fmt::format("{}_{}", wanted, i);
    return module_.context().Intern(name);
  }

  const IRModule& module_;
  const Function& entry_;
  const Sequence top_;
  const std::vector<const Stmt*> bindings_;
  EntryVars vars_;
  std::shared_ptr<Storage> storage_;
  NodeBuilder builder_;
  /// The items that use a variable of the entry, in order.
  absl::flat_hash_map<const Var*, std::vector<const Item*>> users_;
  absl::flat_hash_map<uint64_t, std::vector<std::pair<const PrimFunc*, Symbol>>> by_hash_;
  absl::flat_hash_set<std::string> names_;
  std::vector<Function> functions_;
  int64_t calls_ = 0;
};

}  // namespace

absl::StatusOr<IRModule> OutlineOperators(const IRModule& module, const NoOptions&,
                                          PassContext& context) {
  const Function* entry = module.Main();
  if (entry == nullptr || IsPlanned(*entry)) return module;
  std::optional<IRModule> result = Outliner(module, *entry).Run(context);
  return result ? *std::move(result) : module;
}

}  // namespace tenon
