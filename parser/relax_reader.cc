#include "parser/relax_reader.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "parser/constant_element.h"
#include "support/ascii.h"
#include "support/whole_number.h"

namespace tenon {

namespace {

constexpr std::string_view kHowTo =
    "; docs/guide/tvm.md lists the passes that leave only calls of TIR functions";

}  // namespace

RelaxReader::RelaxReader(ParseEnv& env, size_t begin, std::pair<std::string_view, int32_t> module,
                         ConstantTable& constants, ModuleFunctions& functions)
    : env_(env),
      cursor_(env.text, env.base, env.names, env.diagnostics),
      module_name_(module.first),
      module_symbol_(module.second),
      table_(constants),
      functions_(functions) {
  cursor_.StartAt(begin);
}

bool RelaxReader::Expect(Tok kind, std::string_view what) {
  if (cursor_.failed()) return false;
  if (!cursor_.At(kind)) {
    Unexpected(what);
    return false;
  }
  cursor_.Advance();
  return !cursor_.failed();
}

void RelaxReader::Unexpected(std::string_view what) {
  Fail(DiagnosticKind::kSyntax, cursor_.Here(),
       fmt::format("found {}, expected {}", cursor_.DescribeToken(), what));
}

void RelaxReader::SkipBrackets() {
  const size_t depth = cursor_.bracket_depth();  // the opening one is the current token
  while (!cursor_.failed() && !cursor_.At(Tok::kEnd)) {
    cursor_.Advance();
    if (cursor_.bracket_depth() < depth) break;
  }
  cursor_.Advance();
}

// `serving_default_input_1:0` is one name: TVM prints TensorFlow's names as they are.
std::string RelaxReader::TakeName() {
  if (cursor_.token().name == nullptr) {
    Unexpected("a name");
    return {};
  }
  std::string name(cursor_.token().name->text);
  cursor_.Advance();
  const bool goes_on = cursor_.At(Tok::kColon) && cursor_.PeekChar() >= '0' &&
                       cursor_.PeekChar() <= '9' &&
                       env_.base + cursor_.token().begin == cursor_.previous_end();
  if (goes_on) {
    cursor_.Advance();
    name += ':';
    name += cursor_.Text();
    cursor_.Advance();
  }
  // TVM prints names that Python does not accept.
  return ascii::AsWord(name);
}

std::optional<int64_t> RelaxReader::TakeInt() {
  const std::optional<int64_t> value = WholeNumber<int64_t>(cursor_.Text());
  if (!cursor_.At(Tok::kInt) || !value) {
    Unexpected("an integer");
    return std::nullopt;
  }
  cursor_.Advance();
  return value;
}

std::optional<std::string> RelaxReader::TakeString() {
  const std::string_view text = cursor_.Text();
  if (!cursor_.At(Tok::kString) || text.size() < 2) {
    Unexpected("a string");
    return std::nullopt;
  }
  cursor_.Advance();
  return std::string(text.substr(1, text.size() - 2));
}

std::optional<relax::Function> RelaxReader::Read() {
  Expect(Tok::kDef, "`def`");
  function_.range = cursor_.Here();
  if (cursor_.token().name == nullptr) {
    Unexpected("the name of a function");
    return std::nullopt;
  }
  function_.name = cursor_.token().name->text;
  cursor_.Advance();
  ReadParams();
  if (cursor_.Accept(Tok::kArrow)) SkipType();
  Expect(Tok::kColon, "`:`");
  ReadBlock();
  if (!cursor_.failed() && function_.outputs.empty()) {
    Fail(DiagnosticKind::kUnsupported, function_.range,
         "expected a Relax function that returns a tensor");
  }
  if (cursor_.failed()) return std::nullopt;
  return std::move(function_);
}

void RelaxReader::ReadParams() {
  Expect(Tok::kLParen, "`(`");
  while (!cursor_.failed() && !cursor_.At(Tok::kRParen)) {
    relax::Tensor tensor;
    tensor.range = cursor_.Here();
    tensor.name = TakeName();
    Expect(Tok::kColon, "`:` and a type");
    tensor.type = ReadTensorType();
    if (cursor_.failed()) return;
    const std::string name = tensor.name;
    const SourceRange range = tensor.range;
    Value value = AddTensor(std::move(tensor));
    value.symbol = env_.AddSymbol(SymbolKind::kVariable, name, range);
    if (!values_.emplace(name, value).second) {
      return Fail(DiagnosticKind::kDuplicateName, range,
                  fmt::format("`{}` is already defined", name));
    }
    function_.inputs.push_back(value.tensor);
    if (!cursor_.At(Tok::kRParen)) Expect(Tok::kComma, "`,` or `)`");
  }
  Expect(Tok::kRParen, "`)`");
}

void RelaxReader::ReadBlock() {
  Expect(Tok::kNewline, "end of line");
  Expect(Tok::kIndent, "an indented block");
  while (!cursor_.failed() && !cursor_.At(Tok::kDedent) && !cursor_.At(Tok::kEnd)) ReadStatement();
  if (!cursor_.failed() && cursor_.At(Tok::kDedent)) cursor_.Advance();
}

void RelaxReader::ReadStatement() {
  if (cursor_.At(Tok::kReturn)) return ReadReturn();
  if (cursor_.At(Tok::kPass)) {
    cursor_.Advance();
    Expect(Tok::kNewline, "end of line");
    return;
  }
  if (cursor_.At(Tok::kWith)) {  // `with R.dataflow():`
    cursor_.Advance();
    while (!cursor_.failed() && !cursor_.At(Tok::kLParen) && !cursor_.At(Tok::kColon) &&
           !cursor_.At(Tok::kNewline))
      cursor_.Advance();
    if (cursor_.At(Tok::kLParen)) SkipBrackets();
    Expect(Tok::kColon, "`:`");
    return ReadBlock();
  }
  if (cursor_.token().name == nullptr)
    return Unexpected("a binding, `with R.dataflow():` or `return`");
  if (cursor_.PeekChar() != '.') return ReadBinding();
  // `R.func_attr(...)` and `R.output(...)` add nothing to the values.
  const SourceRange start = cursor_.Here();
  cursor_.Advance();
  cursor_.Advance();
  const std::string_view what = cursor_.token().name == nullptr ? "" : cursor_.token().name->text;
  if (what != "func_attr" && what != "output") {
    return Fail(DiagnosticKind::kUnsupported, SourceRange{start.begin, cursor_.Here().end},
                fmt::format("`R.{}` is not supported here, expected a binding of `R.call_tir`{}",
                            what, kHowTo));
  }
  cursor_.Advance();
  if (cursor_.At(Tok::kLParen)) SkipBrackets();
  Expect(Tok::kNewline, "end of line");
}

void RelaxReader::ReadBinding() {
  const SourceRange range = cursor_.Here();
  const std::string name = TakeName();
  if (cursor_.Accept(Tok::kColon)) SkipType();
  if (!Expect(Tok::kAssign, "`=` and a value")) return;
  const size_t first = function_.tensors.size();
  Value value = ReadValues();
  if (cursor_.failed()) return;
  for (size_t i = first; i < function_.tensors.size(); ++i) {  // results of this line
    relax::Tensor& tensor = function_.tensors[i];
    if (tensor.kind == relax::Tensor::Kind::kResult) tensor.name = name;
  }
  value.range = range;
  value.symbol = env_.AddSymbol(SymbolKind::kVariable, name, range);
  values_[name] = std::move(value);
  Expect(Tok::kNewline, "end of line");
}

void RelaxReader::ReadReturn() {
  const SourceRange range = cursor_.Here();
  cursor_.Advance();
  Value value = ReadValues();
  if (cursor_.failed()) return;
  if (!function_.outputs.empty()) {
    return Fail(DiagnosticKind::kSyntax, range, "more than one `return`");
  }
  Flatten(value);
  if (!cursor_.failed()) Expect(Tok::kNewline, "end of line");
}

void RelaxReader::Flatten(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kTensor:
      function_.outputs.push_back({value.tensor, value.range});
      return;
    case Value::Kind::kTuple:
      for (const Value& item : value.items) Flatten(item);
      return;
    default:
      return Fail(DiagnosticKind::kType, value.range, "the module is returned, expected a tensor");
  }
}

