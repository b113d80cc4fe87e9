#include "compile/known_boards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "support/ascii.h"
#include "support/byte_size.h"
#include "support/check.h"
#include "support/file.h"
#include "support/nearest_name.h"
#include "support/shown_text.h"
#include "tenon_boards_text.h"

namespace tenon {

namespace {

/// The letters and digits of a name, in lower case.
std::string PlainForm(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (ascii::IsWordCharacter(c) && c != '_')
      plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return plain;
}

/// The boards whose names contain the text or are near to it, for a message about an unknown name.
std::string NearBoards(std::string_view board) {
  const std::string plain = PlainForm(board);
  std::vector<std::string> names;
  std::vector<std::string> found;
  for (const auto& [name, text] : kBoards) {
    names.emplace_back(name);
    if (!plain.empty() && PlainForm(name).find(plain) != std::string::npos)
      found.emplace_back(name);
  }
  if (!found.empty()) return fmt::format("; did you mean `{}`?", fmt::join(found, "` or `"));
  const std::string near = DidYouMean(board, names);
  return near.empty() ? "; --list-boards shows all, and a path ends in .json" : near;
}

}  // namespace

bool IsBoardPath(std::string_view board) {
  return board.find('/') != std::string_view::npos || board.ends_with(".json");
}

std::optional<BoardText> FindBoard(const std::string& board, Diagnostics& diagnostics) {
  if (IsBoardPath(board)) {
    const absl::StatusOr<std::shared_ptr<const FileBytes>> file =
        ReadFile(board, {.regular_only = true});
    if (file.ok()) return BoardText{(*file)->path(), (*file)->view(), *file};
    diagnostics.Error(DiagnosticKind::kArguments, {}, std::string(file.status().message()));
    return std::nullopt;
  }
  const std::string plain = PlainForm(board);
  for (const auto& [name, text] : kBoards) {
    if (PlainForm(name) == plain) return BoardText{fmt::format("{}.json", name), text, nullptr};
  }
  diagnostics.Error(DiagnosticKind::kArguments, {},
                    fmt::format("unknown board `{}`{}", ShownText(board), NearBoards(board)));
  return std::nullopt;
}

std::string ListBoards() {
  std::string text =
      fmt::format("{:<20} {:<13} {:>9} {:>9}  {}\n", "name", "processor", "flash", "RAM", "chip");
  SourceManager sources;
  for (const auto& [name, json] : kBoards) {
    Diagnostics diagnostics;
    const std::optional<Board> board =
        ParseBoard(sources, {std::string(name), json, nullptr}, diagnostics);
    TENON_CHECK(board.has_value());
    text +=
        fmt::format("{:<20} {:<13} {:>9} {:>9}  {}\n", name, board->processor,
                    ShortBytes(board->Bytes(true)), ShortBytes(board->Bytes(false)), board->chip);
  }
  return text;
}

}  // namespace tenon
