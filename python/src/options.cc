#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "python/src/bindings.h"
#include "support/nearest_name.h"

namespace tenon::python {

namespace {

/// The options of a command: its name, heading and form of values in --help, whether it is a flag,
/// and whether it may be repeated.
nb::list OptionsOf(const std::string& command) {
  const CommandLine line;
  nb::list list;
  for (const CLI::Option* option : line.command(command).get_options()) {
    if (option->get_positional()) continue;
    const std::vector<std::string>& names = option->get_lnames();
    const std::string name = names.empty() ? option->get_snames()[0] : names[0];
    const std::string form =
        option->get_option_text().empty() ? option->get_type_name() : option->get_option_text();
    const bool is_flag = option->get_expected_max() == 0;
    const bool repeats = option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    list.append(nb::make_tuple(name, option->get_group(), form, is_flag, repeats,
                               option->get_description()));
  }
  return list;
}

}  // namespace

std::unique_ptr<CommandLine> ReadOptions(const std::vector<std::string>& words) {
  auto line = std::make_unique<CommandLine>();
  RaiseUnlessOk(line->Read(words));
  Commands& commands = line->commands();
  for (StderrStyle* style :
       {&commands.report.module.style, &commands.compile.module.style, &commands.run.module.style,
        &commands.verify.module.style, &commands.plan.style})
    style->quiet = true;
  return line;
}

void RaiseNoEngine(std::string_view engine) {
  Raise(
      fmt::format("this build of tenon_compiler has no engine `{}`: it was built without LLVM; "
                  "use engine=\"c\"",
                  engine));
}

void BindOptions(nb::module_& module) {
  module.def("options", OptionsOf, nb::arg("command"),
             "The options of a command of `tenon`: name, heading, form, whether it is a flag, "
             "whether it repeats, help.");
  module.def(
      "did_you_mean",
      [](const std::string& name, const std::vector<std::string>& names) {
        return std::string(DidYouMean(name, names));
      },
      nb::arg("name"), nb::arg("names"), "The end of a message about an unknown name, or nothing.");
}

}  // namespace tenon::python
