#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <utility>

#include "byoc/generators/program/program_generator.h"
#include "python/src/bindings.h"

namespace tenon::python {

namespace {

/// A Python object that may be released by a thread without the GIL.
std::shared_ptr<nb::object> Shared(const nb::object& object) {
  return {new nb::object(object), [](nb::object* held) {
            const nb::gil_scoped_acquire acquire;
            delete held;
          }};
}

/// Calls the function with the GIL; what it raises becomes a status.
absl::StatusOr<std::string> Answer(const nb::object& function, const std::string& request,
                                   const std::string& folder) {
  const nb::gil_scoped_acquire acquire;
  try {
    return nb::cast<std::string>(function(request, folder));
  } catch (nb::python_error& error) {
    return absl::InternalError(fmt::format("it raised {}", error.what()));
  } catch (const nb::cast_error&) {
    return absl::InternalError("it did not return text");
  }
}

}  // namespace

std::unique_ptr<CodeGenerators> GeneratorsOf(const nb::list& given) {
  if (nb::len(given) == 0) return nullptr;
  auto generators = std::make_unique<CodeGenerators>(CodeGenerators::BuiltIn());
  for (const nb::handle pair : given) {
    GeneratorProgram program;
    program.name = nb::cast<std::string>(pair[0]);
    program.answer = [function = Shared(nb::object(pair[1]))](const std::string& request,
                                                              const std::string& folder) {
      return Answer(*function, request, folder);
    };
    const std::string name = program.name;
    if (!generators->Add(ProgramGenerator(std::move(program), std::make_shared<AnswerLimits>())))
      Raise(fmt::format("a code generator `{}` already exists", name));
  }
  return generators;
}

}  // namespace tenon::python
