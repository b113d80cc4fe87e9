// All statements are known at first, and a worklist removes those whose inputs are not. Groups that
// share memory run in the interpreter, those with the most operations first, until the budget is
// spent.

#include "passes/fusion/fold_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/function_evaluator.h"
#include "arith/analyzer.h"
#include "ir/analysis/effects.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/rewriter.h"
#include "passes/fusion/fold_cost.h"
#include "passes/fusion/top_level.h"
#include "passes/outlining.h"
#include "support/saturated.h"

namespace tenon {

namespace {

/// Results may take so many bytes more than the growth of constants allows.
constexpr double kSmallResult = 1024;

using Vars = absl::flat_hash_set<const Var*>;

/// The memory of a function that one outermost statement reads and writes.
struct Statement {
  Vars reads;
  Vars writes;
  /// It can be folded if its inputs are known.
  bool is_plain = true;
};

/// Mathematics is left to the library of the target, whose last bits may be others.
bool IsPlainCall(const Call& call) {
  const bool is_pure = call.op->effect == OpEffect::kPure;
  return is_pure && call.op->kind != OpKind::kCallPureExtern && !IsMathematics(call.op->kind);
}

Statement Describe(const Stmt* stmt) {
  Statement facts;
  Walk(stmt, [&](const Node* node) {
    if (const auto* load = dyn_cast<BufferLoad>(node)) {
      facts.reads.insert(load->buffer->data);
    } else if (const auto* store = dyn_cast<BufferStore>(node)) {
      facts.writes.insert(store->buffer->data);
    } else if (const auto* call = dyn_cast<Call>(node)) {
      facts.is_plain &= IsPlainCall(*call);
      // Memory at an address may be written.
      const bool is_address = call->op->kind == OpKind::kAddressOf && !call->args.empty();
      if (const auto* at = is_address ? dyn_cast<BufferLoad>(call->args[0]) : nullptr)
        facts.writes.insert(at->buffer->data);
    } else if (isa<AssertStmt>(node) || isa<While>(node) || isa<BlockRealize>(node)) {
      facts.is_plain = false;
    } else if (const auto* var = dyn_cast<Var>(node); var != nullptr && var->dtype.is_handle()) {
      // A pointer on its way somewhere else; allocations inside are seen as well.
      facts.reads.insert(var);
      facts.writes.insert(var);
    }
    return !isa<Buffer>(node);
  });
  return facts;
}

/// The number of uses of each constant in a module.
using ConstantUses = absl::flat_hash_map<const Constant*, int>;

ConstantUses CountConstants(const IRModule& module) {
  ConstantUses uses;
  for (const Function& function : module.functions()) {
    Walk(function.func->body, [&](const Node* node) {
      if (const auto* constant = dyn_cast<AllocateConst>(node)) ++uses[constant->data];
      return !isa<Expr>(node);
    });
  }
  return uses;
}

/// Statements that are folded together.
struct Group {
  std::vector<size_t> statements;
  std::vector<const Allocate*> results;
  std::vector<const AllocateConst*> sources;
  /// The operations that folding takes; nullopt if unknown before the statements run.
  std::optional<int64_t> operations;
};

/// Folds in one function.
class Folder {
 public:
  Folder(const IRModule& module, const Function& function, const ConstantUses& uses,
         const FoldConstantsOptions& options, const FunctionEvaluator& evaluator)
      : module_(module),
        function_(function),
        uses_(uses),
        options_(options),
        evaluator_(evaluator),
        top_(SplitTopLevel(function.func->body)) {
    for (const Stmt* stmt : top_.statements) {
      const size_t number = facts_.size();
      facts_.push_back(Describe(stmt));
      for (const Vars* vars : {&facts_.back().reads, &facts_.back().writes}) {
        for (const Var* var : *vars) {
          std::vector<size_t>& uses = uses_of_[var];
          if (uses.empty() || uses.back() != number) uses.push_back(number);
        }
      }
    }
    for (const Stmt* binding : top_.bindings) {
      if (const auto* allocate = dyn_cast<Allocate>(binding)) {
        if (allocate->annotations == nullptr) allocates_.emplace(allocate->buffer_var, allocate);
      } else {
        const auto* constant = cast<AllocateConst>(binding);
        constants_.emplace(constant->buffer_var, constant);
      }
    }
  }

