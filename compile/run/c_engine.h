#ifndef TENON_COMPILE_RUN_C_ENGINE_H_
#define TENON_COMPILE_RUN_C_ENGINE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lowering/c/emit_c.h"
#include "support/programs.h"

namespace tenon {

struct CEngineOptions {
  /// The compiler and flags, parted by blanks; no shell sees them.
  std::string cc = "cc";
  std::string cflags = "-std=c99 -O2";
  /// On which parallel loops run, where the code has them run on a pool.
  int threads = 1;
};

/// Emitted C, compiled to a shared object in a folder of its own and loaded. The folder is removed
/// with the object.
class CEngine {
 public:
  /// Compiles and loads. The error has what the compiler said.
  static absl::StatusOr<std::unique_ptr<CEngine>> Build(const EmittedC& c,
                                                        const CEngineOptions& options);
  ~CEngine();
  CEngine(const CEngine&) = delete;
  CEngine& operator=(const CEngine&) = delete;

  /// Sets the fields of inputs or outputs that lie in pools, as `<prefix>_map_inputs` and
  /// `_map_outputs` tell; leaves the others as they are.
  void Map(std::span<void*> inputs, std::span<void*> outputs, std::span<void* const> pools) const;

  /// Calls `<prefix>_init` where the caller has to, with the fields of its struct; returns what it
  /// returned, else 0.
  int32_t Init(std::span<void* const> pools) const;

  /// Calls `<prefix>_run` with the fields of its structs, in order; returns what it returned. A
  /// struct whose fields all lie in pools is not passed.
  int32_t Run(std::span<void* const> inputs, std::span<void* const> outputs,
              std::span<void* const> pools) const;

 private:
  CEngine() = default;
  absl::Status Compile(const EmittedC& c, const CEngineOptions& options);
  absl::Status Load(const EmittedC& c, int threads);

  std::optional<TemporaryFolder> folder_;
  void* library_ = nullptr;
  void* run_ = nullptr;
  void* map_ = nullptr;
  void* init_ = nullptr;
  /// Of the pool of threads, if there is one: it ends before the code goes.
  void* stop_threads_ = nullptr;
  std::vector<bool> input_mapped_;
  std::vector<bool> output_mapped_;
};

}  // namespace tenon

#endif  // TENON_COMPILE_RUN_C_ENGINE_H_
