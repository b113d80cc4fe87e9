// Functions are compared by their forms: all literals are 0, and a list has their numbers. Rows of
// numbers that are multiples or neighbours of another row share its parameter. (LLVM's
// MergeFunctions needs equal bodies.)

#include "passes/lowering/merge_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "arith/index_math.h"
#include "ir/analysis/effects.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/overlaps.h"
#include "ir/rewriter.h"
#include "ir/structural.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The expressions that literals of a function become. The order of calls is that of the text.
class Literals {
 public:
  virtual ~Literals() = default;
  /// A number that may become a parameter.
  virtual const Expr* Number(NodeBuilder& builder, const IntImm* literal) = 0;
  /// The size of an allocation, or of a buffer.
  virtual const Expr* Size(NodeBuilder& builder, const IntImm* literal) = 0;
  /// The size of a parameter's buffer, which has as many bytes at least.
  virtual const Expr* LeastSize(NodeBuilder& builder, const IntImm* literal) = 0;
};

bool FitsParameter(const IntImm& literal) {
  return !literal.dtype.is_bool() && literal.dtype.is_scalar() &&
         (literal.dtype.is_int() || literal.dtype.is_uint()) && literal.value >= INT32_MIN &&
         literal.value <= INT32_MAX;
}

/// True for builtins that take variables where they take literals, and are as fast.
bool TakesVariables(OpKind kind) {
  switch (kind) {
    case OpKind::kShiftLeft:
    case OpKind::kShiftRight:
    case OpKind::kBitwiseAnd:
    case OpKind::kBitwiseOr:
    case OpKind::kBitwiseXor:
    case OpKind::kIfThenElse:
      return true;
    default:
      return false;
  }
}

/// Replaces the literals of a function.
class LiteralRewriter : public Rewriter<LiteralRewriter> {
 public:
  LiteralRewriter(Context& context, std::shared_ptr<Storage> storage, Literals& literals)
      : Rewriter(context, std::move(storage)), literals_(literals) {}

  /// The function with `attrs` and more parameters.
  const PrimFunc* Rewrite(const PrimFunc& function, const MapAttr* attrs,
                          const std::vector<const Var*>& more = {}) {
    std::vector<const Var*> params(function.params.begin(), function.params.end());
    std::vector<const Buffer*> buffers;
    for (const Buffer* buffer : function.buffers)
      buffers.push_back(buffer == nullptr ? nullptr : ParamBuffer(buffer));
    params.insert(params.end(), more.begin(), more.end());
    buffers.resize(params.size(), nullptr);
    PrimFunc copy = function;
    copy.params = arena().Copy(Span<const Var*>(params));
    copy.buffers = arena().Copy(Span<const Buffer*>(buffers));
    copy.attrs = attrs;
    copy.body = RewriteStmt(function.body);
    return arena().New<PrimFunc>(copy);
  }

  const Expr* RewriteIntImm(const IntImm* literal) {
    return FitsParameter(*literal) ? literals_.Number(builder(), literal) : literal;
  }

  const Buffer* RewriteBuffer(const Buffer* buffer) override {
    if (const auto found = buffer_map.find(buffer); found != buffer_map.end()) return found->second;
    Buffer copy = *buffer;
    copy.shape = Sizes(buffer->shape, &Literals::Size);
    const Buffer* now = arena().New<Buffer>(copy);
    buffer_map.emplace(buffer, now);
    return now;
  }

  const Stmt* RewriteFor(const For* loop) {
    For copy = *loop;
    copy.min = RewriteExpr(loop->min);
    copy.extent = RewriteExpr(loop->extent);
    copy.body = RewriteAny(loop->body);
    return arena().New<For>(copy);
  }

