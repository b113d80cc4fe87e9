#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "planner/check/checker.h"
#include "planner/formats/plan_answer.h"
#include "planner/formats/plan_json.h"
#include "planner/planner.h"
#include "support/json_checks.h"

namespace tenon {

namespace {

using planner::PlanFault;

class Judge {
 public:
  Judge(const PlanFile& file, const PlanAnswer& answer, const planner::PreviousPlacements* previous,
        Diagnostics& diagnostics)
      : problem_(file.problem),
        answer_(answer),
        plan_(answer.plan),
        previous_(previous),
        diagnostics_(diagnostics) {}

  std::optional<std::string> Run() {
    planner::Plan plan = plan_;
    if (answer_.certificate) plan.proven_optimal = answer_.certificate->total.proven;
    const planner::PlanVerdict verdict = planner::CheckPlan(problem_, plan);
    // Without a certificate, the file claims nothing about cost and optimality.
    if (!answer_.certificate && (verdict.ok() || verdict.fault == PlanFault::kCost ||
                                 verdict.fault == PlanFault::kOptimality)) {
      return WithoutCertificate();
    }
    if (!verdict.ok()) {
      Refuse(verdict);
      return std::nullopt;
    }
    const size_t errors = diagnostics_.error_count();
    CheckFigures();
    if (diagnostics_.error_count() != errors) return std::nullopt;
    return WithCertificate(verdict.on_trust);
  }

 private:
  void Error(SourceRange at, std::string message) {
    diagnostics_.Error(DiagnosticKind::kCompare, at, std::move(message));
  }

  SourceRange PlaceOf(const planner::PlanVerdict& verdict) const {
    if (verdict.buffer >= 0) {
      const PlacementRanges& at = answer_.rows[planner::Index(verdict.buffer)];
      const bool is_pool = verdict.fault == PlanFault::kPool ||
                           verdict.fault == PlanFault::kCandidate ||
                           verdict.fault == PlanFault::kSamePool;
      const SourceRange best = is_pool ? at.pool : at.offset;
      return best.valid() ? best : at.row;
    }
    if (!answer_.certificate) return {};
    if (verdict.fault == PlanFault::kCost) return answer_.certificate->cost_at;
    if (verdict.fault == PlanFault::kOptimality) return answer_.certificate->total.proven_at;
    if (verdict.pool < 0) return {};
    const PlanFigures& pool = answer_.certificate->pools[planner::Index(verdict.pool)];
    if (verdict.fault == PlanFault::kPoolSize) return pool.peak_at;
    if (verdict.fault == PlanFault::kBound) return pool.bound_at;
    return answer_.certificate->witnesses[planner::Index(verdict.pool)];
  }

  void Refuse(const planner::PlanVerdict& verdict) {
    Diagnostic& error =
        diagnostics_.Error(DiagnosticKind::kCompare, PlaceOf(verdict), verdict.message);
    if (verdict.other < 0) return;
    const PlacementRanges& other = answer_.rows[planner::Index(verdict.other)];
    Diagnostics::AddNote(
        error, other.offset.valid() ? other.offset : other.row,
        fmt::format("`{}` is here", problem_.buffers[planner::Index(verdict.other)].name));
  }

  void CheckGap(const PlanFigures& figures) {
    const double gap = GapPercent(figures.peak, figures.bound);
    if (std::abs(figures.gap - gap) <= 1e-6 * (1 + gap)) return;
    Error(figures.gap_at,
          fmt::format("`gap_percent` is {}, but peak and bound make it {}", figures.gap, gap));
  }

