// ConstantStorage::kFile: a safetensors file whose data is the image, with one tensor per part. The
// C for it checks hashes, at the start or before each use, and then uses the data in place.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "ir/constant_file.h"
#include "lowering/image/image_internal.h"
#include "lowering/image/replaceable_file.h"
#include "support/check.h"
#include "support/hash.h"
#include "support/safetensors.h"
#include "support/status_macros.h"
#include "tenon_constants_text.h"

namespace tenon::image_lowering {

namespace {

/// Makes names of tensors, which must be unique in a file.
class TensorNames {
 public:
  std::string Unique(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 1; IsSafetensorsPad(name) || name == "__metadata__" || !taken_.insert(name).second;
         ++i) {
      name = fmt::format("{}_{}", wanted, i);
    }
    return name;
  }
  std::string Pad() { return fmt::format("__pad_{}", pads_++); }

 private:
  absl::flat_hash_set<std::string> taken_;
  int pads_ = 0;
};

/// A part of a blob in the generated C, for constants that are checked at their uses.
struct CheckedPart {
  int64_t offset = 0;  ///< in the data
  int64_t size_bytes = 0;
  uint64_t hash = 0;  ///< `tenon_hash_part` of runtime/tenon_constants.h
};

/// The tensors of an image, in order and without gaps, and the file's metadata.
struct FileContents {
  std::vector<SafetensorsTensor> tensors;
  SafetensorsMetadata metadata;
  /// In the order of the blobs and of their parts: the generated C uses these numbers.
  std::vector<CheckedPart> parts;
  /// The parts in the order of the file.
  std::vector<FileConstant> constants;
  /// The end of a file whose constants may be replaced.
  std::optional<ReplaceableEnd> end;

  /// The bytes after the header.
  int64_t DataBytes(const Image& image) const {
    return image.layout.size_bytes + (end ? end->size_bytes() : 0);
  }
};

/// Makes the contents. Reads all bytes once to hash them.
class ContentsBuilder {
 public:
  absl::StatusOr<FileContents> Build(const Image& image) {
    contents_.metadata.emplace_back("tenon.model", image.prefix);
    std::vector<size_t> first;
    size_t count = 0;
    for (const Blob& blob : image.blobs) {
      first.push_back(count);
      count += blob.parts.size();
    }
    contents_.parts.resize(count);
    for (const ImageSection& section : image.layout.sections) {
      for (const PlacedBlob& placed : section.blobs) {
        const int64_t begin = section.offset + placed.offset;
        TENON_CHECK(placed.blob >= image.blobs.data() &&
                    static_cast<size_t>(placed.blob - image.blobs.data()) < first.size());
        size_t number = first[static_cast<size_t>(placed.blob - image.blobs.data())];
        for (const BlobPart& part : placed.blob->parts)
          TENON_TRY(AddPart(part, begin + part.offset, contents_.parts[number++]));
      }
    }
    AddPad(image.layout.size_bytes);
    if (image.replaceable) AddEnd(*image.replaceable);
    return std::move(contents_);
  }

 private:
  void AddEnd(const ReplaceableFile& file) {
    std::vector<uint64_t> hashes;
    for (const CheckedPart& part : contents_.parts) hashes.push_back(part.hash);
    contents_.end = MakeReplaceableEnd(file, end_, hashes, contents_.constants);
    AddPad(contents_.end->begin);
    for (SafetensorsTensor& tensor : TensorsOf(*contents_.end)) {
      tensor.name = names_.Unique(tensor.name);
      contents_.tensors.push_back(std::move(tensor));
    }
  }

  void AddPad(int64_t end) {
    if (end == end_) return;
    TENON_CHECK(end > end_);
    contents_.tensors.push_back({.name = names_.Pad(),
                                 .dtype = "uint8",
                                 .shape = {end - end_},
                                 .bytes = {},
                                 .append = &Never});
    end_ = end;
  }

