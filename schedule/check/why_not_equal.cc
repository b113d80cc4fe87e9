// The results of an operator are the results of its stores: each element is stored once, and its
// value is the operator's value in the iteration that the element belongs to.

#include "schedule/check/why_not_equal.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "fmt/format.h"
#include "schedule/check/comparer.h"
#include "schedule/check/reader.h"

namespace tenon {

namespace check {
namespace {

class OperatorJudge {
 public:
  OperatorJudge(const Computation& all, std::span<const Constant* const> constants,
                const PrimFunc& emitted, const ReadBackOptions& options)
      : all_(all),
        constants_(constants),
        options_(options),
        terms_(forms_),
        reader_(terms_, emitted, options.max_steps) {}

  std::optional<std::string> Judge() {
    if (!reader_.Read()) return "it is not read: " + reader_.problem();
    std::vector<int> memories;
    for (size_t i = 0; i < all_.operands.size(); ++i) {
      const ComputationOperand& operand = all_.operands[i];
      if (operand.constant ? constants_[i] == nullptr : !HasMemory(operand))
        return "it is not read: an operand has no memory";
      memories.push_back(operand.constant ? reader_.ConstantMemory(constants_[i])
                                          : reader_.ParamMemory(operand.index));
    }
    operator_.emplace(all_, terms_, memories);
    comparer_.emplace(terms_, reader_.reading(), *operator_, options_.max_points);
    memories_ = std::move(memories);
    if (!CompareStores()) return problem_;
    return comparer_->FinishSums() ? std::nullopt
                                   : std::optional("a sum that it stores apart differs: " +
                                                   comparer_->TakeDifference());
  }

 private:
  bool HasMemory(const ComputationOperand& operand) const {
    return reader_.ParamMemory(operand.index) >= 0;
  }
  bool Refuse(std::string problem) {
    problem_ = std::move(problem);
    if (comparer_->walks().ran_out())
      problem_ = fmt::format("it is not read: more than {} points", options_.max_points);
    return false;
  }
  const Memory& MemoryAt(size_t memory) const { return reader_.reading().memories[memory]; }
  int MemoryOf(const ComputationStore& store) const {
    return memories_[static_cast<size_t>(all_.accesses[static_cast<size_t>(store.access)].operand)];
  }

  bool CompareStores() {
    counts_.assign(all_.stores.size(), 0);
    const Reading& reading = reader_.reading();
    for (size_t memory = 0; memory < reading.memories.size(); ++memory) {
      const std::vector<Piece>& pieces = reading.pieces[memory];
      if (MemoryAt(memory).kind == Memory::Kind::kParts && !ReadsNoResults(pieces)) return false;
      if (MemoryAt(memory).kind != Memory::Kind::kParam) continue;
      stored_.assign(static_cast<size_t>(std::max<int64_t>(MemoryAt(memory).elements, 0)), false);
      for (const Piece& piece : pieces) {
        if (!ComparePiece(static_cast<int>(memory), piece)) return false;
      }
    }
    for (size_t i = 0; i < counts_.size(); ++i) {
      int64_t wanted = 1;
      for (const int loop : all_.stores[i].loops) wanted *= operator_->ExtentOf(loop);
      if (counts_[i] != wanted)
        return Refuse(fmt::format("it stores {} elements of `{}`, expected {}", counts_[i],
                                  MemoryAt(static_cast<size_t>(MemoryOf(all_.stores[i]))).name,
                                  wanted));
    }
    return true;
  }

  bool ComparePiece(int memory, const Piece& piece) {
    const std::string& name = MemoryAt(static_cast<size_t>(memory)).name;
    std::string difference = "no store of the operator has its elements";
    for (size_t i = 0; i < all_.stores.size(); ++i) {
      const ComputationStore& store = all_.stores[i];
      if (MemoryOf(store) != memory) continue;
      const std::optional<OperatorTerms::Loops> loops = LoopsOf(store, piece.element);
      if (!loops) continue;
      const TermId wanted = comparer_->Wanted(store.step, *loops, piece.guards);
      if (wanted < 0) return Refuse("it is not read: a step of the operator has no term");
      comparer_->TakeDifference();
      if (!comparer_->Equal(piece.value, wanted, piece.guards)) {
        difference = comparer_->TakeDifference();
        continue;
      }
      return ReadsItself(memory, piece) && Mark(memory, piece, counts_[i]);
    }
    const int64_t first =
        forms_.ValueAt(piece.element, Point(static_cast<size_t>(forms_.digit_count())));
    return Refuse(fmt::format("element {} of `{}` differs: {}", first, name, difference));
  }

