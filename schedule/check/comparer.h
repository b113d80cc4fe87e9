#ifndef TENON_SCHEDULE_CHECK_COMPARER_H_
#define TENON_SCHEDULE_CHECK_COMPARER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "schedule/check/memory.h"
#include "schedule/check/offset_product.h"
#include "schedule/check/operator_terms.h"
#include "schedule/check/points.h"

namespace tenon::check {

/// Compares terms that were read with terms of the operator.
class Comparer {
 public:
  Comparer(TermTable& terms, const Reading& reading, OperatorTerms& all, int64_t most_points);

  /// True if the two values are proven equal whenever the guards hold. FinishSums then compares the
  /// sums that the function stores separately.
  bool Equal(TermId read, TermId wanted, const Guards& guards);
  /// True if each sum that is read from memory equals the sum that was stored there.
  bool FinishSums();
  /// The value of a step of the operator if the guards hold; -1 if it has no term.
  TermId Wanted(int step, const OperatorTerms::Loops& loops, const Guards& guards);

  PointWalks& walks() { return walks_; }
  /// The first difference: the operator's value, and the one that was read.
  std::string TakeDifference() { return std::exchange(difference_, {}); }

 private:
  /// Part of a sum: a value that is added, or parts that are added repeatedly, or only if a
  /// condition holds.
  struct Item {
    TermKind kind = TermKind::kNode;
    TermId value = -1;  ///< what is added, or the update of a hole
    int digit = -1;
    TermId condition = -1;
  };
  struct Items {
    TermId base = -1;
    std::vector<Item> all;
  };
  /// The sum that is compared, and the order of its loops.
  struct Sum {
    const Step* step = nullptr;
    int64_t number = -1;  ///< of the step
    TermId start = -1;
    OperatorTerms::Loops loops;
    std::vector<int> order;
    /// The steps of the sum in one iteration of each loop, and in total.
    std::vector<int64_t> strides;
    int64_t total = 1;
    /// True if adding a zero changes nothing.
    bool skips_zeros = false;
    /// Steps are compared without their offset; null: with it. Without it, a few products of zeros
    /// may follow the last step.
    const OffsetProduct* product = nullptr;
    /// A number by which each factor of the steps is larger; true: the steps are only elements.
    int64_t added_to_factors = 0;
    bool adds_elements = false;

    int64_t most() const { return product == nullptr ? total : total + kMostZeros; }
    static constexpr int64_t kMostZeros = 15;
  };
  /// A store that fills an element, and the iteration of its own loops.
  struct Origin {
    int32_t piece = -1;
    int32_t iteration = -1;
  };
  /// The stores of the elements of a buffer in parts. If there are several for one element, the
  /// guards choose.
  struct Origins {
    bool is_known = false;
    std::vector<absl::InlinedVector<Origin, 1>> of;
    /// The digits of shared loops on which stored values and guards depend.
    std::vector<int> digits;
  };
  /// A sum that is read from memory: for each element, the iteration whose sum it must be.
  struct StoredSum {
    int64_t step = -1;
    std::vector<int64_t> places;
  };

  /// Sums over more loops are only compared in the original order.
  static constexpr size_t kMostReordered = 6;

  const Memory& MemoryAt(int memory) const {
    return reading_.memories[static_cast<size_t>(memory)];
  }
  bool IsParts(const Term& term) const {
    return term.kind == TermKind::kRead && MemoryAt(term.memory).kind == Memory::Kind::kParts;
  }
  bool IsConstant(const Term& term) const {
    return term.kind == TermKind::kRead && MemoryAt(term.memory).kind == Memory::Kind::kConstant;
  }
  int GuardsId(const Guards& guards);
  std::optional<bool> Decide(TermId condition, const Guards& guards);

  bool Differ(TermId read, TermId wanted);
  bool EqualParts(TermId read, TermId wanted, const Guards& guards);
  bool EqualArgs(const Term& read, const Term& wanted, const Guards& guards);
  bool EqualProduct(const Term& read, const Term& wanted, const Guards& guards);
  bool NeedsWalk(TermId term);
  bool EqualEverywhere(TermId read, TermId wanted, const Guards& guards);
  TermId ConvertedAt(TermId value, Point& at);
  bool EqualAt(TermId read, TermId wanted, Point& at);
  bool EqualReads(const Term& read, const Term& wanted, Point& at);
  bool EqualConstants(const Term& read, const Term& wanted);
  TermId Resolve(TermId term, Point& at);
  const Piece* Fill(const Term& read, Point& at);
  /// Adds the digits that a value depends on, also through buffers in parts.
  void AddDigits(TermId term, std::vector<int>& digits);
  std::optional<int64_t> NumberAt(TermId term, Point& at);
  std::optional<int64_t> ElementOf(const Term& read, const Point& at) const;
  const Origins& OriginsOf(int memory);
  bool FindOrigins(int memory, Origins& origins);

