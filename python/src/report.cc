#include "report/report.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>

#include "python/src/bindings.h"
#include "report/svg.h"
#include "tools/report_command.h"

namespace tenon::python {

namespace {

/// A report; its texts are made when they are asked for.
struct ReportHandle {
  MemoryReport report;
  ReportExtras extras;
};

std::unique_ptr<ReportHandle> Report(const ModuleHandle& handle,
                                     const std::vector<std::string>& words, const nb::list& given) {
  const std::unique_ptr<CommandLine> line = ReadOptions(words);
  const std::unique_ptr<CodeGenerators> generators = GeneratorsOf(given);
  ReportCommand& command = line->commands().report;
  command.module.path = handle.source;
  if (generators != nullptr) command.compile.run.generators = generators.get();
  Diagnostics diagnostics;
  std::optional<ModuleReport> made;
  absl::Status added;
  {
    const nb::gil_scoped_release release;
    made = PlanForReport(handle.module, command, diagnostics);
    if (made) added = CompleteReport(command, *made);
  }
  if (!made) Raise(handle.context->sources(), diagnostics);
  RaiseUnlessOk(added);
  auto result = std::make_unique<ReportHandle>();
  result->report = *std::move(made->report);
  result->extras = std::move(made->extras);
  return result;
}

}  // namespace

void BindReport(nb::module_& module) {
  const auto text_of = [](auto make) {
    return [make](const ReportHandle& handle) {
      const nb::gil_scoped_release release;
      return make(handle);
    };
  };
  nb::class_<ReportHandle>(module, "Report")
      .def("json", text_of([](const ReportHandle& handle) {
             return ReportJson(handle.report, handle.extras);
           }))
      .def("html", text_of([](const ReportHandle& handle) {
             return ReportHtml(handle.report, handle.extras);
           }))
      .def("svg", text_of([](const ReportHandle& handle) { return ReportSvg(handle.report); }))
      .def("text", text_of([](const ReportHandle& handle) { return ReportText(handle.report); }));
  module.def("report", Report, nb::arg("module"), nb::arg("words"), nb::arg("generators"));
}

}  // namespace tenon::python
