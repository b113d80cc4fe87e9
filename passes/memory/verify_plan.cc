// The judges in order: places within pools, `tir.noalias`, lost values of pairs that meet
// (value_watch.h), bytes of constants, and the recorded ranges. None of them shares code with the
// planner or with liveness.

#include "passes/memory/verify_plan.h"

#include <fmt/format.h>

#include <optional>

#include "analysis/stream_cuts.h"
#include "ir/attributes.h"
#include "ir/memory_pools.h"
#include "ir/stream_record.h"
#include "passes/memory/overlap_record.h"
#include "passes/memory/placed_constants.h"
#include "passes/memory/placed_module.h"
#include "passes/memory/value_watch.h"

namespace tenon {

namespace {

class PlanVerifier {
 public:
  PlanVerifier(const IRModule& module, const PlacedModule& placed, const VerifyPlanOptions& options,
               PassContext& context)
      : module_(module),
        placed_(placed),
        context_(context),
        watch_(module, placed, {.max_steps = options.max_steps}),
        max_steps_(options.max_steps) {}

  void Run() {
    for (const PlacedAllocation& allocation : placed_.allocations()) CheckPlace(allocation);
    for (const int32_t allocation : placed_.concurrent()) {
      Error(allocation, fmt::format("`{}` is in pool `{}`, but iterations of a parallel loop use "
                                    "it at the same time",
                                    At(allocation).name, At(allocation).pool));
    }
    for (const SharedArgument& shared : placed_.shared_arguments()) CheckNoAlias(shared);
    for (const auto& [a, b] : placed_.meetings()) CheckPair(a, b);
    CheckPlacedConstants(placed_, context_.diagnostics);
    CheckRecord();
    CheckStreaming();
  }

 private:
  const PlacedAllocation& At(int32_t index) const { return placed_.At(index); }

  Diagnostic& Error(int32_t allocation, const std::string& text) {
    return context_.diagnostics.Error(DiagnosticKind::kPass, At(allocation).stmt->range, text);
  }

  /// Reports places outside of their pools.
  void CheckPlace(const PlacedAllocation& allocation) {
    if (allocation.pool.empty()) return;
    const auto error = [&](const std::string& text) {
      context_.diagnostics.Error(DiagnosticKind::kPass, allocation.stmt->range, text);
    };
    if (!allocation.has_place()) {
      return error(fmt::format("`{}` is at offset {} of pool `{}`, expected 0 to {}",
                               allocation.name, allocation.offset, allocation.pool, kMostPoolSize));
    }
    const auto* allocate = dyn_cast<Allocate>(allocation.stmt);
    const MapAttr* notes = allocate != nullptr ? allocate->annotations
                                               : cast<AllocateConst>(allocation.stmt)->annotations;
    const int64_t end = allocation.offset + allocation.size_bytes;
    for (const PoolInfo& pool : ReadCandidates(notes)) {
      if (pool.name != allocation.pool || pool.size_hint_bytes < 0 || end <= pool.size_hint_bytes)
        continue;
      error(fmt::format("`{}` ends at byte {} of pool `{}`, which has {}", allocation.name, end,
                        pool.name, pool.size_hint_bytes));
    }
  }

  std::string Names(int32_t a, int32_t b) const {
    return fmt::format("`{}` and `{}` overlap in pool `{}`", At(a).name, At(b).name, At(a).pool);
  }

  /// Reports groups of rows with which the workspace was estimated larger than with other ones.
  void CheckStreaming() {
    const std::optional<StreamRecord> record = ReadStreamRecord(module_);
    if (!record) return;
    const std::string why = WhyNotLeastCut(*record);
    if (why.empty()) return;
    const Function* entry = module_.Main();
    context_.diagnostics.Error(DiagnosticKind::kPass,
                               entry != nullptr ? entry->func->range : SourceRange(),
                               fmt::format("`{}` is wrong: {}", attr_key::kStreaming, why));
  }

  void CheckPair(int32_t a, int32_t b) {
    const absl::StatusOr<std::optional<LostValue>> found = watch_.Find(a, b);
    if (!found.ok()) {
      context_.diagnostics.Warning(
          DiagnosticKind::kPass, At(a).stmt->range,
          fmt::format(
              "{}: to follow their accesses takes too many steps (`max-steps` is {}), so the "
              "overlap stays on trust",
              Names(a, b), max_steps_));
      return;
    }
    if (!*found) return;
    const LostValue& lost = **found;
    std::string text =
        fmt::format("{}: byte {} of `{}` is needed after `{}` has overwritten it", Names(a, b),
                    lost.byte, At(lost.victim).name, At(lost.other).name);
    if (!lost.why.empty())
      text =
          fmt::format("{}: `{}` may overwrite byte {} of `{}` while it is needed, because {}",
                      Names(a, b), At(lost.other).name, lost.byte, At(lost.victim).name, lost.why);
    Diagnostic& error = Error(a, text + "; run plan-memory again");
    if (lost.store.valid()) Diagnostics::AddNote(error, lost.store, "overwritten here");
    if (lost.access.valid()) {
      Diagnostics::AddNote(error, lost.access, "needed here");
    } else if (lost.why.empty()) {
      Diagnostics::AddNote(error, {}, "needed after the run");
    }
  }

