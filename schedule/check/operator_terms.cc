// A reduction remains one term: its steps are compared one by one with the steps that were read.

#include "schedule/check/operator_terms.h"

#include <algorithm>

#include "ir/builtins.h"
#include "support/check.h"

namespace tenon::check {

OperatorTerms::OperatorTerms(const Computation& computation, TermTable& terms,
                             std::vector<int> memories)
    : all_(computation), terms_(terms), forms_(terms.forms()), memories_(std::move(memories)) {
  for (const Step& step : all_.steps) {
    std::vector<int> free;
    const auto add = [&](int loop) {
      if (std::find(free.begin(), free.end(), loop) == free.end()) free.push_back(loop);
    };
    if (IsRead(step.kind)) {
      for (const auto& [loop, stride] :
           all_.accesses[static_cast<size_t>(step.access)].element.terms)
        add(loop);
    }
    if (step.kind == StepKind::kIndex) {
      for (const auto& [loop, stride] : step.linear.terms) add(loop);
    }
    for (size_t i = 0; i < step.args.size(); ++i) {
      for (const int loop : free_[static_cast<size_t>(step.args[i])]) {
        const bool is_own =
            IsReduction(step.kind) && i >= step.starts() &&
            std::find(step.loops.begin(), step.loops.end(), loop) != step.loops.end();
        if (!is_own) add(loop);
      }
    }
    std::sort(free.begin(), free.end());
    free_.push_back(std::move(free));
  }
}

FormId OperatorTerms::FormOf(const LinearIndex& index, const Loops& loops) {
  FormId form = forms_.Constant(index.offset);
  for (const auto& [loop, stride] : index.terms) {
    const FormId at = loops[static_cast<size_t>(loop)];
    if (at < 0) return -1;
    form = forms_.Add(form, at, stride);
  }
  return index.divisor == 1 ? form : forms_.FloorDiv(form, index.divisor);
}

OperatorTerms::Loops OperatorTerms::LoopsOf(TermId sum) const {
  const Term& term = terms_.At(sum);
  Loops loops(all_.loops.size(), -1);
  const std::vector<int>& free = FreeLoops(static_cast<int>(term.number));
  for (size_t i = 0; i < free.size(); ++i) loops[static_cast<size_t>(free[i])] = term.args[i];
  return loops;
}

TermId OperatorTerms::ReadOf(const Step& step, const Loops& loops, TermId moved) {
  const ComputationAccess& access = all_.accesses[static_cast<size_t>(step.access)];
  const FormId form = FormOf(access.element, loops);
  const int memory = memories_[static_cast<size_t>(access.operand)];
  if (form < 0 || memory < 0) return -1;
  if (moved < 0) return terms_.Read(memory, step.dtype, form, 0);
  Term index;
  index.dtype = terms_.At(moved).dtype;
  index.form = form;
  const TermId first = terms_.Intern(std::move(index));
  Term sum;
  sum.kind = TermKind::kNode;
  sum.dtype = DataType::Int(64);
  sum.op = static_cast<int>(NodeKind::kAdd);
  sum.args = {first, moved};
  return terms_.ReadAt(memory, step.dtype, terms_.Intern(std::move(sum)), 0);
}

/// Each arm matters only if it is chosen.
TermId OperatorTerms::ChoiceOf(const Step& step, const Loops& loops, const Guards& guards,
                               const Decide& decide) {
  const TermId condition = ValueOf(step.args[0], loops, guards, decide);
  if (condition < 0) return -1;
  if (const std::optional<bool> holds = decide(condition, guards))
    return ValueOf(step.args[*holds ? 1 : 2], loops, guards, decide);
  const TermId yes = ValueOf(step.args[1], loops, With(guards, condition, true), decide);
  const TermId no = ValueOf(step.args[2], loops, With(guards, condition, false), decide);
  return yes < 0 || no < 0 ? -1 : terms_.Choice(condition, yes, no);
}

TermId OperatorTerms::NodeOf(const Step& step, const Loops& loops, const Guards& guards,
                             const Decide& decide) {
  const bool is_call = step.kind == StepKind::kCall;
  if (is_call ? step.op == OpKind::kIfThenElse : step.node == NodeKind::kSelect)
    return ChoiceOf(step, loops, guards, decide);
  std::vector<TermId> args;
  for (const int arg : step.args) {
    args.push_back(ValueOf(arg, loops, guards, decide));
    if (args.back() < 0) return -1;
  }
  if (is_call) return terms_.Call(step.op, step.dtype, args);
  if (step.node == NodeKind::kCast) return terms_.Cast(step.dtype, args[0]);
  if (step.node == NodeKind::kNot) return terms_.Not(args[0]);
  return args.size() == 2 ? terms_.Node(step.node, step.dtype, args[0], args[1]) : -1;
}

TermId OperatorTerms::ValueOf(int at, const Loops& loops, const Guards& guards,
                              const Decide& decide) {
  const Step& step = StepAt(at);
  switch (step.kind) {
    case StepKind::kInteger:
      return terms_.Number(step.dtype, step.integer);
    case StepKind::kReal:
      return terms_.Real(step.dtype, step.real);
    case StepKind::kRead:
      return ReadOf(step, loops, -1);
    case StepKind::kGather: {
      const TermId moved = ValueOf(step.args[0], loops, guards, decide);
      return moved < 0 ? -1 : ReadOf(step, loops, moved);
    }
    case StepKind::kIndex: {
      const FormId form = FormOf(step.linear, loops);
      return form < 0 ? -1 : terms_.Index(step.dtype, form);
    }
    case StepKind::kNode:
    case StepKind::kCall:
      return NodeOf(step, loops, guards, decide);
    case StepKind::kReduce: {
      Term sum;
      sum.kind = TermKind::kSum;
      sum.dtype = step.dtype;
      sum.number = at;
      for (const int loop : FreeLoops(at)) {
        sum.args.push_back(loops[static_cast<size_t>(loop)]);
        if (sum.args.back() < 0) return -1;
      }
      return terms_.Intern(std::move(sum));
    }
    case StepKind::kArgReduce:
      return -1;
  }
  TENON_UNREACHABLE();
}

}  // namespace tenon::check