  /// Notes the elements that a piece stores. False if one does not exist, or was stored before and
  /// its value is computed from results. Otherwise the second value equals the first.
  bool Mark(int memory, const Piece& piece, int64_t& count) {
    int64_t wrong = -1;
    const bool may_repeat = ReadsNoResults({piece});
    const auto visit = [&](Point& at) {
      const int64_t element = forms_.ValueAt(piece.element, at);
      const bool is_there = element >= 0 && element < static_cast<int64_t>(stored_.size());
      if (!is_there || (stored_[static_cast<size_t>(element)] && !may_repeat)) {
        wrong = element;
        return false;
      }
      count += stored_[static_cast<size_t>(element)] ? 0 : 1;
      stored_[static_cast<size_t>(element)] = true;
      return true;
    };
    if (comparer_->walks().ForEach(piece.digits, piece.guards, visit) == PointWalks::Result::kAll)
      return true;
    return Refuse(fmt::format("it stores element {} of `{}` twice, or beyond its end", wrong,
                              MemoryAt(static_cast<size_t>(memory)).name));
  }

  /// The loops of a store at an element; nullopt if the element is not one of the store.
  std::optional<OperatorTerms::Loops> LoopsOf(const ComputationStore& store, FormId element) {
    const LinearIndex& index = all_.accesses[static_cast<size_t>(store.access)].element;
    OperatorTerms::Loops loops(all_.loops.size(), -1);
    for (const int loop : store.loops) {
      if (operator_->ExtentOf(loop) == 1) loops[static_cast<size_t>(loop)] = forms_.Constant(0);
    }
    auto terms = index.terms;
    std::stable_sort(terms.begin(), terms.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    FormId rest = forms_.Add(element, forms_.Constant(-index.offset));
    for (const auto& [loop, stride] : terms) {
      if (stride <= 0) return std::nullopt;
      const FormId at = forms_.FloorDiv(rest, stride);
      const auto [low, high] = forms_.BoundsOf(at);
      if (low < 0 || high >= operator_->ExtentOf(loop)) return std::nullopt;
      loops[static_cast<size_t>(loop)] = at;
      rest = forms_.FloorMod(rest, stride);
    }
    if (!forms_.Is(rest, 0) || index.divisor != 1) return std::nullopt;
    return loops;
  }

  /// True if a value reads no element of a result except for the one that it becomes.
  bool ReadsItself(int memory, const Piece& piece) {
    std::vector<TermId> work = {piece.value};
    absl::flat_hash_set<TermId> seen;
    while (!work.empty()) {
      const TermId at = work.back();
      work.pop_back();
      if (!seen.insert(at).second) continue;
      const Term& term = terms_.At(at);
      work.insert(work.end(), term.args.begin(),
                  term.args.begin() + static_cast<ptrdiff_t>(term.term_args()));
      if (term.kind != TermKind::kRead && term.kind != TermKind::kGather) continue;
      const auto from = static_cast<size_t>(term.memory);
      const bool is_result =
          MemoryAt(from).kind == Memory::Kind::kParam && !reader_.reading().pieces[from].empty();
      const bool is_itself =
          term.kind == TermKind::kRead && term.memory == memory && term.form == piece.element;
      if (is_result && !is_itself)
        return Refuse(
            fmt::format("it overwrites elements of `{}` that it reads", MemoryAt(from).name));
    }
    return true;
  }
  bool ReadsNoResults(const std::vector<Piece>& pieces) {
    return std::all_of(pieces.begin(), pieces.end(),
                       [&](const Piece& piece) { return ReadsItself(/*memory=*/-1, piece); });
  }

  const Computation& all_;
  const std::span<const Constant* const> constants_;
  const ReadBackOptions options_;
  FormTable forms_;
  TermTable terms_;
  FunctionReader reader_;
  std::optional<OperatorTerms> operator_;
  std::optional<Comparer> comparer_;
  std::vector<int> memories_;
  /// The elements of the current result that are stored, and the number of them for each store.
  std::vector<bool> stored_;
  std::vector<int64_t> counts_;
  std::string problem_;
};

}  // namespace
}  // namespace check

std::optional<std::string> WhyNotEqual(const Computation& scheduled,
                                       std::span<const Constant* const> constants,
                                       const PrimFunc& emitted, const ReadBackOptions& options) {
  return check::OperatorJudge(scheduled, constants, emitted, options).Judge();
}

}  // namespace tenon
