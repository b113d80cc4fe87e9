#include <fmt/format.h>
#include <fmt/ranges.h>

#include "parser/constant_list.h"
#include "parser/parser_internal.h"
#include "support/checked.h"

namespace tenon {

PyValue Parser::ParseRawList() {
  // The current token is the `[`.
  const size_t open = token_.begin;
  const size_t close = FindListEnd(lexer_.text(), open);
  if (close == std::string_view::npos) {
    SyntaxError(DiagnosticKind::kSyntax, Here(), "`[` is not closed");
    return PyValue();
  }
  PyValue value(PyKind::kRawList, lexer_.Range(open, close + 1));
  lexer_.set_position(close);
  Advance();  // the `]`, which closes what the lexer has open
  Advance();
  return value;
}

PyValue Parser::ParseAllocateConst(SourceRange start) {
  Args args;
  args.name = "allocate_const";
  Advance();  // (
  if (At(Tok::kLBracket)) {
    args.positional.push_back(ParseRawList());
    if (failed_) return PyValue();
    if (!At(Tok::kRParen) && !Expect(Tok::kComma, "`,` or `)`")) return PyValue();
  }
  ParseMoreArgs(args);
  if (failed_) return PyValue();
  args.range = Since(start);
  const PyValue error(PyKind::kError, args.range);
  Bound<4> bound;
  Span<const Expr*> extents;
  if (!Bind(args, {"data", "dtype", "extents", "annotations"}, 3, bound)) return error;
  const std::optional<DataType> dtype = ToDType(*bound[1]);
  if (!dtype || !CheckElement(*dtype, bound[1]) ||
      !ToExprs(*bound[2], "the list of extents", &extents)) {
    return error;
  }
  if (!CheckExtents(extents, *dtype, *bound[2])) return error;
  std::vector<int64_t> shape;
  for (const Expr* extent : extents) {
    const int64_t* value = AsIntImm(extent);
    if (value == nullptr) {
      Error(DiagnosticKind::kConstantShape, bound[2]->range,
            "extent of a constant, expected an integer");
      return error;
    }
    shape.push_back(*value);
  }
  PendingScope* scope = NewScope(ScopeForm::kAllocateConst, args.range);
  scope->data = ConstantFrom(*bound[0], *dtype, shape, args.range);
  if (scope->data == nullptr) return error;
  scope->dtype = *dtype;
  scope->type = context_.PointerType(*dtype, "");
  scope->extents = extents;
  if (bound[3] != nullptr && !bound[3]->is(PyKind::kNone)) {
    scope->annotations = ToMap(*bound[3], /*normalise=*/true);
    if (scope->annotations == nullptr) return error;
  }
  return ScopeValue(scope);
}

const Constant* Parser::ConstantFrom(const PyValue& data, DataType dtype,
                                     const std::vector<int64_t>& shape, SourceRange range) {
  if (!CheckConstantSize(dtype, shape, range)) return nullptr;
  if (!data.is(PyKind::kRawList)) return NamedConstant(data, dtype, shape, range);
  std::vector<uint8_t> bytes;
  if (!ReadList(data, dtype, shape, &bytes)) return nullptr;
  return context_.AddConstant(Symbol(), dtype, shape, std::move(bytes), {}, range);
}

bool Parser::ReadList(const PyValue& data, DataType dtype, const std::vector<int64_t>& shape,
                      std::vector<uint8_t>* bytes) {
  const int64_t size = *BytesOf(shape, dtype.bytes());
  const int64_t expected = *ProductOf(shape) * dtype.lanes();
  ConstantListResult list;
  if (!ParseConstantList(lexer_.text(), data.range.begin - base_, dtype, base_, expected,
                         diagnostics_, &list)) {
    return false;
  }
  if (list.count > expected) {
    Error(
        DiagnosticKind::kConstantShape, data.range,
        fmt::format("expected {1} elements, as the extents say; found {0}", list.count, expected));
    return false;
  }
  if (list.extents.size() > 1 && list.count == expected && list.extents != shape) {
    Error(DiagnosticKind::kConstantShape, data.range,
          fmt::format("expected lists of the extents [{1}], found [{0}]",
                      fmt::join(list.extents, ", "), fmt::join(shape, ", ")));
    return false;
  }
  if (list.count < expected) {
    std::string message = fmt::format("expected {1} elements, found {0}", list.count, expected);
    if (!options_.allow_truncated_constants) {
      Error(DiagnosticKind::kTruncatedConstant, data.range,
            message +
                "; docs/getting_a_model.md shows how to print all, --allow-truncated-constants "
                "fills the rest with zeros");
      return false;
    }
    // Zeros that the text does not hold: a short text must not ask for the whole memory.
    constexpr int64_t kMostFilled = int64_t{1} << 30;
    if (size > kMostFilled) {
      Error(DiagnosticKind::kLimit, data.range,
            fmt::format("{}; {} bytes are too many to fill with zeros", message, size));
      return false;
    }
    diagnostics_.Warning(DiagnosticKind::kTruncatedConstant, data.range,
                         message + "; the rest is filled with zeros");
    list.bytes.resize(static_cast<size_t>(size));
  }
  *bytes = std::move(list.bytes);
  return true;
}

}  // namespace tenon