  /// Figures that follow from the rest and are stored for readers.
  void CheckFigures() {
    const PlanCertificate& given = *answer_.certificate;
    if (given.total.peak != PlanPeak(plan_)) {
      Error(given.total.peak_at, fmt::format("`peak_bytes` is {}, but the pools have {}",
                                             given.total.peak, PlanPeak(plan_)));
    }
    if (given.total.bound != PlanBound(plan_)) {
      Error(given.total.bound_at, fmt::format("`lower_bound_bytes` is {}, but the pools have {}",
                                              given.total.bound, PlanBound(plan_)));
    }
    CheckGap(given.total);
    bool by_search = false;
    for (size_t p = 0; p < plan_.pools.size(); ++p) {
      const PlanFigures& pool = given.pools[p];
      by_search |= plan_.pools[p].lower_bound.kind == planner::BoundKind::kSearch;
      CheckGap(pool);
      if (pool.proven != planner::IsProven(plan_.pools[p], plan_.cost)) {
        const bool of_choice = pool.peak == pool.bound;
        Error(pool.proven_at,
              fmt::format("`proven_optimal` is {}, but the pool `{}` has the size {} and the lower "
                          "bound {}{}",
                          pool.proven, ShownText(problem_.pools[p].name), pool.peak, pool.bound,
                          of_choice ? ", for a choice of pools that may not be the cheapest" : ""));
      }
    }
    if (given.by_search != by_search) {
      Error(given.by_search_at, fmt::format("`bound_by_search` is {}, but the witnesses say {}",
                                            given.by_search, by_search));
    }
    const std::span<const std::string_view> names = planner::AlgorithmNames();
    if (given.algorithm != planner::kGiven &&
        std::find(names.begin(), names.end(), given.algorithm) == names.end()) {
      Error(given.algorithm_at, fmt::format("unknown algorithm `{}`", ShownText(given.algorithm)));
    }
    if (given.kept) CheckKept(*given.kept);
  }

  void CheckKept(const planner::KeptOffsets& kept) {
    if (previous_ != nullptr) {
      const planner::KeptOffsets counted = planner::CountKept(problem_, plan_, *previous_);
      if (kept == counted) return;
      Error(answer_.certificate->kept_at,
            fmt::format("of the previous plan {} buffers are kept, {} moved and {} new",
                        counted.kept, counted.moved, counted.added));
      return;
    }
    __int128 bytes = 0;
    for (const planner::Buffer& buffer : problem_.buffers) bytes += buffer.size;
    const auto count = static_cast<__int128>(problem_.buffers.size());
    const __int128 counted = static_cast<__int128>(kept.kept) + kept.moved + kept.added;
    const __int128 counted_bytes = static_cast<__int128>(kept.kept_bytes) + kept.moved_bytes;
    if (counted == count && counted_bytes <= bytes) return;
    Error(answer_.certificate->kept_at,
          fmt::format("expected kept, moved and new buffers to be the {} of the problem",
                      problem_.buffers.size()));
  }

  std::string WithoutCertificate() const {
    return fmt::format("valid: {} buffers, peak {}; no certificate to check",
                       problem_.buffers.size(), PlanPeak(plan_));
  }

  std::string WithCertificate(int32_t on_trust) const {
    const int64_t peak = PlanPeak(plan_);
    const int64_t bound = PlanBound(plan_);
    std::string line = fmt::format("valid: {} buffers, peak {}, lower bound {}, ",
                                   problem_.buffers.size(), peak, bound);
    line += answer_.certificate->total.proven
                ? "proven optimal"
                : fmt::format("gap {:.2f} %", GapPercent(peak, bound));
    if (on_trust > 0) {
      line += fmt::format("; {} on trust: too long a search to repeat",
                          on_trust == 1 ? "bound" : fmt::format("{} bounds", on_trust));
    }
    return line;
  }

  const planner::Problem& problem_;
  const PlanAnswer& answer_;
  const planner::Plan& plan_;
  const planner::PreviousPlacements* previous_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<std::string> JudgePlanAnswer(const PlanFile& problem, const PlanAnswer& answer,
                                           const planner::PreviousPlacements* previous,
                                           Diagnostics& diagnostics) {
  return Judge(problem, answer, previous, diagnostics).Run();
}

}  // namespace tenon
