// A nest that computes its sums one after another reads all rows for each of them. With a sum for
// each result, the loop over rows can be the outermost one.
//
//   for c:                       for c:
//     s[0] = 0                     s[c] = 0
//     for y, x:           ->     for y:
//       s[0] += in[y, x, c]        for c, x:
//     out[c] = f(s[0])               s[c] += in[y, x, c]
//                                for c:
//                                  out[c] = f(s[c])

#include "passes/streaming/row_reduction.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/attributes.h"
#include "ir/extents.h"
#include "ir/rewriter.h"
#include "passes/fusion/nest.h"
#include "passes/fusion/region.h"
#include "passes/fusion/top_level.h"
#include "passes/inlining.h"
#include "passes/outlining.h"

namespace tenon {

namespace {

using DataVars = absl::flat_hash_set<const Var*>;

/// The data pointers of the parameters; nullopt if one is not memory of constant size.
std::optional<DataVars> ParamDataOf(const PrimFunc& func) {
  DataVars data;
  for (const Buffer* buffer : func.buffers) {
    if (buffer == nullptr || !CompactShape(*buffer)) return std::nullopt;
    data.insert(buffer->data);
  }
  return data;
}

bool LoadsFrom(const Stmt* stmt, const DataVars& data, const DataVars& except) {
  bool found = false;
  Walk(stmt, [&](const Node* node) {
    const auto* load = dyn_cast<BufferLoad>(node);
    found |= load != nullptr && data.contains(load->buffer->data) &&
             !except.contains(load->buffer->data);
    return !found && !isa<Buffer>(node);
  });
  return found;
}

DataVars StoredBy(const Stmt* stmt) {
  DataVars stored;
  Walk(stmt, [&](const Node* node) {
    if (const auto* store = dyn_cast<BufferStore>(node)) stored.insert(store->buffer->data);
    return !isa<Expr>(node);
  });
  return stored;
}

/// The only statement that loads operands; nullopt if there are several, or none.
std::optional<size_t> ReaderOf(const std::vector<const Stmt*>& statements, const DataVars& params,
                               const DataVars& stored) {
  std::optional<size_t> reader;
  for (size_t i = 0; i < statements.size(); ++i) {
    if (!LoadsFrom(statements[i], params, stored)) continue;
    if (reader) return std::nullopt;
    reader = i;
  }
  return reader;
}

/// Moves the accesses of a sum to an element of an allocation of all sums.
class SumElements : public Rewriter<SumElements> {
 public:
  SumElements(Context& context, std::shared_ptr<Storage> storage, const Var* sum,
              const Buffer* sums, const Expr* element)
      : Rewriter(context, std::move(storage)), sum_(sum), sums_(sums), element_(element) {}

  const Expr* RewriteBufferLoad(const BufferLoad* load) { return Moved(RewriteChildren(load)); }
  const Stmt* RewriteBufferStore(const BufferStore* store) { return Moved(RewriteChildren(store)); }

 private:
  template <class T>
  const T* Moved(const T* access) {
    if (access->buffer->data != sum_) return access;
    T copy = *access;
    copy.buffer = sums_;
    copy.indices = builder().List<Expr>({element_});
    return arena().New<T>(copy);
  }

  const Var* sum_;
  const Buffer* sums_;
  const Expr* element_;
};

/// Gives each result of a nest a sum of its own.
class SumSplitter {
 public:
  SumSplitter(Context& context, const Function& function)
      : context_(context),
        function_(function),
        storage_(std::make_shared<Storage>(function.storage)),
        builder_(context, storage_->arena()),
        analyzer_(context, storage_->arena()) {}

