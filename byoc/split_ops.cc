// Cuts are tried from the last value backwards, because the target should compute as much as
// possible. Both parts are generated from the claim and not from the original loops, so recognition
// proves the new loops again.

#include "byoc/split_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "arith/interval.h"
#include "byoc/call_flow.h"
#include "byoc/code_generator.h"
#include "byoc/generators/can_make_loops.h"
#include "byoc/generators/external_body.h"
#include "byoc/recognise/recognise.h"
#include "byoc/recognise_ops.h"
#include "byoc/region_units.h"
#include "ir/analysis/call_graph.h"
#include "ir/analysis/effects.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/function_attrs.h"
#include "ir/function_interface.h"
#include "ir/rewriter.h"
#include "ir/visitor.h"
#include "passes/function_choice.h"
#include "schedule/op_loops.h"

namespace tenon {

namespace {

constexpr DataType kBetween = DataType::Int(8);

/// The two parts of an operator. The value between them is an operand of both.
struct Parts {
  Computation head, tail;
  /// The parameter of the operator for each parameter of a part; -1 for the value between.
  std::vector<int> head_params, tail_params;
};

/// The intervals of the integer steps of a claim.
std::vector<Interval> BoundsOf(const Computation& all) {
  std::vector<Interval> bounds;
  for (const Step& step : all.steps) {
    Interval& at = bounds.emplace_back();
    if (!step.dtype.is_integer()) continue;
    at = Interval::OfDType(step.dtype);
    const auto of = [&](size_t arg) { return bounds[static_cast<size_t>(step.args[arg])]; };
    std::optional<Interval> exact;
    if (step.kind == StepKind::kInteger) exact = Interval::Point(step.integer);
    if (step.kind == StepKind::kNode) {
      switch (step.node) {
        case NodeKind::kMin:
          exact = MinOf(of(0), of(1));
          break;
        case NodeKind::kMax:
          exact = MaxOf(of(0), of(1));
          break;
        case NodeKind::kAdd:
          exact = of(0) + of(1);
          break;
        case NodeKind::kSub:
          exact = of(0) - of(1);
          break;
        case NodeKind::kCast:
          if (all.steps[static_cast<size_t>(step.args[0])].dtype.is_integer()) exact = of(0);
          break;
        default:
          break;
      }
    }
    if (exact && FitsDType(*exact, step.dtype)) at = *exact;
  }
  return bounds;
}

/// The steps that use the value of step `from`, through steps other than `cut`.
std::vector<bool> DependsOn(const Computation& all, int from, int cut) {
  std::vector<bool> depends(all.steps.size());
  depends[static_cast<size_t>(from)] = true;
  for (size_t i = static_cast<size_t>(from) + 1; i < all.steps.size(); ++i) {
    if (static_cast<int>(i) == cut) continue;
    for (const int arg : all.steps[i].args)
      depends[i] = depends[i] || depends[static_cast<size_t>(arg)];
  }
  return depends;
}

/// Copies the steps of a computation that a part needs.
class PartMaker {
 public:
  explicit PartMaker(const Computation& all) : all_(all) { part_.loops = all.loops; }

  /// The step of the part for a step of the computation. Its arguments come first.
  int Copy(int step) {
    std::vector<bool> needed(all_.steps.size());
    needed[static_cast<size_t>(step)] = true;
    for (size_t i = static_cast<size_t>(step) + 1; i-- > 0;) {
      if (!needed[i] || copies_.contains(static_cast<int>(i))) continue;
      for (const int arg : all_.steps[i].args) needed[static_cast<size_t>(arg)] = true;
    }
    for (size_t i = 0; i < needed.size(); ++i) {
      if (!needed[i] || copies_.contains(static_cast<int>(i))) continue;
      Step copy = all_.steps[i];
      for (int& arg : copy.args) arg = copies_.at(arg);
      if (IsRead(copy.kind)) copy.access = Access(copy.access);
      copies_[static_cast<int>(i)] = Add(std::move(copy));
    }
    return copies_.at(step);
  }

  /// Another step of the part replaces `step`.
  void Replace(int step, int by) { copies_[step] = by; }

  int Add(Step step) {
    part_.steps.push_back(std::move(step));
    return static_cast<int>(part_.steps.size()) - 1;
  }

