#include "tools/read_model.h"

#include <utility>

#include "frontends/tflite/read_module.h"
#include "support/file_kind.h"
#include "support/status_macros.h"

namespace tenon {

absl::StatusOr<std::shared_ptr<const FileBytes>> ReadModelFile(const std::string& path) {
  TENON_ASSIGN_OR(std::shared_ptr<const FileBytes> file, ReadFile(path));
  if (FileKindOf(file->view()) == FileKind::kTflite) return file;
  const std::string not_text = NotTextMessage(file->path(), file->view());
  if (!not_text.empty()) return absl::InvalidArgumentError(not_text);
  return file;
}

std::optional<IRModule> ReadModel(Context& context, std::string_view name, std::string_view text,
                                  std::shared_ptr<const FileBytes> owner,
                                  const ReadModelOptions& options, Diagnostics& diagnostics) {
  if (owner != nullptr && FileKindOf(text) == FileKind::kTflite)
    return tflite::ReadModule(context, owner, options.graph, diagnostics);
  return ParseModule(context, name, text, std::move(owner), options.parse, diagnostics);
}

}  // namespace tenon
