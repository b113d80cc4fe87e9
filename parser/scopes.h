#ifndef TENON_PARSER_SCOPES_H_
#define TENON_PARSER_SCOPES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "parser/parse_env.h"

namespace tenon {

/// The meaning of a name in a scope. `outer` is its meaning outside.
struct Binding {
  PyValue value;
  SourceRange where;
  int32_t outer = -1;  ///< index into Scopes' bindings, or -1
  uint32_t depth = 0;  ///< of the frame
  NameEntry* name = nullptr;
  int32_t symbol = SymbolTable::kNone;
};

/// The meanings of names: the open frames, the innermost last.
class Scopes {
 public:
  explicit Scopes(ParseEnv& env) : env_(env) {}

  /// The meaning of `name`, or null.
  const Binding* Find(const NameEntry* name) const {
    return name->binding < 0 ? nullptr : &bindings_[static_cast<size_t>(name->binding)];
  }
  /// The binding of `name` in only the innermost frame, or null.
  const Binding* FindInFrame(const NameEntry* name) const {
    const Binding* found = Find(name);
    return found != nullptr && found->depth == depth() ? found : nullptr;
  }
  /// Gives `name` a meaning in the innermost frame. With an error as value, uses of the name
  /// cause no further errors.
  void Bind(NameEntry* name, const PyValue& value, SourceRange where);
  /// The same for a name that has a symbol already.
  void Bind(NameEntry* name, const PyValue& value, SourceRange where, int32_t symbol);
  /// The same, with an error if the innermost frame already has the name.
  void Define(NameEntry* name, const PyValue& value, SourceRange where);
  /// Records a use of `name`, if it is bound.
  void Use(const NameEntry* name, SourceRange range) {
    if (const Binding* binding = Find(name)) env_.UseSymbol(binding->symbol, range);
  }
  void Push() { frames_.push_back(static_cast<uint32_t>(bindings_.size())); }
  void Pop() {
    for (; bindings_.size() > frames_.back(); bindings_.pop_back()) {
      bindings_.back().name->binding = bindings_.back().outer;
    }
    frames_.pop_back();
  }
  /// A name that `text` may be a misspelling of, or null.
  const Binding* Nearest(std::string_view text);

  /// Variables and aliases that are declared in passing. The printer may place a declaration in a
  /// scope that does not contain all uses, so these names stay valid in the whole function.
  void BindPassing(NameEntry* name) { passing_[name] = *Find(name); }
  const Binding* FindPassing(NameEntry* name) const {
    const auto found = passing_.find(name);
    return found == passing_.end() ? nullptr : &found->second;
  }
  void ForgetPassing() { passing_.clear(); }

 private:
  uint32_t depth() const { return static_cast<uint32_t>(frames_.size()); }

  ParseEnv& env_;
  std::vector<Binding> bindings_;
  std::vector<uint32_t> frames_;
  absl::flat_hash_map<NameEntry*, Binding> passing_;
  int suggestions_ = 0;  ///< the number of names for which near names were searched
};

}  // namespace tenon

#endif  // TENON_PARSER_SCOPES_H_