  int Access(int access) {
    ComputationAccess copy = all_.accesses[static_cast<size_t>(access)];
    const auto [found, is_new] =
        operands_.emplace(copy.operand, static_cast<int>(part_.operands.size()));
    if (is_new) part_.operands.push_back(all_.operands[static_cast<size_t>(copy.operand)]);
    copy.operand = found->second;
    part_.accesses.push_back(std::move(copy));
    return static_cast<int>(part_.accesses.size()) - 1;
  }

  /// An access of the value between the parts, which has the layout of `like`.
  int Between(int like) {
    ComputationAccess copy = all_.accesses[static_cast<size_t>(like)];
    ComputationOperand operand = all_.operands[static_cast<size_t>(copy.operand)];
    operand.index = -1;
    operand.dtype = kBetween;
    copy.operand = static_cast<int>(part_.operands.size());
    part_.operands.push_back(operand);
    part_.accesses.push_back(std::move(copy));
    return static_cast<int>(part_.accesses.size()) - 1;
  }

  /// The part, with the parameters in the order of `params`.
  Computation Finish(int access, int step, const std::vector<int>& loops,
                     std::vector<int>& params) {
    part_.stores = {{access, step, loops}};
    const auto params_of = [&](bool are_written) {
      const int stored = part_.accesses[static_cast<size_t>(access)].operand;
      for (size_t i = 0; i < part_.operands.size(); ++i) {
        ComputationOperand& operand = part_.operands[i];
        if (operand.constant || (static_cast<int>(i) == stored) != are_written) continue;
        auto found = std::find(params.begin(), params.end(), operand.index);
        if (found == params.end()) found = params.insert(params.end(), operand.index);
        operand.index = static_cast<int>(found - params.begin());
      }
    };
    params_of(false);
    params_of(true);
    return std::move(part_);
  }

