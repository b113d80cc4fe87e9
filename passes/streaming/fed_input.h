#ifndef TENON_PASSES_STREAMING_FED_INPUT_H_
#define TENON_PASSES_STREAMING_FED_INPUT_H_

#include <optional>

#include "ir/module.h"
#include "passes/streaming/stream_group.h"
#include "support/diagnostics.h"

namespace tenon {

/// The module with an entry that first copies its input, and then reads only the copy. The copy is
/// an operator like others, so that a group can run it row by row. Without an entry that has one
/// input of constant size, an error and nullopt.
std::optional<IRModule> WithFedInput(const IRModule& module, Diagnostics& diagnostics);

/// Reports that no group reads the copy row by row, and which operators read it.
void ReportNotFed(const IRModule& module, const StreamProgram& program, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_PASSES_STREAMING_FED_INPUT_H_
