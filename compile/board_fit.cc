#include "compile/board_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "support/byte_size.h"

namespace tenon {

namespace {

/// `RAM`, or `RAM in 2 memories`, which nothing can use as one.
std::string KindText(const Board& board, bool is_constant) {
  const char* const kind = is_constant ? "flash" : "RAM";
  const auto count = std::ranges::count_if(board.memories, [&](const BoardMemory& memory) {
    return memory.pool.is_constant == is_constant;
  });
  return count > 1 ? fmt::format("{} in {} memories", kind, count) : kind;
}

}  // namespace

BoardFit FitOf(const Board& board, const MemoryFigures& figures,
               std::optional<int64_t> code_bytes) {
  BoardFit fit;
  const auto rest = [&](bool is_constant, int64_t used) -> std::optional<int64_t> {
    const bool has = std::ranges::any_of(board.memories, [&](const BoardMemory& memory) {
      return memory.pool.is_constant == is_constant;
    });
    return has ? std::optional(board.Bytes(is_constant) - used) : std::nullopt;
  };
  fit.flash_bytes = rest(true, figures.constant_bytes + code_bytes.value_or(0));
  fit.ram_bytes = rest(false, figures.workspace_bytes + figures.io_bytes);
  return fit;
}

bool CheckFit(const Board& board, const MemoryFigures& figures, std::optional<int64_t> code_bytes,
              Diagnostics& diagnostics) {
  const BoardFit fit = FitOf(board, figures, code_bytes);
  if (fit.flash_bytes.value_or(0) < 0) {
    const std::string code =
        code_bytes ? fmt::format(" and {} bytes of code", *code_bytes) : std::string();
    diagnostics.Error(
        DiagnosticKind::kArguments, {},
        fmt::format(
            "does not fit {}: {} bytes of constants{} need {} bytes more than the {} of its "
            "flash",
            board.name, figures.constant_bytes, code, -*fit.flash_bytes, board.Bytes(true)));
  }
  if (fit.ram_bytes.value_or(0) < 0) {
    Diagnostic& error = diagnostics.Error(
        DiagnosticKind::kArguments, {},
        fmt::format("does not fit {}: {} bytes of workspace, and {} bytes of inputs and outputs, "
                    "need {} bytes more than the {} of its RAM",
                    board.name, figures.workspace_bytes, figures.io_bytes, -*fit.ram_bytes,
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
  std::vector<std::string> rests;
  for (const auto& [bytes, is_constant] :
       {std::pair(fit.flash_bytes, true), {fit.ram_bytes, false}}) {
    if (!bytes) continue;
    if (*bytes < 0) {
      return fmt::format("does not fit {}: {} of {} missing", board.name, ShortBytes(-*bytes),
                         KindText(board, is_constant));
    }
    rests.push_back(fmt::format("{} of {}", ShortRest(*bytes), KindText(board, is_constant)));
  }
  if (rests.empty()) return "";
  return fmt::format("fits {}: {} left for {}the stack and your firmware", board.name,
                     fmt::join(rests, " and "), code_bytes ? "" : "the model's code, ");
}

}  // namespace tenon