 private:
  const Computation& all_;
  Computation part_;
  std::map<int, int> copies_;
  std::map<int, int> operands_;
};

/// Cuts a claim after step `cut`.
Parts CutAt(const Computation& all, int cut) {
  Parts parts;
  const ComputationStore& store = all.stores[0];
  const DataType dtype = all.steps[static_cast<size_t>(cut)].dtype;
  const auto cast = [](DataType to, int step) {
    Step made;
    made.kind = StepKind::kNode;
    made.node = NodeKind::kCast;
    made.dtype = to;
    made.args = {step};
    return made;
  };
  PartMaker head(all);
  int value = head.Copy(cut);
  if (dtype != kBetween) value = head.Add(cast(kBetween, value));
  const int written = head.Between(store.access);
  parts.head = head.Finish(written, value, store.loops, parts.head_params);
  PartMaker tail(all);
  Step read;
  read.kind = StepKind::kRead;
  read.dtype = kBetween;
  read.access = tail.Between(store.access);
  int again = tail.Add(std::move(read));
  if (dtype != kBetween) again = tail.Add(cast(dtype, again));
  tail.Replace(cut, again);
  const int result = tail.Copy(store.step);
  const int output = tail.Access(store.access);
  parts.tail = tail.Finish(output, result, store.loops, parts.tail_params);
  return parts;
}

/// The steps at which a claim can be cut, the last one first.
std::vector<int> CutsOf(const OpInfo& info) {
  std::vector<int> cuts;
  const Computation& all = info.computation;
  if (info.contraction < 0 || all.stores.size() != 1 || all.loops.size() > 64) return cuts;
  const ComputationStore& store = all.stores[0];
  const LinearIndex& output = all.accesses[static_cast<size_t>(store.access)].element;
  if (output.offset != 0 || output.divisor != 1) return cuts;
  const std::vector<Interval> bounds = BoundsOf(all);
  const std::vector<LoopSet> free = FreeLoops(all);
  const std::vector<bool> depends = DependsOn(all, info.contraction, -1);
  for (int cut = store.step - 1; cut > info.contraction; --cut) {
    const auto at = static_cast<size_t>(cut);
    if (!depends[at] || all.steps[at].kind != StepKind::kNode) continue;
    if (!all.steps[at].dtype.is_integer() || !FitsDType(bounds[at], kBetween)) continue;
    if (DependsOn(all, info.contraction, cut)[static_cast<size_t>(store.step)]) continue;
    if (free[at] != free[static_cast<size_t>(store.step)]) continue;
    cuts.push_back(cut);
  }
  return cuts;
}

/// The claim of the head. Recognition proves it again later.
OpInfo HeadClaim(const OpInfo& info, const Computation& head, const Function& function) {
  OpInfo claim = info;
  claim.computation = head;
  const auto operand_like = [&](int access) {
    const ComputationAccess& before = info.computation.accesses[static_cast<size_t>(access)];
    for (size_t i = 0; i < head.accesses.size(); ++i) {
      if (head.accesses[i].element == before.element &&
          head.operands[static_cast<size_t>(head.accesses[i].operand)].constant ==
              info.computation.operands[static_cast<size_t>(before.operand)].constant)
        return static_cast<int>(i);
    }
    return -1;
  };
  claim.input = operand_like(info.input);
  claim.weights = operand_like(info.weights);
  claim.contraction = -1;
  for (size_t i = 0; i < head.steps.size(); ++i) {
    if (head.steps[i].kind == StepKind::kReduce) claim.contraction = static_cast<int>(i);
  }
  claim.requantise = RequantiseOf(claim, *function.func);
  return claim;
}

/// A function of a part. Its constants are those of the operator.
Function FunctionOf(Context& context, const Function& op, const Computation& part,
                    const std::vector<int>& params, Symbol name) {
  auto storage = std::make_shared<Storage>(op.storage);
  NodeBuilder builder(context, storage->arena());
  std::map<std::pair<bool, int>, const Buffer*> flat;
  std::vector<const Buffer*> operands;
  OpInfo sizes;
  sizes.computation = part;
  for (const ComputationOperand& operand : part.operands) {
    const Buffer*& buffer = flat[{operand.constant, operand.index}];
    if (buffer == nullptr) buffer = FlatOperand(builder, operand, ElementsOf(sizes, operand));
    operands.push_back(buffer);
  }
  const Stmt* body = OpLoops(builder, part, operands, {}).Stores();
  const std::vector<const AllocateConst*> constants = ConstantsOf(*op.func);
  std::vector<const Var*> vars(params.size());
  std::vector<const Buffer*> buffers(params.size());
  for (const auto& [operand, buffer] : flat) {
    const auto index = static_cast<size_t>(operand.second);
    if (operand.first) {
      AllocateConst copy = *constants[index];
      copy.buffer_var = buffer->data;
      copy.body = body;
      body = storage->arena().New<AllocateConst>(copy);
    } else {
      buffers[index] = buffer;
      vars[index] =
          builder.NewVar(fmt::format("{}_handle", buffer->name.view()), DataType::Handle());
    }
  }
  const MapAttr* attrs =
      builder.With(builder.Map({}), attr_key::kNoAlias, builder.ExprValue(builder.Bool(true)));
  const auto* func = storage->arena().New<PrimFunc>(
      storage->arena().Copy(Span<const Var*>(vars)),
      storage->arena().Copy(Span<const Buffer*>(buffers)), context.VoidType(), attrs, body);
  return {name, func, std::move(storage)};
}

/// An operator that is cut.
struct Split {
  Parts parts;
  Symbol head, tail;
  /// Elements of the value between the parts.
  int64_t elements = 0;
};
using Splits = absl::flat_hash_map<Symbol, Split>;

/// The call that is a separate statement, perhaps with a check of its status; null for other
/// statements.
const Call* CallIn(const Evaluate* statement) {
  const auto* call = dyn_cast<Call>(statement->value);
  if (call != nullptr && call->op->kind == OpKind::kTvmCheckReturn)
    call = dyn_cast<Call>(call->args[2]);
  return call;
}

/// Replaces the calls of operators that are cut.
class SplitRewriter : public Rewriter<SplitRewriter> {
 public:
  SplitRewriter(Context& context, std::shared_ptr<Storage> storage, const IRModule& module,
                const Splits& splits)
      : Rewriter(context, std::move(storage)), module_(module), splits_(splits) {}

  const Stmt* RewriteEvaluate(const Evaluate* node) {
    const Call* call = CallIn(node);
    if (call == nullptr) return RewriteChildren(node);
    const CallSite site = AsCallSite(module_, call);
    const auto found = site.callee == nullptr ? splits_.end() : splits_.find(site.callee->name);
    if (found == splits_.end()) return RewriteChildren(node);
    const Split& split = found->second;
    const Var* between = builder().NewVar(fmt::format("{}_out", split.head.view()),
                                          builder().context().PointerType(kBetween, "global"));
    between_.push_back({between, split.elements});
    const auto call_of = [&](Symbol name, const std::vector<int>& params) {
      std::vector<const Expr*> args;
      for (const int param : params) {
        args.push_back(param < 0 ? between : RewriteExpr(site.args[static_cast<size_t>(param)]));
      }
      return CheckedCall(builder(), name.view(), args);
    };
    return builder().Seq({call_of(split.head, split.parts.head_params),
                          call_of(split.tail, split.parts.tail_params)});
  }

