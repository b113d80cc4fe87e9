#ifndef TENON_PARSER_NAMES_H_
#define TENON_PARSER_NAMES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/context.h"
#include "support/arena.h"

// Names of the text. Every identifier is looked up once, when it is read; its entry refers to its
// meaning.

namespace tenon {

enum class Tok : uint8_t;
struct TirName;

/// One identifier, or the text of a dtype.
struct NameEntry {
  uint64_t key = 0;  ///< the text itself if it has at most 8 bytes, otherwise its hash
  std::string_view text;
  Symbol symbol;         ///< interned at its first use
  Symbol handle_symbol;  ///< the text with `_handle`, also interned at its first use
  int32_t binding = -1;  ///< of Scopes
  Tok keyword{};         ///< kName unless it is a keyword
  enum class DTypeState : uint8_t { kUnknown, kNo, kYes } dtype_state = DTypeState::kUnknown;
  DataType dtype;
  const TirName* tir_name = nullptr;
};

/// Interns names without locks.
class NameTable {
 public:
  explicit NameTable(Arena& arena);
  NameEntry* Find(std::string_view text);

 private:
  void Grow();

  Arena& arena_;
  std::vector<NameEntry*> table_;
  size_t count_ = 0;
};

}  // namespace tenon

#endif  // TENON_PARSER_NAMES_H_