  bool EqualSum(TermId read, TermId wanted, const Guards& guards);
  bool EqualFromStart(const Sum& sum, const Items& items, const Guards& guards);
  TermId Joined(const Step& sum, TermId before, const Item& item);
  bool EqualSteps(const Sum& sum, const std::vector<Item>& items, const Guards& guards);
  void SetOrder(Sum& sum, const std::vector<int>& order) const;
  static bool MayReorder(const Sum& sum);
  bool InSomeOrder(Sum& sum, const std::function<bool()>& is_equal);
  const Items& ItemsOf(TermId term, NodeKind node);
  int64_t CountOf(TermId update, const Sum& sum, bool splits);
  FormId MatchItems(const Sum& sum, const std::vector<Item>& items, FormId place,
                    const Guards& guards);
  FormId MatchItem(const Sum& sum, const Item& item, FormId place, const Guards& guards);
  FormId MatchValue(const Sum& sum, TermId value, FormId place, const Guards& guards);
  FormId MatchRepeat(const Sum& sum, const Item& item, FormId place, const Guards& guards);
  FormId MatchWhen(const Sum& sum, const Item& item, FormId place, const Guards& guards);
  bool SkipTo(const Sum& sum, FormId place, FormId end, const Guards& guards);
  int64_t ZerosAt(const Sum& sum, FormId place, int64_t most, const Guards& guards);
  TermId StepAt(const Sum& sum, FormId place, int64_t block, const Guards& guards);
  bool EqualOffsetSum(Sum sum, const Items& items, const Guards& guards);
  bool EqualProductSum(Sum sum, const Items& items, const Guards& guards);
  TermId PeelElements(Sum& sum, TermId start);
  bool IsSumOfElements(Sum sum, TermId value, const Guards& guards);
  bool EqualElementSum(const Term& read, TermId wanted, const Guards& guards);
  bool IsNumeric(TermId term) const;
  bool EqualStarts(const Sum& sum, TermId read, const Guards& guards);
  TermId OffsetStep(const Sum& sum, const OperatorTerms::Loops& loops, FormId place);
  bool IsZeroProduct(TermId term);
  bool IsFinite(int memory);

  bool DeferSum(const Term& read, TermId wanted, const Guards& guards);
  bool FinishSum(int memory, const StoredSum& stored);
  TermId GuessSum(const StoredSum& stored, const Piece& piece);
  int64_t PlaceOf(const Term& sum, const Point& at) const;

  std::string TextOf(TermId term, int depth = 0) const;

  TermTable& terms_;
  FormTable& forms_;
  const Reading& reading_;
  OperatorTerms& all_;
  PointWalks walks_;
  std::string difference_;
  absl::flat_hash_map<Guards, int> guards_ids_;
  absl::flat_hash_map<std::pair<std::pair<TermId, TermId>, int>, bool> equal_;
  absl::flat_hash_map<std::pair<TermId, int>, std::optional<bool>> decided_;
  absl::flat_hash_map<TermId, bool> needs_walk_;
  /// Results of EqualConstants, independent of the digits' names.
  absl::flat_hash_map<std::vector<int64_t>, bool> equal_constants_;
  absl::flat_hash_map<int, std::unique_ptr<const Origins>> origins_;
  absl::flat_hash_map<int, StoredSum> stored_sums_;
  absl::flat_hash_map<int, bool> is_finite_;
  absl::flat_hash_map<std::pair<TermId, NodeKind>, std::unique_ptr<const Items>> items_;
  /// The order of loops in which a sum was read before.
  absl::flat_hash_map<int64_t, std::vector<int>> orders_;
  /// A digit for each loop of the operator.
  std::vector<FormId> counters_;
};

}  // namespace tenon::check

#endif  // TENON_SCHEDULE_CHECK_COMPARER_H_
