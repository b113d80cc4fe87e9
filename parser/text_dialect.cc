#include "parser/text_dialect.h"

#include "ir/attributes.h"
#include "ir/dialect.h"
#include "parser/lexer.h"
#include "support/diagnostics.h"

namespace tenon {

namespace {

/// Reads tokens up to the first one that determines the dialect.
class DialectFinder {
 public:
  DialectFinder(std::string_view text, uint32_t base, NameTable& names)
      : lexer_(text, base, names, ignored_) {
    lexer_.set_quiet(true);
  }

  TextDialect Find() {
    bool imports = false;  // in a line `from ... import ...`
    for (Next(); token_.kind != Tok::kEnd; Next()) {
      if (FromComments()) return found_;
      if (token_.kind == Tok::kImport) imports = true;
      if (token_.kind == Tok::kNewline) imports = false;
      if (token_.kind != Tok::kName) continue;
      if (imports ? FromImport() : FromName()) return found_;
    }
    FromComments();
    return found_;
  }

 private:
  void Next() {
    before_ = previous_;
    previous_ = token_;
    lexer_.Next(token_);
  }

  bool Take(std::string_view dialect, SourceRange where) {
    const std::optional<Dialect> named = DialectOf(dialect);
    if (!named) return false;
    // The release of `tir` is determined later.
    found_ = {IsTirx(*named) ? kNewestTirx : Dialect::kV015, where};
    return true;
  }

  /// `# from tvm.script import tirx as T`.
  bool FromComments() {
    for (; comments_ < lexer_.aliases().size(); ++comments_) {
      const std::string_view dialect = lexer_.aliases()[comments_].first;
      const auto begin = static_cast<size_t>(dialect.data() - lexer_.text().data());
      if (Take(dialect, lexer_.Range(begin, begin + dialect.size()))) return true;
    }
    return false;
  }

  bool FromImport() { return Take(token_.name->text, lexer_.Range(token_)); }

  /// `T.sblock`, `T.let[`, `s_tir=`.
  bool FromName() {
    const std::string_view name = token_.name->text;
    if (name == attr_key::kSTir && lexer_.PeekChar() == '=')
      return Take("tirx", lexer_.Range(token_));
    const bool after_prefix =
        previous_.kind == Tok::kDot && before_.kind == Tok::kName &&
        (before_.name->text == "T" || before_.name->text == "tir" || before_.name->text == "tirx");
    if (!after_prefix) return false;
    if (name == "let" && lexer_.PeekChar() == '[') return Take("tirx", lexer_.Range(token_));
    const DialectName* row = FindDialectName(name);
    return row != nullptr && Take(row->is_tirx ? "tirx" : "tir", lexer_.Range(token_));
  }

  Diagnostics ignored_;
  Lexer lexer_;
  Token token_;
  Token previous_;
  Token before_;
  size_t comments_ = 0;
  TextDialect found_;
};

}  // namespace

TextDialect DialectOfText(std::string_view text, uint32_t base, NameTable& names) {
  return DialectFinder(text, base, names).Find();
}

}  // namespace tenon
