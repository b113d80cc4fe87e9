#include <nanobind/stl/string.h>

#include "python/src/bindings.h"
#include "tools/diagnostic_log.h"

namespace tenon::python {

namespace {

nb::object DiagnosticOf(const DiagnosticLog::Entry& entry, const nb::object& type) {
  nb::list notes;
  for (const DiagnosticLog::Entry& note : entry.notes) notes.append(DiagnosticOf(note, type));
  return type(TextOf(SeverityText(entry.severity)), TextOf(entry.kind), TextOf(entry.message),
              TextOf(entry.file), entry.line, entry.column, entry.end_line, entry.end_column,
              nb::tuple(notes));
}

nb::object ErrorsModule() { return nb::module_::import_("tenon_compiler.errors"); }

[[noreturn]] void RaiseError(std::string_view message, const nb::object& diagnostics) {
  const nb::object type = ErrorsModule().attr("Error");
  const nb::object error = type(TextOf(message), diagnostics);
  PyErr_SetObject(type.ptr(), error.ptr());
  nb::raise_python_error();
}

}  // namespace

nb::str TextOf(std::string_view text) {
  PyObject* const decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace");
  if (decoded == nullptr) nb::raise_python_error();
  return nb::steal<nb::str>(decoded);
}

nb::list DiagnosticList(const SourceManager& sources, const Diagnostics& diagnostics) {
  const nb::object type = ErrorsModule().attr("Diagnostic");
  nb::list list;
  for (const Diagnostic& diagnostic : diagnostics.all())
    list.append(DiagnosticOf(DiagnosticLog::EntryOf(sources, diagnostic), type));
  return list;
}

void Raise(std::string_view message) {
  DiagnosticLog::Entry entry;
  entry.kind = KindText(DiagnosticKind::kArguments);
  entry.message = message;
  nb::list list;
  list.append(DiagnosticOf(entry, ErrorsModule().attr("Diagnostic")));
  RaiseError(message, list);
}

void Raise(const SourceManager& sources, const Diagnostics& diagnostics) {
  std::string text = Render(sources, diagnostics);
  while (text.ends_with('\n')) text.pop_back();
  RaiseError(text, DiagnosticList(sources, diagnostics));
}

}  // namespace tenon::python