RelaxReader::Value RelaxReader::ReadValues() {
  const SourceRange start = cursor_.Here();
  Value first = ReadValue();
  if (cursor_.failed() || !cursor_.At(Tok::kComma)) return first;
  Value tuple;
  tuple.kind = Value::Kind::kTuple;
  tuple.items.push_back(std::move(first));
  while (cursor_.Accept(Tok::kComma)) {
    if (cursor_.At(Tok::kNewline) || cursor_.At(Tok::kRParen) || cursor_.At(Tok::kRBracket)) break;
    tuple.items.push_back(ReadValue());
  }
  tuple.range = cursor_.Since(start);
  return tuple;
}

RelaxReader::Value RelaxReader::ReadValue() {
  const SourceRange start = cursor_.Here();
  Value value = ReadAtom();
  while (!cursor_.failed() && cursor_.At(Tok::kLBracket)) {
    cursor_.Advance();
    const std::optional<int64_t> index = TakeInt();
    Expect(Tok::kRBracket, "`]`");
    if (!cursor_.failed()) value = Element(value, *index, cursor_.Since(start));
  }
  return value;
}

RelaxReader::Value RelaxReader::Element(const Value& tuple, int64_t index, SourceRange range) {
  const bool fits = tuple.kind == Value::Kind::kTuple && index >= 0 &&
                    index < static_cast<int64_t>(tuple.items.size());
  if (!fits) {
    Fail(DiagnosticKind::kType, range,
         tuple.kind == Value::Kind::kTuple
             ? fmt::format("element {} of a tuple of {}", index, tuple.items.size())
             : "only tuples have elements here");
    return {};
  }
  Value item = tuple.items[static_cast<size_t>(index)];
  item.range = range;
  return item;
}