  /// Reports functions that promise not to alias although they get memory that shares bytes.
  void CheckNoAlias(const SharedArgument& shared) {
    const std::string_view name = shared.callee->name.view();
    if (shared.other_param) {
      Error(shared.allocation,
            fmt::format("{}, but parameters {} and {} of `{}` claim `{}`: expected them in its "
                        "attribute `{}`",
                        Names(shared.allocation, shared.other), shared.param, *shared.other_param,
                        name, attr_key::kNoAlias, attr_key::kOverlaps));
      return;
    }
    Error(shared.allocation,
          fmt::format("{}, but `{}` claims `{}` for its parameter {}: expected [{}, \"{}\"] in its "
                      "attribute `{}`",
                      Names(shared.allocation, shared.other), name, attr_key::kNoAlias,
                      shared.param, shared.param, At(shared.other).pool, attr_key::kOverlaps));
  }

  /// Checks the records of overlaps from plan-memory: every end of the distances that it allows.
  void CheckRecord() {
    for (const OverlapRecord& record : ReadOverlapRecords(module_)) {
      if (CheckPairsOf(record, /*at_distance=*/true) || CheckPairsOf(record, false)) continue;
      context_.diagnostics.Error(
          DiagnosticKind::kPass, module_.Main()->func->range,
          fmt::format("the plan lets `{}` and `{}` overlap in `{}`, but no call of it gets both",
                      record.dying, record.begun, record.function));
    }
  }

  /// Checks the pairs that the record may mean; false if there is none. Names may be ambiguous, the
  /// distance hardly is.
  bool CheckPairsOf(const OverlapRecord& record, bool at_distance) {
    bool is_known = false;
    for (const int32_t dying : placed_.Named(record.dying)) {
      for (const int32_t begun : placed_.Named(record.begun)) {
        if (at_distance && At(begun).offset - At(dying).offset != record.distance) continue;
        for (const CallOfPair& call : placed_.CallsOf(dying, begun)) {
          if (call.callee->name.view() != record.function) continue;
          is_known = true;
          CheckRanges(record, call, dying, begun);
        }
      }
    }
    return is_known;
  }

  void CheckRanges(const OverlapRecord& record, const CallOfPair& call, int32_t dying,
                   int32_t begun) {
    const absl::StatusOr<AccessTrace>& trace =
        watch_.TraceOf(*call.callee, call.first_param, At(dying).size_bytes, call.second_param,
                       At(begun).size_bytes);
    if (absl::IsResourceExhausted(trace.status())) return;
    for (const planner::DifferenceRange& range : record.allowed) {
      for (const int64_t end : {range.first, range.last}) {
        // At these distances, no byte is shared.
        if (end <= -At(begun).size_bytes || end >= At(dying).size_bytes) continue;
        const std::string why = WhyUnsafe(trace, call, dying, begun, end);
        if (why.empty()) continue;
        Error(dying, fmt::format("the plan allows `{}` and `{}` a distance that is not safe: {}",
                                 record.dying, record.begun, why));
        return;
      }
    }
  }

  /// Empty if the distance is safe.
  std::string WhyUnsafe(const absl::StatusOr<AccessTrace>& trace, const CallOfPair& call,
                        int32_t dying, int32_t begun, int64_t distance) const {
    const std::string_view callee = call.callee->name.view();
    if (!trace.ok())
      return fmt::format("the order of accesses in `{}` is not known: {}", callee,
                         std::string(trace.status().message()));
    const std::optional<AccessTrace::Clash> clash = trace->FindClash(0, 1, distance);
    if (!clash) return "";
    return fmt::format(
        "at the distance {}, `{}` accesses byte {} of `{}` after it has stored to byte {} of `{}`, "
        "which is the same",
        distance, callee, clash->dying_byte, At(dying).name, clash->begun_byte, At(begun).name);
  }

  const IRModule& module_;
  const PlacedModule& placed_;
  PassContext& context_;
  ValueWatch watch_;
  const int64_t max_steps_;
};

}  // namespace

absl::StatusOr<IRModule> VerifyPlan(const IRModule& module, const VerifyPlanOptions& options,
                                    PassContext& context) {
  const Function* entry = module.Main();
  if (entry == nullptr) return module;
  const size_t errors = context.diagnostics.error_count();
  const std::optional<PlacedModule> placed = PlacedModule::Of(module, *entry, context.diagnostics);
  if (placed) PlanVerifier(module, *placed, options, context).Run();
  if (context.diagnostics.error_count() != errors)
    return absl::FailedPreconditionError("the plan is wrong");
  return module;
}

}  // namespace tenon
