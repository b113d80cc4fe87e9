// Three forms of a blob, the most readable first: an array of one type, a struct of typed arrays,
// bytes. A struct needs static checks, since its padding must be the plan's.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "lowering/big_endian.h"
#include "lowering/c/c_internal.h"
#include "lowering/part_symbols.h"

namespace tenon::c_lowering {

namespace {

constexpr size_t kLineWidth = 100;

/// Element `index` of the bytes, widened to int64.
int64_t IntElement(std::span<const uint8_t> bytes, size_t index, DataType dtype) {
  const auto width = static_cast<size_t>(dtype.element_bytes());
  uint64_t raw = 0;
  std::memcpy(&raw, bytes.data() + index * width, width);
  if (!dtype.is_int()) return static_cast<int64_t>(raw);
  const int shift = 64 - static_cast<int>(width) * 8;
  return static_cast<int64_t>(raw << shift) >> shift;
}

/// The text of an element, without the parentheses of a literal in an expression.
std::string ElementText(std::span<const uint8_t> bytes, size_t index, DataType dtype) {
  std::string text;
  if (dtype == DataType::Float(32)) {
    float value;
    std::memcpy(&value, bytes.data() + index * 4, 4);
    text = FloatLiteral(static_cast<double>(value), dtype);
  } else if (dtype == DataType::Float(64)) {
    double value;
    std::memcpy(&value, bytes.data() + index * 8, 8);
    text = FloatLiteral(value, dtype);
  } else {
    // Small floats are stored as their bits.
    const DataType bits = dtype.is_integer() ? dtype : DataType::UInt(dtype.bits());
    const int64_t value = IntElement(bytes, index, bits);
    if (bits.bits() < 32) return fmt::format("{}", value);
    text = IntLiteral(value, bits);
  }
  return text.starts_with("(-") ? text.substr(1, text.size() - 2) : text;
}

/// `section` and `alignment` as attributes of a definition.
std::string Attributes(const Blob& blob) {
  return fmt::format("TENON_{}_SECTION(\"{}\") TENON_ALIGNED({})",
                     blob.is_copied ? "STORED" : "CONST", blob.section, blob.alignment);
}

/// The C text of a blob.
struct BlobText {
  std::string type;        ///< the definition of its type, if it is a struct
  std::string declarator;  ///< `const tenon_int8 name[16]`
  std::string values;      ///< the text between the braces
  std::string check;       ///< a static check of the type
};

/// Writes the blob as one array of elements; false if it is not one.
bool AppendArray(BlobText& out, const Blob& blob) {
  const bool is_whole = blob.parts.size() == 1 && blob.parts[0].offset == 0 &&
                        blob.parts[0].size_bytes == blob.size_bytes &&
                        blob.parts[0].dtype.element() == blob.dtype.element();
  if (!is_whole && !blob.parts.empty()) return false;
  const int64_t count = std::max<int64_t>(blob.size_bytes / blob.dtype.element_bytes(), 1);
  out.declarator =
      fmt::format("const {} {}[{}]", ElementType(blob.dtype.element()), blob.name, count);
  if (is_whole) {
    AppendInitializer(out.values, blob.parts[0]);
  } else {
    out.values = "  0\n";
  }
  return true;
}

/// Whether C has neither an array nor a struct of the blob's elements, because they are misaligned
/// for their type.
bool IsByteArray(const Blob& blob) {
  const auto is_aligned = [](const BlobPart& part) {
    return part.offset % part.dtype.element_bytes() == 0;
  };
  return !std::all_of(blob.parts.begin(), blob.parts.end(), is_aligned);
}

/// Writes the blob as a struct with a typed array for each part; false if C would not place the
/// arrays at the planned offsets.
bool AppendStruct(BlobText& out, const Blob& blob) {
  if (IsByteArray(blob)) return false;
  NameScope fields;
  std::string members;
  std::string values;
  int64_t at = 0;
  int64_t widest = 1;
  int pads = 0;
  for (const BlobPart& part : blob.parts) {
    const int64_t natural = part.dtype.element_bytes();
    if (part.offset > at) {
      const std::string pad = fields.Unique(fmt::format("pad_{}", ++pads));
      members += fmt::format("  uint8_t {}[{}];\n", pad, part.offset - at);
      values += "  {0},\n";
    }
    members += fmt::format("  {} {}[{}]; /* {} bytes at {} */\n", ElementType(part.dtype.element()),
                           fields.Unique(part.name.empty() ? "data" : part.name),
                           part.size_bytes / natural, part.size_bytes, part.offset);
    values += "  {\n";
    AppendInitializer(values, part);
    values += "  },\n";
    at = part.offset + part.size_bytes;
    widest = std::max<int64_t>(widest, natural);
  }
  // Constants without elements may follow the last one with elements.
  if ((at + widest - 1) / widest * widest < blob.size_bytes) {
    members += fmt::format("  uint8_t {}[{}];\n", fields.Unique(fmt::format("pad_{}", ++pads)),
                           blob.size_bytes - at);
    values += "  {0},\n";
  }
  // The check that the last byte of the last constant is at its planned offset.
  out.type = fmt::format("struct {}_data {{\n{}}};\n", blob.name, members);
  out.check = fmt::format(
      "/* Refuses to compile where the struct is not laid out as planned. */\n"
      "typedef char {0}_check[sizeof(struct {0}_data) >= {1} && sizeof(struct {0}_data) < {1} + 16 "
      "? 1 : -1];\n",
      blob.name, blob.size_bytes);
  out.declarator = fmt::format("const struct {0}_data {0}", blob.name);
  out.values = std::move(values);
  return true;
}

/// Writes the blob as an array of bytes.
void AppendBytes(BlobText& out, const Blob& blob) {
  Blob whole = blob;
  const std::vector<uint8_t> bytes = BlobBytes(blob);
  whole.dtype = DataType::UInt(8);
  whole.parts = {PartOf(bytes, nullptr, 0)};
  AppendArray(out, whole);
}

/// Macros that name the constants of a pool for linker maps, with -DTENON_SYMBOLS.
std::string SymbolMacros(const Blob& blob) {
  std::string out;
  const std::vector<std::string> names = PartSymbols(blob);
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    out += fmt::format("TENON_CONSTANT_SYMBOL({}, \"{}\", {}, {})\n", blob.name, names[i],
                       blob.parts[i].offset, blob.parts[i].size_bytes);
  }
  return out;
}

BlobText TextOf(const Blob& blob) {
  BlobText text;
  if (!AppendArray(text, blob) && !AppendStruct(text, blob)) AppendBytes(text, blob);
  return text;
}

}  // namespace

