#ifndef TENON_PASSES_MEMORY_POOL_MEMBERS_H_
#define TENON_PASSES_MEMORY_POOL_MEMBERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "ir/memory_pools.h"
#include "support/diagnostics.h"
#include "support/json_checks.h"
#include "support/json_reader.h"
#include "support/source.h"

namespace tenon {

/// Reads the members that JSON files of pools and of boards have in common. Each error is reported
/// at its place.
class PoolMembers {
 public:
  PoolMembers(const SourceFile& file, Diagnostics& diagnostics) : checks_(file, diagnostics) {}

  /// The limits of such a file. Its reader reports duplicates with the other errors.
  static JsonLimits Limits();

  const JsonChecks& checks() const { return checks_; }

  /// The name of `what`, such as `a pool`: printable ASCII. Nullopt after an error.
  std::optional<std::string> PlainName(std::string_view what, const JsonValue& value) const;
  /// The same for a name that must differ from those before; else an error about `both`, such as
  /// `two pools`.
  std::optional<std::string> Name(std::string_view what, std::string_view both,
                                  const JsonValue& value);
  /// The name of a section of the linker script.
  void Section(const JsonValue& value, std::string& out) const;
  /// Bytes: a number, or a string such as "64K" or "0x20000000". `out` stays as it is after an
  /// error.
  void Bytes(const JsonMember& member, int64_t least, int64_t most, int64_t& out) const;
  /// Reads a member that is a cost of a memory; false if it is another member.
  bool Cost(const JsonMember& member, PoolCostInfo& cost) const;

 private:
  void Int(const JsonMember& member, int64_t least, int64_t most, int64_t& out) const;

  const JsonChecks checks_;
  absl::flat_hash_map<std::string, size_t> names_;
};

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_POOL_MEMBERS_H_