  /// The groups that can be folded, in the order of the text.
  std::vector<Group> Foldable() {
    FindKnown();
    std::vector<Group> groups = Groups();
    std::erase_if(groups, [&](const Group& group) {
      return !IsSmallEnough(group) ||
             std::any_of(group.sources.begin(), group.sources.end(),
                         [](const AllocateConst* source) { return !source->data->has_bytes(); });
    });
    for (Group& group : groups) group.operations = OperationsOf(group);
    return groups;
  }

  /// Folds a group in at most `most` operations; false if its run fails.
  bool Fold(const Group& group, int64_t most) {
    if (!Evaluate(group, most)) return false;
    is_folded_.resize(facts_.size(), false);
    statements_ += static_cast<int64_t>(group.statements.size());
    for (const size_t at : group.statements) {
      is_folded_[at] = true;
      gone_.insert(facts_[at].writes.begin(), facts_[at].writes.end());
    }
    return true;
  }

  /// The function with folded statements; the function itself if none could be folded.
  Function Folded() const { return statements_ == 0 ? function_ : Rebuilt(); }

  const Function& function() const { return function_; }
  SourceRange RangeOf(const Group& group) const {
    return top_.statements[group.statements.front()]->range;
  }
  int64_t statements() const { return statements_; }
  int64_t bytes() const { return bytes_; }

 private:
  /// Finds the statements whose inputs are known: begins with all, and removes those that others
  /// forbid.
  void FindKnown() {
    is_known_.assign(facts_.size(), true);
    for (size_t i = 0; i < facts_.size(); ++i) {
      is_known_[i] = facts_[i].is_plain && !facts_[i].writes.empty() &&
                     std::all_of(facts_[i].writes.begin(), facts_[i].writes.end(),
                                 [&](const Var* var) { return allocates_.contains(var); });
    }
    // In each round, the memory of the statements that the last round has removed.
    Vars doubtful;
    for (const auto& [var, uses] : uses_of_) doubtful.insert(var);
    while (!doubtful.empty()) {
      Vars next;
      for (const Var* var : doubtful) {
        if (constants_.contains(var) || IsKnownMemory(var)) continue;
        for (const size_t i : UsesOf(var)) {
          if (!is_known_[i]) continue;
          is_known_[i] = false;
          next.insert(facts_[i].reads.begin(), facts_[i].reads.end());
          next.insert(facts_[i].writes.begin(), facts_[i].writes.end());
        }
      }
      doubtful = std::move(next);
    }
  }

  /// An allocation that known statements alone write, all of them before others read it.
  bool IsKnownMemory(const Var* var) const {
    if (!allocates_.contains(var)) return false;
    bool is_read = false;
    bool is_written = false;
    for (const size_t i : UsesOf(var)) {
      const bool writes = facts_[i].writes.contains(var);
      if (writes && (!is_known_[i] || is_read)) return false;
      is_written |= writes;
      is_read |= !is_known_[i] && facts_[i].reads.contains(var);
    }
    return is_written;
  }

  /// Known statements that share memory, in order.
  std::vector<Group> Groups() const {
    std::vector<size_t> root(facts_.size());
    for (size_t i = 0; i < root.size(); ++i) root[i] = i;
    const auto find = [&](size_t at) {
      while (root[at] != at) at = root[at];
      return at;
    };
    absl::flat_hash_map<const Var*, size_t> first;
    for (size_t i = 0; i < facts_.size(); ++i) {
      if (!is_known_[i]) continue;
      for (const Vars* vars : {&facts_[i].reads, &facts_[i].writes}) {
        for (const Var* var : *vars) {
          if (constants_.contains(var)) continue;
          const size_t other = find(first.try_emplace(var, i).first->second);
          const size_t own = find(i);
          root[std::max(other, own)] = std::min(other, own);
        }
      }
    }
    absl::flat_hash_map<size_t, size_t> group_of;
    std::vector<Group> groups;
    for (size_t i = 0; i < facts_.size(); ++i) {
      if (!is_known_[i]) continue;
      const auto [at, is_new] = group_of.try_emplace(find(i), groups.size());
      if (is_new) groups.emplace_back();
      groups[at->second].statements.push_back(i);
    }
    for (Group& group : groups) AddMemory(group);
    return groups;
  }

