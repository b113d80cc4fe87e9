#ifndef TENON_TOOLS_BOARD_OPTIONS_H_
#define TENON_TOOLS_BOARD_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "compile/options.h"
#include "lowering/update_manifest.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace tenon {

/// Adds --board and --reserve. Returns --board.
CLI::Option* AddBoardOptions(CLI::App& app, CompileOptions& compile);

/// Sets pools and board from --board and --reserve, and the target if the command has one. The text
/// of the board is kept for an update. With `update`, the pools of a file are
/// those that the earlier compilation read. An error in a file is in the diagnostics, and in the
/// status as their text.
absl::Status SettlePools(const std::optional<UpdateManifest>& update, bool has_target,
                         SourceManager& sources, CompileOptions& compile, Diagnostics& diagnostics);

/// Keeps the text of --pools for an update. An error if the file cannot be read.
absl::Status KeepPoolsFile(CompileOptions& compile);

/// Adds the paths of --pools and --board to the files that a command reads.
void AddPoolPaths(const CompileOptions& compile, std::vector<std::string>& inputs);

/// Prints the JSON of a board, to be copied. The exit code.
int PrintBoard(const std::string& board);

}  // namespace tenon

#endif  // TENON_TOOLS_BOARD_OPTIONS_H_
