#ifndef TENON_PARSER_NAMES_H_
#define TENON_PARSER_NAMES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/context.h"
#include "parser/py_value.h"
#include "support/arena.h"

// Names of the text. Every identifier is looked up once, when it is read; what it stands for hangs
// off its entry.

namespace tenon {

enum class Tok : uint8_t;

/// What one name means in a scope. `outer` is what it meant outside.
struct Binding {
  PyValue value;
  SourceRange where;
  int32_t outer = -1;  ///< index into Scopes' bindings, or -1
  uint32_t depth = 0;  ///< of the frame
  struct NameEntry* name = nullptr;
};

/// One identifier, or the text of a dtype.
struct NameEntry {
  uint64_t key = 0;  ///< the text itself where it has at most 8 bytes, else its hash
  std::string_view text;
  Symbol symbol;         ///< interned when first asked for
  Symbol handle_symbol;  ///< the text and `_handle`, likewise
  int32_t binding = -1;
  Tok keyword{};  ///< kName for all that are no keywords
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

/// The frames of names that are open, innermost last.
class Scopes {
 public:
  /// What `name` stands for, or null.
  const Binding* Find(const NameEntry* name) const {
    return name->binding < 0 ? nullptr : &bindings_[static_cast<size_t>(name->binding)];
  }
  /// The binding of `name` in the innermost frame alone, or null.
  const Binding* FindInFrame(const NameEntry* name) const {
    const Binding* found = Find(name);
    return found != nullptr && found->depth == depth() ? found : nullptr;
  }
  void Bind(NameEntry* name, const PyValue& value, SourceRange where) {
    Binding& binding = bindings_.emplace_back();
    binding.value = value;
    binding.where = where;
    binding.outer = name->binding;
    binding.depth = depth();
    binding.name = name;
    name->binding = static_cast<int32_t>(bindings_.size() - 1);
  }
  void Push() { frames_.push_back(static_cast<uint32_t>(bindings_.size())); }
  void Pop() {
    for (; bindings_.size() > frames_.back(); bindings_.pop_back()) {
      bindings_.back().name->binding = bindings_.back().outer;
    }
    frames_.pop_back();
  }
  uint32_t depth() const { return static_cast<uint32_t>(frames_.size()); }
  /// All bindings, the hidden ones too; for suggestions.
  const std::vector<Binding>& all() const { return bindings_; }

 private:
  std::vector<Binding> bindings_;
  std::vector<uint32_t> frames_;
};

}  // namespace tenon

#endif  // TENON_PARSER_NAMES_H_
