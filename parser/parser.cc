#include "parser/parser.h"

#include <fmt/format.h>

#include <utility>

#include "arith/analyzer.h"
#include "parser/constant_files.h"
#include "parser/metadata.h"
#include "parser/parser_internal.h"

namespace tenon {

std::optional<IRModule> ParseModule(Context& context, std::string_view name, std::string_view text,
                                    std::shared_ptr<const void> owner, const ParseOptions& options,
                                    Diagnostics& diagnostics) {
  absl::StatusOr<const SourceFile*> file = context.sources().Add(name, text, std::move(owner));
  if (!file.ok()) {
    diagnostics.Error(DiagnosticKind::kLimit, {}, std::string(file.status().message()));
    return std::nullopt;
  }
  const size_t errors = diagnostics.error_count();
  if (!CheckEncoding((*file)->text(), (*file)->base(), diagnostics)) return std::nullopt;
  Parser parser(context, (*file)->text(), (*file)->base(), options, diagnostics);
  std::optional<IRModule> module = parser.Parse();
  if (diagnostics.error_count() != errors) return std::nullopt;
  return module;
}

Parser::Parser(Context& context, std::string_view text, uint32_t base, const ParseOptions& options,
               Diagnostics& diagnostics)
    : context_(context),
      diagnostics_(diagnostics),
      options_(options),
      storage_(std::make_shared<Storage>()),
      arena_(storage_->arena()),
      builder_(context, arena_),
      names_(name_arena_),
      lexer_(text, base, names_, diagnostics),
      base_(base),
      text_dialect_(DialectOfText(text, base, names_)),
      rules_(&RulesOf(text_dialect_.dialect)),
      module_(context),
      scratch_(std::make_unique<Arena>()),
      range_name_(names_.Find("range")),
      metadata_name_(names_.Find("metadata")) {
  module_.dialect = text_dialect_.dialect;
}

Parser::~Parser() = default;

Diagnostic& Parser::Error(DiagnosticKind kind, SourceRange range, std::string message) {
  return diagnostics_.Error(kind, range, std::move(message));
}

void Parser::SyntaxError(DiagnosticKind kind, SourceRange range, std::string message) {
  if (failed_) return;
  Error(kind, range, std::move(message));
  failed_ = true;
  failed_kind_ = token_.kind;
  token_.kind = Tok::kBad;
}

void Parser::NotUnderstood(SourceRange range) {
  if (!diagnostics_.has_errors()) {
    Error(DiagnosticKind::kSyntax, range, "unsupported text, which Tenon could not print again");
  }
}

void Parser::SyntaxError(std::string message) {
  SyntaxError(DiagnosticKind::kSyntax, Here(), std::move(message));
}

void Parser::UnexpectedToken(std::string_view expected) {
  if (failed_) return;
  const bool unclosed =
      lexer_.bracket_depth() > 0 && (token_.first_on_line || token_.kind == Tok::kEnd);
  if (!unclosed) {
    return SyntaxError(fmt::format("found {}, expected {}", Describe(lexer_, token_), expected));
  }
  const uint32_t open = lexer_.open_bracket();
  const bool at_end = token_.kind == Tok::kEnd;
  SyntaxError(DiagnosticKind::kSyntax, lexer_.Range(open, open + 1),
              fmt::format("`{}` is not closed", lexer_.text()[open]));
  // The line at hand is a statement of its own; the end of the text is none, and may stand on the
  // very line of the bracket.
  token_.first_on_line = !at_end;
}

void Parser::Recover() {
  const Tok failed_kind = std::exchange(failed_kind_, Tok::kBad);
  if (failed_kind == Tok::kNewline) {  // the next line has not been begun
    failed_ = false;
    token_.kind = Tok::kNewline;
    return Advance();
  }
  // Brackets that were left open end where a line starts that is a statement of its own.
  // No line is restarted twice: that is what ends the recovery.
  const auto may_restart = [&](const Token& token) {
    if (!token.first_on_line || int64_t{token.begin} <= restarted_at_) return false;
    restarted_at_ = token.begin;
    return true;
  };
  if (lexer_.bracket_depth() > 0 && token_.kind == Tok::kBad && may_restart(token_)) {
    lexer_.RestartLine(token_.begin);
    failed_ = false;
    lexer_.Next(token_);
    return;
  }
  Tok previous = failed_kind;
  lexer_.set_quiet(true);  // one complaint is enough
  while (lexer_.bracket_depth() > 0) {
    Token token;
    lexer_.Next(token);
    if (token.kind == Tok::kEnd) break;
    const bool closes =
        token.kind == Tok::kRParen || token.kind == Tok::kRBracket || token.kind == Tok::kRBrace;
    const bool starts_item = token.kind == Tok::kDef || token.kind == Tok::kClass ||
                             token.kind == Tok::kAt || token.kind == Tok::kFor ||
                             token.kind == Tok::kWith || token.kind == Tok::kReturn;
    // A line below a colon at a line's end is the body of a header whose bracket is open.
    const bool starts_line =
        token.first_on_line && !closes && (previous == Tok::kColon || lexer_.AtBlockLevel(token));
    previous = token.kind;
    if ((starts_item || starts_line) && may_restart(token)) {
      lexer_.set_quiet(false);
      lexer_.RestartLine(token.begin);
      failed_ = false;
      lexer_.Next(token_);
      return;
    }
  }
  lexer_.set_quiet(false);
  failed_ = false;
  if (token_.kind == Tok::kNewline) return Advance();
  lexer_.AbandonLine();
  Advance();
  if (token_.kind == Tok::kNewline) Advance();
}

void Parser::EndOfStatement() {
  if (failed_) return;
  if (At(Tok::kNewline)) return Advance();
  if (At(Tok::kSemicolon)) {
    Advance();
    if (At(Tok::kNewline)) Advance();
    return;
  }
  if (At(Tok::kEnd) || At(Tok::kDedent)) return;
  UnexpectedToken("end of line");
}

Symbol Parser::SymbolOf(NameEntry* name) {
  if (name->symbol.empty()) name->symbol = context_.Intern(name->text);
  return name->symbol;
}

std::optional<DataType> Parser::DTypeOf(std::string_view text) {
  if (text.size() > 64) return DataType::Parse(text);
  NameEntry* name = names_.Find(text);
  using State = NameEntry::DTypeState;
  if (name->dtype_state == State::kUnknown) {
    const std::optional<DataType> dtype = DataType::Parse(text);
    name->dtype_state = dtype ? State::kYes : State::kNo;
    if (dtype) name->dtype = *dtype;
  }
  if (name->dtype_state == State::kNo) return std::nullopt;
  return name->dtype;
}

const Type* Parser::PrimTypeOf(DataType dtype) {
  for (const auto& [known, type] : prim_types_) {
    if (known == dtype) return type;
  }
  return prim_types_.emplace_back(dtype, context_.PrimType(dtype)).second;
}

}  // namespace tenon