  const Stmt* RewriteAllocate(const Allocate* allocate) {
    Allocate copy = *allocate;
    copy.extents = Sizes(allocate->extents, &Literals::Size);
    copy.body = RewriteAny(allocate->body);
    return arena().New<Allocate>(copy);
  }

  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) {
    AllocateConst copy = *allocate;
    copy.body = RewriteAny(allocate->body);
    return arena().New<AllocateConst>(copy);
  }

  const Stmt* RewriteAttrStmt(const AttrStmt* attr) {
    AttrStmt copy = *attr;
    copy.body = RewriteAny(attr->body);
    return arena().New<AttrStmt>(copy);
  }

  // A division by a variable takes far more instructions, or a call of the compiler's library.
  const Expr* RewriteDiv(const Div* node) { return Quotient(node); }
  const Expr* RewriteMod(const Mod* node) { return Quotient(node); }
  const Expr* RewriteFloorDiv(const FloorDiv* node) { return Quotient(node); }
  const Expr* RewriteFloorMod(const FloorMod* node) { return Quotient(node); }

  const Expr* RewriteRamp(const Ramp* ramp) {
    Ramp copy = *ramp;
    copy.base = RewriteExpr(ramp->base);
    return arena().New<Ramp>(copy);
  }

  const Expr* RewriteShuffle(const Shuffle* shuffle) { return shuffle; }

  const Expr* RewriteCall(const Call* call) {
    const bool any = TakesVariables(call->op->kind);
    std::vector<const Expr*> args;
    for (const Expr* arg : call->args)
      args.push_back(!any && isa<IntImm>(arg) ? arg : RewriteExpr(arg));
    Call copy = *call;
    copy.args = arena().Copy(Span<const Expr*>(args));
    return arena().New<Call>(copy);
  }

 private:
  using Replacement = const Expr* (Literals::*)(NodeBuilder&, const IntImm*);

  template <class T>
  const Expr* Quotient(const T* node) {
    T copy = *node;
    copy.a = RewriteExpr(node->a);
    if (!isa<IntImm>(node->b)) copy.b = RewriteExpr(node->b);
    return arena().New<T>(copy);
  }

  Span<const Expr*> Sizes(Span<const Expr*> sizes, Replacement replacement) {
    std::vector<const Expr*> now;
    for (const Expr* size : sizes) {
      const auto* literal = dyn_cast<IntImm>(size);
      now.push_back(literal == nullptr ? size : (literals_.*replacement)(builder(), literal));
    }
    return arena().Copy(Span<const Expr*>(now));
  }

  /// The declaration of a parameter promises bytes, and its uses reach bytes, so they are two
  /// buffers.
  const Buffer* ParamBuffer(const Buffer* buffer) {
    Buffer copy = *buffer;
    copy.shape = Sizes(buffer->shape, &Literals::LeastSize);
    const Buffer* used = RewriteBuffer(buffer);
    const bool same =
        std::equal(copy.shape.begin(), copy.shape.end(), used->shape.begin(),
                   [](const Expr* a, const Expr* b) { return StructuralEqual(a, b); });
    return same ? used : arena().New<Buffer>(copy);
  }

  Literals& literals_;
};

/// Collects the literals, and puts 0 in their places.
class Collected final : public Literals {
 public:
  const Expr* Number(NodeBuilder& builder, const IntImm* literal) override {
    numbers.push_back(literal->value);
    return builder.Int(literal->dtype, 0);
  }
  const Expr* Size(NodeBuilder& builder, const IntImm* literal) override {
    sizes.push_back(literal->value);
    return builder.Int(literal->dtype, 0);
  }
  const Expr* LeastSize(NodeBuilder& builder, const IntImm* literal) override {
    return builder.Int(literal->dtype, 0);
  }

  std::vector<int64_t> numbers;
  std::vector<int64_t> sizes;
};

/// A function that may be merged with others.
struct Candidate {
  const Function* function = nullptr;
  /// The function without its literals.
  const PrimFunc* form = nullptr;
  uint64_t hash = 0;
  int64_t nodes = 0;
  Collected literals;
};