  std::optional<Function> Split() {
    top_ = SplitTopLevel(function_.func->body);
    const auto params = ParamDataOf(*function_.func);
    if (!params || top_.statements.size() != 1) return std::nullopt;
    nest_ = NestOf(top_.statements[0]);
    if (nest_.loops.empty()) return std::nullopt;
    const StmtRegion region = OpenRegion(nest_.body);
    std::vector<const Stmt*> statements;
    for (size_t i = 0; i < region.size(); ++i) statements.push_back(region.stmt(i));
    const auto reader = ReaderOf(statements, *params, {});
    const auto* rows = reader ? dyn_cast<For>(statements[*reader]) : nullptr;
    if (rows == nullptr || NestOf(rows).loops.empty() || !FindSum(region, rows))
      return std::nullopt;
    const Span<const Stmt*> all(statements);
    if (!PutScopes(region, all, *reader)) return std::nullopt;
    MakeSums();
    TopLevel now{top_.bindings, {}};
    now.bindings.push_back(sums_allocate_);
    if (*reader > 0) now.statements.push_back(Around(Part(all.first(*reader), 0)));
    For outer = *rows;
    outer.body = Around(InBindings(builder_, scopes_[1], rows->body));
    now.statements.push_back(WithNewVars(context_, storage_, storage_->arena().New<For>(outer)));
    if (*reader + 1 < all.size())
      now.statements.push_back(Around(Part(all.subspan(*reader + 1), 2)));
    PrimFunc func = *function_.func;
    func.body = JoinTopLevel(builder_, now);
    return Function{function_.name, storage_->arena().New<PrimFunc>(func), storage_};
  }

 private:
  /// The reader stores one element only: the sum.
  bool FindSum(const StmtRegion& region, const Stmt* rows) {
    const DataVars stored = StoredBy(rows);
    if (stored.size() != 1) return false;
    sum_ = region.Find(*stored.begin());
    return sum_ != nullptr && StaticCount(sum_->extents) == 1;
  }

  /// Gives each other allocation to the part that uses it: before the reader, in it, or after it.
  bool PutScopes(const StmtRegion& region, Span<const Stmt*> all, size_t reader) {
    for (const Stmt* scope : region.scopes) {
      const auto* allocate = dyn_cast<Allocate>(scope);
      if (allocate == nullptr) return false;
      if (allocate == sum_) continue;
      int part = -1;
      for (const size_t use : region.UsesOf(allocate->buffer_var)) {
        const int of = use < reader ? 0 : use == reader ? 1 : 2;
        if (part >= 0 && part != of) return false;
        part = of;
      }
      if (part >= 0) scopes_[part].push_back(scope);
    }
    return !all.empty();
  }

  void MakeSums() {
    const Expr* count = builder_.Int(nest_.Count(nest_.loops.size()));
    const Var* var = builder_.NewVar(sum_->buffer_var->name.view(), sum_->buffer_var->type);
    const Buffer buffer(var->name, var, sum_->dtype, builder_.List<Expr>({count}), builder_.Int(0));
    sums_ = storage_->arena().New<Buffer>(buffer);
    Allocate copy = *sum_;
    copy.buffer_var = var;
    copy.extents = sums_->shape;
    sums_allocate_ = storage_->arena().New<Allocate>(copy);
  }

  const Stmt* Part(Span<const Stmt*> statements, int scopes) {
    return InBindings(builder_, scopes_[scopes], builder_.Seq(statements));
  }

  /// A copy of `body` in the loops over results.
  const Stmt* Around(const Stmt* body) {
    const FusionTools tools{builder_, storage_, analyzer_};
    const Expr* element = CountOf(tools, Span<const For*>(nest_.loops));
    body = SumElements(context_, storage_, sum_->buffer_var, sums_, element).RewriteStmt(body);
    for (size_t i = nest_.loops.size(); i-- > 0;) {
      For copy = *nest_.loops[i];
      copy.body = body;
      copy.annotations = nullptr;
      body = storage_->arena().New<For>(copy);
    }
    return WithNewVars(context_, storage_, body);
  }

  Context& context_;
  const Function& function_;
  std::shared_ptr<Storage> storage_;
  NodeBuilder builder_;
  Analyzer analyzer_;
  TopLevel top_;
  Nest nest_;
  const Allocate* sum_ = nullptr;
  const Buffer* sums_ = nullptr;
  const Stmt* sums_allocate_ = nullptr;
  std::vector<const Stmt*> scopes_[3];
};

/// Makes functions of the statements of a function.
class PartMaker {
 public:
  PartMaker(Context& context, const Function& function)
      : context_(context), function_(function), top_(SplitTopLevel(function.func->body)) {}

