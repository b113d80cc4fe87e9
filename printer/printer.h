#ifndef TENON_PRINTER_PRINTER_H_
#define TENON_PRINTER_PRINTER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ir/module.h"
#include "printer/sink.h"

// Modules as text. The script form is TVMScript by the rules of TVM's own printer
// (docs/reference/text_format.md), so that TVM's output is reproduced byte for byte. The generic
// form shows every node and field, for readers of dumps.

namespace tenon {

/// The text that represents a constant's elements.
enum class ConstantsMode : uint8_t {
  kInline,   ///< every element
  kSidecar,  ///< constants from the threshold on refer to a side file, which the caller writes
  kKeep,     ///< constants from side files refer to them as before; the rest are inline
  kElide,    ///< a content hash; such text can be printed, but not run
};

/// A tensor of a side file.
struct TensorName {
  std::string file;
  std::string tensor;
};

struct PrintOptions {
  ConstantsMode constants = ConstantsMode::kInline;
  /// kSidecar: the least size in bytes of a constant in the side file.
  int64_t sidecar_threshold = 1024;
  /// kSidecar: the side file's name in the text.
  std::string sidecar_name;
  /// kSidecar: the tensor of another file that has a constant's type and bytes, whatever the
  /// constant's size; nullopt if there is none. Empty: there is no other file.
  std::function<std::optional<TensorName>(const Constant& constant)> find_tensor = nullptr;
  /// kKeep: the folder of the text, to which file names are relative; empty: the working directory.
  std::string text_folder;
  /// The generic form: no sugar, all fields. It cannot be parsed.
  bool generic = false;
  /// Write the `metadata = ...` line if the text refers to metadata; otherwise a comment states
  /// that it is missing.
  bool show_metadata = true;
};

/// The text of a module, without a line end after its last line. The same module always gives the
/// same text.
std::string PrintModule(const IRModule& module, const PrintOptions& options = {});
/// Writes the text in pieces: at most one chunk of it is in memory at a time.
void PrintModule(const IRModule& module, const PrintOptions& options, Sink& sink);

/// One function of a module on its own: calls of other functions print as `f(...)`.
std::string PrintFunction(const IRModule& module, const Function& function,
                          const PrintOptions& options = {});

/// Any node, for diagnostics and dumps: statements on several lines, the rest on one line.
/// Variables defined outside of the node print by their names. The text cannot be read back.
std::string PrintNode(const Node* node);
/// The generic form of any node.
std::string PrintNodeGeneric(const Node* node);

}  // namespace tenon

#endif  // TENON_PRINTER_PRINTER_H_
