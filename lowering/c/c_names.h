#ifndef TENON_LOWERING_C_C_NAMES_H_
#define TENON_LOWERING_C_C_NAMES_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

// Internal to lowering/c.

namespace tenon::c_lowering {

/// SanitizeName in capitals, for macros.
std::string MacroName(std::string_view name);
/// A word that C or C++ or the headers we include use for themselves.
bool IsReservedWord(std::string_view name);

/// Whether the name begins like the macros of a header whose functions begin with `prefix`, or like
/// those of a header of pools that models share.
bool IsMacroOf(std::string_view prefix, std::string_view name);

/// Text that C can have in quotes as the name of a section; empty text stands for the default one.
bool IsSectionName(std::string_view text);

/// Text that C can have in quotes as the name of a file to include.
bool IsHeaderName(std::string_view text);

/// Hands out names that are unique within it.
class NameScope {
 public:
  /// `base` made an identifier, with _1, _2, ... behind it where it was taken.
  std::string Unique(std::string_view base);
  /// False where it was taken.
  bool Reserve(std::string name) { return taken_.insert(std::move(name)).second; }

  /// Names handed out between Mark() and Rewind() of what it gave may be handed out again: their
  /// block of C has ended.
  size_t Mark() const { return order_.size(); }
  void Rewind(size_t mark);

 private:
  absl::flat_hash_set<std::string> taken_;
  /// A number that is free, or not long ago was: where the search for one begins.
  absl::flat_hash_map<std::string, int> next_;
  /// Names in the order in which they were handed out, each with the base it was made from where
  /// that had been taken.
  std::vector<std::pair<std::string, std::string>> order_;
};

}  // namespace tenon::c_lowering

#endif  // TENON_LOWERING_C_C_NAMES_H_
