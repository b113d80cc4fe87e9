#ifndef TENON_PARSER_PARSER_H_
#define TENON_PARSER_PARSER_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "support/diagnostics.h"
#include "support/file.h"

namespace tenon {

/// Finds a side file by its name in the text.
using FindSideFile =
    std::function<absl::StatusOr<std::shared_ptr<const FileBytes>>(std::string_view name)>;

struct ParseOptions {
  /// A constant list that is too short for its extents (TVM prints 201 elements and stops) is an
  /// error. With this option, zeros fill it up, with a warning.
  bool allow_truncated_constants = false;
  /// A call of a builtin that no TVM from 0.15 to 0.19 has is an error; with this it is kept.
  bool allow_unknown_ops = false;
  /// A safetensors file with the constants that a Relax function has only by number, as `c0`, `c1`,
  /// ...; empty: no file.
  std::string constants_from;
  /// Side files (`I.file`) with relative names are looked for here; empty: the working directory.
  std::string base_dir;
  /// Finds side files for a text that is not a file by itself, such as a member of a package.
  /// Empty: side files are files.
  FindSideFile find_file = nullptr;
};

/// Reads TVMScript as TVM 0.15 to 0.19 prints and accepts it (the dialect `tir`) or as TVM 0.25 to
/// 0.27 does (`tirx`), and Tenon's forms of constants. A Relax function becomes a TIR function. A
/// function outside a class gives a module with `bare_function` set. `name` is used in messages;
/// `owner` keeps `text` alive (null: the text is copied). All errors of the text are reported in
/// one run, up to Diagnostics::kMostErrors; nothing is returned exactly when there was one.
std::optional<IRModule> ParseModule(Context& context, std::string_view name, std::string_view text,
                                    std::shared_ptr<const void> owner, const ParseOptions& options,
                                    Diagnostics& diagnostics);

/// The kind of a name in a text.
enum class SymbolKind : uint8_t {
  kModule,
  kFunction,
  kConstant,  ///< of the module's table
  kVariable,
  kBuffer,
  kScalar,
  kAxis,     ///< of a block, or a thread
  kValue,    ///< a list, a reducer and the like
  kUnknown,  ///< its definition has an error
};
/// "module", "function", ...
std::string_view SymbolKindText(SymbolKind kind);

/// A name that a text defines.
struct TextSymbol {
  SymbolKind kind = SymbolKind::kUnknown;
  std::string name;
  SourceRange definition;         ///< the name, where it is defined
  std::vector<SourceRange> uses;  ///< in the order of the text
};

/// The readable parts of a text, for tools that work on texts with errors.
struct ParsedModule {
  /// The functions without errors. They may call functions with errors, which are missing here.
  IRModule module;
  /// True if there is no error: `module` is the whole text.
  bool is_whole = false;
  /// All names that the text defines, in the order of their definitions.
  std::vector<TextSymbol> symbols;
  Diagnostics diagnostics;

  /// The symbol that is defined or used at `offset` of the source manager's space, or null.
  const TextSymbol* SymbolAt(uint32_t offset) const;
};

/// Reads a text as ParseModule does, and returns its readable parts even if it has errors.
ParsedModule ParseText(Context& context, std::string_view name, std::string_view text,
                       std::shared_ptr<const void> owner, const ParseOptions& options);

}  // namespace tenon

#endif  // TENON_PARSER_PARSER_H_
