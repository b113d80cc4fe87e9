#ifndef TENON_LOWERING_LLVM_LLVM_JOIN_H_
#define TENON_LOWERING_LLVM_LLVM_JOIN_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace tenon::llvm_lowering {

/// Joins relocatable objects of 64-bit little-endian ELF with addends in relocations (SHT_RELA), as
/// `ld -r` does. Sections with the same name, type and flags follow each other in the order of the
/// objects. A global symbol that one object defines is the one that others refer to. Those in
/// `locals` become local.
///
/// nullopt if an object has something else than code, data and debug information, such as groups of
/// sections or thread-local data, or if the objects are for different machines.
std::optional<std::string> JoinObjects(const std::vector<std::string>& objects,
                                       const absl::flat_hash_set<std::string>& locals);

}  // namespace tenon::llvm_lowering

#endif  // TENON_LOWERING_LLVM_LLVM_JOIN_H_