void AppendInitializer(std::string& out, const BlobPart& part) {
  const DataType dtype = part.dtype.element();
  const auto count = static_cast<size_t>(part.size_bytes / dtype.element_bytes());
  std::array<uint8_t, 8> splat;
  std::memcpy(splat.data(), &part.element, splat.size());
  size_t line = out.size();
  out += "  ";
  for (size_t i = 0; i < count; ++i) {
    const std::string text =
        part.is_splat() ? ElementText(splat, 0, dtype) : ElementText(part.bytes, i, dtype);
    if (out.size() - line + text.size() + 2 > kLineWidth) {
      out += '\n';
      line = out.size();
      out += "  ";
    }
    out += text;
    if (i + 1 < count) out += ", ";
  }
  out += '\n';
}

std::string GlobalName(ModuleState& state, std::string_view base) {
  // Files of bytes become arrays `<prefix>_constants_image`, numbered from the second one on.
  const std::string name = SanitizeName(base);
  const bool is_image = name.starts_with(state.prefix + "_constants_image");
  return state.globals.Unique(is_image ? name + "_v" : name);
}

std::string ConstantName(ModuleState& state, std::string_view base) {
  // A constant that is a struct in C also defines the type `<name>_check`.
  for (;;) {
    std::string name = GlobalName(state, base);
    if (state.globals.Reserve(name + "_check")) return name;
  }
}

void AddBlob(ModuleState& state, Blob blob, SourceRange range, std::string_view what) {
  const EmitCOptions& options = state.options;
  blob.alignment = std::max({options.constant_alignment, blob.alignment, int64_t{1}});
  if (!blob.section.empty() && options.constant_storage == ConstantStorage::kFile) {
    state.Error(range, fmt::format("{} must be stored in section `{}`, but a file of constants "
                                   "has no sections: remove the section, or choose another "
                                   "storage of constants",
                                   what, blob.section));
  }
  // C does not allow arrays without elements.
  if (blob.size_bytes == 0) blob.size_bytes = std::max<int64_t>(blob.dtype.element_bytes(), 1);
  if (blob.section.empty()) blob.section = options.constant_section;
  if (!IsSectionName(blob.section))
    state.Error(range, fmt::format("the section of {} cannot be written in C", what));
  blob.c_type = ElementType(blob.dtype.element());
  const absl::Status settled = Settle(blob);
  if (!settled.ok()) state.Error(range, std::string(settled.message()));
  state.first_parts.push_back(
      state.blobs.empty() ? 0 : state.first_parts.back() + state.blobs.back().parts.size());
  state.blobs.push_back(std::move(blob));
}

