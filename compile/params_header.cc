#include "compile/params_header.h"

#include <fmt/format.h>

#include <algorithm>

#include "lowering/entry/c_names.h"
#include "lowering/symbol_names.h"
#include "support/json_reader.h"
#include "support/little_endian.h"
#include "support/safetensors.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

/// A tensor's place in the file, in bytes.
struct Place {
  std::string name;
  int64_t begin = 0;
};

/// The file's beginning, and its size.
struct Layout {
  size_t header_bytes = 0;
  int64_t file_bytes = 0;
  std::vector<Place> places;
};

/// The first bytes of a file: the length and the header of JSON. The data is not made.
absl::StatusOr<std::string> HeaderOf(const EmittedFile& file) {
  constexpr size_t kLengthBytes = 8;
  std::string header;
  size_t wanted = kLengthBytes;
  const absl::Status ended = file.append([&](std::string_view piece) {
    header += piece;
    if (wanted == kLengthBytes && header.size() >= kLengthBytes)
      wanted += static_cast<size_t>(
          LoadLittleEndian<uint64_t>(std::string_view(header).substr(0, kLengthBytes)));
    return header.size() < wanted ? absl::OkStatus() : absl::CancelledError("the header is there");
  });
  if (!ended.ok() && !absl::IsCancelled(ended)) return ended;
  return header.substr(0, wanted);
}

absl::StatusOr<Layout> LayoutOf(const EmittedFile& file) {
  TENON_ASSIGN_OR(const std::string header, HeaderOf(file));
  TENON_ASSIGN_OR(const JsonValue root, ParseJson(std::string_view(header).substr(8)));
  Layout layout;
  layout.header_bytes = header.size();
  int64_t end = 0;
  for (const JsonMember& member : *root.as_object()) {
    const JsonValue* offsets = member.value.Find("data_offsets");
    if (offsets == nullptr) continue;
    end = std::max(end, *(*offsets->as_array())[1].as_int64());
    if (!IsSafetensorsPad(member.key))
      layout.places.push_back({member.key, *(*offsets->as_array())[0].as_int64()});
  }
  layout.file_bytes = static_cast<int64_t>(header.size()) + end;
  return layout;
}

}  // namespace

absl::StatusOr<EmittedFile> ParamsHeader(const EntryAbi& abi, const EmittedFile& params) {
  TENON_ASSIGN_OR(const Layout layout, LayoutOf(params));
  std::string members;
  for (const Place& place : layout.places) {
    const std::string name = SanitizeName(place.name);
    const bool is_member = std::any_of(abi.inputs.begin(), abi.inputs.end(),
                                       [&](const EntryField& field) { return field.name == name; });
    if (!is_member) return absl::NotFoundError(fmt::format("no input is called `{}`", place.name));
    members += fmt::format("  inputs->{} = (void*)(uintptr_t)(data + {});\n", name, place.begin);
  }
  EmittedFile file;
  file.name = abi.prefix + "_params.h";
  file.text = fmt::format(
      "/* Made by Tenon. The constants of {0} from the bytes of a file. */\n"
      "#ifndef {1}_PARAMS_H_\n#define {1}_PARAMS_H_\n\n"
      "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n"
      "#include \"{0}.h\"\n\n"
      "/* Sets the members of `inputs` that are constants to their places in {2}, whose\n"
      " * bytes are in memory, at a multiple of 64. The file of a later training has the same "
      "places\n"
      " * if code and names are the same. The bytes are only read. Returns 0, or sets nothing: -16 "
      "no\n"
      " * bytes, -17 another size, -18 another header, -20 a wrong address. */\n"
      "static inline int32_t {0}_set_params(struct {0}_inputs* inputs, const void* bytes,\n"
      "                                     size_t size) {{\n"
      "  const uint8_t* const file = (const uint8_t*)bytes;\n"
      "  const uint8_t* const data = file + {3};\n"
      "  static const uint8_t length[8] = {{{4}}};\n"
      "  if (bytes == NULL) return -16;\n"
      "  if (size != {5}U) return -17;\n"
      "  if ((uintptr_t)bytes % 64U != 0U) return -20;\n"
      "  if (memcmp(file, length, sizeof length) != 0) return -18;\n"
      "{6}  return 0;\n}}\n\n#endif /* {1}_PARAMS_H_ */\n",
      abi.prefix, MacroName(abi.prefix), params.name, layout.header_bytes,
      [&] {
        std::string bytes;
        for (int i = 0; i < 8; ++i) {
          bytes += fmt::format("{}{}", i == 0 ? "" : ", ",
                               (uint64_t{layout.header_bytes} - 8) >> (8 * i) & 0xFF);
        }
        return bytes;
      }(),
      layout.file_bytes, members);
  return file;
}

}  // namespace tenon