RelaxReader::Value RelaxReader::ReadAtom() {
  const SourceRange start = cursor_.Here();
  if (cursor_.At(Tok::kLParen)) {
    cursor_.Advance();
    Value value;
    value.kind = Value::Kind::kTuple;
    if (!cursor_.At(Tok::kRParen)) value = ReadValues();
    Expect(Tok::kRParen, "`)`");
    value.range = cursor_.Since(start);
    return value;
  }
  if (AtWord("metadata")) return ReadMetadata();
  if (cursor_.token().name != nullptr && cursor_.PeekChar() == '.') {
    if (AtWord("I") || AtWord("ir")) return ReadNamedConstant();
    if (AtWord("R") || AtWord("relax")) return ReadRelaxCall();
  }
  const SourceRange range = cursor_.Here();
  if (AtWord("T") && cursor_.PeekChar() == '.') {
    Fail(DiagnosticKind::kUnsupported, range,
         "a variable for shapes is not supported, expected constant shapes: export the model for "
         "fixed shapes");
    return {};
  }
  const std::string name = TakeName();
  if (cursor_.failed()) return {};
  if (name == module_name_) {
    env_.UseSymbol(module_symbol_, range);
    Value value;
    value.kind = Value::Kind::kModule;
    value.range = range;
    return value;
  }
  const auto found = values_.find(name);
  if (found == values_.end()) {
    Fail(DiagnosticKind::kUndefinedName, range, fmt::format("`{}` is not defined here", name));
    return {};
  }
  env_.UseSymbol(found->second.symbol, range);
  Value value = found->second;
  value.range = range;
  return value;
}

RelaxReader::Value RelaxReader::ReadRelaxCall() {
  const SourceRange start = cursor_.Here();
  cursor_.Advance();
  cursor_.Advance();  // the dot
  const std::string_view what = cursor_.token().name == nullptr ? "" : cursor_.token().name->text;
  const SourceRange range{start.begin, cursor_.Here().end};
  cursor_.Advance();
  if (what == "call_tir") return ReadCallTir(start);
  if (what == "const") return ReadConst(start);
  if (what == "match_cast") return ReadMatchCast();
  if (what == "tuple") {
    if (!Expect(Tok::kLParen, "`(`")) return {};
    Value tuple;
    tuple.kind = Value::Kind::kTuple;
    while (!cursor_.failed() && !cursor_.At(Tok::kRParen)) {
      tuple.items.push_back(ReadValue());
      if (!cursor_.At(Tok::kRParen)) Expect(Tok::kComma, "`,` or `)`");
    }
    Expect(Tok::kRParen, "`)`");
    tuple.range = cursor_.Since(start);
    return tuple;
  }
  Fail(DiagnosticKind::kUnsupported, range,
       fmt::format("`R.{}` is not supported, expected `R.call_tir`{}", what, kHowTo));
  return {};
}

RelaxReader::Value RelaxReader::AddTensor(relax::Tensor tensor) {
  Value value;
  value.kind = Value::Kind::kTensor;
  value.tensor = function_.tensors.size();
  value.range = tensor.range;
  function_.tensors.push_back(std::move(tensor));
  return value;
}

