#include <fmt/format.h>

#include "ir/opaque_calls.h"
#include "parser/parser_internal.h"

namespace tenon {

void Parser::ParseArgs(Args& args) {
  Advance();  // (
  ParseMoreArgs(args);
}

void Parser::ParseMoreArgs(Args& args) {
  while (!At(Tok::kRParen)) {
    if (At(Tok::kStar) || At(Tok::kPower)) {
      SyntaxError(DiagnosticKind::kUnsupported, Here(),
                  fmt::format("`{}` in an argument list", lexer_.Text(token_)));
      return;
    }
    if (token_.name != nullptr && lexer_.PeekChar() == '=') {
      const Token name = token_;
      Advance();
      if (At(Tok::kAssign)) {
        Advance();
        const PyValue value = ParseExpr();
        args.keywords.push_back({name.name->text, lexer_.Range(name), value});
        args.has_error |= value.is_error();
      } else {  // `name == value`
        Rewind(name);
        args.positional.push_back(ParseExpr());
        args.has_error |= args.positional.back().is_error();
      }
    } else {
      args.positional.push_back(ParseExpr());
      args.has_error |= args.positional.back().is_error();
      if (!args.keywords.empty() && !failed_) {
        SyntaxError(DiagnosticKind::kSyntax, args.positional.back().range,
                    "positional argument after a keyword argument");
      }
    }
    if (failed_) return;
    if (At(Tok::kRParen)) break;
    if (!Expect(Tok::kComma, "`,` or `)`")) return;
  }
  Advance();
}

void Parser::Rewind(const Token& token) {
  lexer_.set_position(token.begin);
  lexer_.Next(token_);
}

bool Parser::Bind(const Args& args, std::span<const std::string_view> params, size_t required,
                  std::span<const PyValue*> out) {
  std::fill(out.begin(), out.end(), nullptr);
  if (args.has_error) return false;
  if (args.positional.size() > params.size()) {
    Error(DiagnosticKind::kArguments, args.positional[params.size()].range,
          fmt::format("`{}` has {} arguments, expected at most {}", args.name,
                      args.positional.size() + args.keywords.size(), params.size()));
    return false;
  }
  for (size_t i = 0; i < args.positional.size(); ++i) out[i] = &args.positional[i];
  for (const PyKeyword& keyword : args.keywords) {
    const auto found = std::find(params.begin(), params.end(), keyword.name);
    if (found == params.end()) {
      Error(DiagnosticKind::kArguments, keyword.range,
            fmt::format("`{}` has no argument `{}`", args.name, keyword.name));
      return false;
    }
    const auto index = static_cast<size_t>(found - params.begin());
    if (out[index] != nullptr) {
      Error(DiagnosticKind::kArguments, keyword.range,
            fmt::format("argument `{}` is given twice", keyword.name));
      return false;
    }
    out[index] = &keyword.value;
  }
  for (size_t i = 0; i < required; ++i) {
    if (out[i] != nullptr) continue;
    Error(DiagnosticKind::kArguments, args.range,
          fmt::format("`{}` lacks its argument `{}`", args.name, params[i]));
    return false;
  }
  return true;
}

PyValue Parser::ParseCall(const PyValue& callee) {
  if (callee.is(PyKind::kTirName)) {
    if (callee.tir_name->form == TirForm::kAllocateConst) return ParseAllocateConst(callee.range);
    if (callee.tir_name->form == TirForm::kCommReducer) return ParseCommReducer(callee.range);
    if (callee.tir_name->form == TirForm::kIndexMap) return ParseIndexMap(callee.range);
    if (callee.tir_name->form == TirForm::kProducerRealize) return RefuseProducer(callee.range);
  }
  if (callee.is(PyKind::kIrName) && callee.text() == "constant") {
    return ParseConstantForm(callee.range);
  }
  Args args;
  ParseArgs(args);
  if (failed_) return PyValue();
  args.range = Since(callee.range);
  switch (callee.kind) {
    case PyKind::kTirName:
      args.name = callee.tir_name->text;
      return CallTir(*callee.tir_name, args);
    case PyKind::kIrName:
      args.name = callee.text();
      return CallIr(callee, args);
    case PyKind::kAxis:
      args.name = callee.text();
      if (callee.count == 0) break;
      return args.has_error ? PyValue(PyKind::kError, args.range) : CallAxis(callee.text(), args);
    case PyKind::kFunction:
      args.name = callee.text();
      return CallFunction(callee, args);
    case PyKind::kMethod:
      args.name = callee.method->name;
      return CallMethod(*callee.method, args);
    case PyKind::kRangeName:
      args.name = "range";
      return RangeLoop(ForKind::kSerial, args);
    case PyKind::kError:
      return PyValue(PyKind::kError, args.range);
    default:
      break;
  }
  Error(DiagnosticKind::kType, callee.range, fmt::format("{} can't be called", Describe(callee)));
  return PyValue(PyKind::kError, args.range);
}

const Expr* Parser::NewCall(DataType dtype, const Op* op, Span<const Expr*> args,
                            SourceRange range) {
  return builder_.New<Call>(range, dtype, op, args);
}

const Expr* Parser::ArgOf(const PyValue& value) {
  // A buffer's name as an argument stands for its data.
  if (value.is(PyKind::kBuffer)) return value.buffer->data;
  return ToExpr(value);
}

bool Parser::TakeDTypeKeyword(const Args& args, std::optional<DataType>* dtype) {
  for (const PyKeyword& keyword : args.keywords) {
    if (keyword.name == "span") continue;
    if (keyword.name != "dtype") {
      Error(DiagnosticKind::kArguments, keyword.range,
            fmt::format("`T.{}` has no argument `{}`", args.name, keyword.name));
      return false;
    }
    *dtype = ToDType(keyword.value);
    if (!*dtype) return false;
  }
  return true;
}

PyValue Parser::CallOp(const Op* op, Args& args) {
  if (args.has_error) return PyValue(PyKind::kError, args.range);
  std::optional<DataType> dtype;
  size_t first = 0;
  size_t last = args.positional.size();
  if (!TakeDTypeKeyword(args, &dtype)) return PyValue(PyKind::kError, args.range);
  const bool opaque = IsOpaqueCall(*op);
  const bool unknown = op->kind == OpKind::kUnknown && !opaque;
  if (op->dtype_place == DTypePlace::kNone && !unknown) dtype.reset();
  if (op->dtype_place != DTypePlace::kNone && !dtype) {
    if (first == last) {
      Error(DiagnosticKind::kArguments, args.range,
            fmt::format("`T.{}` lacks its dtype", args.name));
      return PyValue(PyKind::kError, args.range);
    }
    dtype = ToDType(op->dtype_place == DTypePlace::kFirst ? args.positional[first++]
                                                          : args.positional[--last]);
    if (!dtype) return PyValue(PyKind::kError, args.range);
  }
  // What is not known keeps its dtype as an argument, where the text has it.
  if (unknown && dtype) {
    const PyValue text = PyValue::Text(PyKind::kString, args.range, arena_.Copy(dtype->ToString()));
    args.positional.insert(args.positional.begin(), text);
    ++last;
  } else if (unknown && first < last && args.positional[0].is(PyKind::kString) &&
             !args.positional[0].text().empty()) {
    dtype = DTypeOf(args.positional[0].text());
  }
  absl::InlinedVector<const Expr*, 8> exprs;
  for (size_t i = first; i < last; ++i) {
    exprs.push_back(ArgOf(args.positional[i]));
    if (exprs.back() == nullptr) return PyValue(PyKind::kError, args.range);
  }
  const auto count = static_cast<int>(exprs.size());
  if (count < op->min_args || (op->max_args >= 0 && count > op->max_args)) {
    Error(DiagnosticKind::kArguments, args.range,
          fmt::format("`T.{}` has {} arguments, expected {}{}", args.name, count,
                      op->max_args < 0 ? "at least " : "",
                      op->max_args < 0 || op->min_args == op->max_args
                          ? std::to_string(op->min_args)
                          : fmt::format("{} to {}", op->min_args, op->max_args)));
    return PyValue(PyKind::kError, args.range);
  }
  const Span<const Expr*> list = arena_.Copy(Span<const Expr*>(exprs.data(), exprs.size()));
  if (opaque && !dtype) {
    dtype = ImpliedDType(*op, list);
    if (!dtype) {
      Error(DiagnosticKind::kArguments, args.range,
            fmt::format("`T.{0}` does not say its dtype; write `T.Call(dtype, \"tir.{0}\", [...])`",
                        args.name));
      return PyValue(PyKind::kError, args.range);
    }
  }
  return PyValue::Of(args.range,
                     NewCall(dtype ? *dtype : ResultOf(op, list), op, list, args.range));
}

DataType Parser::ResultOf(const Op* op, Span<const Expr*> args) {
  const DataType first = args.empty() ? DataType::Void() : args[0]->dtype;
  switch (op->dtype_rule) {
    case DTypeRule::kNone:
      return DataType::Void();
    case DTypeRule::kArg0:
      return first;
    case DTypeRule::kArg1:
      return args.size() > 1 ? args[1]->dtype : DataType::Void();
    case DTypeRule::kBoolOfArg0:
      return DataType::Bool(first.lanes());
    case DTypeRule::kInt32OfArg0:
      return DataType::Int(32, first.lanes());
    case DTypeRule::kInt32:
      return DataType::Int(32);
    case DTypeRule::kHandle:
      return DataType::Handle();
    case DTypeRule::kBool:
      return DataType::Bool();
    case DTypeRule::kUInt64:
      return DataType::UInt(64);
  }
  return DataType::Void();
}

PyValue Parser::CallFunction(const PyValue& callee, const Args& args) {
  if (args.has_error) return PyValue(PyKind::kError, args.range);
  if (!args.keywords.empty()) {
    Error(DiagnosticKind::kArguments, args.keywords[0].range,
          "calls of functions take positional arguments only");
    return PyValue(PyKind::kError, args.range);
  }
  absl::InlinedVector<const Expr*, 8> exprs;
  for (const PyValue& value : args.positional) {
    exprs.push_back(ArgOf(value));
    if (exprs.back() == nullptr) return PyValue(PyKind::kError, args.range);
  }
  const auto found = signatures_.find(names_.Find(callee.text()));
  const DataType dtype = found == signatures_.end() ? DataType::Void() : found->second;
  const Expr* call = builder_.New<Call>(args.range, dtype, Op::Get(OpKind::kGlobalCall),
                                        arena_.Copy(Span<const Expr*>(exprs.data(), exprs.size())),
                                        context_.Intern(callee.text()));
  return PyValue::Of(args.range, call);
}

PyValue Parser::CallMethod(const PyMethod& method, Args& args) {
  if (args.has_error) return PyValue(PyKind::kError, args.range);
  if (method.name == "astype") {
    Bound<1> bound;
    if (!Bind(args, {"dtype"}, 1, bound)) return PyValue(PyKind::kError, args.range);
    const std::optional<DataType> dtype = ToDType(*bound[0]);
    if (!dtype) return PyValue(PyKind::kError, args.range);
    return PyValue::Of(args.range, SmartCast(builder_, *dtype, method.expr, args.range));
  }
  const Buffer* buffer = method.buffer;
  if (method.name == "scope") {
    return PyValue::Text(PyKind::kString, args.range, buffer->scope());
  }
  if (method.name == "view") return CallView(buffer, args);
  if (method.name == "access_ptr") return AccessPtr(buffer, args);
  const bool load = method.name == "vload";
  Bound<4> bound;
  const bool fits = load ? Bind(args, {"begin", "dtype", "predicate"}, 1, bound)
                         : Bind(args, {"begin", "value", "predicate"}, 2, bound);
  Span<const Expr*> indices;
  if (!fits || !ToExprs(*bound[0], "the index", &indices)) {
    return PyValue(PyKind::kError, args.range);
  }
  if (indices.size() != buffer->shape.size()) {
    Error(DiagnosticKind::kType, args.range,
          fmt::format("wrong number of indices of `{}`: expected {}, found {}", buffer->name.view(),
                      buffer->shape.size(), indices.size()));
    return PyValue(PyKind::kError, args.range);
  }
  for (const Expr* index : indices) {
    if (index->dtype.is_integer()) continue;
    Error(
        DiagnosticKind::kType, bound[0]->range,
        fmt::format("index is {}, expected an integer",
                    isa<StringImm>(index) ? "a string"
                                          : fmt::format("of dtype `{}`", index->dtype.ToString())));
    return PyValue(PyKind::kError, args.range);
  }
  const Expr* predicate = nullptr;
  if (bound[2] != nullptr && !bound[2]->is(PyKind::kNone)) {
    predicate = ToExpr(*bound[2]);
    if (predicate == nullptr) return PyValue(PyKind::kError, args.range);
  }
  if (!WidenIndices(buffer, load ? bound[1] : nullptr, load ? nullptr : bound[1], &indices)) {
    return PyValue(PyKind::kError, args.range);
  }
  auto* subscript = scratch_->New<PySubscript>();
  subscript->buffer = buffer;
  subscript->indices = indices;
  subscript->range = args.range;
  if (load) {
    const Expr* plain = LoadOf(*subscript);
    if (plain == nullptr) return PyValue(PyKind::kError, args.range);
    return PyValue::Of(args.range, static_cast<const Expr*>(builder_.New<BufferLoad>(
                                       args.range, plain->dtype, buffer, indices, predicate)));
  }
  Store(*subscript, *bound[1], predicate, args.range);
  return PyValue(PyKind::kDone, args.range);
}

// `A.vload([i], "float32x4")` reads four elements from i on, and a store of four writes them.
bool Parser::WidenIndices(const Buffer* buffer, const PyValue* dtype, const PyValue* stored,
                          Span<const Expr*>* indices) {
  DataType wanted = buffer->dtype;
  SourceRange range;
  if (dtype != nullptr && !dtype->is(PyKind::kNone)) {
    const std::optional<DataType> given = ToDType(*dtype);
    if (!given) return false;
    wanted = *given;
    range = dtype->range;
  } else if (stored != nullptr && !stored->is_number()) {
    const Expr* value = ToExpr(*stored);
    if (value == nullptr) return false;
    wanted = buffer->dtype.with_lanes(value->dtype.lanes());
    range = stored->range;
  }
  const int own = buffer->dtype.lanes();
  if (wanted == buffer->dtype || indices->empty() || !indices->back()->dtype.is_scalar())
    return true;
  if (wanted.element() != buffer->dtype.element() || own < 1 || wanted.lanes() % own != 0 ||
      wanted.lanes() < own) {
    Error(DiagnosticKind::kType, range,
          fmt::format("access of `{}` to `{}`, which has `{}`", wanted.ToString(),
                      buffer->name.view(), buffer->dtype.ToString()));
    return false;
  }
  absl::InlinedVector<const Expr*, 6> wide(indices->begin(), indices->end());
  const Expr* base = wide.back();
  wide.back() = builder_.New<Ramp>(base->range, base, builder_.Int(base->dtype, 1, base->range),
                                   wanted.lanes() / own);
  *indices = arena_.Copy(Span<const Expr*>(wide.data(), wide.size()));
  return true;
}

PyValue Parser::AccessPtr(const Buffer* buffer, const Args& args) {
  Bound<5> bound;
  if (!Bind(args, {"access_mask", "ptr_type", "content_lanes", "offset", "extent"}, 1, bound)) {
    return PyValue(PyKind::kError, args.range);
  }
  int64_t mask = 0;
  if (bound[0]->is(PyKind::kString)) {
    for (char c : bound[0]->text()) mask |= c == 'r' ? 1 : c == 'w' ? 2 : 4;
  } else {
    const std::optional<int64_t> number = ToInt(*bound[0], "the access mask");
    if (!number) return PyValue(PyKind::kError, args.range);
    mask = *number;
  }
  if (mask < 1 || mask > 3) {
    Error(DiagnosticKind::kArguments, bound[0]->range,
          "access mask, expected \"r\", \"w\" or \"rw\", or 1 to 3");
    return PyValue(PyKind::kError, args.range);
  }
  const Expr* offset = bound[3] != nullptr ? ToExpr(*bound[3]) : builder_.Int(0, args.range);
  if (offset == nullptr) return PyValue(PyKind::kError, args.range);
  const Expr* extent = nullptr;
  if (bound[4] != nullptr && !bound[4]->is(PyKind::kNone)) {
    extent = ToExpr(*bound[4]);
  } else {
    extent = builder_.Int(1, args.range);
    std::string error;
    for (const Expr* dim : buffer->shape) {
      extent = Operator(builder_, NodeKind::kMul, extent, dim, args.range, &error);
    }
    extent = Operator(builder_, NodeKind::kSub, extent, offset, args.range, &error);
  }
  if (extent == nullptr) return PyValue(PyKind::kError, args.range);
  const Expr* carrier = NewCall(buffer->dtype, Op::Get(OpKind::kTypeAnnotation), {}, args.range);
  return PyValue::Of(args.range, NewCall(DataType::Handle(), Op::Get(OpKind::kTvmAccessPtr),
                                         builder_.List<Expr>({carrier, buffer->data, offset, extent,
                                                              builder_.Int(mask, args.range)}),
                                         args.range));
}

}  // namespace tenon