  const Stmt* RewriteSeqStmt(const SeqStmt* node) {
    const SeqStmt* now = RewriteChildren(node);
    return now == node ? now : builder().Seq(now->seq, now->range);
  }

  /// The function with allocations of the values in between around its body.
  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    const PrimFunc* now = Rewriter::RewriteFunc(function);
    if (between_.empty()) return now;
    PrimFunc copy = *now;
    for (const auto& [var, elements] : between_) {
      copy.body = builder().New<Allocate>({}, var, kBetween,
                                          builder().List<Expr>({builder().Int(elements)}),
                                          builder().Bool(true), nullptr, copy.body);
    }
    return arena().New<PrimFunc>(copy);
  }

 private:
  const IRModule& module_;
  const Splits& splits_;
  std::vector<std::pair<const Var*, int64_t>> between_;
};

class Splitter {
 public:
  Splitter(const IRModule& module, const SplitOpsOptions& options, PassContext& context)
      : module_(module),
        options_(options),
        context_(context),
        built_in_(CodeGenerators::BuiltIn()),
        generators_(context.generators != nullptr ? *context.generators : built_in_) {}

  absl::StatusOr<IRModule> Run() {
    if (!CheckNotPlanned(module_, context_.diagnostics))
      return absl::FailedPreconditionError("the module is planned");
    if (!CheckClaims(module_, context_.diagnostics))
      return absl::InvalidArgumentError("a claim cannot be read");
    if (const absl::Status status = ReadTargets(); !status.ok()) return status;
    ReadCandidates();
    CountCalls();
    IRModule result = module_;
    for (const Candidate& candidate : candidates_) {
      const Function& function = *candidate.function;
      std::optional<Split> split = SplitOf(candidate);
      const Calls& calls = calls_[function.name];
      if (!split || calls.all == 0 || calls.all != calls.plain) continue;
      AddParts(function, *split, result);
      splits_.emplace(function.name, *std::move(split));
    }
    context_.Count("split-ops.operators", static_cast<int64_t>(splits_.size()));
    if (splits_.empty()) return module_;
    for (const Function& function : module_.functions()) {
      if (splits_.contains(function.name)) {
        result.Remove(function.name);
        continue;
      }
      Function now = RewriteFunction<SplitRewriter>(module_.context(), function, module_, splits_);
      if (now.func != function.func) result.Update(std::move(now));
    }
    return RecogniseOps(result, {.keep = true}, context_);
  }

 private:
  /// An operator that can be cut.
  struct Candidate {
    const Function* function = nullptr;
    OpInfo info;
    std::vector<int> cuts;
    /// The targets that compute all of it.
    std::vector<const GeneratorTarget*> whole;
  };

  struct Calls {
    int all = 0;
    int plain = 0;
  };

  absl::Status ReadTargets() {
    if (options_.floats != "reassociate" && options_.floats != "bitwise")
      return absl::InvalidArgumentError("option `floats` is not `reassociate` or `bitwise`");
    const std::optional<HostFacts> host = HostFacts::Parse(options_.host);
    if (!host) return absl::InvalidArgumentError(kNoHostFacts);
    for (const std::string_view name : WordsOf(options_.targets)) {
      if (generators_.Find(name) == nullptr || name == kHostTarget) {
        context_.diagnostics.Error(DiagnosticKind::kUnknownTarget, {},
                                   generators_.UnknownTargetText(name));
        return absl::InvalidArgumentError("unknown target");
      }
      GeneratorTarget target(name);
      target.may_reassociate = options_.floats == "reassociate";
      target.host = *host;
      for (const std::string_view kind : WordsOf(options_.inexact))
        target.inexact.emplace_back(kind);
      targets_.push_back(std::move(target));
    }
    if (targets_.empty())
      return absl::InvalidArgumentError("expected targets in option `targets`, found none");
    return absl::OkStatus();
  }

