#ifndef TENON_COMPILE_KNOWN_BOARDS_H_
#define TENON_COMPILE_KNOWN_BOARDS_H_

#include <optional>
#include <string>
#include <string_view>

#include "compile/board.h"
#include "support/diagnostics.h"

// The boards that the programs contain: the files of compile/boards.

namespace tenon {

/// Whether a value of --board is a path, and not the name of a known board.
bool IsBoardPath(std::string_view board);

/// The text of a known board, or of a file. Case, blanks and hyphens of a name do not matter.
/// Nullopt after an error.
std::optional<BoardText> FindBoard(const std::string& board, Diagnostics& diagnostics);

/// A table of the known boards: name, processor, flash, RAM, chip.
std::string ListBoards();

}  // namespace tenon

#endif  // TENON_COMPILE_KNOWN_BOARDS_H_
