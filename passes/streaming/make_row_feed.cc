#include "passes/streaming/make_row_feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "arith/index_math.h"
#include "ir/analysis/effects.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/rewriter.h"
#include "ir/row_feed.h"
#include "support/check.h"

namespace tenon {

namespace {

/// A body as a list of statements in the scope of bindings, the outermost first.
struct Scopes {
  std::vector<const Stmt*> bindings;
  std::vector<const Stmt*> statements;
};

Scopes SplitScopes(const Stmt* body) {
  Scopes result;
  for (;;) {
    if (const auto* let = dyn_cast<LetStmt>(body)) {
      result.bindings.push_back(body);
      body = let->body;
    } else if (const auto* buffer = dyn_cast<DeclBuffer>(body)) {
      result.bindings.push_back(body);
      body = buffer->body;
    } else {
      break;
    }
  }
  const auto* seq = dyn_cast<SeqStmt>(body);
  if (seq == nullptr) {
    result.statements.push_back(body);
  } else {
    result.statements.assign(seq->seq.begin(), seq->seq.end());
  }
  return result;
}

/// The loop over fed rows of a function, as an index into its statements.
std::optional<size_t> FedLoopOf(const Scopes& scopes) {
  for (size_t i = 0; i < scopes.statements.size(); ++i) {
    const auto* loop = dyn_cast<For>(scopes.statements[i]);
    if (loop != nullptr && ReadFedRows(loop->annotations)) return i;
  }
  return std::nullopt;
}

/// Rewrites a function that takes all rows into one that takes `count` rows from row `first` on.
class FedFunction : public Rewriter<FedFunction> {
 public:
  FedFunction(Context& context, const std::shared_ptr<Storage>& storage, const PrimFunc& func)
      : Rewriter(context, storage),
        func_(func),
        scopes_(SplitScopes(func.body)),
        math_(builder(), {}),
        first_(builder().NewVar("first", DataType::Int(32))),
        count_(builder().NewVar("count", DataType::Int(32))) {}

  const Scopes& scopes() const { return scopes_; }
  const Var* first() const { return first_; }
  const Var* count() const { return count_; }

  /// The parameter `param` has only the rows of the call.
  void SetRows(size_t param, int64_t row_elements) {
    const Buffer* given = func_.buffers[param];
    TENON_CHECK(given != nullptr);
    row_elements_ = row_elements;
    data_ = given->data;
    Buffer buffer(given->name, given->data, given->dtype,
                  builder().List<Expr>({math_.Mul(count_, builder().Int(row_elements))}),
                  builder().Int(0));
    rows_ = arena().New<Buffer>(buffer);
    param_ = param;
  }

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    const BufferLoad* now = RewriteChildren(load);
    if (now->buffer->data != data_) return now;
    BufferLoad copy = *now;
    copy.buffer = rows_;
    const Expr* skipped = math_.Mul(first_, builder().Int(row_elements_));
    copy.indices = builder().List<Expr>({math_.Sub(now->indices[0], skipped)});
    return arena().New<BufferLoad>(copy);
  }

  const Expr* IsFirst() { return math_.Equal(first_, builder().Int(0)); }
  const Expr* IsLast(int64_t rows) {
    return math_.Equal(math_.Add(first_, count_), builder().Int(rows));
  }
  const Stmt* If(const Expr* condition, const std::vector<const Stmt*>& statements) {
    return builder().New<IfThenElse>(SourceRange(), condition, Sequence(statements), nullptr);
  }
  const Stmt* Sequence(const std::vector<const Stmt*>& statements) {
    return builder().Seq(Span<const Stmt*>(statements.data(), statements.size()));
  }

  /// The loop over the rows of the call. The first and the last call also have the iterations that
  /// take no row.
  const Stmt* LoopOf(const For& given, int64_t rows) {
    const int64_t min = *AsIntImm(given.min);
    const int64_t end = min + *AsIntImm(given.extent);
    const Expr* from = first_;
    const Expr* to = math_.Add(first_, count_);
    if (min < 0) from = builder().New<Select>({}, IsFirst(), builder().Int(min), from);
    if (end > rows) to = builder().New<Select>({}, IsLast(rows), builder().Int(end), to);
    For loop = *cast<For>(RewriteAny<Stmt>(&given));
    loop.min = from;
    loop.extent = min < 0 || end > rows ? math_.Sub(to, from) : count_;
    loop.annotations = nullptr;
    return arena().New<For>(loop);
  }