  std::optional<RowReduction> Make() {
    const auto params = ParamDataOf(*function_.func);
    if (!params || top_.statements.size() < 2) return std::nullopt;
    DataVars stored;
    for (const Stmt* stmt : top_.statements) {
      if (AccessesOf(stmt).is_opaque) return std::nullopt;
      for (const Var* var : StoredBy(stmt)) stored.insert(var);
    }
    const auto reader = ReaderOf(top_.statements, *params, stored);
    if (!reader) return std::nullopt;
    const Span<const Stmt*> all(top_.statements);
    RowReduction result;
    if (*reader > 0) result.before = PartOf(all.first(*reader), "_begin");
    result.rows = PartOf(all.subspan(*reader, 1), "");
    if (*reader + 1 < all.size()) result.after = PartOf(all.subspan(*reader + 1), "_end");
    for (const Stmt* binding : top_.bindings) {
      const auto* allocate = dyn_cast<Allocate>(binding);
      if (allocate == nullptr) continue;
      if (!StaticCount(allocate->extents)) return std::nullopt;
      result.shared.push_back(allocate);
    }
    return result;
  }

 private:
  RowPart PartOf(Span<const Stmt*> statements, std::string_view suffix) {
    auto storage = std::make_shared<Storage>(function_.storage);
    NodeBuilder builder(context_, storage->arena());
    const std::vector<const Stmt*> list(statements.begin(), statements.end());
    RowPart part;
    std::vector<const Var*> vars;
    std::vector<const Buffer*> buffers;
    std::vector<const Stmt*> constants;
    const auto add = [&](const Var* data, const Buffer* buffer) {
      part.args.push_back(data);
      vars.push_back(
          builder.NewVar(fmt::format("{}_handle", data->name.view()), DataType::Handle()));
      buffers.push_back(buffer);
    };
    const std::vector<const Var*> free = FreeVarsOf(list);
    const auto uses = [&](const Var* var) {
      return std::find(free.begin(), free.end(), var) != free.end();
    };
    for (const Buffer* buffer : function_.func->buffers) {
      if (uses(buffer->data)) add(buffer->data, buffer);
    }
    for (const Stmt* binding : top_.bindings) {
      if (const auto* constant = dyn_cast<AllocateConst>(binding)) {
        if (uses(constant->buffer_var)) constants.push_back(constant);
      } else if (const auto* allocate = cast<Allocate>(binding); uses(allocate->buffer_var)) {
        const Var* var = allocate->buffer_var;
        const Buffer buffer(var->name, var, allocate->dtype, allocate->extents, builder.Int(0));
        add(var, storage->arena().New<Buffer>(buffer));
      }
    }
    PrimFunc func = *function_.func;
    func.params = storage->arena().Copy(Span<const Var*>(vars));
    func.buffers = storage->arena().Copy(Span<const Buffer*>(buffers));
    func.attrs = AttrsOfPart(builder, func);
    func.body = InBindings(builder, constants, builder.Seq(statements));
    const Symbol name = context_.Intern(fmt::format("{}{}", function_.name.view(), suffix));
    part.function = {name, storage->arena().New<PrimFunc>(func), storage};
    return part;
  }

  Context& context_;
  const Function& function_;
  TopLevel top_;
};

}  // namespace

const MapAttr* AttrsOfPart(NodeBuilder& builder, const PrimFunc& func) {
  const MapAttr* attrs = builder.Map({});
  for (const std::string_view key : {attr_key::kOrigins, attr_key::kNoAlias}) {
    if (const Attr* value = func.FindAttr(key)) attrs = builder.With(attrs, key, value);
  }
  return attrs;
}

std::optional<RowReduction> SplitRowReduction(Context& context, const Function& function) {
  if (const std::optional<Function> split = SumSplitter(context, function).Split())
    return PartMaker(context, *split).Make();
  return PartMaker(context, function).Make();
}

}  // namespace tenon
