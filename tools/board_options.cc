#include "tools/board_options.h"

#include <fmt/format.h>

#include <memory>

#include "compile/known_boards.h"
#include "passes/memory/pools_file.h"
#include "support/file.h"
#include "support/status_macros.h"
#include "tools/help.h"
#include "tools/module_input.h"
#include "tools/options.h"

namespace tenon {

namespace {

constexpr const char* kBoard = "--board";
constexpr const char* kPools = "--pools";

/// The file that an earlier compilation read for an option, or null.
const UpdateFile* EarlierFile(const std::optional<UpdateManifest>& update,
                              std::string_view option) {
  if (!update) return nullptr;
  for (const UpdateFile& file : update->files) {
    if (file.option == option) return &file;
  }
  return nullptr;
}

/// A status with the text of the errors.
absl::Status ErrorOf(const SourceManager& sources, const Diagnostics& diagnostics) {
  std::string text = Render(sources, diagnostics);
  while (text.ends_with('\n')) text.pop_back();
  return absl::InvalidArgumentError(text);
}

}  // namespace

CLI::Option* AddBoardOptions(CLI::App& app, CompileOptions& compile) {
  CLI::Option* const board =
      app.add_option(kBoard, compile.board_name,
                     "board whose memories are the pools, and whose processor is the target: a "
                     "name of `tenon compile --list-boards`, or a JSON file")
          ->type_name("NAME|FILE.json")
          ->group(kCommonOptions);
  AddListOption(app, "--reserve", compile.reserve, "MEMORY:BYTES",
                "bytes of a memory of --board that the model must leave free, such as ram:16K");
  return board;
}

absl::Status SettlePools(const std::optional<UpdateManifest>& update, bool has_target,
                         SourceManager& sources, CompileOptions& compile,
                         Diagnostics& diagnostics) {
  const UpdateFile* const pools = EarlierFile(update, kPools);
  if (pools != nullptr && !compile.pools_file.empty()) {
    auto read = ParsePoolsFile(sources, pools->path, pools->text, nullptr, diagnostics);
    if (!read) return ErrorOf(sources, diagnostics);
    compile.pools = *std::move(read);
    compile.pools_file.clear();
  }
  if (compile.board_name.empty()) return absl::OkStatus();
  const UpdateFile* const earlier = EarlierFile(update, kBoard);
  const std::optional<BoardText> text = earlier != nullptr
                                            ? BoardText{earlier->path, earlier->text, nullptr}
                                            : FindBoard(compile.board_name, diagnostics);
  std::optional<Board> board =
      text ? ParseBoard(sources, *text, diagnostics) : std::optional<Board>();
  if (!board) return ErrorOf(sources, diagnostics);
  for (const std::string& words : compile.reserve) TENON_TRY(Reserve(*board, words));
  if (has_target) TENON_TRY(UseProcessor(*board, compile.target));
  compile.update_files.push_back({kBoard, text->name, std::string(text->text)});
  // Other pools of the caller replace those of their kind.
  std::erase_if(board->memories, [&](const BoardMemory& memory) {
    return !(memory.pool.is_constant ? compile.constant_pools : compile.workspace_pools).empty();
  });
  compile.pools = PoolsOf(*board);
  // A file of constants is flash, but no section of the program.
  if (compile.replaceable || compile.dynamic_scales ||
      compile.constant_storage == ConstantStorage::kFile) {
    for (PoolInfo& pool : compile.pools) {
      if (pool.is_constant) pool.section.clear();
    }
  }
  compile.board = std::make_shared<const Board>(*std::move(board));
  return absl::OkStatus();
}

absl::Status KeepPoolsFile(CompileOptions& compile) {
  if (compile.pools_file.empty()) return absl::OkStatus();
  TENON_ASSIGN_OR(const std::shared_ptr<const FileBytes> file,
                  ReadFile(compile.pools_file, {.regular_only = true}));
  compile.update_files.push_back({kPools, compile.pools_file, std::string(file->view())});
  return absl::OkStatus();
}

void AddPoolPaths(const CompileOptions& compile, std::vector<std::string>& inputs) {
  if (!compile.pools_file.empty()) inputs.push_back(compile.pools_file);
  if (IsBoardPath(compile.board_name)) inputs.push_back(compile.board_name);
}

int PrintBoard(const std::string& board) {
  Diagnostics diagnostics;
  const std::optional<BoardText> text = FindBoard(board, diagnostics);
  if (!text) return Fail(diagnostics.all()[0].message);
  return WriteOutput("-", text->text) ? 0 : 1;
}

}  // namespace tenon
