#ifndef TENON_BYOC_GENERATORS_REGION_PROGRAM_H_
#define TENON_BYOC_GENERATORS_REGION_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "byoc/code_generator.h"
#include "byoc/generators/external_body.h"
#include "passes/pipeline/pipeline.h"

// The functions of a region as a separate program. The passes for the host's code also make this
// code fast, and the planner places its memory.

namespace tenon {

struct RegionProgramOptions {
  /// The passes before memory is planned: FusionPipeline and LoopPipeline, for example.
  Pipeline passes = {};
  /// The alignment of scratch memory and of each allocation in it: bytes, a power of two.
  int64_t alignment = 16;
};

/// Runs the passes for each external function with the functions that it calls. Allocations are
/// then in scratch memory, which is one more parameter. Sets the size and the alignment of that
/// memory in `bodies.functions`. False after an error, which has been reported.
bool MakeRegionPrograms(std::span<const ExternalFunction> functions,
                        const RegionProgramOptions& options, ExternalBodies& bodies,
                        Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_REGION_PROGRAM_H_