bool HasLowByteFirst(const Blob& blob) { return IsByteArray(blob) && DependsOnByteOrder(blob); }

std::string BlobDefinition(const Blob& blob) {
  const BlobText text = TextOf(blob);
  return fmt::format("{}static {} {} = {{\n{}}};\n{}{}\n", text.type, text.declarator,
                     Attributes(blob), text.values, text.check, SymbolMacros(blob));
}

void LayOutConstantsOf(ModuleState& state, const std::vector<const Function*>& functions) {
  state.constants = ModuleConstants(functions, state.options.constant_alignment);
  state.block_names.resize(state.constants.blocks().size());
  state.block_blobs.resize(state.constants.blocks().size());
}

PlacedConstant PlaceConstant(ModuleState& state, const AllocateConst& allocate) {
  const ConstantLayout::Place place = state.constants.PlaceOf(allocate);
  std::string& name = state.block_names[place.block];
  if (name.empty()) {
    absl::StatusOr<Blob> blob = state.constants.BlobOf(place.block);
    if (!blob.ok()) {
      state.Error(allocate.range, std::string(blob.status().message()));
      blob.emplace();
    }
    name = ConstantName(state, fmt::format("{}_{}", state.prefix, blob->name));
    blob->name = name;
    // The C name is better than no name.
    for (BlobPart& part : blob->parts) {
      if (part.name.empty()) part.name = name;
    }
    const auto uses = state.constants.PartsIn(place.block);
    if (uses.ok()) state.is_little_endian |= !CheckSharedBytes(*uses, blob->size_bytes).ok();
    state.block_blobs[place.block] = state.blobs.size();
    AddBlob(state, *std::move(blob), allocate.range, fmt::format("constant `{}`", name));
  }
  return {name, state.constants.TypeOf(place.block), place.offset, state.block_blobs[place.block]};
}

ConstantStorage StorageOf(const ModuleState& state) {
  // Without constants there is nothing else to link.
  if (state.blobs.empty()) return ConstantStorage::kCArray;
  return ChooseStorage(state.options.constant_storage, state.options.auto_storage,
                       TotalBytes(state.blobs));
}

}  // namespace tenon::c_lowering

namespace tenon {

std::vector<EmittedFile> EmitConstantArrays(const std::string& prefix,
                                            const std::vector<Blob>& blobs, bool is_little_endian) {
  using namespace c_lowering;  // NOLINT: this file implements that namespace
  const std::string macro = MacroName(prefix);
  EmittedFile header{prefix + "_constants.h", {}};
  EmittedFile source{prefix + "_constants.c", {}};
  header.text = fmt::format(
      "/* Made by Tenon. Constants that {1}_constants.c defines. */\n"
      "#ifndef {0}_CONSTANTS_H_\n#define {0}_CONSTANTS_H_\n\n#include \"tenon_runtime.h\"\n\n"
      "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
      macro, prefix);
  source.text = fmt::format("/* Made by Tenon. */\n\n#include \"{}\"\n\n", header.name);
  if (is_little_endian || std::any_of(blobs.begin(), blobs.end(), HasLowByteFirst))
    source.text += kLittleEndianOnly;
  for (const Blob& blob : blobs) {
    const BlobText text = TextOf(blob);
    if (!blob.comment.empty()) header.text += fmt::format("/* {} */\n", blob.comment);
    header.text += fmt::format("{}extern TENON_HIDDEN {} TENON_ALIGNED({}) TENON_CONST_ATTR;\n{}\n",
                               text.type, text.declarator, blob.alignment, text.check);
    source.text +=
        fmt::format("{} {} = {{\n{}}};\n\n", text.declarator, Attributes(blob), text.values);
  }
  header.text += fmt::format(
      "#ifdef __cplusplus\n}}  /* extern \"C\" */\n#endif\n\n#endif /* {}_CONSTANTS_H_ */\n",
      macro);
  return {std::move(header), std::move(source)};
}

}  // namespace tenon