  void AddMemory(Group& group) const {
    Vars used;
    for (const size_t at : group.statements) {
      used.insert(facts_[at].reads.begin(), facts_[at].reads.end());
      used.insert(facts_[at].writes.begin(), facts_[at].writes.end());
    }
    for (const Stmt* binding : top_.bindings) {
      if (const auto* constant = dyn_cast<AllocateConst>(binding)) {
        if (used.contains(constant->buffer_var)) group.sources.push_back(constant);
      } else if (const auto* allocate = cast<Allocate>(binding);
                 used.contains(allocate->buffer_var) && IsReadLater(allocate->buffer_var)) {
        group.results.push_back(allocate);
      }
    }
  }

  bool IsReadLater(const Var* var) const {
    for (const size_t i : UsesOf(var)) {
      if (!is_known_[i] && facts_[i].reads.contains(var)) return true;
    }
    return false;
  }

  /// The statements that access a pointer, in order.
  std::span<const size_t> UsesOf(const Var* var) const {
    const auto found = uses_of_.find(var);
    return found == uses_of_.end() ? std::span<const size_t>() : std::span(found->second);
  }

  /// The rule on growth: see the header.
  bool IsSmallEnough(const Group& group) const {
    int64_t results = 0;
    for (const Allocate* result : group.results) {
      const std::optional<int64_t> bytes = StaticBytes(result->dtype, result->extents);
      if (!bytes || *bytes > options_.max_bytes - results) return false;
      results += *bytes;
    }
    // A constant may have several names.
    ConstantUses gone;
    for (const AllocateConst* source : group.sources) {
      if (!IsReadLater(source->buffer_var)) ++gone[source->data];
    }
    int64_t freed = 0;
    for (const auto& [constant, uses] : gone) {
      const auto all = uses_.find(constant);
      if (all != uses_.end() && all->second == uses) freed += constant->size_bytes();
    }
    return static_cast<double>(results) <=
           options_.max_growth * static_cast<double>(freed) + kSmallResult;
  }

  std::optional<int64_t> OperationsOf(const Group& group) const {
    Arena arena;
    Analyzer analyzer(module_.context(), arena);
    int64_t sum = 0;
    for (const size_t at : group.statements) {
      const std::optional<int64_t> one = FoldOperations(top_.statements[at], analyzer);
      if (!one) return std::nullopt;
      sum = SaturatedAdd(sum, *one);
    }
    // The interpreter copies each byte a few times.
    for (const Allocate* result : group.results)
      sum = SaturatedAdd(sum, *StaticBytes(result->dtype, result->extents));
    for (const AllocateConst* source : group.sources)
      sum = SaturatedAdd(sum, source->data->size_bytes());
    return sum;
  }

  /// Runs a group; true if its results are in `values_` then.
  bool Evaluate(const Group& group, int64_t most) {
    const IRModule alone = ModuleOf(group);
    const std::optional<std::vector<std::vector<uint8_t>>> bytes =
        evaluator_.Run(alone, alone.functions().front().name, most);
    if (!bytes) return false;
    for (size_t i = 0; i < group.results.size(); ++i) {
      const Allocate& result = *group.results[i];
      bytes_ += static_cast<int64_t>((*bytes)[i].size());
      values_[result.buffer_var] = module_.context().AddConstant(
          Symbol(), result.dtype, *StaticShape(result.extents), (*bytes)[i], {}, result.range);
    }
    return true;
  }

