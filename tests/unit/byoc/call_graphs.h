#ifndef TENON_TESTS_UNIT_BYOC_CALL_GRAPHS_H_
#define TENON_TESTS_UNIT_BYOC_CALL_GRAPHS_H_

#include <cstdint>
#include <string>

namespace tenon {

struct CallGraphOptions {
  int calls = 20;
  int targets = 3;
  /// In percent: how often main writes to memory that it has used before.
  int reuse = 40;
  /// Loops, branches and stores between the calls.
  bool opaque = true;
};

/// The text of a module whose entry calls operators of several targets and of the host, all of
/// them with a body: tensors in memory that is used again, operators in place, halves of tensors by
/// address_of, memory in nested scopes. `tenon.targets` is set.
std::string RandomCallGraph(uint64_t seed, const CallGraphOptions& options);

/// A chain of calls, `hosts` of ten on the host.
std::string ChainOfCalls(int calls, int targets, int hosts);

/// Layers, of which each takes the results of all layers before: a call for each of them.
std::string DenseLayers(int layers, int targets);

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_BYOC_CALL_GRAPHS_H_
