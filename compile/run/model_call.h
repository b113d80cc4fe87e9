#ifndef TENON_COMPILE_RUN_MODEL_CALL_H_
#define TENON_COMPILE_RUN_MODEL_CALL_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/run/run_entry.h"
#include "ir/module.h"
#include "lowering/entry_abi.h"
#include "support/diagnostics.h"

namespace tenon {

/// An aligned block of memory that starts with given bytes, followed by zeros.
class AlignedBytes {
 public:
  /// A cache line, which suffices for all tensors.
  static constexpr size_t kAlignment = 64;

  /// `size` bytes, `beside` bytes after a multiple of `alignment`. `data` is null if there is not
  /// enough memory.
  static AlignedBytes Of(int64_t size, std::string_view bytes, size_t alignment = kAlignment,
                         size_t beside = 0);
  void* data() const { return data_; }

 private:
  struct Free {
    void operator()(void* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<void, Free> block_;
  void* data_ = nullptr;
};

/// A model that is ready for calls: the memory of its pools, and code that was initialised. The
/// code must outlive it. One call at a time.
class ModelCall {
 public:
  /// Allocates the caller's pools, aligned as the plan assumed, and initialises the code. Nullopt
  /// after an error.
  static std::optional<ModelCall> Open(const EntryAbi& abi, const IRModule& planned, EntryCode code,
                                       Diagnostics& diagnostics);

  /// The addresses of the inputs or outputs that lie in pools; null for those that the caller
  /// gives. In the order of the model's inputs or outputs.
  const std::vector<void*>& mapped(bool is_output) const {
    return is_output ? mapped_outputs_ : mapped_inputs_;
  }
  /// Runs the model once; returns its status, 0 for success. The lists have the addresses of all
  /// inputs and outputs, also of those in pools.
  int32_t Run(EntryCode::Fields inputs, EntryCode::Fields outputs) const {
    return code_.run(inputs, outputs, pools_);
  }

 private:
  bool AddPools(const IRModule& planned);
  bool Init(const EntryAbi& abi, const IRModule& planned, Diagnostics& diagnostics) const;

  EntryCode code_;
  std::vector<AlignedBytes> owned_;
  std::vector<void*> pools_;
  std::vector<void*> mapped_inputs_;
  std::vector<void*> mapped_outputs_;
};

}  // namespace tenon

#endif  // TENON_COMPILE_RUN_MODEL_CALL_H_
