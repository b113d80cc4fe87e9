#include "passes/memory/verify_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "analysis/access_trace.h"
#include "ir/attributes.h"
#include "ir/memory_pools.h"
#include "ir/overlaps.h"
#include "passes/memory/dying_pairs.h"
#include "passes/memory/in_place_relations.h"
#include "passes/memory/overlap_record.h"
#include "support/check.h"

namespace tenon {

namespace {

class PlanVerifier {
 public:
  PlanVerifier(const IRModule& module, const Liveness& liveness, const VerifyPlanOptions& options,
               PassContext& context)
      : module_(module), liveness_(liveness), options_(options), context_(context) {}

  void Run() {
    for (const Allocation& allocation : liveness_.allocations)
      places_.push_back(allocation.is_constant ? std::nullopt
                                               : ReadPlacement(allocation.annotations));
    in_place_ = FindInPlacePairs(module_, liveness_);
    for (const DyingPair& pair : FindDyingPairs(module_, liveness_))
      pairs_[std::minmax(pair.dying, pair.begun)].push_back(pair);
    for (const CallSpan& call : liveness_.calls) CheckNoAlias(call);
    for (const auto& [a, b] : PairsThatMeet()) CheckPair(a, b);
    CheckRecord();
  }

 private:
  using Pair = std::pair<size_t, size_t>;

  const Allocation& At(size_t index) const { return liveness_.allocations[index]; }

  void Error(size_t allocation, const std::string& text) {
    context_.diagnostics.Error(DiagnosticKind::kPass, At(allocation).stmt->range, text);
  }

  bool ShareBytes(size_t a, size_t b) const {
    if (!places_[a] || !places_[b] || places_[a]->pool != places_[b]->pool) return false;
    return places_[a]->offset < places_[b]->offset + At(b).size_bytes &&
           places_[b]->offset < places_[a]->offset + At(a).size_bytes;
  }

  /// The pairs of allocations that share a byte while both are live. Sweeps along the clock: a
  /// module has thousands of allocations, but few are live at once.
  std::set<Pair> PairsThatMeet() const {
    struct Stretch {
      LiveRange range;
      int64_t begin, end;  ///< bytes, in any pool
      size_t allocation;
    };
    std::vector<Stretch> stretches;
    for (size_t i = 0; i < places_.size(); ++i) {
      if (!places_[i]) continue;
      const int64_t begin = places_[i]->offset;
      for (const LiveRange& range : liveness_.ranges[i]) {
        if (range.lower < range.upper)
          stretches.push_back({range, begin, begin + At(i).size_bytes, i});
      }
    }
    std::stable_sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) {
      return a.range.lower < b.range.lower;
    });
    std::set<Pair> pairs;
    std::vector<Stretch> live;
    for (const Stretch& now : stretches) {
      std::erase_if(live, [&](const Stretch& past) { return past.range.upper <= now.range.lower; });
      for (const Stretch& other : live) {
        if (other.begin < now.end && now.begin < other.end && other.allocation != now.allocation &&
            ShareBytes(other.allocation, now.allocation))
          pairs.insert(std::minmax(other.allocation, now.allocation));
      }
      live.push_back(now);
    }
    return pairs;
  }

  std::string Names(size_t a, size_t b) const {
    return fmt::format("`{}` and `{}` overlap in pool `{}`", At(a).name, At(b).name,
                       places_[a]->pool);
  }

  /// Two allocations that share a byte while both are live are an error, unless a call accesses
  /// them in the right order.
  void CheckPair(size_t a, size_t b) {
    const auto found = pairs_.find({a, b});
    // The code of an external function is trusted if it declares the pair as in place.
    if (found == pairs_.end() && places_[a]->offset == places_[b]->offset &&
        in_place_.contains({a, b}))
      return;
    if (found == pairs_.end())
      return Error(a, Names(a, b) + " while both hold values: run plan-memory again");
    std::string why;
    for (const DyingPair& pair : found->second) {
      why = WhyUnsafe(pair, places_[pair.begun]->offset - places_[pair.dying]->offset);
      if (why.empty()) break;
    }
    if (!why.empty()) Error(a, fmt::format("{}: {}", Names(a, b), why));
  }

