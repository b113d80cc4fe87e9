#include "support/npz.h"

#include <string>

#include "support/file.h"
#include "tests/fuzz/target.h"

// Archives of arrays: the directory, the headers, and the data of all members.

namespace tenon::fuzz {

bool TakeInput(std::string_view input) {
  const auto file = NpzFile::Parse(FileBytes::FromString("input", std::string(input)));
  if (!file.ok()) {
    Require(!file.status().message().empty(), "refused without a message");
    return false;
  }
  bool all_read = true;
  for (const NpzEntry& entry : file->entries()) {
    const auto data = file->Read(entry);
    all_read = all_read && data.ok();
    if (!data.ok()) continue;
    Require(static_cast<int64_t>(data->bytes.size()) == entry.layout.data_bytes,
            "an array of another size than its header says");
  }
  return all_read;
}

}  // namespace tenon::fuzz
