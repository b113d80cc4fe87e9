#include "parser/constant_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "ir/attributes.h"
#include "parser/constant_list.h"
#include "support/checked.h"
#include "support/hash.h"

namespace tenon {

namespace {

constexpr int64_t kMostAlignment = int64_t{1} << 28;

std::string TypeText(DataType dtype, const std::vector<int64_t>& shape) {
  return fmt::format("{} [{}]", dtype.ToString(), fmt::join(shape, ", "));
}

}  // namespace

const Constant* ConstantTable::Find(std::string_view name, SourceRange range) {
  const auto found = constants_.find(env_.context.Intern(name));
  if (found == constants_.end()) return nullptr;
  env_.UseSymbol(found->second.symbol, range);
  return found->second.constant;
}

const Constant* ConstantTable::FindConstant(const PyValue& name) {
  const std::optional<std::string_view> text = values_.ToText(name, "the name of the constant");
  if (!text) return nullptr;
  if (constants_.contains(env_.context.Intern(*text))) return Find(*text, name.range);
  env_.Error(
      DiagnosticKind::kUndefinedName, name.range,
      fmt::format("unknown constant `{}`, expected one of `{}`", *text, attr_key::kConstants));
  return nullptr;
}

const Constant* ConstantTable::DeclareConstant(const Args& args) {
  Bound<10> bound;
  if (!env_.Bind(args,
                 {"name", "data", "dtype", "shape", "align", "section", "pools",
                  "address_significant", "load", "codec"},
                 4, bound)) {
    return nullptr;
  }
  const std::optional<std::string_view> text =
      values_.ToText(*bound[0], "the name of the constant");
  const std::optional<DataType> dtype = values_.ToDType(*bound[2]);
  std::vector<int64_t> shape;
  ConstantPlacement placement;
  if (!text || !dtype || !ToShape(*bound[3], &shape) ||
      !ToPlacement(std::span(bound).subspan(4), &placement)) {
    return nullptr;
  }
  const Symbol name = env_.context.Intern(*text);
  if (const auto found = constants_.find(name); found != constants_.end()) {
    Diagnostic& error = env_.Error(DiagnosticKind::kDuplicateName, bound[0]->range,
                                   fmt::format("constant `{}` is declared twice", *text));
    const Constant* first = found->second.constant;
    if (first != nullptr) Diagnostics::AddNote(error, first->range(), "first here");
    return nullptr;
  }
  if (name.empty() || dtype->bytes() == 0 || dtype->is_handle()) {
    env_.Error(DiagnosticKind::kArguments, args.range,
               name.empty() ? "a constant without a name"
                            : fmt::format("expected a dtype that constants can have, found `{}`",
                                          dtype->ToString()));
    return nullptr;
  }
  if (!CheckConstantSize(*dtype, shape, bound[3]->range)) return nullptr;
  const int32_t symbol = env_.AddSymbol(SymbolKind::kConstant, *text, bound[0]->range);
  std::optional<ConstantSource> source = SourceOf(*bound[1], *dtype, shape);
  if (!source) {
    // The constant is declared without data, so that its uses cause no further errors.
    constants_.emplace(name, Entry{nullptr, symbol});
    return nullptr;
  }
  const Constant* constant = env_.context.AddConstant(
      name, *dtype, std::move(shape), *std::move(source), std::move(placement), args.range);
  constants_.emplace(name, Entry{constant, symbol});
  module_.constants.push_back(constant);
  return constant;
}

bool ConstantTable::ToShape(const PyValue& value, std::vector<int64_t>* shape) {
  if (!value.is_sequence()) {
    if (!value.is_error()) {
      env_.Error(DiagnosticKind::kArguments, value.range,
                 fmt::format("the shape is {}, expected a list of integers", Describe(value)));
    }
    return false;
  }
  for (const PyValue& item : value.elements()) {
    const std::optional<int64_t> extent = values_.ToInt(item, "an extent");
    if (!extent) return false;
    if (*extent < 0) {
      env_.Error(DiagnosticKind::kConstantShape, item.range,
                 fmt::format("the extent {} is negative", *extent));
      return false;
    }
    shape->push_back(*extent);
  }
  return true;
}

bool ConstantTable::ToPlacement(std::span<const PyValue*> args, ConstantPlacement* placement) {
  const auto given = [&](size_t i) { return args[i] != nullptr && !args[i]->is(PyKind::kNone); };
  if (given(0)) {
    const std::optional<int64_t> align = values_.ToInt(*args[0], "`align`");
    if (!align) return false;
    if (*align < 1 || *align > kMostAlignment ||
        !std::has_single_bit(static_cast<uint64_t>(*align))) {
      env_.Error(DiagnosticKind::kArguments, args[0]->range,
                 fmt::format("`align` is {}, expected a power of two of at most {}", *align,
                             kMostAlignment));
      return false;
    }
    placement->alignment = *align;
  }
  if (given(1)) {
    const std::optional<std::string_view> section = values_.ToText(*args[1], "`section`");
    if (!section) return false;
    placement->section = *section;
  }
  if (given(2)) {
    if (!args[2]->is_sequence()) {
      if (!args[2]->is_error()) {
        env_.Error(DiagnosticKind::kArguments, args[2]->range,
                   fmt::format("`pools` is {}, expected a list of names", Describe(*args[2])));
      }
      return false;
    }
    for (const PyValue& item : args[2]->elements()) {
      const std::optional<std::string_view> pool = values_.ToText(item, "the name of a pool");
      if (!pool) return false;
      placement->pools.emplace_back(*pool);
    }
  }
  if (given(3)) {
    if (!args[3]->is(PyKind::kBool)) {
      env_.Error(
          DiagnosticKind::kArguments, args[3]->range,
          fmt::format("`address_significant` is {}, expected True or False", Describe(*args[3])));
      return false;
    }
    placement->address_significant = args[3]->integer != 0;
  }
  return ToLoading(args.subspan(4), placement);
}

bool ConstantTable::ToLoading(std::span<const PyValue*> args, ConstantPlacement* placement) {
  const PyValue* last = nullptr;
  for (const auto& [value, text] :
       {std::pair(args[0], &placement->load), std::pair(args[1], &placement->codec)}) {
    if (value == nullptr || value->is(PyKind::kNone)) continue;
    const std::optional<std::string_view> given =
        values_.ToText(*value, text == &placement->load ? "`load`" : "`codec`");
    if (!given) return false;
    *text = *given;
    last = value;
  }
  const std::string mistake = LoadMistake(*placement);
  if (!mistake.empty()) env_.Error(DiagnosticKind::kArguments, last->range, mistake);
  return mistake.empty();
}

bool ConstantTable::CheckConstantSize(DataType dtype, const std::vector<int64_t>& shape,
                                      SourceRange range) {
  if (ProductOf(shape) && BytesOf(shape, dtype.bytes())) return true;
  env_.Error(DiagnosticKind::kLimit, range, "the constant has 2^62 bytes or more");
  return false;
}

std::optional<ConstantSource> ConstantTable::SourceOf(const PyValue& data, DataType dtype,
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
    env_.Error(
        DiagnosticKind::kArguments, data.range,
        fmt::format("the data is {}, expected a list, `I.file`, `I.slice`, `I.splat` or `I.hash`",
                    Describe(data)));
  }
  return std::nullopt;
}