  /// The function with these statements.
  const PrimFunc* Make(const std::vector<const Stmt*>& statements, const MapAttr* attrs) {
    PrimFunc copy = func_;
    std::vector<const Var*> params(func_.params.begin(), func_.params.end());
    std::vector<const Buffer*> buffers(func_.buffers.begin(), func_.buffers.end());
    buffers[param_] = rows_;
    params.insert(params.end(), {first_, count_});
    buffers.insert(buffers.end(), {nullptr, nullptr});
    copy.params = arena().Copy(Span<const Var*>(params.data(), params.size()));
    copy.buffers = arena().Copy(Span<const Buffer*>(buffers.data(), buffers.size()));
    copy.attrs = attrs;
    const Stmt* body = Sequence(statements);
    for (auto at = scopes_.bindings.rbegin(); at != scopes_.bindings.rend(); ++at) {
      if (const auto* let = dyn_cast<LetStmt>(*at)) {
        body = builder().New<LetStmt>(let->range, let->var, let->value, body);
      } else {
        DeclBuffer binding = *cast<DeclBuffer>(*at);
        binding.body = body;
        body = arena().New<DeclBuffer>(binding);
      }
    }
    copy.body = body;
    return arena().New<PrimFunc>(copy);
  }

 private:
  const PrimFunc& func_;
  const Scopes scopes_;
  const IndexMath math_;
  const Var* first_;
  const Var* count_;
  size_t param_ = 0;
  int64_t row_elements_ = 0;
  const Var* data_ = nullptr;
  const Buffer* rows_ = nullptr;
};

class RowFeedMaker {
 public:
  RowFeedMaker(const IRModule& module, const Function& main, const Function& group)
      : result_(module),
        main_(main),
        group_(group),
        storage_(std::make_shared<Storage>(main.storage)),
        builder_(module.context(), storage_->arena()) {}

  /// False if the entry does not begin with the call of the group.
  bool Make() {
    FedFunction entry(result_.context(), storage_, *main_.func);
    const CallSite site = FirstCall(entry.scopes());
    if (site.callee == nullptr || site.callee->name != group_.name) return false;
    FixGroup();
    const std::optional<size_t> param = ParamOf(site.args[static_cast<size_t>(fed_.param)]);
    if (!param) return false;
    entry.SetRows(*param, fed_.row_elements);
    std::vector<const Expr*> args(site.call->args.begin(), site.call->args.end());
    args.insert(args.end(), {entry.first(), entry.count()});
    std::vector<const Stmt*> rest = entry.scopes().statements;
    const Stmt* call = CallOf(args, rest.front()->range);
    rest.erase(rest.begin());
    std::vector<const Stmt*> statements = {call};
    if (!rest.empty()) statements.push_back(entry.If(entry.IsLast(fed_.rows), rest));
    std::string name = fmt::format("{}_rows", main_.name.view());
    while (result_.FindCallee(name) != nullptr) name += "_1";
    const MapAttr* attrs = builder_.Map({});
    for (const std::string_view key :
         {attr_key::kNoAlias, attr_key::kPoolArgs, attr_key::kOverlaps, attr_key::kExterns}) {
      if (const Attr* value = main_.FindAttr(key)) attrs = builder_.With(attrs, key, value);
    }
    result_.Add({result_.context().Intern(name), entry.Make(statements, attrs), storage_});
    FixMain(name, *param);
    return true;
  }

  IRModule Result() { return std::move(result_); }

 private:
  CallSite FirstCall(const Scopes& scopes) const {
    const auto* evaluate = dyn_cast<Evaluate>(scopes.statements.front());
    return evaluate != nullptr ? AsCallSite(result_, evaluate->value) : CallSite();
  }

  const Stmt* CallOf(const std::vector<const Expr*>& args, SourceRange range) {
    return builder_.New<Evaluate>(
        range,
        builder_.New<Call>(range, DataType::Int(32), Op::Get(OpKind::kCallExtern),
                           storage_->arena().Copy(Span<const Expr*>(args.data(), args.size()))));
  }

