#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "python/src/callable.h"

namespace tenon::python {

void BindRun(nb::module_& module) {
  nb::class_<Callable>(module, "Callable",
                       "A compiled model. Call it with arrays for the inputs; it keeps the "
                       "model's states between calls.")
      .def("__call__", &Callable::Call, nb::arg("inputs"), nb::arg("out") = nb::none(),
           "Runs the model on the inputs, in order or as one dict by name. Returns an array, a "
           "tuple for several outputs, or a dict for a dict. `out`: arrays to write to.")
      .def("reset", &Callable::Reset, "Sets the states back to their first values.")
      .def_prop_ro("engine", &Callable::engine)
      .def_prop_ro("inputs", [](const Callable& model) { return model.InfoOf("inputs"); })
      .def_prop_ro("outputs", [](const Callable& model) { return model.InfoOf("outputs"); })
      .def_prop_ro("states", [](const Callable& model) { return model.InfoOf("states"); });
  module.def("compile", &Callable::Load, nb::arg("module"), nb::arg("words"),
             nb::arg("generators"));
}

}  // namespace tenon::python
