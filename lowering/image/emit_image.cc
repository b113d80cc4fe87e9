// One layout for all forms: `.incbin`, `#embed`, objects and files take the same bytes at the same
// offsets. The header only differs in how a name reaches its bytes.

#include "lowering/image/emit_image.h"

#include <fmt/format.h>

#include <algorithm>

#include "lowering/big_endian.h"
#include "lowering/image/elf_object.h"
#include "lowering/image/image_internal.h"
#include "support/status_macros.h"

namespace tenon {

namespace image_lowering {

namespace {

int64_t Count(const PlacedBlob& placed) {
  return placed.size_bytes / placed.blob->dtype.element_bytes();
}

/// The macro for attributes that the application chooses: see tenon_runtime.h.
std::string_view Attribute(bool is_copied) {
  return is_copied ? "TENON_STORED_ATTR" : "TENON_CONST_ATTR";
}

/// Declarations of the blobs as symbols of another file.
std::string Externs(const Image& image) {
  std::string out;
  for (const ImageSection& section : image.layout.sections) {
    for (const PlacedBlob& placed : section.blobs) {
      const Blob& blob = *placed.blob;
      if (!blob.comment.empty()) out += fmt::format("/* {} */\n", blob.comment);
      out += fmt::format("extern TENON_HIDDEN const {} {}[{}] TENON_ALIGNED({}) {};\n", blob.c_type,
                         blob.name, Count(placed), blob.alignment, Attribute(blob.is_copied));
    }
  }
  return out;
}

std::string ImageName(const Image& image, size_t section) {
  return section == 0 ? image.prefix + "_constants_image"
                      : fmt::format("{}_constants_image_{}", image.prefix, section);
}

/// `.S`: the C preprocessor runs first, so that comments work on all machines.
std::string IncbinSource(const Image& image) {
  std::string out = fmt::format(
      "/* Made by Tenon. Constants of {0}, from {0}_constants.bin. The assembler looks for this "
      "file\n"
      " * in the folders of -I, or under the name in the macro {1}_CONSTANTS_BIN. */\n"
      "#if !defined(__ELF__)\n"
      "#error \"this source is for ELF targets; --constant-storage=c-array or embed do without "
      "it\"\n"
      "#endif\n"
      "#if defined(__CET__)\n"
      "#include <cet.h>\n"
      "#endif\n"
      "#ifndef {1}_CONSTANTS_BIN\n"
      "#define {1}_CONSTANTS_BIN \"{0}_constants.bin\"\n"
      "#endif\n",
      image.prefix, image.macro);
  for (const ImageSection& section : image.layout.sections) {
    out += fmt::format("\n  .section \"{}\",\"a\",%progbits\n", section.name);
    for (const PlacedBlob& placed : section.blobs) {
      const Blob& blob = *placed.blob;
      out += fmt::format(
          "\n  .balign {0}\n  .globl {1}\n  .hidden {1}\n  .type {1}, %object\n  .size {1}, {2}\n"
          "{1}:\n  .incbin {3}_CONSTANTS_BIN, {4}, {2}\n",
          blob.alignment, blob.name, placed.size_bytes, image.macro,
          section.offset + placed.offset);
    }
  }
  return out + "\n  .section .note.GNU-stack,\"\",%progbits\n";
}

EmittedImage EmitIncbin(const std::shared_ptr<const Image>& image) {
  EmittedImage result;
  const std::string& prefix = image->prefix;
  result.use = fmt::format(
      "assemble and link {0}_constants.S with {0}.c, with -I for the folder of {0}_constants.bin",
      prefix);
  result.files.push_back(ConstantsHeader(*image, result.use, Externs(*image)));
  result.files.push_back({prefix + "_constants.S", IncbinSource(*image)});
  result.files.push_back(BytesFile(image));
  return result;
}

absl::StatusOr<EmittedImage> EmitObject(const std::shared_ptr<const Image>& image,
                                        const ImageOptions& options) {
  TENON_ASSIGN_OR(const ElfTarget target, ParseElfTarget(options.target, options.target_abi));
  TENON_ASSIGN_OR(ElfObject object,
                  MakeElfObject(target, image->layout, image->prefix + "_constants"));
  EmittedImage result;
  const std::string& prefix = image->prefix;
  result.use =
      fmt::format("link {0}_constants.o, an object for {1}, with {0}.c", prefix, target.name);
  if (options.target.empty()) result.use += "; for another machine, pass --target=TRIPLE";
  result.files.push_back(ConstantsHeader(*image, result.use, Externs(*image)));
  EmittedFile& file = result.files.emplace_back();
  file.name = prefix + "_constants.o";
  file.append = [image, object = std::make_shared<const ElfObject>(std::move(object))](
                    const ByteSink& sink) { return StreamElfObject(*object, image->layout, sink); };
  return result;
}

/// An array for each section. Compilers disagree on how `#embed` selects a part of a file. So a
/// single section embeds the whole file, and several sections use the offset syntax of each
/// compiler.
std::string EmbedSource(const Image& image) {
  const std::string file = image.prefix + "_constants.bin";
  std::string out = fmt::format(
      "/* Made by Tenon. Constants of {0}, from {1} next to this source, or in a folder of\n"
      " * --embed-dir. */\n"
      "#include \"{0}_constants.h\"\n\n"
      "#if !defined(__has_embed)\n"
      "#error \"this compiler has no #embed (gcc 15, clang 19); --constant-storage=incbin, object "
      "or c-array do without\"\n"
      "#elif __has_embed(\"{1}\") == 0\n"
      "#error \"{1} was not found\"\n"
      "#endif\n"
      "#if defined(__clang__)\n"
      "#pragma clang diagnostic ignored \"-Wc23-extensions\"\n"
      "/* clang 19 takes a last byte above 127 for a negative number, which becomes the right one. "
      "*/\n"
      "#pragma clang diagnostic ignored \"-Wsign-conversion\"\n"
      "#pragma clang diagnostic ignored \"-Wc++11-narrowing\"\n"
      "#elif defined(__GNUC__)\n"
      "#pragma GCC diagnostic ignored \"-Wpedantic\"\n"
      "#endif\n",
      image.prefix, file);
  const auto& sections = image.layout.sections;
  for (size_t i = 0; i < sections.size(); ++i) {
    const ImageSection& section = sections[i];
    out +=
        fmt::format("\nconst tenon_uint8 {}[{}] TENON_{}_SECTION(\"{}\") TENON_ALIGNED({}) = {{\n",
                    ImageName(image, i), section.size_bytes, section.is_copied ? "STORED" : "CONST",
                    section.name, section.alignment);
    if (sections.size() == 1) {
      out += fmt::format("#embed \"{}\"\n}};\n", file);
      continue;
    }
    out += fmt::format(
        "#if defined(__clang__)\n#embed \"{0}\" clang::offset({1}) limit({2})\n#else\n"
        "#embed \"{0}\" gnu::offset({1}) limit({2})\n#endif\n}};\n",
        file, section.offset, section.size_bytes);
  }
  return out;
}

EmittedImage EmitEmbed(const std::shared_ptr<const Image>& image) {
  EmittedImage result;
  const std::string& prefix = image->prefix;
  result.use = fmt::format(
      "compile {0}_constants.c, which embeds {0}_constants.bin, and link it with {0}.c", prefix);
  std::string text;
  for (size_t i = 0; i < image->layout.sections.size(); ++i) {
    const ImageSection& section = image->layout.sections[i];
    const std::string name = ImageName(*image, i);
    text += fmt::format("extern TENON_HIDDEN const tenon_uint8 {}[{}] TENON_ALIGNED({}) {};\n",
                        name, section.size_bytes, section.alignment, Attribute(section.is_copied));
    for (const PlacedBlob& placed : section.blobs)
      text += ArrayMacro(placed, fmt::format("{} + {}", name, placed.offset));
  }
  result.files.push_back(ConstantsHeader(*image, result.use, text));
  result.files.push_back({prefix + "_constants.c", EmbedSource(*image)});
  result.files.push_back(BytesFile(image));
  return result;
}

}  // namespace

std::string ArrayMacro(const PlacedBlob& placed, const std::string& address) {
  const Blob& blob = *placed.blob;
  std::string out;
  if (!blob.comment.empty()) out += fmt::format("/* {} */\n", blob.comment);
  return out + fmt::format("#define {} (*(const {} (*)[{}])(const void*)({}))\n", blob.name,
                           blob.c_type, Count(placed), address);
}

EmittedFile ConstantsHeader(const Image& image, const std::string& comment, const std::string& text,
                            std::string_view include) {
  EmittedFile file;
  file.name = image.prefix + "_constants.h";
  file.text = fmt::format(
      "/* Made by Tenon. Names of the constants, for {0}.c: {2}. */\n"
      "#ifndef {1}_CONSTANTS_H_\n#define {1}_CONSTANTS_H_\n\n"
      "#include \"tenon_runtime.h\"\n{4}\n{5}"
      "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
      "{3}"
      "\n#ifdef __cplusplus\n}}  /* extern \"C\" */\n#endif\n\n#endif /* {1}_CONSTANTS_H_ */\n",
      image.prefix, image.macro, comment, text, include,
      image.is_little_endian ? kLittleEndianOnly : "");
  return file;
}

EmittedFile BytesFile(std::shared_ptr<const Image> image) {
  EmittedFile file;
  file.name = image->prefix + "_constants.bin";
  file.append = [image = std::move(image)](const ByteSink& sink) {
    return StreamImage(image->layout, sink);
  };
  return file;
}

}  // namespace image_lowering

absl::StatusOr<EmittedImage> EmitImage(std::string_view prefix, std::vector<Blob> blobs,
                                       const ImageOptions& options) {
  using namespace image_lowering;  // NOLINT: this file implements that namespace
  auto image = std::make_shared<Image>();
  image->prefix = prefix;
  for (const char c : prefix)
    image->macro += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  image->blobs = std::move(blobs);
  image->replaceable = options.replaceable;
  // An object only links with code for its machine, so other storage needs the check.
  image->is_little_endian =
      options.storage != ConstantStorage::kObject &&
      std::any_of(image->blobs.begin(), image->blobs.end(), DependsOnByteOrder);
  TENON_ASSIGN_OR(image->layout, LayOutImage(image->blobs));
  switch (options.storage) {
    case ConstantStorage::kIncbin:
      return EmitIncbin(image);
    case ConstantStorage::kObject:
      return EmitObject(image, options);
    case ConstantStorage::kEmbed:
      return EmitEmbed(image);
    case ConstantStorage::kFile:
      return EmitConstantsFile(image);
    case ConstantStorage::kAuto:
    case ConstantStorage::kCArray:
      break;
  }
  return absl::InvalidArgumentError("C arrays take no files of their own");
}

}  // namespace tenon