  /// A module with one function, which runs the group; its parameters are the results.
  IRModule ModuleOf(const Group& group) const {
    auto storage = std::make_shared<Storage>(function_.storage);
    NodeBuilder builder(module_.context(), storage->arena());
    std::vector<const Var*> params;
    std::vector<const Buffer*> buffers;
    Vars is_result;
    for (const Allocate* result : group.results) {
      const Var* data = result->buffer_var;
      params.push_back(builder.NewVar(data->name.view(), DataType::Handle()));
      buffers.push_back(builder.New<Buffer>({}, data->name, data, result->dtype, result->extents,
                                            builder.Int(0)));
      is_result.insert(data);
    }
    std::vector<const Stmt*> bindings(group.sources.begin(), group.sources.end());
    Vars seen;
    for (const size_t at : group.statements) {
      for (const Var* var : facts_[at].writes) {
        if (!is_result.contains(var) && seen.insert(var).second)
          bindings.push_back(allocates_.at(var));
      }
    }
    std::vector<const Stmt*> statements;
    for (const size_t at : group.statements) statements.push_back(top_.statements[at]);
    const Stmt* body = InBindings(builder, bindings, builder.Seq(statements));
    const PrimFunc* func = builder.New<PrimFunc>(
        {}, builder.arena().Copy(Span<const Var*>(params.data(), params.size())),
        builder.arena().Copy(Span<const Buffer*>(buffers.data(), buffers.size())),
        module_.context().VoidType(), builder.Map({}), body);
    IRModule alone(module_.context());
    alone.Add({function_.name, func, std::move(storage)});
    return alone;
  }

  /// The function with constants instead of the folded statements.
  Function Rebuilt() const {
    auto storage = std::make_shared<Storage>(function_.storage);
    NodeBuilder builder(module_.context(), storage->arena());
    TopLevel now;
    for (size_t i = 0; i < is_folded_.size(); ++i) {
      if (!is_folded_[i]) now.statements.push_back(top_.statements[i]);
    }
    Vars needed;
    for (const Var* var : FreeVarsOf(now.statements)) needed.insert(var);
    for (const Stmt* binding : top_.bindings) {
      if (const auto* allocate = dyn_cast<Allocate>(binding)) {
        const auto value = values_.find(allocate->buffer_var);
        if (value != values_.end()) {
          now.bindings.push_back(builder.New<AllocateConst>(
              allocate->range, allocate->buffer_var, allocate->dtype, allocate->extents,
              value->second, nullptr, allocate->body));
        } else if (!gone_.contains(allocate->buffer_var)) {
          now.bindings.push_back(binding);
        }
      } else if (needed.contains(cast<AllocateConst>(binding)->buffer_var)) {
        now.bindings.push_back(binding);
      }
    }
    PrimFunc copy = *function_.func;
    copy.body = JoinTopLevel(builder, now);
    return {function_.name, builder.arena().New<PrimFunc>(copy), std::move(storage)};
  }

