#ifndef TENON_COMPILE_BOARD_H_
#define TENON_COMPILE_BOARD_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "ir/memory_pools.h"
#include "lowering/target_spec.h"
#include "support/diagnostics.h"
#include "support/source.h"

// Boards: their processors and memories, as JSON; docs/reference/compile.md describes the format.

namespace tenon {

struct BoardMemory {
  /// The pool of the model: constants for flash. Its size is without the reserved bytes.
  PoolInfo pool;
  int64_t address = 0;
  int64_t size_bytes = 0;
  /// Bytes that are not for the model: a boot loader, other firmware.
  int64_t reserved_bytes = 0;
};

struct Board {
  std::string name;
  std::string vendor;
  std::string chip;
  /// As in --target.
  std::string processor;
  /// A hint for users of the board; or empty.
  std::string note;
  /// The address of the document that has the figures; or empty.
  std::string source;
  /// The most preferred first.
  std::vector<BoardMemory> memories;

  /// The bytes for the model in all memories of a kind.
  int64_t Bytes(bool is_constant) const;
};

/// The text of a board.
struct BoardText {
  /// The path of a file, or the name of a known board with the suffix `.json`.
  std::string name;
  std::string_view text;
  std::shared_ptr<const void> owner;
};

/// Reads a board. Every error is reported at its place in the text, which becomes a source. Nullopt
/// after an error.
std::optional<Board> ParseBoard(SourceManager& sources, const BoardText& text,
                                Diagnostics& diagnostics);

/// Replaces the reserved bytes of a memory: `ram:16K`.
absl::Status Reserve(Board& board, std::string_view words);

/// Sets a target without a triple to the board's processor. An error if it names another processor.
absl::Status UseProcessor(const Board& board, TargetSpec& target);

/// The pools of all memories.
std::vector<PoolInfo> PoolsOf(const Board& board);

/// Adds to each error about a pool without room which memory of the board it is.
void NoteBoard(const Board& board, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_COMPILE_BOARD_H_
