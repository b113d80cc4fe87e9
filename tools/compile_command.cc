#include "tools/compile_command.h"

#include "support/file.h"
#include "tools/progress.h"

namespace tenon {

int Compile(const CompileCommand& command) {
  if (command.output.empty()) return Fail("--emit=c needs -o FOLDER");
  return WithModule(command.module, [&](const IRModule& module, Diagnostics& diagnostics) {
    std::optional<CompiledC> compiled;
    {
      const Progress progress("compiling");
      compiled = CompileToC(module, command.compile, diagnostics);
    }
    if (!compiled) return 1;
    if (command.report.json || command.report.html) {
      const auto report = ReportOf(compiled->planned, command.compile, diagnostics);
      if (!report || !WriteReports(*report, {}, command.report)) return 1;
    }
    std::vector<FolderFile> files;
    for (const EmittedFile& file : compiled->c.files) files.push_back({file.name, file.text});
    const absl::Status written = WriteFolder(command.output, files);
    return written.ok() ? 0 : Fail(std::string(written.message()));
  });
}

}  // namespace tenon
