#ifndef TENON_PARSER_PARSE_ENV_H_
#define TENON_PARSER_PARSE_ENV_H_

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "ir/builder.h"
#include "ir/dialect.h"
#include "parser/names.h"
#include "parser/parser.h"
#include "parser/pending.h"
#include "parser/symbol_table.h"
#include "parser/text_dialect.h"

namespace tenon {

/// A call as written in the text.
struct Args {
  std::string_view name;  ///< for messages: `T.allocate`
  SourceRange range;      ///< of the whole call
  absl::InlinedVector<PyValue, 6> positional;
  absl::InlinedVector<PyKeyword, 2> keywords;
  bool has_error = false;

  /// The value of a call with a reported error.
  PyValue Error() const { return PyValue(PyKind::kError, range); }
};

/// The bound parameters of a call: null for absent ones.
template <size_t N>
using Bound = std::array<const PyValue*, N>;

/// The state that the parts of the parser share: the text, memory for nodes, names and types, the
/// dialect, and the destination of errors. It knows neither the current token nor the meaning of
/// names.
struct ParseEnv {
  /// `symbols` may be null: then symbols are not collected.
  ParseEnv(Context& context, std::string_view text, uint32_t base, const ParseOptions& options,
           SymbolTable* symbols, Diagnostics& diagnostics);

  Diagnostic& Error(DiagnosticKind kind, SourceRange range, std::string message) {
    return diagnostics.Error(kind, range, std::move(message));
  }
  /// Reports an error at `where`; returns an error value that covers `whole`, or `where`.
  PyValue Fail(DiagnosticKind kind, SourceRange where, std::string message,
               SourceRange whole = {}) {
    Error(kind, where, std::move(message));
    return PyValue(PyKind::kError, whole.valid() ? whole : where);
  }
  /// Reports a statement that the parser gave up without an error of its own: no part of a text is
  /// ever dropped silently.
  void NotUnderstood(SourceRange range);
  /// Reports that a name or form belongs to the other dialect, and where the text names its own
  /// dialect.
  void WrongDialect(SourceRange range, std::string message);
  bool CheckDialectName(std::string_view name, SourceRange range);
  /// Records that the text has a form that no release of its dialect before `release` has.
  void RaiseDialect(Dialect release) {
    if (IsTirx(release) != IsTirx(dialect)) return;
    dialect = shows_release_ ? std::max(dialect, release) : release;
    shows_release_ = true;
  }

  /// SymbolTable::Add and Use; without effect if symbols are not collected.
  int32_t AddSymbol(SymbolKind kind, std::string_view name, SourceRange range) {
    return symbols == nullptr ? SymbolTable::kNone : symbols->Add(kind, name, range);
  }
  void UseSymbol(int32_t symbol, SourceRange range) {
    if (symbols != nullptr) symbols->Use(symbol, range);
  }
  Symbol SymbolOf(NameEntry* name);
  std::optional<DataType> DTypeOf(std::string_view text);
  const Type* PrimTypeOf(DataType dtype);
  const Type* PointerTypeOf(DataType element, std::string_view scope);

  /// A copy of `items` in the module's memory.
  template <class List>
  Span<typename List::value_type> Copy(const List& items) {
    return arena.Copy(Span<typename List::value_type>(items));
  }
  /// A list, tuple, dict or field of `items`.
  PyValue Items(PyKind kind, SourceRange range, Span<PyValue> items);
  /// A variable without a name so far. If `type` is null, it has the type of `dtype`.
  PyValue FreshVar(DataType dtype, const Type* type, SourceRange range, bool size_var);
  const Expr* NewCall(DataType dtype, const Op* op, Span<const Expr*> args, SourceRange range) {
    return builder.New<Call>(range, dtype, op, args);
  }
  PendingScope* NewScope(ScopeForm form, SourceRange range);
  static PyValue ScopeValue(PendingScope* scope);

  /// Finds the arguments of a call by the names of its parameters; the first `required` ones must
  /// be present. False after an error.
  bool Bind(const Args& args, std::span<const std::string_view> params, size_t required,
            std::span<const PyValue*> out);
  bool Bind(const Args& args, std::initializer_list<std::string_view> params, size_t required,
            std::span<const PyValue*> out) {
    return Bind(args, std::span<const std::string_view>(params.begin(), params.size()), required,
                out);
  }
  /// Frees memory that is needed only while a function is read.
  void EndFunction();

  Context& context;
  Diagnostics& diagnostics;
  const ParseOptions& options;
  SymbolTable* const symbols;
  const std::string_view text;
  const uint32_t base;  ///< the text's place in the source manager's space
  const std::shared_ptr<Storage> storage;
  Arena& arena;  ///< of the module
  NodeBuilder builder;
  Arena name_arena;
  NameTable names;
  const TextDialect text_dialect;
  const DialectRules* const rules;
  Dialect dialect;  ///< the release that fits the text so far
  /// The last `A.data` of the text, and its buffer.
  SourceRange data_range;
  const Buffer* data_buffer = nullptr;
  std::unique_ptr<Arena> scratch;  ///< for the function being read
  /// Names after `T.` that were reported as unknown.
  std::set<std::string, std::less<>> unknown_names;

 private:
  bool shows_release_ = false;  ///< whether the text has a form that not all releases have
  std::vector<std::pair<DataType, const Type*>> prim_types_;
  std::vector<std::pair<DataType, const Type*>> global_pointers_;
};

}  // namespace tenon

#endif  // TENON_PARSER_PARSE_ENV_H_
