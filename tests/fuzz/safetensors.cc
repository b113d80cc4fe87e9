#include "support/safetensors.h"

#include <string>

#include "support/file.h"
#include "tests/fuzz/target.h"

// Files of tensors. Tenon writes a header for the tensors of an accepted file, which must be
// accepted.

namespace tenon::fuzz {

bool TakeInput(std::string_view input) {
  const auto file = ParseSafetensors(FileBytes::FromString("input", std::string(input)));
  if (!file.ok()) {
    Require(!file.status().message().empty(), "refused without a message");
    return false;
  }
  std::vector<SafetensorsTensor> tensors;
  std::string data;
  for (const SafetensorsEntry& entry : file->entries()) {
    const std::string_view bytes = file->BytesOf(entry);
    Require(file->Find(entry.name) == &entry, "a tensor is not found by its name");
    Require(static_cast<int64_t>(bytes.size()) == entry.size, "bytes of another size");
    data += bytes;
    tensors.push_back({entry.name, entry.dtype, entry.shape, bytes});
  }
  const auto header = SafetensorsHeader(tensors, file->metadata());
  Require(header.ok(), header.status().ToString());
  const auto again = ParseSafetensors(FileBytes::FromString("written", *header + data));
  Require(again.ok(), again.status().ToString());
  Require(again->entries().size() == tensors.size(), "other tensors");
  return true;
}

}  // namespace tenon::fuzz
