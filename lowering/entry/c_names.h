#ifndef TENON_LOWERING_ENTRY_C_NAMES_H_
#define TENON_LOWERING_ENTRY_C_NAMES_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

// Names in C: of the header of every back end, and of C code.

namespace tenon {

/// SanitizeName in capitals, for macros.
std::string MacroName(std::string_view name);
/// Whether C, C++ or the included headers reserve a word.
bool IsReservedWord(std::string_view name);

/// Whether C or C++ has no functions of that name: `for`, `INFINITY`.
bool IsKeywordOrMacro(std::string_view name);

/// Whether the name begins like the macros of a header whose functions begin with `prefix`, or like
/// those of a header of pools that models share.
bool IsMacroOf(std::string_view prefix, std::string_view name);

/// Whether a section name can be written in quotes in C; empty text is the default section.
bool IsSectionName(std::string_view text);

/// Whether a file name can be written in quotes in an #include.
bool IsHeaderName(std::string_view text);

/// A scope that hands out unique names.
class NameScope {
 public:
  /// `base` as an identifier, with a suffix _1, _2, ... if it is taken.
  std::string Unique(std::string_view base);
  /// Reserves a name; false if it was taken.
  bool Reserve(std::string name) { return taken_.insert(std::move(name)).second; }

  /// Rewind(mark) releases the names that were handed out since Mark() returned `mark`: their C
  /// block has ended.
  size_t Mark() const { return order_.size(); }
  void Rewind(size_t mark);

 private:
  absl::flat_hash_set<std::string> taken_;
  /// For each base, the number at which the search for a free one begins.
  absl::flat_hash_map<std::string, int> next_;
  /// Names in the order in which they were handed out, each with its base if that was taken.
  std::vector<std::pair<std::string, std::string>> order_;
};

}  // namespace tenon

#endif  // TENON_LOWERING_ENTRY_C_NAMES_H_