  const IRModule& module_;
  const Function& function_;
  const ConstantUses& uses_;
  const FoldConstantsOptions& options_;
  const FunctionEvaluator& evaluator_;
  TopLevel top_;
  std::vector<Statement> facts_;
  absl::flat_hash_map<const Var*, const Allocate*> allocates_;
  absl::flat_hash_map<const Var*, const AllocateConst*> constants_;
  absl::flat_hash_map<const Var*, std::vector<size_t>> uses_of_;
  std::vector<bool> is_known_;
  /// The folded parts: values of allocations, allocations that are no longer written, statements.
  absl::flat_hash_map<const Var*, const Constant*> values_;
  Vars gone_;
  std::vector<bool> is_folded_;
  int64_t statements_ = 0;
  int64_t bytes_ = 0;
};

/// A group of a function, as a candidate.
struct Candidate {
  Folder* folder = nullptr;
  const Group* group = nullptr;
};

/// The names of the first results of the candidates, and their operations.
std::string NamesOf(const std::vector<Candidate>& candidates) {
  constexpr size_t kMostNames = 3;
  std::string names;
  for (size_t i = 0; i < std::min(candidates.size(), kMostNames); ++i) {
    const Group& group = *candidates[i].group;
    names += fmt::format("{}`{}` of `{}`", i == 0 ? "" : ", ",
                         group.results.front()->buffer_var->name.view(),
                         candidates[i].folder->function().name.view());
    if (group.operations) names += fmt::format(" ({} operations)", *group.operations);
  }
  if (candidates.size() > kMostNames)
    names += fmt::format(" and {} more", candidates.size() - kMostNames);
  return names;
}

/// Says which candidates stay. A later pass says nothing of those that an earlier one has named.
void NoteLeft(const std::vector<Candidate>& left, int64_t folded, int64_t most,
              Diagnostics& diagnostics) {
  int64_t needed = folded;
  bool is_known = true;
  for (const Candidate& candidate : left) {
    is_known &= candidate.group->operations.has_value();
    needed = SaturatedAdd(needed, candidate.group->operations.value_or(0));
  }
  std::string message = fmt::format(
      "constant folding stops at {} operations, so every run computes {} from constants", most,
      NamesOf(left));
  message += is_known ? fmt::format(
                            "; --fold-limit={0} of `tenon`, or max-operations={0} of "
                            "fold-constants, folds all",
                            needed)
                      : "; a larger --fold-limit of `tenon`, or max-operations of fold-constants, "
                        "may fold more";
  const SourceRange range = left.front().folder->RangeOf(*left.front().group);
  for (const Diagnostic& known : diagnostics.all())
    if (known.message == message) return;
  diagnostics.Note(DiagnosticKind::kPass, range, std::move(message));
}

/// Folds the candidates with the most operations first, and last those with an unknown number.
class Budget {
 public:
  Budget(std::vector<Candidate> candidates, int64_t most)
      : candidates_(std::move(candidates)), most_(most) {
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const Candidate& a, const Candidate& b) {
                       return a.group->operations.value_or(-1) > b.group->operations.value_or(-1);
                     });
  }

  void Spend() {
    for (const Candidate& candidate : candidates_) {
      const int64_t rest = most_ - spent_;
      const std::optional<int64_t>& operations = candidate.group->operations;
      if (rest <= 0 || (operations && *operations > rest)) {
        left_.push_back(candidate);
        continue;
      }
      const bool is_folded = candidate.folder->Fold(*candidate.group, operations.value_or(rest));
      // A run of unknown length may have taken everything.
      spent_ += operations.value_or(rest);
      if (!is_folded && !operations) left_.push_back(candidate);
    }
  }

  const std::vector<Candidate>& left() const { return left_; }
  int64_t spent() const { return spent_; }

 private:
  std::vector<Candidate> candidates_;
  std::vector<Candidate> left_;
  int64_t most_;
  int64_t spent_ = 0;
};

}  // namespace

absl::StatusOr<IRModule> FoldConstants(const IRModule& module, const FoldConstantsOptions& options,
                                       PassContext& context) {
  if (options.max_bytes < 0 || options.max_operations < 0 || !(options.max_growth >= 0))
    return absl::InvalidArgumentError("an option is negative, expected 0 or more");
  if (context.evaluator == nullptr) return module;
  const ConstantUses uses = CountConstants(module);
  std::deque<Folder> folders;
  std::deque<std::vector<Group>> groups;
  std::vector<Candidate> candidates;
  for (const Function& function : module.functions()) {
    if (IsPlanned(function)) continue;
    Folder& folder = folders.emplace_back(module, function, uses, options, *context.evaluator);
    for (const Group& group : groups.emplace_back(folder.Foldable()))
      candidates.push_back({&folder, &group});
  }
  Budget budget(std::move(candidates), options.max_operations);
  budget.Spend();
  IRModule result = module;
  int64_t statements = 0;
  int64_t bytes = 0;
  for (const Folder& folder : folders) {
    result.Update(folder.Folded());
    statements += folder.statements();
    bytes += folder.bytes();
  }
  int64_t left = 0;
  for (const Candidate& candidate : budget.left())
    left += static_cast<int64_t>(candidate.group->statements.size());
  if (left > 0)
    NoteLeft(budget.left(), budget.spent(), options.max_operations, context.diagnostics);
  context.Count("fold-constants.statements", statements);
  context.Count("fold-constants.bytes", bytes);
  context.Count("fold-constants.operations", budget.spent());
  context.Count("fold-constants.left", left);
  return result;
}

}  // namespace tenon
