#ifndef TENON_BYOC_GENERATORS_CUDA_DEVICE_FUNCTION_H_
#define TENON_BYOC_GENERATORS_CUDA_DEVICE_FUNCTION_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "byoc/code_generator.h"
#include "byoc/generators/cuda/kernel.h"
#include "byoc/generators/cuda/product.h"

// An external function as a list of kernels and products on planned memory of a device.

namespace tenon {

/// How an operator becomes code for a device.
struct OperatorCode {
  /// Set for a product; then `rest`, if it has stores, is computed by kernels.
  std::optional<ProductForm> product;
  /// Set for a claim that kernels of rows compute.
  std::optional<RowForm> rows;
};

/// The code of a claim. Nullopt if no kernel computes it; `because` then contains the reason.
std::optional<OperatorCode> CodeOf(const OpInfo& op, std::string& because);

/// Kernels and tables of all functions of a target.
class KernelSet {
 public:
  /// The name of the kernel with this source, which is added if it is new.
  std::string Add(const DeviceKernel& kernel);
  /// The offset of a table among all tables.
  int64_t AddTable(const std::vector<uint16_t>& table);
  /// All definitions.
  const std::string& text() const { return text_; }
  /// The bytes of all tables.
  const std::string& tables() const { return tables_; }
  size_t size() const { return names_.size(); }

 private:
  std::map<std::string, std::string> names_;
  std::map<std::vector<uint16_t>, int64_t> table_offsets_;
  std::string text_;
  std::string tables_;
};

/// A place in the memory of the device; see tenon_cuda_place of runtime/tenon_cuda.h.
struct DevicePlace {
  enum class Memory : uint8_t { kNone, kPlan, kWeights };
  Memory memory = Memory::kNone;
  /// Until memory is planned, the offset from the start of a buffer of the plan; afterwards, from
  /// the start of the memory.
  int64_t offset = 0;
  int buffer = -1;
};

struct DeviceLaunch {
  std::string kernel;
  int64_t blocks = 1;
  int threads = 1;
  std::vector<DevicePlace> args;
};

struct DeviceProduct {
  ProductCall call;
  DevicePlace a, b, d, bias, other;
};

/// Bytes that the host and the device exchange: tenon_cuda_copy.
struct DeviceCopy {
  /// A parameter; -1: the tables of the KernelSet.
  int argument = -1;
  int64_t from = 0;
  int64_t to = 0;
  int64_t bytes = 0;
  /// A buffer of the plan, until memory is planned.
  int buffer = -1;
};

struct DeviceFunction {
  std::string symbol;
  std::vector<DeviceLaunch> launches;
  std::vector<DeviceProduct> products;
  /// A launch, or -1 - the number of a product.
  std::vector<int> steps;
  std::vector<DeviceCopy> weights, inputs, outputs;
  int64_t plan_bytes = 0;
  int64_t weight_bytes = 0;
  /// No plan is smaller.
  bool is_least = false;
};

/// Creates the steps of a function, and plans its memory. Nullopt after an error, which has been
/// reported.
std::optional<DeviceFunction> MakeDeviceFunction(const ExternalFunction& external,
                                                 const GeneratorTarget& target, KernelSet& kernels,
                                                 Diagnostics& diagnostics);

/// The C of the tables of functions, and of the functions that the program calls. `run` is the
/// run-time function of the payload, whose tables begin at `tables_offset`.
std::string DeviceTables(const std::vector<DeviceFunction>& functions, std::string_view run,
                         int64_t tables_offset, int least_capability);
/// The name of the init function of an external function.
std::string DeviceInitName(std::string_view symbol);
/// The name of the function that frees its memory on the device.
std::string DeviceFiniName(std::string_view symbol);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_CUDA_DEVICE_FUNCTION_H_
