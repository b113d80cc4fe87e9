// The native part of the Python module tenon_compiler.

#include "python/src/bindings.h"
#include "tools/backends.h"
#include "tools/version.h"

NB_MODULE(_native, module) {
  using namespace tenon::python;
  // Objects may live until the end of the program, and nothing is printed.
  nb::set_leak_warnings(false);
  BindOptions(module);
  BindLoad(module);
  BindFunctions(module);
  BindRun(module);
  BindEmit(module);
  BindReport(module);
  BindPlan(module);
  BindVerify(module);
  module.attr("version") = TextOf(tenon::Version());
  nb::list engines;
  for (const tenon::Engine* engine : tenon::Engines()) {
    if (engine->name != "package") engines.append(TextOf(engine->name));
  }
  module.attr("engines") = nb::tuple(engines);
}
