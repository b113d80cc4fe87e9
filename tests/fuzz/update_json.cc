#include "lowering/update_manifest.h"
#include "tests/fuzz/target.h"

// The facts about replaceable constants, as --update-of reads them. An accepted text is written,
// and its text must come back.

namespace tenon::fuzz {

bool TakeInput(std::string_view input) {
  const auto manifest = ReadUpdateManifest(input);
  if (!manifest.ok()) {
    Require(!manifest.status().message().empty(), "a refusal without a message");
    return false;
  }
  const std::string text = UpdateManifestJson(*manifest);
  const auto again = ReadUpdateManifest(text);
  Require(again.ok(), "a manifest that was written is refused");
  Require(UpdateManifestJson(*again) == text, "another text after reading");
  return true;
}

}  // namespace tenon::fuzz