/// `factor * parameter + added`; the number `added` if there is no parameter.
struct Source {
  int parameter = -1;
  int64_t factor = 1;
  int64_t added = 0;
};

using Row = std::vector<int64_t>;

/// How numbers that differ follow from parameters.
struct Parameters {
  /// For each parameter, its number in each function.
  std::vector<Row> rows;
  /// For each literal.
  std::vector<Source> sources;
};

/// `row` as a multiple of `base`, or as a small distance from it; nullopt if it is neither. Larger
/// distances and other sums of both would take as much code as a parameter.
std::optional<Source> FromRow(const Row& base, const Row& row) {
  constexpr int64_t kMostFactor = 4096;
  constexpr int64_t kMostDistance = 4095;
  if (base[0] != 0 && row[0] % base[0] == 0) {
    const int64_t factor = row[0] / base[0];
    bool is_multiple = std::abs(factor) <= kMostFactor;
    for (size_t i = 0; i < row.size(); ++i) is_multiple &= base[i] * factor == row[i];
    if (is_multiple) return Source{0, factor, 0};
  }
  const int64_t distance = row[0] - base[0];
  bool is_distance = std::abs(distance) <= kMostDistance;
  for (size_t i = 0; i < row.size(); ++i) is_distance &= base[i] + distance == row[i];
  return is_distance ? std::optional(Source{0, 1, distance}) : std::nullopt;
}

/// The parameters of a function for all `members`. Small numbers come first, since others are
/// multiples of them.
Parameters ParametersOf(const std::vector<const Candidate*>& members) {
  const size_t count = members[0]->literals.numbers.size();
  Parameters result;
  result.sources.resize(count);
  std::vector<std::pair<Row, size_t>> rows;
  for (size_t i = 0; i < count; ++i) {
    Row row;
    for (const Candidate* member : members) row.push_back(member->literals.numbers[i]);
    if (std::all_of(row.begin(), row.end(), [&](int64_t value) { return value == row[0]; })) {
      result.sources[i].added = row[0];
    } else {
      rows.emplace_back(std::move(row), i);
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::abs(a.first[0]) < std::abs(b.first[0]);
  });
  for (const auto& [row, literal] : rows) {
    std::optional<Source> source;
    for (size_t p = 0; p < result.rows.size() && !source; ++p) {
      source = FromRow(result.rows[p], row);
      if (source) source->parameter = static_cast<int>(p);
    }
    if (!source) {
      source = Source{static_cast<int>(result.rows.size()), 1, 0};
      result.rows.push_back(row);
    }
    result.sources[literal] = *source;
  }
  return result;
}

/// Puts parameters in the places of literals.
class Filled final : public Literals {
 public:
  Filled(const std::vector<const Candidate*>& members, const Parameters& parameters,
         const std::vector<const Var*>& vars)
      : members_(members), parameters_(parameters), vars_(vars) {}

  const Expr* Number(NodeBuilder& builder, const IntImm* literal) override {
    const Source& source = parameters_.sources[number_++];
    if (source.parameter < 0) return literal;
    const IndexMath math(builder, literal->range);
    const Expr* value = vars_[static_cast<size_t>(source.parameter)];
    if (source.factor != 1) value = math.Mul(value, builder.Int(source.factor));
    if (source.added != 0) value = math.Add(value, builder.Int(source.added));
    if (literal->dtype == value->dtype) return value;
    return builder.New<Cast>(literal->range, literal->dtype, value);
  }
  const Expr* Size(NodeBuilder& builder, const IntImm* literal) override {
    int64_t most = 0;
    for (const Candidate* member : members_) most = std::max(most, member->literals.sizes[size_]);
    ++size_;
    return builder.Int(literal->dtype, most);
  }
  /// Called before Size for the same literal.
  const Expr* LeastSize(NodeBuilder& builder, const IntImm* literal) override {
    int64_t least = INT64_MAX;
    for (const Candidate* member : members_) least = std::min(least, member->literals.sizes[size_]);
    return builder.Int(literal->dtype, least);
  }