std::optional<ConstantSource> ConstantTable::FileSource(const PyCall& call, SourceRange range,
                                                        DataType dtype,
                                                        const std::vector<int64_t>& shape) {
  const std::optional<std::string_view> name = values_.ToText(call.args[0], "the name of the file");
  const std::optional<std::string_view> key =
      values_.ToText(call.args[1], "the name of the tensor");
  if (!name || !key) return std::nullopt;
  if (files_ == nullptr) {
    files_ = std::make_unique<ConstantFiles>(env_.options.base_dir, env_.options.find_file);
  }
  absl::StatusOr<ConstantSource> source = files_->Read(*name, *key, dtype, shape);
  if (source.ok()) return *std::move(source);
  // A single error says why a file cannot be read, however many constants it contains.
  if (const std::string message(source.status().message()); !message.empty()) {
    Diagnostic& error = env_.Error(DiagnosticKind::kConstantFile, range, message);
    if (message.starts_with("cannot open"))
      Diagnostics::AddNote(error, range, "copy this file of constants into the folder of the text");
  }
  return std::nullopt;
}

std::optional<ConstantSource> ConstantTable::SliceSource(const PyCall& call, SourceRange range,
                                                         DataType dtype,
                                                         const std::vector<int64_t>& shape) {
  const Constant* base = FindConstant(call.args[0]);
  const std::optional<int64_t> offset = values_.ToInt(call.args[1], "the offset");
  if (base == nullptr || !offset) return std::nullopt;
  const int64_t size = *BytesOf(shape, dtype.bytes());
  if (*offset < 0 || *offset > base->size_bytes() || size > base->size_bytes() - *offset) {
    env_.Error(DiagnosticKind::kConstantShape, range,
               fmt::format("expected a part of the {2} bytes of `{3}`, found {0} bytes from {1} on",
                           size, *offset, base->size_bytes(), base->name().view()));
    return std::nullopt;
  }
  if (*offset % dtype.element_bytes() != 0) {
    env_.Error(
        DiagnosticKind::kConstantShape, range,
        fmt::format("expected an offset that is a multiple of {1}, the size of an element of "
                    "{2}; found {0}",
                    *offset, dtype.element_bytes(), dtype.ToString()));
    return std::nullopt;
  }
  ConstantSource source;
  source.kind = ConstantSource::Kind::kSlice;
  source.base = base;
  source.offset = *offset;
  // A slice of a slice becomes a slice of the base, so chains never have more than one link.
  if (base->source().kind == ConstantSource::Kind::kSlice) {
    source.base = base->source().base;
    source.offset += base->source().offset;
  }
  return source;
}

