#include "compile/board_fit.h"

#include <fmt/format.h>

#include <utility>

#include "support/byte_size.h"

namespace tenon {

BoardFit FitOf(const Board& board, const MemoryFigures& figures,
               std::optional<int64_t> code_bytes) {
  return {board.Bytes(/*is_constant=*/true) - figures.constant_bytes - code_bytes.value_or(0),
          board.Bytes(/*is_constant=*/false) - figures.workspace_bytes - figures.io_bytes};
}

bool CheckFit(const Board& board, const MemoryFigures& figures, std::optional<int64_t> code_bytes,
              Diagnostics& diagnostics) {
  const BoardFit fit = FitOf(board, figures, code_bytes);
  if (fit.flash_bytes < 0) {
    const std::string code =
        code_bytes ? fmt::format(" and {} bytes of code", *code_bytes) : std::string();
    diagnostics.Error(
        DiagnosticKind::kArguments, {},
        fmt::format(
            "does not fit {}: {} bytes of constants{} need {} bytes more than the {} of its "
            "flash",
            board.name, figures.constant_bytes, code, -fit.flash_bytes, board.Bytes(true)));
  }
  if (fit.ram_bytes < 0) {
    Diagnostic& error = diagnostics.Error(
        DiagnosticKind::kArguments, {},
        fmt::format("does not fit {}: {} bytes of workspace, and {} bytes of inputs and outputs, "
                    "need {} bytes more than the {} of its RAM",
                    board.name, figures.workspace_bytes, figures.io_bytes, -fit.ram_bytes,
                    board.Bytes(false)));
    if (figures.io_bytes > 0)
      Diagnostics::AddNote(error, {},
                           "--use-workspace-io puts inputs and outputs into the workspace, where "
                           "they share bytes with other tensors");
  }
  return !diagnostics.has_errors();
}

std::string FitText(const Board& board, const MemoryFigures& figures,
                    std::optional<int64_t> code_bytes) {
  const BoardFit fit = FitOf(board, figures, code_bytes);
  for (const auto& [bytes, what] : {std::pair(fit.flash_bytes, "flash"), {fit.ram_bytes, "RAM"}}) {
    if (bytes < 0)
      return fmt::format("does not fit {}: {} of {} missing", board.name, ShortBytes(-bytes), what);
  }
  return fmt::format("fits {}: {} of flash and {} of RAM left for {}the stack and your firmware",
                     board.name, ShortBytes(fit.flash_bytes), ShortBytes(fit.ram_bytes),
                     code_bytes ? "" : "the model's code, ");
}

}  // namespace tenon