  /// The function with the loop.
  void FixGroup() {
    auto storage = std::make_shared<Storage>(group_.storage);
    FedFunction group(result_.context(), storage, *group_.func);
    const std::vector<const Stmt*>& all = group.scopes().statements;
    const size_t at = *FedLoopOf(group.scopes());
    const auto& loop = *cast<For>(all[at]);
    fed_ = *ReadFedRows(loop.annotations);
    group.SetRows(static_cast<size_t>(fed_.param), fed_.row_elements);
    std::vector<const Stmt*> statements;
    if (at > 0)
      statements.push_back(
          group.If(group.IsFirst(), {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(at)}));
    statements.push_back(group.LoopOf(loop, fed_.rows));
    if (at + 1 < all.size())
      statements.push_back(group.If(
          group.IsLast(fed_.rows), {all.begin() + static_cast<std::ptrdiff_t>(at) + 1, all.end()}));
    const MapAttr* attrs = group_.func->attrs;
    result_.Update({group_.name, group.Make(statements, attrs), storage});
  }

  /// The parameter of the entry whose address the argument is.
  std::optional<size_t> ParamOf(const Expr* arg) const {
    const PrimFunc& func = *main_.func;
    for (size_t i = 0; i < func.params.size(); ++i) {
      if (func.buffers[i] != nullptr && (arg == func.buffers[i]->data || arg == func.params[i]))
        return i;
    }
    return std::nullopt;
  }

  /// The entry passes all rows.
  void FixMain(const std::string& name, size_t param) {
    PrimFunc copy = *main_.func;
    std::vector<const Expr*> args = {builder_.String(name)};
    for (size_t i = 0; i < copy.params.size(); ++i)
      args.push_back(copy.buffers[i] != nullptr ? copy.buffers[i]->data : copy.params[i]);
    args.insert(args.end(), {builder_.Int(0), builder_.Int(fed_.rows)});
    copy.body = CallOf(args, main_.func->range);
    const RowFeed feed = {name, static_cast<int64_t>(param), fed_.rows,
                          fed_.row_elements * copy.buffers[param]->dtype.bytes()};
    copy.attrs = builder_.With(copy.attrs, attr_key::kRowFeed, RowFeedAttr(builder_, feed));
    // Its parameters are those of the other function too, which has the original ones.
    Renamer renamer(result_.context(), storage_);
    result_.Update({main_.name, renamer.Renamed(copy), storage_});
  }

  /// A copy of a function with parameters of its own.
  class Renamer : public Rewriter<Renamer> {
   public:
    using Rewriter::Rewriter;
    const PrimFunc* Renamed(const PrimFunc& func) {
      const auto rename = [&](const Var* var) {
        var_map.try_emplace(var, builder().NewVar(var->name.view(), var->type, var->range));
      };
      for (size_t i = 0; i < func.params.size(); ++i) {
        rename(func.params[i]);
        if (func.buffers[i] != nullptr) rename(func.buffers[i]->data);
      }
      return RewriteFunc(arena().New<PrimFunc>(func));
    }
  };

  IRModule result_;
  const Function main_;
  const Function group_;
  std::shared_ptr<Storage> storage_;
  NodeBuilder builder_;
  FedRows fed_;
};

/// The function with a loop over fed rows.
std::optional<Function> FedGroup(const IRModule& module) {
  for (const Function& function : module.functions()) {
    if (FedLoopOf(SplitScopes(function.func->body))) return function;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<IRModule> MakeRowFeed(const IRModule& module, const NoOptions&,
                                     PassContext& context) {
  const Function* main = module.Main();
  const std::optional<Function> group = main != nullptr ? FedGroup(module) : std::nullopt;
  if (!group) return module;
  RowFeedMaker maker(module, *main, *group);
  if (maker.Make()) return maker.Result();
  context.diagnostics.Error(
      DiagnosticKind::kPass, main->func->range,
      fmt::format("rows cannot be fed: expected an entry that first calls `{}`, which reads rows",
                  group->name.view()));
  return module;
}

}  // namespace tenon
