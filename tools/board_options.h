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

/// Sets pools, board and target from --board and --reserve. With `update`, the pools of a file are
/// those that the earlier compilation read. An error in a file is in the diagnostics, and in the
/// status as their text.
absl::Status SettlePools(const std::optional<UpdateManifest>& update, SourceManager& sources,
                         CompileOptions& compile, Diagnostics& diagnostics);

/// The files of --pools and --board, with their texts; an error if one cannot be read.
absl::StatusOr<std::vector<UpdateFile>> PoolFilesOf(const CompileOptions& compile);

/// Adds the paths of --pools and --board to the files that a command reads.
void AddPoolPaths(const CompileOptions& compile, std::vector<std::string>& inputs);

/// Prints the JSON of a board, to be copied. The exit code.
int PrintBoard(const std::string& board);

}  // namespace tenon

#endif  // TENON_TOOLS_BOARD_OPTIONS_H_
