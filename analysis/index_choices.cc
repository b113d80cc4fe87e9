// Choices are moved one at a time until the index has none, up to a limit of loads: each choice
// doubles them.

#include "analysis/index_choices.h"

#include <vector>

#include "ir/analysis/node_queries.h"
#include "ir/builtins.h"
#include "ir/rewriter.h"

namespace tenon {

namespace {

/// The limit on the loads that replace one load.
constexpr int kMostLoads = 32;

/// A condition and two values.
struct Choice {
  const Expr* condition = nullptr;
  const Expr* then_value = nullptr;
  const Expr* else_value = nullptr;
};

std::optional<Choice> AsChoice(const Node* node) {
  if (const auto* select = dyn_cast<Select>(node))
    return Choice{select->condition, select->true_value, select->false_value};
  const auto* call = dyn_cast<Call>(node);
  if (call == nullptr || call->op->kind != OpKind::kIfThenElse) return std::nullopt;
  return Choice{call->args[0], call->args[1], call->args[2]};
}

/// The first choice in an index, in the order of the text.
const Expr* FirstChoice(const BufferLoad& load) {
  const Expr* found = nullptr;
  for (const Expr* index : load.indices) {
    Walk(index, [&](const Node* node) {
      const std::optional<Choice> choice = found == nullptr ? AsChoice(node) : std::nullopt;
      if (choice && !ReadsMemory(choice->condition)) found = static_cast<const Expr*>(node);
      return found == nullptr;
    });
  }
  return found;
}

/// Replaces one expression by another.
class Replacer : public Rewriter<Replacer> {
 public:
  Replacer(Context& context, std::shared_ptr<Storage> storage, const Expr* from, const Expr* to)
      : Rewriter(context, std::move(storage)), from_(from), to_(to) {}

  const Expr* RewriteCall(const Call* call) { return call == from_ ? to_ : RewriteChildren(call); }
  const Expr* RewriteSelect(const Select* select) {
    return select == from_ ? to_ : RewriteChildren(select);
  }

 private:
  const Expr* from_;
  const Expr* to_;
};

class Splitter : public Rewriter<Splitter> {
 public:
  using Rewriter::Rewriter;

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    const BufferLoad* now = RewriteChildren(load);
    if (now->predicate != nullptr || !now->dtype.is_scalar()) return now;
    loads_ = 1;
    const Expr* split = Split(now);
    return loads_ > kMostLoads ? now : split;
  }

 private:
  const Expr* Split(const BufferLoad* load) {
    const Expr* found = loads_ > kMostLoads ? nullptr : FirstChoice(*load);
    if (found == nullptr) return load;
    const Choice choice = *AsChoice(found);
    ++loads_;
    const Expr* then_load = Split(With(load, found, choice.then_value));
    const Expr* else_load = Split(With(load, found, choice.else_value));
    return builder().NewCall(load->dtype, OpKind::kIfThenElse,
                             {choice.condition, then_load, else_load}, load->range);
  }

  const BufferLoad* With(const BufferLoad* load, const Expr* from, const Expr* to) {
    Replacer replacer(builder().context(), storage(), from, to);
    std::vector<const Expr*> indices;
    for (const Expr* index : load->indices) indices.push_back(replacer.RewriteExpr(index));
    BufferLoad copy = *load;
    copy.indices = arena().Copy(Span<const Expr*>(indices));
    return arena().New<BufferLoad>(copy);
  }

  int loads_ = 0;
};

}  // namespace

Function SplitIndexChoices(Context& context, const Function& function) {
  return RewriteFunction<Splitter>(context, function);
}

}  // namespace tenon
