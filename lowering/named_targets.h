#ifndef TENON_LOWERING_NAMED_TARGETS_H_
#define TENON_LOWERING_NAMED_TARGETS_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "lowering/target_spec.h"

namespace tenon {

/// A short name for a triple, a processor, its features and an ABI.
struct NamedTarget {
  std::string_view name;
  std::string_view triple;
  /// As in TargetSpec; empty for the baseline of the triple.
  std::string_view cpu;
  std::string_view features;
  std::string_view abi;
  /// The options of gcc for the same processor and ABI.
  std::string_view gcc;
};

/// `spec` with the properties of the target that `spec.triple` names. A processor and an ABI of its
/// own take precedence; features are added. A triple stays as it is.
TargetSpec WithNamedTarget(TargetSpec spec);

/// An error with the nearest name, unless a triple is empty or begins with the name of an
/// architecture. For back ends whose compiler reads the triple later.
absl::Status CheckTriple(std::string_view triple);

/// The first target with this processor, or null.
const NamedTarget* FindNamedTarget(std::string_view cpu);

/// A table of the names with their properties and the options of gcc.
std::string ListTargets();

}  // namespace tenon

#endif  // TENON_LOWERING_NAMED_TARGETS_H_
