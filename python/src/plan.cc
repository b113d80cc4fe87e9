#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <optional>
#include <utility>

#include "planner/formats/plan_answer.h"
#include "planner/formats/plan_csv.h"
#include "planner/formats/plan_json.h"
#include "python/src/bindings.h"
#include "report/svg.h"
#include "tools/plan_problem.h"
#include "tools/read_text.h"

namespace tenon::python {

namespace {

using Clock = std::chrono::steady_clock;

/// A planned problem.
struct PlanHandle {
  PlanHandle() = default;
  PlanHandle(const PlanHandle&) = delete;
  PlanHandle& operator=(const PlanHandle&) = delete;

  SourceManager sources;
  PlanFile file;
  planner::Plan plan;
  PlanJsonExtras extras;
  std::string name;
  /// Seconds, size and bound of each step of the search; the size is INT64_MAX before a plan.
  std::vector<std::tuple<double, int64_t, int64_t>> trace;
  bool interrupted = false;
};

/// Lets Python handle signals from time to time while a search runs without the GIL.
class SignalWatch {
 public:
  /// True to end the search: a signal handler raised.
  bool Raised() {
    if (error_ != nullptr || interrupted_) return true;
    const Clock::time_point now = Clock::now();
    if (now - last_ < kInterval) return false;
    last_ = now;
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() == 0) return false;
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0) {
      PyErr_Clear();
      interrupted_ = true;
    } else {
      error_ = std::make_unique<nb::python_error>();
    }
    return true;
  }
  /// Raises what a handler raised other than KeyboardInterrupt.
  void Rethrow() {
    if (error_ == nullptr) return;
    error_->restore();
    nb::raise_python_error();
  }
  bool interrupted() const { return interrupted_; }

 private:
  static constexpr std::chrono::milliseconds kInterval{50};
  Clock::time_point last_ = Clock::now();
  bool interrupted_ = false;
  std::unique_ptr<nb::python_error> error_;
};

/// The name of a text and the text, or the path of a file and nullopt.
using Source = std::pair<std::string, std::optional<std::string>>;

PlanText PlanTextOf(const Source& source) {
  const auto& [path, text] = source;
  absl::StatusOr<std::shared_ptr<const FileBytes>> file =
      text ? FileBytes::FromString(path, *text) : ReadTextFile(path, ReaderKind::kProblems);
  RaiseUnlessOk(file.status());
  return {(*file)->path(), (*file)->view(), *file};
}

void ReadProblemOf(const PlanCommand& command, const Source& source, PlanHandle& handle) {
  Diagnostics diagnostics;
  absl::StatusOr<std::optional<PlanFile>> parsed =
      ParseProblem(command, PlanTextOf(source), handle.sources, diagnostics);
  RaiseUnlessOk(parsed.status());
  if (!*parsed) Raise(handle.sources, diagnostics);
  handle.file = **std::move(parsed);
  handle.name = source.first;
}

/// The places of an earlier plan; nullopt without one.
std::optional<planner::PreviousPlacements> ReadPreviousOf(const std::optional<Source>& previous,
                                                          PlanHandle& handle) {
  if (!previous) return std::nullopt;
  Diagnostics diagnostics;
  std::optional<planner::PreviousPlacements> places =
      ReadPreviousPlan(handle.sources, PlanTextOf(*previous), handle.file, diagnostics);
  if (!places) Raise(handle.sources, diagnostics);
  return places;
}

planner::Plan Search(const PlanCommand& command, PlanHandle& handle) {
  SignalWatch watch;
  const Clock::time_point start = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  planner::PlanOptions options = SearchOptions(command);
  int64_t nodes = 0;
  options.stop = [&] { return watch.Raised(); };
  options.nodes = &nodes;
  options.progress = [&](int64_t size, int64_t bound) {
    handle.trace.emplace_back(seconds(), size, bound);
  };
  absl::StatusOr<planner::Plan> plan;
  {
    const nb::gil_scoped_release release;
    plan = planner::PlanMemory(handle.file.problem, command.algorithm, options);
  }
  watch.Rethrow();
  handle.interrupted = watch.interrupted();
  if (!plan.ok() && handle.interrupted) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    nb::raise_python_error();
  }
  RaiseUnlessOk(plan.status());
  handle.trace.emplace_back(seconds(), PlanPeak(*plan), PlanBound(*plan));
  handle.extras.provenance = ProvenanceOf(command, handle.file, nodes);
  handle.extras.seconds = seconds();
  return *std::move(plan);
}