  /// Lists the operators that can be cut. Targets that compute whole operators are queried once
  /// about all of them, because a generator may be a program.
  void ReadCandidates() {
    for (const Function& function : module_.functions()) {
      std::optional<OpInfo> info = ReadOpInfo(function);
      if (!info || !info->known() || function.FindAttr(attr_key::kCompiler) != nullptr ||
          function.FindAttr(attr_key::kOffload) != nullptr || !CanMakeLoops(*info).yes)
        continue;
      std::vector<int> cuts = CutsOf(*info);
      if (!cuts.empty()) candidates_.push_back({&function, *std::move(info), std::move(cuts), {}});
    }
    for (const GeneratorTarget& target : targets_) {
      const CodeGenerator& generator = *generators_.Find(target.name);
      if (generator.form(target).split) continue;
      std::vector<SupportQuestion> questions;
      for (const Candidate& candidate : candidates_) {
        questions.push_back({&candidate.info, candidate.function, candidate.function->func->range});
      }
      Diagnostics ignored;
      const auto answers = generator.SupportsAll(questions, target, module_.context(), ignored);
      for (size_t i = 0; answers && i < candidates_.size(); ++i) {
        if ((*answers)[i].yes) candidates_[i].whole.push_back(&target);
      }
    }
  }

  bool Computes(const GeneratorTarget& target, const OpInfo& info, const Function& function) {
    Diagnostics ignored;
    const SupportQuestion question{&info, &function, function.func->range};
    const auto answers = generators_.Find(target.name)
                             ->SupportsAll({&question, 1}, target, module_.context(), ignored);
    return answers && (*answers)[0].yes;
  }

  /// The cut for the first target that computes the operator or a part of it.
  std::optional<Split> SplitOf(const Candidate& candidate) {
    const OpInfo& info = candidate.info;
    const Function& function = *candidate.function;
    for (const GeneratorTarget& target : targets_) {
      if (std::count(candidate.whole.begin(), candidate.whole.end(), &target) > 0)
        return std::nullopt;
      if (!generators_.Find(target.name)->form(target).split) continue;
      if (Computes(target, info, function)) return std::nullopt;
      for (const int cut : candidate.cuts) {
        Split split;
        split.parts = CutAt(info.computation, cut);
        const ComputationStore& store = info.computation.stores[0];
        const int output = info.computation.accesses[static_cast<size_t>(store.access)].operand;
        split.elements = info.computation.operands[static_cast<size_t>(output)].elements;
        const OpInfo head = HeadClaim(info, split.parts.head, function);
        if (CanMakeLoops(head).yes && Computes(target, head, function)) return split;
      }
    }
    return std::nullopt;
  }

  /// Counts the calls of each function, and the calls that are statements of their own.
  void CountCalls() {
    const CallGraph calls(module_);
    for (size_t i = 0; i < module_.functions().size(); ++i) {
      for (const CallGraph::Site& site : calls.CallsOf(i))
        ++calls_[module_.functions()[site.callee].name].all;
      Walk(module_.functions()[i].func->body, [&](const Node* node) {
        const auto* statement = dyn_cast<Evaluate>(node);
        const Call* call = statement == nullptr ? nullptr : CallIn(statement);
        if (call == nullptr) return true;
        const CallSite site = AsCallSite(module_, call);
        const bool is_direct =
            call->op->kind == OpKind::kCallExtern || call->op->kind == OpKind::kGlobalCall;
        if (site.callee != nullptr && is_direct) ++calls_[site.callee->name].plain;
        return true;
      });
    }
  }

  void AddParts(const Function& function, Split& split, IRModule& result) {
    const auto unused = [&](std::string_view suffix) {
      std::string name = fmt::format("{}_{}", function.name.view(), suffix);
      while (result.FindCallee(name) != nullptr) name += '_';
      return module_.context().Intern(name);
    };
    split.head = unused("head");
    split.tail = unused("tail");
    result.Add(FunctionOf(module_.context(), function, split.parts.head, split.parts.head_params,
                          split.head));
    result.Add(FunctionOf(module_.context(), function, split.parts.tail, split.parts.tail_params,
                          split.tail));
  }

  const IRModule& module_;
  const SplitOpsOptions& options_;
  PassContext& context_;
  const CodeGenerators built_in_;
  const CodeGenerators& generators_;
  std::vector<GeneratorTarget> targets_;
  std::vector<Candidate> candidates_;
  absl::flat_hash_map<Symbol, Calls> calls_;
  Splits splits_;
};

}  // namespace

absl::StatusOr<IRModule> SplitOps(const IRModule& module, const SplitOpsOptions& options,
                                  PassContext& context) {
  return Splitter(module, options, context).Run();
}

}  // namespace tenon