  absl::Status AddPart(const BlobPart& part, int64_t offset, CheckedPart& checked) {
    AddPad(offset);
    TensorForm form = TensorFormOf(part.dtype, part.shape);
    SafetensorsTensor tensor;
    tensor.name = names_.Unique(part.name.empty() ? "data" : part.name);
    tensor.dtype = std::move(form.dtype);
    tensor.shape = std::move(form.shape);
    tensor.append = &Never;
    Hasher hasher;
    TENON_TRY(StreamPart(part, [&](std::string_view piece) {
      hasher.Update(piece);
      return absl::OkStatus();
    }));
    contents_.metadata.emplace_back("xxh3." + tensor.name, HashToString(hasher.Finish()));
    checked = {offset, part.size_bytes, FinishPart(hasher, part.size_bytes)};
    contents_.constants.push_back(
        {tensor.name, fmt::format("{}[{}]", tensor.dtype, fmt::join(tensor.shape, ", ")), offset});
    contents_.tensors.push_back(std::move(tensor));
    end_ = offset + part.size_bytes;
    return absl::OkStatus();
  }

  /// Never called: the data of all tensors is written together.
  static absl::Status Never(const ByteSink& /*sink*/) { return absl::OkStatus(); }

  FileContents contents_;
  TensorNames names_;
  int64_t end_ = 0;
};

/// The facts about the file that the generated C contains.
struct FileFacts {
  uint64_t size = 0;
  size_t header_size = 0;
  uint64_t header_hash = 0;
  uint64_t hash = 0;
};

absl::StatusOr<FileFacts> FactsOf(const Image& image, const FileContents& contents,
                                  const std::string& header) {
  FileFacts facts;
  facts.header_size = header.size();
  facts.size = header.size() + static_cast<uint64_t>(contents.DataBytes(image));
  // The code knows no byte of replaceable constants.
  if (contents.end) return facts;
  Hasher hasher;
  hasher.Update(header);
  facts.header_hash = hasher.Finish64();
  TENON_TRY(StreamImage(image.layout, [&](std::string_view piece) {
    hasher.Update(piece);
    return absl::OkStatus();
  }));
  facts.hash = hasher.Finish64();
  return facts;
}

/// The state of the constants, and the functions that generated code calls before it reads
/// constants.
std::string PartsCode(const Image& image, const FileFacts& facts, const FileContents& contents) {
  const std::vector<CheckedPart>& parts = contents.parts;
  std::string out = fmt::format(
      "#if defined(TENON_CONSTANTS_TRUST_DATA) || {2} <= TENON_CONSTANTS_CHECK_AT_ONCE\n"
      "/* All constants are checked together, or not at all. */\n"
      "#if defined(TENON_CONSTANTS_TRUST_DATA)\n"
      "#define {1}_CONSTANTS_CHECK_ALL 0\n#else\n#define {1}_CONSTANTS_CHECK_ALL 1\n#endif\n"
      "static inline void {0}_forget_constants(void) {{}}\n"
      "static inline int32_t {0}_check_constants(uint32_t first, uint32_t count) {{\n"
      "  (void)first;\n  (void)count;\n  return 0;\n}}\n"
      "static inline int32_t {0}_constants_result(int32_t result) {{ return result; }}\n"
      "#else\n"
      "/* Each constant is checked before the first function that reads it. */\n"
      "#define {1}_CONSTANTS_CHECK_ALL 0\n"
      "static const struct tenon_constants_part {0}_constants_parts[{3}] = {{\n",
      image.prefix, image.macro, facts.size, std::max<size_t>(parts.size(), 1));
  for (const CheckedPart& part : parts) {
    out += fmt::format("    {{UINT64_C({}), UINT64_C({}), UINT64_C(0x{:016x})}},\n", part.offset,
                       part.size_bytes, part.hash);
  }
  if (parts.empty()) out += "    {0, 0, 0},\n";
  return out +
         fmt::format(
             "}};\n"
             "static uint8_t {0}_constants_states[{1}];\n"
             "static uint8_t {0}_constants_damaged;\n"
             "static inline void {0}_forget_constants(void) {{\n"
             "  memset({0}_constants_states, 0, sizeof {0}_constants_states);\n"
             "  {0}_constants_damaged = 0;\n}}\n"
             "static inline int32_t {0}_check_constants(uint32_t first, uint32_t count) {{\n"
             "  return tenon_check_parts({0}_constants_parts + first, {0}_constants_states + "
             "first, "
             "count,\n"
             "                           {0}_constants_data, {2}, &{0}_constants_damaged);\n}}\n"
             "/* The result of a run, or the error for damaged constants. */\n"
             "static inline int32_t {0}_constants_result(int32_t result) {{\n"
             "  return TENON_CONSTANTS_KNOWN(&{0}_constants_damaged) ? TENON_CONSTANTS_DAMAGED : "
             "result;\n}}\n"
             "#endif\n\n",
             image.prefix, std::max<size_t>(parts.size(), 1),
             contents.end ? fmt::format("{}_constants_data + {} + (size_t)first * 8", image.prefix,
                                        contents.end->hashes)
                          : "NULL");
}

/// The facts about the one file that the code knows.
std::string FixedFacts(const Image& image, const FileFacts& facts) {
  return fmt::format("UINT64_C({}), {}, {}, UINT64_C(0x{:016x}), UINT64_C(0x{:016x})", facts.size,
                     facts.header_size, image.layout.alignment, facts.header_hash, facts.hash);
}

/// `<prefix>_constants.h`: the file's address, as static data and functions of the only source that
/// includes this header.
std::string CheckingCode(const Image& image, const FileFacts& facts, const FileContents& contents) {
  std::string out = fmt::format(
      "/* The data of the file; null before it was checked. */\n"
      "static const uint8_t* {}_constants_data;\n\n",
      image.prefix);
  for (const ImageSection& section : image.layout.sections) {
    for (const PlacedBlob& placed : section.blobs) {
      out += ArrayMacro(placed, fmt::format("{}_constants_data + {}", image.prefix,
                                            section.offset + placed.offset));
    }
  }
  out += '\n' + PartsCode(image, facts, contents);
  out += contents.end ? ReplaceableCode(*contents.end, image, facts.size, facts.header_size)
                      : SetConstantsCode(image, "tenon_constants_file", FixedFacts(image, facts),
                                         "tenon_check_constants");
  out += fmt::format(
      "/* Finds the constants before the first run, if {0}_constants_host.c is linked. */\n"
      "int32_t {0}_load_constants(void);\n"
      "#if defined(TENON_WEAK)\n"
      "TENON_WEAK int32_t {0}_load_constants(void) {{ return TENON_CONSTANTS_MISSING; }}\n"
      "#elif !defined({1}_CONSTANTS_HOST)\n"
      "/* This compiler has no weak functions: define the macro if the other source is linked. */\n"
      "int32_t {0}_load_constants(void) {{ return TENON_CONSTANTS_MISSING; }}\n"
      "#endif\n\n"
      "static int32_t {0}_ready_constants(void) {{\n"
      "  return {0}_constants_data != NULL ? {0}_constants_result(0) : {0}_load_constants();\n"
      "}}\n",
      image.prefix, image.macro);
  return contents.end ? out + ScalesCode(*contents.end, image) : out;
}

/// `<prefix>_constants_host.c`.
std::string HostSource(const Image& image) {
  return fmt::format(
      "/* Made by Tenon. For hosts with POSIX files: maps the constants of {0} before its first "
      "run.\n"
      " * The environment variable {1}_CONSTANTS names the file. The default is "
      "{1}_CONSTANTS_PATH:\n"
      " * {0}_constants.safetensors in the current folder. */\n"
      "#ifndef _POSIX_C_SOURCE\n"
      "#define _POSIX_C_SOURCE 200809L\n"
      "#endif\n"
      "#include <stdlib.h>\n\n"
      "#include \"{0}.h\"\n"
      "#include \"tenon_constants.h\"\n"
      "#include \"tenon_constants_host.h\"\n\n"
      "#ifndef {1}_CONSTANTS_PATH\n"
      "#define {1}_CONSTANTS_PATH \"{0}_constants.safetensors\"\n"
      "#endif\n\n"
      "#ifdef __cplusplus\n"
      "extern \"C\" {{\n"
      "#endif\n"
      "int32_t {0}_load_constants(void);\n\n"
      "int32_t {0}_open_constants(const char* path) {{\n"
      "  static struct tenon_mapped_file used;\n"
      "  struct tenon_mapped_file mapped = {{NULL, 0}};\n"
      "  int32_t result = tenon_map_constants(path, &mapped);\n"
      "  if (result == 0) result = {0}_set_constants(mapped.bytes, mapped.size);\n"
      "  if (result != 0) {{\n"
      "    tenon_unmap_constants(&mapped);\n"
      "    return result;\n"
      "  }}\n"
      "  tenon_unmap_constants(&used);\n"
      "  used = mapped;\n"
      "  return 0;\n"
      "}}\n\n"
      "int32_t {0}_load_constants(void) {{\n"
      "  const char* path = getenv(\"{1}_CONSTANTS\");\n"
      "  return {0}_open_constants(path != NULL ? path : {1}_CONSTANTS_PATH);\n"
      "}}\n"
      "#ifdef __cplusplus\n"
      "}}  /* extern \"C\" */\n"
      "#endif\n",
      image.prefix, image.macro);
}

}  // namespace

