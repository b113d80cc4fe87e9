#include "support/npy.h"

#include "tests/fuzz/target.h"

// NumPy arrays. An accepted array is written and must be read as the same array.

namespace tenon::fuzz {

bool TakeInput(std::string_view input) {
  const auto array = ParseNpy(input);
  if (!array.ok()) {
    Require(!array.status().message().empty(), "refused without a message");
    return false;
  }
  const auto header = EncodeNpyHeader(array->dtype, array->shape);
  Require(header.ok(), header.status().ToString());
  const auto again = ParseNpy(*header + array->bytes);
  Require(again.ok(), again.status().ToString());
  Require(
      again->dtype == array->dtype && again->shape == array->shape && again->bytes == array->bytes,
      "another array");
  return true;
}

}  // namespace tenon::fuzz