// R.const(1.0, "float32")
RelaxReader::Value RelaxReader::ReadConst(SourceRange start) {
  if (!Expect(Tok::kLParen, "`(`")) return {};
  const SourceRange value_range = cursor_.Here();
  const bool negative = cursor_.Accept(Tok::kMinus);
  const bool is_bool = cursor_.At(Tok::kTrue) || cursor_.At(Tok::kFalse);
  if (!cursor_.At(Tok::kInt) && !cursor_.At(Tok::kFloat) && !cursor_.At(Tok::kString) && !is_bool) {
    Unexpected("a number: other constants are in `metadata`");
    return {};
  }
  const std::string text = (negative ? "-" : "") + std::string(cursor_.Text());
  cursor_.Advance();
  std::string dtype_text = is_bool                               ? "bool"
                           : text.find('.') == std::string::npos ? "int32"
                                                                 : "float32";
  const SourceRange dtype_range = cursor_.Here();
  if (cursor_.Accept(Tok::kComma)) {
    if (AtWord("dtype")) {
      cursor_.Advance();
      Expect(Tok::kAssign, "`=`");
    }
    dtype_text = TakeString().value_or("");
  }
  if (!Expect(Tok::kRParen, "`)`")) return {};
  const std::optional<DataType> dtype = DataType::Parse(dtype_text);
  if (!dtype || !IsListElementType(*dtype) || !dtype->is_scalar()) {
    Fail(DiagnosticKind::kType, dtype_range,
         fmt::format("expected a dtype that constants can have, found `{}`", dtype_text));
    return {};
  }
  const ElementResult element = ReadElement(text, *dtype);
  if (!element.ok) {
    Fail(DiagnosticKind::kLiteral, value_range, element.message);
    return {};
  }
  std::vector<uint8_t> bytes(static_cast<size_t>(dtype->element_bytes()));
  std::memcpy(bytes.data(), &element.bits, bytes.size());  // both little endian
  relax::Tensor tensor;
  tensor.kind = relax::Tensor::Kind::kConstant;
  tensor.range = cursor_.Since(start);
  tensor.type = relax::TensorType{*dtype, {}};
  tensor.data = env_.context.AddConstant(Symbol(), *dtype, {}, std::move(bytes), {}, tensor.range);
  return AddTensor(std::move(tensor));
}

// metadata["ir.GenericConst"][3]
RelaxReader::Value RelaxReader::ReadMetadata() {
  const SourceRange start = cursor_.Here();
  cursor_.Advance();
  Expect(Tok::kLBracket, "`[`");
  const std::optional<std::string> key = TakeString();
  Expect(Tok::kRBracket, "`]`");
  Expect(Tok::kLBracket, "`[` and an index");
  const std::optional<int64_t> number = TakeInt();
  Expect(Tok::kRBracket, "`]`");
  if (cursor_.failed()) return {};
  const std::string place = fmt::format("{}[{}]", *key, *number);
  if (const auto known = constants_.find(place); known != constants_.end()) {
    Value value;
    value.kind = Value::Kind::kTensor;
    value.tensor = known->second;
    value.range = cursor_.Since(start);
    return value;
  }
  relax::Tensor tensor;
  tensor.kind = relax::Tensor::Kind::kConstant;
  tensor.range = cursor_.Since(start);
  tensor.name = fmt::format("c{}", *number);
  tensor.number = {env_.context.Intern(*key).view(), *number};
  const Value value = AddTensor(std::move(tensor));
  constants_.emplace(place, value.tensor);
  return value;
}

