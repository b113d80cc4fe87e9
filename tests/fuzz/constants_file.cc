#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include <string>

#include "runtime/tenon_constants.h"
#include "runtime/tenon_constants_host.h"
#include "tests/fuzz/target.h"

// Files of constants, as generated code maps and checks them. Only the bytes that the code was
// generated for are accepted, and the runtime's hash is XXH3-64.

namespace tenon::fuzz {
namespace {

constexpr uint32_t kHeader = 4096;
constexpr uint32_t kSize = kHeader + 700;

/// The file that the code was generated for; make_seeds.py writes the same file.
std::string Artifact() {
  std::string bytes(kSize, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 + i / 256);
  return bytes;
}

const uint8_t* Data(std::string_view bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

/// Checks the constants in the data one by one.
void CheckParts(const std::string& good, std::string_view bytes) {
  tenon_constants_part parts[3] = {{0, 3, 0}, {16, 300, 0}, {316, 240, 0}};
  uint8_t states[3] = {};
  for (size_t i = 0; i < 3; ++i) {
    parts[i].hash = tenon_hash_part(Data(good) + kHeader + parts[i].offset, parts[i].size);
    uint8_t damaged = 0;
    const auto at = static_cast<size_t>(kHeader + parts[i].offset);
    const bool same = bytes.substr(at, parts[i].size) == good.substr(at, parts[i].size);
    const int32_t code =
        tenon_check_parts(&parts[i], &states[i], 1, Data(bytes) + kHeader, NULL, &damaged);
    Require((code == 0) == same && (damaged == 0) == same, "damage of a constant is not noticed");
  }
}

/// Checks the file through POSIX: written to memory that has a path, and mapped.
void CheckMapped(std::string_view input) {
  static const int file = memfd_create("constants", 0);
  Require(file >= 0 && ftruncate(file, 0) == 0, "no file in memory");
  const auto size = static_cast<ssize_t>(input.size());
  Require(pwrite(file, input.data(), input.size(), 0) == size, "the file cannot be written");
  tenon_mapped_file mapped = {};
  const int32_t code =
      tenon_map_constants(("/proc/self/fd/" + std::to_string(file)).c_str(), &mapped);
  Require(code == (input.empty() ? TENON_CONSTANTS_SIZE : 0), "the file is not mapped");
  if (code != 0) return;
  Require(std::string_view(static_cast<const char*>(mapped.bytes), mapped.size) == input,
          "the mapping has other bytes");
  tenon_unmap_constants(&mapped);
}

}  // namespace

bool TakeInput(std::string_view input) {
  static const std::string good = Artifact();
  const tenon_constants_file file = {kSize, kHeader, 1, tenon_hash(Data(good), kHeader),
                                     tenon_hash(Data(good), kSize)};
  const bool accepted = tenon_check_constants(&file, Data(input), input.size(), /*all=*/1) == 0;
  Require(accepted == (input == good), "damage is not noticed");
  const int32_t head = tenon_check_constants(&file, Data(input), input.size(), /*all=*/0);
  Require(head == 0 || tenon_constants_message(head) != nullptr, "an error without a message");
  if (input.size() == kSize) CheckParts(good, input);
  if (input.size() > 240) {
    Require(tenon_hash(Data(input), input.size()) == XXH3_64bits(input.data(), input.size()),
            "the hash is not XXH3-64");
  }
  CheckMapped(input);
  return accepted;
}

}  // namespace tenon::fuzz
