#ifndef TENON_TESTS_UNIT_BYOC_CALL_GRAPHS_H_
#define TENON_TESTS_UNIT_BYOC_CALL_GRAPHS_H_

#include <cstdint>
#include <string>

namespace tenon {

struct CallGraphOptions {
  int calls = 20;
  int targets = 3;
  /// Percentage of writes of main to memory that it has used before.
  int reuse = 40;
  /// Loops, branches and stores between the calls.
  bool opaque = true;
};

/// The text of a module whose entry calls operators of several targets and of the host. All of them
/// have a body. The module reuses memory, and has in-place operators, halves of tensors through
/// address_of, and memory in nested scopes. `tenon.targets` is set.
std::string RandomCallGraph(uint64_t seed, const CallGraphOptions& options);

/// A chain of calls; `hosts` of every ten are on the host.
std::string ChainOfCalls(int calls, int targets, int hosts);

/// Layers that take the results of all previous layers, with one call for each.
std::string DenseLayers(int layers, int targets);

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_BYOC_CALL_GRAPHS_H_