// I.constant("c3")
RelaxReader::Value RelaxReader::ReadNamedConstant() {
  const SourceRange start = cursor_.Here();
  cursor_.Advance();
  cursor_.Advance();  // the dot
  if (!AtWord("constant")) {
    Unexpected("`I.constant(\"name\")`");
    return {};
  }
  cursor_.Advance();
  Expect(Tok::kLParen, "`(`");
  const SourceRange range = cursor_.Here();
  const std::optional<std::string> name = TakeString();
  Expect(Tok::kRParen, "`)`");
  if (cursor_.failed()) return {};
  const Constant* data = table_.Find(*name, range);
  if (data == nullptr) {
    Fail(DiagnosticKind::kUndefinedName, range,
         fmt::format("the module's attributes declare no constant `{}`", *name));
    return {};
  }
  relax::Tensor tensor;
  tensor.kind = relax::Tensor::Kind::kConstant;
  tensor.range = cursor_.Since(start);
  tensor.name = ascii::AsWord(*name);
  tensor.type = relax::TensorType{data->dtype(), data->shape()};
  tensor.data = data;
  const std::string place = fmt::format("I.{}", *name);
  if (const auto known = constants_.find(place); known != constants_.end()) {
    Value value;
    value.kind = Value::Kind::kTensor;
    value.tensor = known->second;
    value.range = tensor.range;
    return value;
  }
  const Value value = AddTensor(std::move(tensor));
  constants_.emplace(place, value.tensor);
  return value;
}

// R.call_tir(cls.f, (a, b), out_ty=R.Tensor((1, 2), dtype="float32"))
RelaxReader::Value RelaxReader::ReadCallTir(SourceRange start) {
  if (!Expect(Tok::kLParen, "`(`")) return {};
  relax::Call call;
  const Value module = ReadAtom();
  if (!cursor_.failed() && module.kind != Value::Kind::kModule) {
    Fail(DiagnosticKind::kType, module.range, "expected a function of the module: `cls.name`");
  }
  Expect(Tok::kDot, "`.` and a function");
  if (cursor_.failed() || cursor_.token().name == nullptr) {
    Unexpected("the name of a function");
    return {};
  }
  call.function = cursor_.token().name->text;
  functions_.Use(cursor_.token().name, cursor_.Here());
  cursor_.Advance();
  Expect(Tok::kComma, "`,` and the arguments");
  ReadCallArguments(call);
  Expect(Tok::kComma, "`,` and `out_ty=`");
  const bool is_types = AtWord("out_ty") || AtWord("out_sinfo");
  if (!cursor_.failed() && !is_types) {
    Unexpected("`out_ty=`: scalar arguments are not supported");
    return {};
  }
  cursor_.Advance();
  Expect(Tok::kAssign, "`=`");
  const bool is_list = cursor_.At(Tok::kLBracket);
  const std::vector<relax::TensorType> types = ReadTypes();
  if (!cursor_.failed() && cursor_.At(Tok::kComma)) {
    Fail(DiagnosticKind::kUnsupported, cursor_.Here(),
         "shapes as arguments (`tir_vars`) are not supported, expected constant shapes");
  }
  Expect(Tok::kRParen, "`)`");
  if (cursor_.failed()) return {};
  call.range = cursor_.Since(start);
  Value value;
  value.kind = Value::Kind::kTuple;
  value.range = call.range;
  for (const relax::TensorType& type : types) {
    relax::Tensor tensor;
    tensor.kind = relax::Tensor::Kind::kResult;
    tensor.range = call.range;
    tensor.type = type;
    value.items.push_back(AddTensor(std::move(tensor)));
    call.results.push_back(value.items.back().tensor);
  }
  function_.calls.push_back(std::move(call));
  if (is_list || value.items.size() != 1) return value;
  return value.items[0];
}

void RelaxReader::ReadCallArguments(relax::Call& call) {
  const Value arguments = ReadValue();
  if (cursor_.failed()) return;
  const auto add = [&](const Value& value) {
    if (value.kind != Value::Kind::kTensor) {
      return Fail(DiagnosticKind::kType, value.range, "expected a tensor as argument");
    }
    call.arguments.push_back(value.tensor);
    call.argument_ranges.push_back(value.range);
  };
  if (arguments.kind != Value::Kind::kTuple) return add(arguments);
  for (const Value& value : arguments.items) add(value);
}

// R.match_cast(x, R.Tensor((1, 2), dtype="float32")) repeats a shape.
RelaxReader::Value RelaxReader::ReadMatchCast() {
  if (!Expect(Tok::kLParen, "`(`")) return {};
  const Value value = ReadValue();
  Expect(Tok::kComma, "`,` and a type");
  const SourceRange range = cursor_.Here();
  const std::optional<relax::TensorType> type = ReadTensorType();
  Expect(Tok::kRParen, "`)`");
  if (cursor_.failed()) return {};
  const bool is_tensor = value.kind == Value::Kind::kTensor;
  const std::optional<relax::TensorType> known =
      is_tensor ? function_.tensors[value.tensor].type : std::nullopt;
  if (!is_tensor || (known && *known != *type)) {
    Fail(DiagnosticKind::kType, range, "the value has another type");
    return {};
  }
  return value;
}