std::unique_ptr<PlanHandle> MakePlan(const Source& problem, const std::vector<std::string>& words,
                                     const std::optional<Source>& earlier) {
  const std::unique_ptr<CommandLine> line = ReadOptions(words);
  const PlanCommand& command = line->commands().plan;
  auto handle = std::make_unique<PlanHandle>();
  ReadProblemOf(command, problem, *handle);
  const std::optional<planner::PreviousPlacements> previous = ReadPreviousOf(earlier, *handle);
  handle->plan = Search(command, *handle);
  if (previous) {
    const nb::gil_scoped_release release;
    handle->extras.kept = KeepPrevious(handle->file.problem, *previous, handle->plan);
  }
  return handle;
}

/// The verdict on an answer in CSV or JSON; raises at the first fault.
std::string CheckAnswer(const Source& problem, const std::string& answer,
                        const std::vector<std::string>& words,
                        const std::optional<Source>& earlier) {
  const std::unique_ptr<CommandLine> line = ReadOptions(words);
  PlanHandle handle;
  ReadProblemOf(line->commands().plan, problem, handle);
  const std::optional<planner::PreviousPlacements> previous = ReadPreviousOf(earlier, handle);
  const std::shared_ptr<const FileBytes> bytes = FileBytes::FromString("<plan>", answer);
  Diagnostics diagnostics;
  std::optional<std::string> verdict;
  {
    const nb::gil_scoped_release release;
    const std::optional<PlanAnswer> read = ReadPlanAnswer(
        handle.sources, {bytes->path(), bytes->view(), bytes}, handle.file, diagnostics);
    if (read)
      verdict = JudgePlanAnswer(handle.file, *read, previous ? &*previous : nullptr, diagnostics);
  }
  if (!verdict) Raise(handle.sources, diagnostics);
  return *verdict;
}

nb::list BufferNames(const Source& problem, const std::vector<std::string>& words) {
  const std::unique_ptr<CommandLine> line = ReadOptions(words);
  PlanHandle handle;
  ReadProblemOf(line->commands().plan, problem, handle);
  nb::list names;
  for (const planner::Buffer& buffer : handle.file.problem.buffers) names.append(buffer.name);
  return names;
}

nb::list PlacementsOf(const PlanHandle& handle) {
  nb::list rows;
  for (size_t i = 0; i < handle.plan.placements.size(); ++i) {
    const planner::Placement& place = handle.plan.placements[i];
    const planner::Buffer& buffer = handle.file.problem.buffers[i];
    const std::string& pool = handle.file.problem.pools[planner::Index(place.pool)].name;
    rows.append(nb::make_tuple(buffer.name, place.offset, pool));
  }
  return rows;
}

std::string CsvOf(const PlanHandle& handle) {
  absl::StatusOr<std::string> csv = WritePlanCsv(handle.file, handle.plan);
  RaiseUnlessOk(csv.status());
  return *std::move(csv);
}

}  // namespace

void BindPlan(nb::module_& module) {
  nb::class_<PlanHandle>(module, "Plan")
      .def("placements", PlacementsOf)
      .def("csv", CsvOf)
      .def("json",
           [](const PlanHandle& handle) {
             return WritePlanJson(handle.file, handle.plan, handle.extras);
           })
      .def("html",
           [](const PlanHandle& handle) {
             return ReportHtml(PlanReport(handle.name, handle.file, handle.plan),
                               {.search = SearchOf(handle.plan, handle.extras.provenance->nodes,
                                                   handle.extras.seconds)});
           })
      .def("svg",
           [](const PlanHandle& handle) {
             return ReportSvg(PlanReport(handle.name, handle.file, handle.plan));
           })
      .def("trace",
           [](const PlanHandle& handle) {
             nb::list rows;
             for (const auto& [seconds, size, bound] : handle.trace) {
               nb::object best = size == INT64_MAX ? nb::none() : nb::object(nb::int_(size));
               rows.append(nb::make_tuple(seconds, best, bound));
             }
             return rows;
           })
      .def_ro("interrupted", &PlanHandle::interrupted)
      .def_prop_ro("algorithm", [](const PlanHandle& handle) { return handle.plan.algorithm; })
      .def_prop_ro("peak", [](const PlanHandle& handle) { return PlanPeak(handle.plan); })
      .def_prop_ro("bound", [](const PlanHandle& handle) { return PlanBound(handle.plan); })
      .def_prop_ro("optimal", [](const PlanHandle& handle) { return handle.plan.proven_optimal; });
  module.def("plan", MakePlan, nb::arg("problem"), nb::arg("words"), nb::arg("previous").none());
  module.def("buffer_names", BufferNames, nb::arg("problem"), nb::arg("words"));
  module.def("check_plan", CheckAnswer, nb::arg("problem"), nb::arg("answer"), nb::arg("words"),
             nb::arg("previous").none());
}

}  // namespace tenon::python
