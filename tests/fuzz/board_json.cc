#include "compile/board.h"
#include "tests/fuzz/target.h"

// Files of boards, as --board reads them.

namespace tenon::fuzz {

bool TakeInput(std::string_view input) {
  SourceManager sources;
  Diagnostics diagnostics;
  const auto board = ParseBoard(sources, {"board.json", input, nullptr}, diagnostics);
  return Judge(board.has_value(), sources, diagnostics);
}

}  // namespace tenon::fuzz