std::vector<relax::TensorType> RelaxReader::ReadTypes() {
  std::vector<relax::TensorType> types;
  if (!cursor_.At(Tok::kLBracket)) {
    if (const auto type = ReadTensorType()) types.push_back(*type);
    return types;
  }
  cursor_.Advance();
  while (!cursor_.failed() && !cursor_.At(Tok::kRBracket)) {
    if (const auto type = ReadTensorType()) types.push_back(*type);
    if (!cursor_.At(Tok::kRBracket)) Expect(Tok::kComma, "`,` or `]`");
  }
  Expect(Tok::kRBracket, "`]`");
  return types;
}

// R.Tensor((1, 2), dtype="float32")
std::optional<relax::TensorType> RelaxReader::ReadTensorType() {
  const SourceRange start = cursor_.Here();
  const bool is_relax = AtWord("R") || AtWord("relax");
  cursor_.Advance();
  Expect(Tok::kDot, "`R.Tensor`");
  if (cursor_.failed() || !is_relax || !AtWord("Tensor")) {
    Fail(DiagnosticKind::kUnsupported, SourceRange{start.begin, cursor_.Here().end},
         "expected a tensor of constant shape, `R.Tensor((1, 2), dtype=\"float32\")`");
    return std::nullopt;
  }
  cursor_.Advance();
  relax::TensorType type;
  bool has_shape = false;
  bool has_dtype = false;
  if (cursor_.Accept(Tok::kLParen)) {
    if (cursor_.At(Tok::kLParen)) {
      has_shape = true;
      cursor_.Advance();
      while (!cursor_.failed() && !cursor_.At(Tok::kRParen)) {
        const SourceRange range = cursor_.Here();
        if (!cursor_.At(Tok::kInt)) {
          Fail(DiagnosticKind::kUnsupported, range,
               "an extent that is not constant, expected an integer: export the model for fixed "
               "shapes");
          return std::nullopt;
        }
        const std::optional<int64_t> extent = TakeInt();
        if (!extent) return std::nullopt;
        type.shape.push_back(*extent);
        if (!cursor_.At(Tok::kRParen)) Expect(Tok::kComma, "`,` or `)`");
      }
      Expect(Tok::kRParen, "`)`");
    }
    if (has_shape && cursor_.At(Tok::kComma)) cursor_.Advance();
    if (!ReadTypeParts(&type, &has_dtype)) return std::nullopt;
    Expect(Tok::kRParen, "`)`");
  }
  if (cursor_.failed()) return std::nullopt;
  if (!has_shape || !has_dtype) {
    Fail(DiagnosticKind::kUnsupported, cursor_.Since(start),
         "expected a tensor with a constant shape and a dtype");
    return std::nullopt;
  }
  return type;
}

bool RelaxReader::ReadTypeParts(relax::TensorType* type, bool* has_dtype) {
  while (!cursor_.failed() && !cursor_.At(Tok::kRParen)) {
    const std::string name = TakeName();
    Expect(Tok::kAssign, "`=`");
    if (name == "dtype") {
      const SourceRange range = cursor_.Here();
      const std::string text = TakeString().value_or("");
      const std::optional<DataType> dtype = DataType::Parse(text);
      if (cursor_.failed()) return false;
      if (!dtype || dtype->bytes() == 0 || dtype->is_handle()) {
        Fail(DiagnosticKind::kType, range,
             fmt::format("expected a dtype of tensors, found `{}`", text));
        return false;
      }
      type->dtype = *dtype;
      *has_dtype = true;
    } else if (name == "ndim") {
      TakeInt();
    } else {
      Fail(DiagnosticKind::kUnsupported, cursor_.Here(),
           fmt::format("`{}` of a tensor's type is not supported", name));
    }
    if (!cursor_.failed() && !cursor_.At(Tok::kRParen)) Expect(Tok::kComma, "`,` or `)`");
  }
  return !cursor_.failed();
}

void RelaxReader::SkipType() {
  while (!cursor_.failed() && (cursor_.token().name != nullptr || cursor_.At(Tok::kDot)))
    cursor_.Advance();
  if (cursor_.At(Tok::kLParen)) SkipBrackets();
}

}  // namespace tenon
