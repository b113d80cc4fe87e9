#include <cstddef>
#include <cstdint>

#include "tests/fuzz/target.h"

// The main program of every target under libFuzzer (preset `fuzz`, scripts/fuzz.sh).

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // An empty view still needs a valid pointer.
  const std::string_view input = size == 0
                                     ? std::string_view("")
                                     : std::string_view(reinterpret_cast<const char*>(data), size);
  tenon::fuzz::TakeInput(input);
  return 0;
}
