#ifndef TENON_PARSER_RELAX_READER_H_
#define TENON_PARSER_RELAX_READER_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "frontends/relax/function.h"
#include "parser/constant_table.h"
#include "parser/module_functions.h"
#include "parser/token_cursor.h"

namespace tenon {

/// Reads the text of one `@R.function`: calls of TIR functions (`R.call_tir`), constants, tuples
/// and their elements, aliases, `R.match_cast` to a constant shape. Other constructs of Relax are
/// errors at their places.
class RelaxReader {
 public:
  /// `begin` is the start of the line `def`. `module` has the name of the module's class, for which
  /// the function may make an alias, and its symbol.
  RelaxReader(ParseEnv& env, size_t begin, std::pair<std::string_view, int32_t> module,
              ConstantTable& constants, ModuleFunctions& functions);

  /// The function, or nullopt after errors.
  std::optional<relax::Function> Read();

 private:
  /// The value of a name or an expression: a tensor, a tuple, the module, or nothing (an error).
  struct Value {
    enum class Kind : uint8_t { kNone, kTensor, kTuple, kModule } kind = Kind::kNone;
    size_t tensor = 0;
    std::vector<Value> items;
    SourceRange range;
    int32_t symbol = SymbolTable::kNone;  ///< the symbol of its name
  };

  // Tokens.
  bool AtWord(std::string_view word) const {
    return cursor_.token().name != nullptr && cursor_.token().name->text == word;
  }
  bool Expect(Tok kind, std::string_view what);
  /// The first error ends the reading: further errors would mostly have the same cause.
  void Fail(DiagnosticKind kind, SourceRange range, std::string message) {
    cursor_.SyntaxError(kind, range, std::move(message));
  }
  void Unexpected(std::string_view what);
  /// Skips from an opening bracket to after the one that closes it.
  void SkipBrackets();
  std::string TakeName();
  std::optional<int64_t> TakeInt();
  std::optional<std::string> TakeString();

  void ReadParams();
  void ReadBlock();
  void ReadStatement();
  void ReadBinding();
  void ReadReturn();
  Value ReadValues();
  Value ReadValue();
  Value ReadAtom();
  Value ReadRelaxCall();
  Value ReadConst(SourceRange start);
  Value ReadMetadata();
  Value ReadNamedConstant();
  Value ReadCallTir(SourceRange start);
  Value ReadMatchCast();
  Value Element(const Value& tuple, int64_t index, SourceRange range);
  void ReadCallArguments(relax::Call& call);
  std::vector<relax::TensorType> ReadTypes();
  std::optional<relax::TensorType> ReadTensorType();
  bool ReadTypeParts(relax::TensorType* type, bool* has_dtype);
  /// Skips a type that adds nothing to the values.
  void SkipType();
  Value AddTensor(relax::Tensor tensor);
  void Flatten(const Value& value);

  ParseEnv& env_;
  TokenCursor cursor_;
  relax::Function function_;
  std::string_view module_name_;
  int32_t module_symbol_;
  ConstantTable& table_;
  ModuleFunctions& functions_;
  absl::flat_hash_map<std::string, Value> values_;
  absl::flat_hash_map<std::string, size_t> constants_;  ///< tensors by their place in the metadata
};

}  // namespace tenon

#endif  // TENON_PARSER_RELAX_READER_H_