 private:
  const std::vector<const Candidate*>& members_;
  const Parameters& parameters_;
  const std::vector<const Var*>& vars_;
  size_t number_ = 0;
  size_t size_ = 0;
};

/// Passes the numbers to merged functions.
class CallRewriter : public Rewriter<CallRewriter> {
 public:
  struct Target {
    Symbol name;
    std::vector<int64_t> numbers;
  };
  using Targets = absl::flat_hash_map<Symbol, Target>;

  CallRewriter(Context& context, std::shared_ptr<Storage> storage, const IRModule& module,
               const Targets& targets)
      : Rewriter(context, std::move(storage)), module_(module), targets_(targets) {}

  const Expr* RewriteCall(const Call* call) {
    const Call* now = RewriteChildren(call);
    const CallSite site = AsCallSite(module_, call);
    const auto target = site.callee == nullptr ? targets_.end() : targets_.find(site.callee->name);
    if (target == targets_.end()) return now;
    std::vector<const Expr*> args(now->args.begin(), now->args.end());
    args[0] = builder().String(target->second.name.view(), args[0]->range);
    for (const int64_t number : target->second.numbers) args.push_back(builder().Int(number));
    Call copy = *now;
    copy.args = arena().Copy(Span<const Expr*>(args));
    return arena().New<Call>(copy);
  }

 private:
  const IRModule& module_;
  const Targets& targets_;
};

/// Merges functions of one module.
class Merger {
 public:
  Merger(const IRModule& module, const MergeFunctionsOptions& options)
      : module_(module),
        options_(options),
        storage_(std::make_shared<Storage>()),
        builder_(module.context(), storage_->arena()) {}

  IRModule Run(PassContext& context) {
    FindCandidates();
    std::vector<std::vector<const Candidate*>> groups;
    for (const Candidate& candidate : candidates_) AddToGroup(candidate, groups);
    IRModule result = module_;
    for (const auto& group : groups) {
      if (group.size() > 1) Merge(group, result);
    }
    if (targets_.empty()) return module_;
    for (const Function& function : module_.functions()) {
      const Function* now = result.Find(function.name);
      if (now == nullptr) continue;
      Function rewritten =
          RewriteFunction<CallRewriter>(module_.context(), *now, module_, targets_);
      if (rewritten.func != now->func) result.Update(std::move(rewritten));
    }
    context.Count("merge-functions.functions", static_cast<int64_t>(targets_.size()));
    context.Count("merge-functions.parameters", parameters_);
    return result;
  }

 private:
  /// The functions that only calls of call_extern name, and that call none.
  void FindCandidates() {
    absl::flat_hash_set<Symbol> called;
    absl::flat_hash_set<Symbol> excluded;
    if (module_.Main() != nullptr) excluded.insert(module_.Main()->name);
    for (const Function& function : module_.functions()) {
      if (!function.global_symbol().empty() || function.func->ret_type->kind != Type::Kind::kVoid)
        excluded.insert(function.name);
      Walk(function.func->body, [&](const Node* node) {
        const auto* call = dyn_cast<Call>(node);
        const CallSite site = call == nullptr ? CallSite() : AsCallSite(module_, call);
        if (site.call == nullptr) return true;
        excluded.insert(function.name);
        if (site.callee == nullptr) return true;
        (call->op->kind == OpKind::kCallExtern ? called : excluded).insert(site.callee->name);
        return true;
      });
    }
    for (const Function& function : module_.functions()) {
      if (!called.contains(function.name) || excluded.contains(function.name)) continue;
      Candidate& candidate = candidates_.emplace_back();
      candidate.function = &function;
      storage_->Retain(function.storage);
      const MapAttr* attrs = function.func->attrs;
      for (const std::string_view key : {attr_key::kOrigins, attr_key::kOverlaps})
        attrs = builder_.With(attrs, key, nullptr);
      LiteralRewriter rewriter(module_.context(), storage_, candidate.literals);
      candidate.form = rewriter.Rewrite(*function.func, attrs);
      candidate.hash = StructuralHash(candidate.form);
      Walk(candidate.form->body, [&](const Node*) { return ++candidate.nodes > 0; });
    }
  }

