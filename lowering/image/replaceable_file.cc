#include "lowering/image/replaceable_file.h"

#include <fmt/format.h>

#include <bit>

#include "support/hash.h"
#include "support/little_endian.h"
#include "support/status_macros.h"

namespace tenon::image_lowering {

namespace {

uint64_t IdentityOf(const ReplaceableFile& file, int64_t constant_bytes,
                    std::span<const FileConstant> constants) {
  Hasher hasher;
  hasher.Update(fmt::format("{:016x} {} {}\n", file.code, constant_bytes, file.scales.size()));
  for (const FileConstant& constant : constants)
    hasher.Update(fmt::format("{} {} {}\n", constant.name, constant.type, constant.offset));
  return hasher.Finish64();
}

}  // namespace

ReplaceableEnd MakeReplaceableEnd(const ReplaceableFile& file, int64_t constant_bytes,
                                  std::span<const uint64_t> hashes,
                                  std::span<const FileConstant> constants) {
  ReplaceableEnd end;
  end.begin = (constant_bytes + kWordBytes - 1) / kWordBytes * kWordBytes;
  end.pad = end.begin - constant_bytes;
  end.scale_count = file.scales.size();
  end.hash_count = hashes.size();
  for (const ReplaceableFile::Scale& scale : file.scales)
    AppendLittleEndian(std::bit_cast<uint32_t>(scale.scale), &end.tables);
  for (const ReplaceableFile::Scale& scale : file.scales)
    AppendLittleEndian(scale.zero_point, &end.tables);
  end.hashes = end.begin + static_cast<int64_t>(end.tables.size());
  for (const uint64_t hash : hashes) AppendLittleEndian(hash, &end.tables);
  end.identity = IdentityOf(file, constant_bytes, constants);
  return end;
}

std::vector<SafetensorsTensor> TensorsOf(const ReplaceableEnd& end) {
  std::vector<SafetensorsTensor> tensors;
  const auto add = [&](std::string name, std::string dtype, size_t count) {
    if (count == 0) return;
    // The data of all tensors is written together.
    tensors.push_back({.name = std::move(name),
                       .dtype = std::move(dtype),
                       .shape = {static_cast<int64_t>(count)},
                       .bytes = {},
                       .append = [](const ByteSink&) { return absl::OkStatus(); }});
  };
  add("tenon.scales", "float32", end.scale_count);
  add("tenon.zero_points", "int32", end.scale_count);
  add("tenon.hashes", "uint64", end.hash_count);
  add("tenon.check", "uint64", kCheckWords);
  return tensors;
}

absl::StatusOr<std::string> CheckWords(const ReplaceableEnd& end, const std::string& header,
                                       const Image& image) {
  std::string words;
  AppendLittleEndian(end.identity, &words);
  Hasher of_header;
  of_header.Update(header);
  AppendLittleEndian(of_header.Finish64(), &words);
  const size_t first = static_cast<size_t>(end.hashes - end.begin);
  const std::string hashes = end.tables.substr(first);
  Hasher of_hashes;
  of_hashes.Update(hashes);
  AppendLittleEndian(FinishPart(of_hashes, static_cast<int64_t>(hashes.size())), &words);
  Hasher of_all;
  of_all.Update(header);
  TENON_TRY(StreamImage(image.layout, [&](std::string_view piece) {
    of_all.Update(piece);
    return absl::OkStatus();
  }));
  of_all.Update(std::string(static_cast<size_t>(end.pad), '\0'));
  of_all.Update(end.tables);
  of_all.Update(words);
  AppendLittleEndian(of_all.Finish64(), &words);
  return words;
}

std::string ReplaceableCode(const ReplaceableEnd& end, const Image& image, uint64_t file_size,
                            size_t header_size) {
  const std::string facts =
      fmt::format("UINT64_C({}), {}, {}, UINT64_C(0x{:016x}), {}", file_size, header_size,
                  image.layout.alignment, end.identity, end.hash_count);
  return SetConstantsCode(image, "tenon_replaceable_file", facts, "tenon_check_replaceable");
}

std::string ScalesCode(const ReplaceableEnd& end, const Image& image) {
  if (end.scale_count == 0) return {};
  const auto table = static_cast<int64_t>(end.scale_count * sizeof(float));
  return fmt::format(
      "\nint32_t {0}_quantization(uint32_t tensor, float* scale, int32_t* zero_point) {{\n"
      "  const int32_t ready = {0}_ready_constants();\n"
      "  if (ready != 0) return ready;\n"
      "  if (tensor >= {1}) return TENON_CONSTANTS_TENSOR;\n"
      "  memcpy(scale, {0}_constants_data + {2} + 4 * (size_t)tensor, 4);\n"
      "  memcpy(zero_point, {0}_constants_data + {3} + 4 * (size_t)tensor, 4);\n"
      "  return 0;\n}}\n",
      image.prefix, end.scale_count, end.begin, end.begin + table);
}

}  // namespace tenon::image_lowering
