#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "ir/attributes.h"
#include "parser/constant_files.h"
#include "parser/constant_list.h"
#include "parser/parser_internal.h"
#include "support/checked.h"
#include "support/hash.h"

// The forms of named constants: I.constant, I.file, I.slice, I.splat, I.hash, and the table
// "tenon.constants" that declares them.

namespace tenon {
namespace {

constexpr int64_t kMostAlignment = int64_t{1} << 28;

std::string TypeText(DataType dtype, const std::vector<int64_t>& shape) {
  return fmt::format("{} [{}]", dtype.ToString(), fmt::join(shape, ", "));
}

}  // namespace

// I.constant("name"), or with data: I.constant("name", [...], "int8", [3], align=16, ...). The list
// is left to be read when its dtype is known.
PyValue Parser::ParseConstantForm(SourceRange start) {
  Args args;
  args.name = "constant";
  Advance();  // (
  if (!At(Tok::kRParen)) {
    args.positional.push_back(ParseExpr());
    args.has_error |= args.positional.back().is_error();
    if (failed_) return PyValue();
    if (!At(Tok::kRParen) && !Expect(Tok::kComma, "`,` or `)`")) return PyValue();
  }
  if (At(Tok::kLBracket)) {
    args.positional.push_back(ParseRawList());
    if (failed_) return PyValue();
    if (!At(Tok::kRParen) && !Expect(Tok::kComma, "`,` or `)`")) return PyValue();
  }
  ParseMoreArgs(args);
  if (failed_) return PyValue();
  args.range = Since(start);
  const Constant* constant = args.positional.size() == 1 && args.keywords.empty()
                                 ? FindConstant(args.positional[0])
                                 : DeclareConstant(args);
  if (constant == nullptr) return PyValue(PyKind::kError, args.range);
  return PyValue::Of(args.range, builder_.New<ConstantAttr>(args.range, constant));
}

const Constant* Parser::FindConstant(const PyValue& name) {
  const std::optional<std::string_view> text = ToText(name, "the name of the constant");
  if (!text) return nullptr;
  const auto found = constants_.find(context_.Intern(*text));
  if (found != constants_.end()) return found->second;
  Error(DiagnosticKind::kUndefinedName, name.range,
        fmt::format("unknown constant `{}`, expected one of `{}`", *text, attr_key::kConstants));
  return nullptr;
}

const Constant* Parser::DeclareConstant(const Args& args) {
  Bound<10> bound;
  if (!Bind(args,
            {"name", "data", "dtype", "shape", "align", "section", "pools", "address_significant",
             "load", "codec"},
            4, bound)) {
    return nullptr;
  }
  const std::optional<std::string_view> text = ToText(*bound[0], "the name of the constant");
  const std::optional<DataType> dtype = ToDType(*bound[2]);
  std::vector<int64_t> shape;
  ConstantPlacement placement;
  if (!text || !dtype || !ToShape(*bound[3], &shape) ||
      !ToPlacement(std::span(bound).subspan(4), &placement)) {
    return nullptr;
  }
  const Symbol name = context_.Intern(*text);
  if (const auto found = constants_.find(name); found != constants_.end()) {
    Diagnostic& error = Error(DiagnosticKind::kDuplicateName, bound[0]->range,
                              fmt::format("constant `{}` is declared twice", *text));
    if (found->second != nullptr) Diagnostics::AddNote(error, found->second->range(), "first here");
    return nullptr;
  }
  if (name.empty() || dtype->bytes() == 0 || dtype->is_handle()) {
    Error(DiagnosticKind::kArguments, args.range,
          name.empty() ? "a constant without a name"
                       : fmt::format("expected a dtype that constants can have, found `{}`",
                                     dtype->ToString()));
    return nullptr;
  }
  if (!CheckConstantSize(*dtype, shape, bound[3]->range)) return nullptr;
  std::optional<ConstantSource> source = SourceOf(*bound[1], *dtype, shape);
  if (!source) {
    // Declared, though without data: its uses are no further errors.
    constants_.emplace(name, nullptr);
    return nullptr;
  }
  const Constant* constant = context_.AddConstant(
      name, *dtype, std::move(shape), *std::move(source), std::move(placement), args.range);
  constants_.emplace(name, constant);
  module_.constants.push_back(constant);
  return constant;
}

bool Parser::ToShape(const PyValue& value, std::vector<int64_t>* shape) {
  if (!value.is_sequence()) {
    if (!value.is_error()) {
      Error(DiagnosticKind::kArguments, value.range,
            fmt::format("the shape is {}, expected a list of integers", Describe(value)));
    }
    return false;
  }
  for (const PyValue& item : value.elements()) {
    const std::optional<int64_t> extent = ToInt(item, "an extent");
    if (!extent) return false;
    if (*extent < 0) {
      Error(DiagnosticKind::kConstantShape, item.range,
            fmt::format("the extent {} is negative", *extent));
      return false;
    }
    shape->push_back(*extent);
  }
  return true;
}

bool Parser::ToPlacement(std::span<const PyValue*> args, ConstantPlacement* placement) {
  const auto given = [&](size_t i) { return args[i] != nullptr && !args[i]->is(PyKind::kNone); };
  if (given(0)) {
    const std::optional<int64_t> align = ToInt(*args[0], "`align`");
    if (!align) return false;
    if (*align < 1 || *align > kMostAlignment ||
        !std::has_single_bit(static_cast<uint64_t>(*align))) {
      Error(DiagnosticKind::kArguments, args[0]->range,
            fmt::format("`align` is {}, expected a power of two of at most {}", *align,
                        kMostAlignment));
      return false;
    }
    placement->alignment = *align;
  }
  if (given(1)) {
    const std::optional<std::string_view> section = ToText(*args[1], "`section`");
    if (!section) return false;
    placement->section = *section;
  }
  if (given(2)) {
    if (!args[2]->is_sequence()) {
      if (!args[2]->is_error()) {
        Error(DiagnosticKind::kArguments, args[2]->range,
              fmt::format("`pools` is {}, expected a list of names", Describe(*args[2])));
      }
      return false;
    }
    for (const PyValue& item : args[2]->elements()) {
      const std::optional<std::string_view> pool = ToText(item, "the name of a pool");
      if (!pool) return false;
      placement->pools.emplace_back(*pool);
    }
  }
  if (given(3)) {
    if (!args[3]->is(PyKind::kBool)) {
      Error(DiagnosticKind::kArguments, args[3]->range,
            fmt::format("`address_significant` is {}, expected True or False", Describe(*args[3])));
      return false;
    }
    placement->address_significant = args[3]->integer != 0;
  }
  return ToLoading(args.subspan(4), placement);
}

bool Parser::ToLoading(std::span<const PyValue*> args, ConstantPlacement* placement) {
  const PyValue* last = nullptr;
  for (const auto& [value, text] :
       {std::pair(args[0], &placement->load), std::pair(args[1], &placement->codec)}) {
    if (value == nullptr || value->is(PyKind::kNone)) continue;
    const std::optional<std::string_view> given =
        ToText(*value, text == &placement->load ? "`load`" : "`codec`");
    if (!given) return false;
    *text = *given;
    last = value;
  }
  const std::string mistake = LoadMistake(*placement);
  if (!mistake.empty()) Error(DiagnosticKind::kArguments, last->range, mistake);
  return mistake.empty();
}

bool Parser::CheckConstantSize(DataType dtype, const std::vector<int64_t>& shape,
                               SourceRange range) {
  if (ProductOf(shape) && BytesOf(shape, dtype.bytes())) return true;
  Error(DiagnosticKind::kLimit, range, "the constant has 2^62 bytes or more");
  return false;
}

PyValue Parser::CallConstantForm(std::string_view name, const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  const bool known = name == "file" || name == "slice" || name == "splat" || name == "hash";
  if (!known) {
    Error(DiagnosticKind::kUnsupported, args.range, fmt::format("`I.{}` is not supported", name));
    return error;
  }
  const bool two = name == "file" || name == "slice";
  Bound<2> bound;
  const std::string_view params[] = {two ? "name" : "value", name == "file" ? "key" : "offset"};
  if (!Bind(args, std::span(params).first(two ? 2 : 1), two ? 2 : 1,
            std::span<const PyValue*>(bound).first(two ? 2 : 1))) {
    return error;
  }
  std::vector<PyValue> values;
  for (size_t i = 0; i < (two ? 2U : 1U); ++i) values.push_back(*bound[i]);
  PyValue value(PyKind::kCall, args.range);
  value.call = arena_.New<PyCall>(PyCall{arena_.Copy(name), arena_.Copy(values), {}});
  return value;
}

std::optional<ConstantSource> Parser::SourceOf(const PyValue& data, DataType dtype,
                                               const std::vector<int64_t>& shape) {
  if (data.is(PyKind::kRawList)) {
    auto bytes = std::make_shared<std::vector<uint8_t>>();
    if (!ReadList(data, dtype, shape, bytes.get())) return std::nullopt;
    ConstantSource source;
    source.bytes = *bytes;
    source.owner = std::move(bytes);
    return source;
  }
  if (data.is(PyKind::kCall)) {
    if (data.call->name == "file") return FileSource(*data.call, data.range, dtype, shape);
    if (data.call->name == "slice") return SliceSource(*data.call, data.range, dtype, shape);
    if (data.call->name == "splat") return SplatSource(*data.call, data.range, dtype, shape);
    return HashSource(*data.call);
  }
  if (!data.is_error()) {
    Error(DiagnosticKind::kArguments, data.range,
          fmt::format("the data is {}, expected a list, `I.file`, `I.slice`, `I.splat` or `I.hash`",
                      Describe(data)));
  }
  return std::nullopt;
}

std::optional<ConstantSource> Parser::FileSource(const PyCall& call, SourceRange range,
                                                 DataType dtype,
                                                 const std::vector<int64_t>& shape) {
  const std::optional<std::string_view> name = ToText(call.args[0], "the name of the file");
  const std::optional<std::string_view> key = ToText(call.args[1], "the name of the tensor");
  if (!name || !key) return std::nullopt;
  if (files_ == nullptr) files_ = std::make_unique<ConstantFiles>(options_.base_dir);
  absl::StatusOr<ConstantSource> source = files_->Read(*name, *key, dtype, shape);
  if (source.ok()) return *std::move(source);
  // One error says why a file cannot be read, however many constants it holds.
  if (const std::string message(source.status().message()); !message.empty()) {
    Diagnostic& error = Error(DiagnosticKind::kConstantFile, range, message);
    if (message.starts_with("cannot open"))
      Diagnostics::AddNote(error, range, "copy this file of constants into the folder of the text");
  }
  return std::nullopt;
}

std::optional<ConstantSource> Parser::SliceSource(const PyCall& call, SourceRange range,
                                                  DataType dtype,
                                                  const std::vector<int64_t>& shape) {
  const Constant* base = FindConstant(call.args[0]);
  const std::optional<int64_t> offset = ToInt(call.args[1], "the offset");
  if (base == nullptr || !offset) return std::nullopt;
  const int64_t size = *BytesOf(shape, dtype.bytes());
  if (*offset < 0 || *offset > base->size_bytes() || size > base->size_bytes() - *offset) {
    Error(DiagnosticKind::kConstantShape, range,
          fmt::format("expected a part of the {2} bytes of `{3}`, found {0} bytes from {1} on",
                      size, *offset, base->size_bytes(), base->name().view()));
    return std::nullopt;
  }
  if (*offset % dtype.element_bytes() != 0) {
    Error(DiagnosticKind::kConstantShape, range,
          fmt::format("expected an offset that is a multiple of {1}, the size of an element of "
                      "{2}; found {0}",
                      *offset, dtype.element_bytes(), dtype.ToString()));
    return std::nullopt;
  }
  ConstantSource source;
  source.kind = ConstantSource::Kind::kSlice;
  source.base = base;
  source.offset = *offset;
  // A slice of a slice is one of what that was cut from: no chain is ever longer than one.
  if (base->source().kind == ConstantSource::Kind::kSlice) {
    source.base = base->source().base;
    source.offset += base->source().offset;
  }
  return source;
}

std::optional<ConstantSource> Parser::SplatSource(const PyCall& call, SourceRange range,
                                                  DataType dtype,
                                                  const std::vector<int64_t>& shape) {
  // Whoever asks for the bytes gets them all.
  constexpr int64_t kMostSplat = int64_t{1} << 30;
  if (*BytesOf(shape, dtype.bytes()) > kMostSplat) {
    Error(DiagnosticKind::kLimit, range,
          fmt::format("`I.splat` of more than {} bytes", kMostSplat));
    return std::nullopt;
  }
  const SourceRange where = call.args[0].range;
  std::vector<uint8_t> bytes;
  if (!ParseConstantElement(lexer_.text().substr(where.begin - base_, where.end - where.begin),
                            dtype, where, diagnostics_, &bytes)) {
    return std::nullopt;
  }
  ConstantSource source;
  source.kind = ConstantSource::Kind::kSplat;
  std::memcpy(&source.element, bytes.data(), bytes.size());
  return source;
}

std::optional<ConstantSource> Parser::HashSource(const PyCall& call) {
  const std::optional<std::string_view> text = ToText(call.args[0], "the hash");
  if (!text) return std::nullopt;
  const absl::StatusOr<Hash128> hash = ParseHash(*text);
  if (!hash.ok()) {
    Error(DiagnosticKind::kLiteral, call.args[0].range, std::string(hash.status().message()));
    return std::nullopt;
  }
  ConstantSource source;
  source.kind = ConstantSource::Kind::kHash;
  source.hash = {hash->hi, hash->lo};
  return source;
}

const Constant* Parser::NamedConstant(const PyValue& data, DataType dtype,
                                      const std::vector<int64_t>& shape, SourceRange range) {
  const auto* attr = data.is(PyKind::kAttr) ? dyn_cast<ConstantAttr>(data.attr) : nullptr;
  if (attr == nullptr) {
    if (!data.is_error()) {
      Error(DiagnosticKind::kArguments, data.range,
            fmt::format("the data is {}, expected a list or `I.constant(...)`", Describe(data)));
    }
    return nullptr;
  }
  const Constant& constant = *attr->value;
  // Allocations are flat once buffers are; the constant keeps its shape.
  if (constant.dtype() == dtype && ProductOf(constant.shape()) == ProductOf(shape))
    return &constant;
  Diagnostics::AddNote(
      Error(DiagnosticKind::kConstantShape, range,
            fmt::format("the constant `{}` is {}, expected {}", constant.name().view(),
                        TypeText(constant.dtype(), constant.shape()), TypeText(dtype, shape))),
      constant.range(), "declared here");
  return nullptr;
}

void Parser::ModuleAttrs(const PyValue& dict) {
  if (!dict.is(PyKind::kDict)) {
    (void)ToMap(dict, /*normalise=*/false);  // complains
    return;
  }
  // The table has been read by now: what it declares stands in the module.
  std::vector<PyValue> others;
  for (uint32_t i = 0; i + 1 < dict.count; i += 2) {
    const PyValue& key = dict.items[i];
    const PyValue& value = dict.items[i + 1];
    if (!key.is(PyKind::kString)) {
      if (!key.is_error()) {
        Error(DiagnosticKind::kArguments, key.range,
              fmt::format("key of a module's attribute is {}, expected a string", Describe(key)));
      }
      continue;
    }
    if (key.text() != attr_key::kConstants) {
      others.insert(others.end(), {key, value});
      continue;
    }
    const bool is_table =
        value.is_error() ||
        (value.is_sequence() &&
         std::all_of(value.elements().begin(), value.elements().end(), [](const PyValue& item) {
           return item.is_error() || (item.is(PyKind::kAttr) && isa<ConstantAttr>(item.attr));
         }));
    if (!is_table) {
      Error(DiagnosticKind::kArguments, value.range,
            fmt::format("`{}` is not a list of `I.constant(...)`", attr_key::kConstants));
    }
  }
  PyValue rest(PyKind::kDict, dict.range);
  rest.items = others.data();
  rest.count = static_cast<uint32_t>(others.size());
  const MapAttr* map = ToMap(rest, /*normalise=*/false);
  if (map == nullptr) return;
  for (const MapItem* item : map->items) {
    const std::string_view* key = AsString(item->key);
    if (key != nullptr && *key == attr_key::kExterns) (void)CheckFuncAttr(*key, item->value);
  }
  module_.SetAttrs(map, storage_);
}

}  // namespace tenon