  void AddToGroup(const Candidate& candidate, std::vector<std::vector<const Candidate*>>& groups) {
    for (auto& group : groups) {
      if (group[0]->hash != candidate.hash || !StructuralEqual(group[0]->form, candidate.form))
        continue;
      group.push_back(&candidate);
      if (static_cast<int64_t>(ParametersOf(group).rows.size()) <= options_.max_parameters) return;
      group.pop_back();
    }
    groups.push_back({&candidate});
  }

  /// Whether the removed code is larger than the code for the parameters, which all calls pass.
  static bool Pays(const std::vector<const Candidate*>& group, const Parameters& parameters) {
    constexpr size_t kNodesOfArgument = 8;
    return (group.size() - 1) * static_cast<size_t>(group[0]->nodes) >
           kNodesOfArgument * group.size() * parameters.rows.size();
  }

  void Merge(const std::vector<const Candidate*>& group, IRModule& result) {
    const Function& first = *group[0]->function;
    const Parameters parameters = ParametersOf(group);
    if (!Pays(group, parameters)) return;
    auto storage = std::make_shared<Storage>(first.storage);
    NodeBuilder builder(module_.context(), storage->arena());
    std::vector<const Var*> vars;
    for (size_t i = 0; i < parameters.rows.size(); ++i)
      vars.push_back(builder.NewVar("n", DataType::Int(32)));
    Filled filled(group, parameters, vars);
    LiteralRewriter rewriter(module_.context(), storage, filled);
    const PrimFunc* merged = rewriter.Rewrite(*first.func, AttrsOf(builder, group), vars);
    for (size_t i = 0; i < group.size(); ++i) {
      CallRewriter::Target target{first.name, {}};
      for (const Row& row : parameters.rows) target.numbers.push_back(row[i]);
      targets_.emplace(group[i]->function->name, std::move(target));
      if (i > 0) result.Remove(group[i]->function->name);
    }
    result.Update({first.name, merged, std::move(storage)});
    parameters_ += static_cast<int64_t>(vars.size());
  }

  /// Arguments of any member may overlap. The function is not one operator of the text.
  static const MapAttr* AttrsOf(NodeBuilder& builder, const std::vector<const Candidate*>& group) {
    std::vector<ParamPair> pairs;
    for (const Candidate* member : group) {
      const std::vector<ParamPair> own = ReadOverlaps(*member->function->func);
      pairs.insert(pairs.end(), own.begin(), own.end());
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    const MapAttr* attrs =
        builder.With(group[0]->function->func->attrs, attr_key::kOrigins, nullptr);
    return pairs.empty() ? attrs
                         : builder.With(attrs, attr_key::kOverlaps, OverlapsAttr(builder, pairs));
  }

  const IRModule& module_;
  const MergeFunctionsOptions& options_;
  std::shared_ptr<Storage> storage_;
  NodeBuilder builder_;
  std::vector<Candidate> candidates_;
  CallRewriter::Targets targets_;
  int64_t parameters_ = 0;
};

}  // namespace

absl::StatusOr<IRModule> MergeFunctions(const IRModule& module,
                                        const MergeFunctionsOptions& options,
                                        PassContext& context) {
  if (options.max_parameters < 0)
    return absl::InvalidArgumentError(fmt::format(
        "merge-functions: max-parameters is {}, expected 0 or more", options.max_parameters));
  return Merger(module, options).Run(context);
}

}  // namespace tenon
