#include "tests/fuzz/target.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace tenon::fuzz {

void Require(bool holds, std::string_view complaint) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", std::string(complaint).c_str());
  std::abort();
}

bool Judge(bool accepted, const SourceManager& sources, const Diagnostics& diagnostics) {
  // Messages quote the input, so rendering them is part of the test.
  const std::string messages = Render(sources, diagnostics);
  Require(accepted != diagnostics.has_errors(),
          accepted ? "accepted with errors:\n" + messages : "refused without an error");
  Require(accepted || !messages.empty(), "errors render as nothing");
  return accepted;
}

}  // namespace tenon::fuzz