uint64_t FinishPart(Hasher& hasher, int64_t size) {
  // XXH3 hashes short inputs in other ways, which the generated C does not implement.
  constexpr int64_t kFewBytes = 240;
  constexpr int64_t kPaddedBytes = 256;
  if (size <= kFewBytes) hasher.Update(std::string(static_cast<size_t>(kPaddedBytes - size), '\0'));
  return hasher.Finish64();
}

std::string SetConstantsCode(const Image& image, std::string_view struct_name,
                             std::string_view facts, std::string_view check) {
  return fmt::format(
      "int32_t {0}_set_constants(const void* bytes, size_t size) {{\n"
      "  static const struct {1} file = {{\n"
      "      {2}}};\n"
      "  const int32_t result = {3}(&file, bytes, size, {4}_CONSTANTS_CHECK_ALL);\n"
      "  {0}_forget_constants();\n"
      "  {0}_constants_data = result == 0 ? (const uint8_t*)bytes + file.header_size : NULL;\n"
      "  return result;\n}}\n\n",
      image.prefix, struct_name, facts, check, image.macro);
}

absl::StatusOr<EmittedImage> EmitConstantsFile(std::shared_ptr<const Image> image) {
  if (image->layout.alignment > kSafetensorsAlignment) {
    return absl::InvalidArgumentError(fmt::format(
        "expected an alignment of at most {1} bytes for constants in a mapped file, found {0}",
        image->layout.alignment, kSafetensorsAlignment));
  }
  TENON_ASSIGN_OR(FileContents contents, ContentsBuilder().Build(*image));
  TENON_ASSIGN_OR(std::string header, SafetensorsHeader(contents.tensors, contents.metadata));
  TENON_ASSIGN_OR(const FileFacts facts, FactsOf(*image, contents, header));
  const std::string& prefix = image->prefix;
  EmittedImage result;
  result.use = fmt::format(
      "they are in {0}_constants.safetensors at run time: link {0}_constants_host.c, which maps "
      "it, "
      "or hand it to {0}_set_constants",
      prefix);
  result.files.push_back(ConstantsHeader(*image, result.use, CheckingCode(*image, facts, contents),
                                         "#include \"tenon_constants.h\"\n"));
  result.files.push_back({prefix + "_constants_host.c", HostSource(*image)});
  result.files.push_back({"tenon_constants.h", std::string(kConstantsHeaderText)});
  result.files.push_back({"tenon_constants_host.h", std::string(kConstantsHostHeaderText)});
  EmittedFile& file = result.files.emplace_back();
  file.name = prefix + "_constants.safetensors";
  std::string end;
  if (contents.end) {
    TENON_ASSIGN_OR(const std::string words, CheckWords(*contents.end, header, *image));
    end = std::string(static_cast<size_t>(contents.end->pad), '\0') + contents.end->tables + words;
    result.identity = contents.end->identity;
    result.constants = std::move(contents.constants);
  }
  file.text = std::move(header);
  file.append = [image, end = std::move(end)](const ByteSink& sink) {
    TENON_TRY(StreamImage(image->layout, sink));
    return end.empty() ? absl::OkStatus() : sink(end);
  };
  return result;
}

}  // namespace tenon::image_lowering
