#ifndef TENON_PASSES_ALL_PASSES_H_
#define TENON_PASSES_ALL_PASSES_H_

// The header of every pass; passes/pass_list.def has their names.

#include "passes/assign_pool_info.h"
#include "passes/bind_params.h"
#include "passes/compress_constants.h"
#include "passes/convert_for_loops_to_serial.h"
#include "passes/convert_link_params.h"
#include "passes/convert_pool_allocations_to_offsets.h"
#include "passes/create_io_allocates.h"
#include "passes/extract_constants.h"
#include "passes/flatten_buffers.h"
#include "passes/hoist_constants.h"
#include "passes/inline_constants.h"
#include "passes/inline_lets.h"
#include "passes/jam_loops.h"
#include "passes/legalize_small_floats.h"
#include "passes/lift_params.h"
#include "passes/localize_buffers.h"
#include "passes/lower_blocks.h"
#include "passes/lower_intrin.h"
#include "passes/lower_linked_params.h"
#include "passes/lower_packed_calls.h"
#include "passes/lower_vectors.h"
#include "passes/merge_constants.h"
#include "passes/place_parallel_scratch.h"
#include "passes/plan_memory.h"
#include "passes/promote_accumulators.h"
#include "passes/promote_constants.h"
#include "passes/remove_no_op.h"
#include "passes/simplify.h"
#include "passes/update_constants.h"
#include "passes/vectorize_loops.h"

#endif  // TENON_PASSES_ALL_PASSES_H_
