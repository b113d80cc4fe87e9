#ifndef TENON_PASSES_ALL_PASSES_H_
#define TENON_PASSES_ALL_PASSES_H_

// The header of every pass; passes/pass_list.def has their names.

#include "passes/convert_for_loops_to_serial.h"

#endif  // TENON_PASSES_ALL_PASSES_H_
