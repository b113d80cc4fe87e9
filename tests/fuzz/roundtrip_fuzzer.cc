#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/roundtrip.h"

// libFuzzer's program for text -> module -> text -> module; see roundtrip.h for what must hold.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // An empty view still has to point somewhere.
  const std::string_view text = size == 0
                                    ? std::string_view("")
                                    : std::string_view(reinterpret_cast<const char*>(data), size);
  std::string complaint;
  const std::optional<tenon::Roundtrip> result = tenon::CheckRoundtrip(text, complaint);
  if (!result) {
    std::fprintf(stderr, "%s\n", complaint.c_str());
    std::abort();
  }
  return 0;
}
