#ifndef TENON_COMPILE_RUN_C_LIBRARY_H_
#define TENON_COMPILE_RUN_C_LIBRARY_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compile/compiler.h"
#include "compile/run/run_entry.h"
#include "lowering/entry_abi.h"

// Emitted C as a shared object: compiling it, and calling the model in it.

namespace tenon {

/// How C is compiled.
struct CBuild {
  /// The compiler and its flags, each separated by blanks.
  std::string cc;
  std::string cflags;
  /// The bytes of the library do not depend on the folder. Constants in a file come by
  /// CLibrary::SetConstants, whose caller has checked them; otherwise the library opens
  /// `<folder>/<prefix>_constants.safetensors`.
  bool for_package = false;
};

/// Writes the files of the first unit to `folder`, and compiles them there to `<folder>/model.so`.
/// The error contains the compiler's messages.
absl::Status BuildCLibrary(const Artifacts& artifacts, const CBuild& build,
                           const std::string& folder);

/// A model in a shared object that is loaded into the process.
class CLibrary {
 public:
  /// Loads the file `path`. `has_externals`: external functions must be initialised. A pool of
  /// threads in the library gets `threads`.
  static absl::StatusOr<std::unique_ptr<CLibrary>> Load(const std::string& path, EntryAbi abi,
                                                        bool has_externals, int threads);
  ~CLibrary();
  CLibrary(const CLibrary&) = delete;
  CLibrary& operator=(const CLibrary&) = delete;

  const EntryAbi& abi() const { return abi_; }
  /// The functions of the interface, which call this object.
  EntryCode Code() const;
  /// Hands over the file of constants, which must outlive this object.
  absl::Status SetConstants(std::string_view file);
  /// Whether the library, or one that it was linked with, defines the function (FindGivenFunction).
  bool Gives(const std::string& symbol) const;
  /// Passes the checker's functions to code with checks (ExternalChecker).
  absl::Status SetChecks();

 private:
  explicit CLibrary(EntryAbi abi) : abi_(std::move(abi)) {}
  absl::Status Open(const std::string& path, bool has_externals, int threads);
  /// Sets the fields of inputs or outputs by `<prefix>_map_inputs` and `_map_outputs`, if they
  /// exist.
  void Map(std::span<void*> inputs, std::span<void*> outputs, std::span<void* const> pools) const;
  /// Calls `<prefix>_init` if the caller must; returns its result, otherwise 0.
  int32_t Init(std::span<void* const> pools) const;

  EntryAbi abi_;
  void* library_ = nullptr;
  void* run_ = nullptr;
  void* map_ = nullptr;
  void* init_ = nullptr;
  /// Ends the pool of threads, if any, before the code is unloaded.
  void* stop_threads_ = nullptr;
};

}  // namespace tenon

#endif  // TENON_COMPILE_RUN_C_LIBRARY_H_
