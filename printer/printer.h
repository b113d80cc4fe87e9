#ifndef TENON_PRINTER_PRINTER_H_
#define TENON_PRINTER_PRINTER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "ir/module.h"
#include "printer/sink.h"

// Modules as text. The script form is TVMScript by the rules of TVM's own printer
// (docs/text_format.md), so that what TVM printed comes back byte for byte; the generic form spells
// out every node and field for readers of dumps.

namespace tenon {

/// What stands where a constant's elements would.
enum class ConstantsMode : uint8_t {
  kInline,   ///< every element
  kSidecar,  ///< constants of at least the threshold refer to a side file, which the caller writes
  kKeep,     ///< constants that came from side files refer to them as before; the others inline
  kElide,    ///< a content hash; such text prints, but does not run
};

struct PrintOptions {
  ConstantsMode constants = ConstantsMode::kInline;
  /// kSidecar: bytes from which on a constant goes to the side file.
  int64_t sidecar_threshold = 1024;
  /// kSidecar: the side file's name as the text writes it.
  std::string sidecar_name;
  /// kKeep: the folder of the text, which names of files are relative to; empty: the working one.
  std::string text_folder;
  /// The generic form: no sugar, all fields. It cannot be parsed.
  bool generic = false;
  /// Write the `metadata = ...` line when the text refers to metadata; else a comment says that it
  /// is missing.
  bool show_metadata = true;
};

/// The text of a module, without a line end after its last line. The same module gives the same
/// text, always.
std::string PrintModule(const IRModule& module, const PrintOptions& options = {});
/// The same, piece by piece: no more than a chunk of it is in memory at once.
void PrintModule(const IRModule& module, const PrintOptions& options, Sink& sink);

/// One function of a module as it stands alone: calls of others print as `f(...)`.
std::string PrintFunction(const IRModule& module, const Function& function,
                          const PrintOptions& options = {});

/// Any node, for diagnostics and dumps: statements over several lines, the rest in one. Variables
/// that are not defined within print by their names. Not for reading back.
std::string PrintNode(const Node* node);
/// The generic form of any node.
std::string PrintNodeGeneric(const Node* node);

}  // namespace tenon

#endif  // TENON_PRINTER_PRINTER_H_