std::optional<ConstantSource> ConstantTable::SplatSource(const PyCall& call, SourceRange range,
                                                         DataType dtype,
                                                         const std::vector<int64_t>& shape) {
  // Readers of the bytes expand the whole splat.
  constexpr int64_t kMostSplat = int64_t{1} << 30;
  if (*BytesOf(shape, dtype.bytes()) > kMostSplat) {
    env_.Error(DiagnosticKind::kLimit, range,
               fmt::format("`I.splat` of more than {} bytes", kMostSplat));
    return std::nullopt;
  }
  const SourceRange where = call.args[0].range;
  std::vector<uint8_t> bytes;
  if (!ParseConstantElement(env_.text.substr(where.begin - env_.base, where.end - where.begin),
                            dtype, where, env_.diagnostics, &bytes)) {
    return std::nullopt;
  }
  ConstantSource source;
  source.kind = ConstantSource::Kind::kSplat;
  std::memcpy(&source.element, bytes.data(), bytes.size());
  return source;
}

std::optional<ConstantSource> ConstantTable::HashSource(const PyCall& call) {
  const std::optional<std::string_view> text = values_.ToText(call.args[0], "the hash");
  if (!text) return std::nullopt;
  const absl::StatusOr<Hash128> hash = ParseHash(*text);
  if (!hash.ok()) {
    env_.Error(DiagnosticKind::kLiteral, call.args[0].range, std::string(hash.status().message()));
    return std::nullopt;
  }
  ConstantSource source;
  source.kind = ConstantSource::Kind::kHash;
  source.hash = {hash->hi, hash->lo};
  return source;
}

const Constant* ConstantTable::NamedConstant(const PyValue& data, DataType dtype,
                                             const std::vector<int64_t>& shape, SourceRange range) {
  const auto* attr = data.is(PyKind::kAttr) ? dyn_cast<ConstantAttr>(data.attr) : nullptr;
  if (attr == nullptr) {
    if (!data.is_error()) {
      env_.Error(
          DiagnosticKind::kArguments, data.range,
          fmt::format("the data is {}, expected a list or `I.constant(...)`", Describe(data)));
    }
    return nullptr;
  }
  const Constant& constant = *attr->value;
  // Allocations are flat after flatten-buffers, but the constant keeps its shape.
  if (constant.dtype() == dtype && ProductOf(constant.shape()) == ProductOf(shape))
    return &constant;
  Diagnostics::AddNote(
      env_.Error(DiagnosticKind::kConstantShape, range,
                 fmt::format("the constant `{}` is {}, expected {}", constant.name().view(),
                             TypeText(constant.dtype(), constant.shape()), TypeText(dtype, shape))),
      constant.range(), "declared here");
  return nullptr;
}