  /// Reports functions that promise not to alias although arguments share bytes.
  void CheckNoAlias(const CallSpan& call) {
    const Function* callee = module_.Find(call.callee);
    if (callee == nullptr) return;
    const size_t count = std::min(call.arguments.size(), callee->func->params.size());
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = i + 1; j < count; ++j) {
        if (call.arguments[i].allocation < 0 || call.arguments[j].allocation < 0) continue;
        const Pair pair = std::minmax({static_cast<size_t>(call.arguments[i].allocation),
                                       static_cast<size_t>(call.arguments[j].allocation)});
        const auto [a, b] = pair;
        if (a == b || !ShareBytes(a, b) || !AreNoAliasParams(*callee->func, i, j)) continue;
        Error(a, fmt::format("{}, but parameters {} and {} of `{}` claim `{}`: expected them in "
                             "its attribute `{}`",
                             Names(a, b), i, j, call.callee.view(), attr_key::kNoAlias,
                             attr_key::kOverlaps));
      }
    }
  }

  /// Empty if the distance is safe or must be trusted.
  std::string WhyUnsafe(const DyingPair& pair, int64_t distance) {
    const Function* callee = module_.Find(liveness_.calls[pair.call].callee);
    TENON_CHECK(callee != nullptr);
    const auto [dying, begun] = BuffersOf(*callee->func, pair, liveness_);
    const auto key = std::make_tuple(callee->name, pair.dying_param, pair.begun_param,
                                     dying.size_bytes, begun.size_bytes);
    auto at = traces_.find(key);
    if (at == traces_.end()) {
      const FunctionBuffer buffers[] = {dying, begun};
      at = traces_
               .emplace(key,
                        AccessTrace::Of(*callee->func, buffers, {.max_steps = options_.max_steps}))
               .first;
      if (absl::IsResourceExhausted(at->second.status())) {
        context_.diagnostics.Warning(
            DiagnosticKind::kPass, callee->func->range,
            fmt::format("`{}` takes more than {} steps: the overlap of its parameters {} and {} "
                        "stays on trust",
                        callee->name.view(), options_.max_steps, pair.dying_param,
                        pair.begun_param));
      }
    }
    const absl::StatusOr<AccessTrace>& trace = at->second;
    if (absl::IsResourceExhausted(trace.status())) return "";
    if (!trace.ok()) {
      return fmt::format("the order of accesses in `{}` is not known: {}", callee->name.view(),
                         std::string(trace.status().message()));
    }
    const std::optional<AccessTrace::Clash> clash = trace->FindClash(0, 1, distance);
    if (!clash) return "";
    return fmt::format(
        "at the distance {}, `{}` accesses byte {} of `{}` after it has stored to "
        "byte {} of `{}`, which is the same",
        distance, callee->name.view(), clash->dying_byte, At(pair.dying).name, clash->begun_byte,
        At(pair.begun).name);
  }

  /// Checks the records of overlaps from plan-memory.
  void CheckRecord() {
    for (const OverlapRecord& record : ReadOverlapRecords(module_)) {
      const std::vector<DyingPair>* pairs = nullptr;
      for (const auto& [key, found] : pairs_) {
        if (At(found[0].dying).name == record.dying && At(found[0].begun).name == record.begun)
          pairs = &found;
      }
      if (pairs == nullptr) {
        context_.diagnostics.Error(
            DiagnosticKind::kPass, module_.Main()->func->range,
            fmt::format("the plan lets `{}` and `{}` overlap, but the first does not die in the "
                        "call where the second begins",
                        record.dying, record.begun));
        continue;
      }
      CheckRanges(record, pairs->front());
    }
  }

  void CheckRanges(const OverlapRecord& record, const DyingPair& pair) {
    const int64_t low = -At(pair.begun).size_bytes;
    const int64_t high = At(pair.dying).size_bytes;
    for (const planner::DifferenceRange& range : record.allowed) {
      for (const int64_t end : {range.first, range.last}) {
        // At these distances, no byte is shared.
        if (end <= low || end >= high) continue;
        const std::string why = WhyUnsafe(pair, end);
        if (why.empty()) continue;
        return Error(pair.dying,
                     fmt::format("the plan allows `{}` and `{}` a distance that is not safe: {}",
                                 record.dying, record.begun, why));
      }
    }
  }

  const IRModule& module_;
  const Liveness& liveness_;
  const VerifyPlanOptions& options_;
  PassContext& context_;
  std::vector<std::optional<PlacementNote>> places_;
  std::map<Pair, std::vector<DyingPair>> pairs_;
  std::set<InPlacePair> in_place_;
  absl::flat_hash_map<std::tuple<Symbol, size_t, size_t, int64_t, int64_t>,
                      absl::StatusOr<AccessTrace>>
      traces_;
};

}  // namespace

absl::StatusOr<IRModule> VerifyPlan(const IRModule& module, const VerifyPlanOptions& options,
                                    PassContext& context) {
  const Function* entry = module.Main();
  if (entry == nullptr) return module;
  const std::optional<Liveness> liveness = ComputeLiveness(module, *entry, context.diagnostics);
  if (!liveness) return absl::FailedPreconditionError("liveness could not be computed");
  const size_t errors = context.diagnostics.error_count();
  PlanVerifier(module, *liveness, options, context).Run();
  if (context.diagnostics.error_count() != errors)
    return absl::FailedPreconditionError("the plan is wrong");
  return module;
}

}  // namespace tenon
