#ifndef TENON_COMPILE_BOARD_FIT_H_
#define TENON_COMPILE_BOARD_FIT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "compile/board.h"
#include "compile/memory_figures.h"
#include "support/diagnostics.h"

namespace tenon {

/// The rest of a board's memories next to a program; nullopt for a kind of memory that options have
/// replaced. Pools that do not fit are errors of the planner, so only what is outside of pools can
/// make a figure negative: code, inputs and outputs.
struct BoardFit {
  std::optional<int64_t> flash_bytes;
  std::optional<int64_t> ram_bytes;
};

/// `code_bytes`: the machine code of the models, if it is known.
BoardFit FitOf(const Board& board, const MemoryFigures& figures, std::optional<int64_t> code_bytes);

/// False, with an error that says what is missing, if the program does not fit.
bool CheckFit(const Board& board, const MemoryFigures& figures, std::optional<int64_t> code_bytes,
              Diagnostics& diagnostics);

/// `fits NUCLEO-F446RE: 90.9 KiB of flash and 37 KiB of RAM left`, and for what; empty if no memory
/// of the board is used. Or `does not fit
/// NUCLEO-F446RE: 3 KiB of RAM missing`.
std::string FitText(const Board& board, const MemoryFigures& figures,
                    std::optional<int64_t> code_bytes);

}  // namespace tenon

#endif  // TENON_COMPILE_BOARD_FIT_H_