const Constant* ConstantTable::ConstantFrom(const PyValue& data, DataType dtype,
                                            const std::vector<int64_t>& shape, SourceRange range) {
  if (!CheckConstantSize(dtype, shape, range)) return nullptr;
  if (!data.is(PyKind::kRawList)) return NamedConstant(data, dtype, shape, range);
  std::vector<uint8_t> bytes;
  if (!ReadList(data, dtype, shape, &bytes)) return nullptr;
  return env_.context.AddConstant(Symbol(), dtype, shape, std::move(bytes), {}, range);
}

bool ConstantTable::ReadList(const PyValue& data, DataType dtype, const std::vector<int64_t>& shape,
                             std::vector<uint8_t>* bytes) {
  const int64_t size = *BytesOf(shape, dtype.bytes());
  const int64_t expected = *ProductOf(shape) * dtype.lanes();
  ConstantListResult list;
  if (!ParseConstantList(env_.text, data.range.begin - env_.base, dtype, env_.base, expected,
                         env_.diagnostics, &list)) {
    return false;
  }
  if (list.count > expected) {
    env_.Error(
        DiagnosticKind::kConstantShape, data.range,
        fmt::format("expected {1} elements, as the extents say; found {0}", list.count, expected));
    return false;
  }
  if (list.extents.size() > 1 && list.count == expected && list.extents != shape) {
    env_.Error(DiagnosticKind::kConstantShape, data.range,
               fmt::format("expected lists of the extents [{1}], found [{0}]",
                           fmt::join(list.extents, ", "), fmt::join(shape, ", ")));
    return false;
  }
  if (list.count < expected) {
    std::string message = fmt::format("expected {1} elements, found {0}", list.count, expected);
    if (!env_.options.allow_truncated_constants) {
      env_.Error(DiagnosticKind::kTruncatedConstant, data.range,
                 message +
                     "; docs/guide/tvm.md shows how to print all, --allow-truncated-constants "
                     "fills the rest with zeros");
      return false;
    }
    // The limit on zeros that the text lacks: a short text must not take all memory.
    constexpr int64_t kMostFilled = int64_t{1} << 30;
    if (size > kMostFilled) {
      env_.Error(DiagnosticKind::kLimit, data.range,
                 fmt::format("{}; {} bytes are too many to fill with zeros", message, size));
      return false;
    }
    env_.diagnostics.Warning(DiagnosticKind::kTruncatedConstant, data.range,
                             message + "; the rest is filled with zeros");
    list.bytes.resize(static_cast<size_t>(size));
  }
  *bytes = std::move(list.bytes);
  return true;
}

const Constant* ConstantTable::ReadNumbered(int64_t number, DataType dtype,
                                            const std::vector<int64_t>& shape, SourceRange range) {
  if (numbered_files_ == nullptr) numbered_files_ = std::make_unique<ConstantFiles>("");
  const std::string name = fmt::format("c{}", number);
  absl::StatusOr<ConstantSource> source =
      numbered_files_->Read(env_.options.constants_from, name, dtype, shape);
  if (!source.ok()) {
    env_.Error(DiagnosticKind::kConstantFile, range, std::string(source.status().message()));
    return nullptr;
  }
  const Symbol symbol = env_.context.Intern(name);
  const bool is_new = !constants_.contains(symbol);
  const Constant* constant = env_.context.AddConstant(is_new ? symbol : Symbol(), dtype, shape,
                                                      *std::move(source), {}, range);
  if (is_new) {
    constants_.emplace(symbol, Entry{constant, SymbolTable::kNone});
    module_.constants.push_back(constant);
  }
  return constant;
}

}  // namespace tenon
