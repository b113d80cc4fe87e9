#include "lowering/c/c_backend.h"
#include "tools/backends.h"

namespace tenon {

std::span<const Backend* const> Backends() {
  static const Backend* const kBackends[] = {&CBackend()};
  return kBackends;
}

std::span<const Engine* const> Engines() {
  static const Engine* const kEngines[] = {&InterpreterEngine(), &CEngine(), &PackageEngine()};
  return kEngines;
}

}  // namespace tenon
