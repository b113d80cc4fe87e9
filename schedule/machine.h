#ifndef TENON_SCHEDULE_MACHINE_H_
#define TENON_SCHEDULE_MACHINE_H_

#include <cstdint>
#include <string>

#include "schedule/instructions.h"

namespace tenon {

/// The caches of a core. The defaults hold for most processors with vectors; no back end sets
/// others yet.
struct Caches {
  int64_t line_bytes = 64;
  /// Elements at a distance of a multiple of l1_way_bytes() share `l1_ways` lines.
  int64_t l1_bytes = 32 * 1024;
  int64_t l1_ways = 8;
  /// Bytes of a small second-level cache.
  int64_t l2_bytes = 512 * 1024;
  /// Prefetches of a stream load elements at this distance, which is enough for them to arrive in
  /// time.
  int64_t prefetch_bytes = 16 * 1024;

  constexpr int64_t l1_way_bytes() const { return l1_bytes / l1_ways; }
  constexpr int64_t l1_lines() const { return l1_bytes / line_bytes; }
};

/// Bytes of the largest vector registers of any target.
inline constexpr int64_t kLargeRegister = 64;

/// The caches that a pass assumes for unknown machines.
inline constexpr Caches kCommonCaches = {};

/// The facts about a processor that determine the choice of loops. Each back end sets them for its
/// target (TargetFacts), and `tenon compile --print-machine` shows them.
struct Machine {
  /// Bytes of all vector registers together, with the width that the back end prefers for its own
  /// vectors; 0: the machine has none.
  int64_t vector_bytes = 0;
  /// The number of vector registers of the greatest width, and the bytes of each; 0: not known.
  int64_t registers = 0;
  int64_t register_bytes = 0;
  Caches caches = {};
  /// The loads and products of vectors that can begin in one cycle, and the cycles until the sum of
  /// a product can be used.
  int64_t loads_per_cycle = 2;
  int64_t products_per_cycle = 2;
  int64_t latency = 4;
  /// Instructions that passes rely on.
  InstructionSet instructions = {};

  /// Bytes of all vector registers at their greatest width. Without a width, the number of
  /// registers is not known, and they may have twice the preferred width.
  constexpr int64_t all_register_bytes() const {
    return register_bytes == 0 ? 2 * vector_bytes : registers * register_bytes;
  }
  /// One instruction broadcasts a number from memory to all lanes. It exists only for wide
  /// registers.
  constexpr bool loads_copies() const { return register_bytes >= kLargeRegister / 2; }
};

/// The machine as a few lines of text for people.
std::string MachineText(const Machine& machine);

}  // namespace tenon

#endif  // TENON_SCHEDULE_MACHINE_H_
