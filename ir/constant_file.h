#ifndef TENON_IR_CONSTANT_FILE_H_
#define TENON_IR_CONSTANT_FILE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/constant.h"
#include "support/safetensors.h"

// Constants as tensors of a safetensors file: side files of the text, and files of parameters. A
// tensor has the constant's elements, with lanes as the innermost extent. For element types that
// safetensors lacks, it is a flat uint8 tensor of the same bytes. `__metadata__` may contain the
// content hash of tensor `key` as `xxh3.<key>`.

namespace tenon {

/// The type of a constant in a file.
struct TensorForm {
  std::string dtype;  ///< as in TVMScript
  std::vector<int64_t> shape;
  bool operator==(const TensorForm&) const = default;
};

/// The form in a file of a constant of this type.
TensorForm TensorFormOf(DataType dtype, const std::vector<int64_t>& shape);

/// The bytes of the tensor `key` of `file`, which must have the form of `dtype` and `shape`. The
/// bytes point into the file and keep it alive. Only bools are read, to check them. The hash that
/// the file states becomes the claimed hash of the source. Messages and the source refer to the
/// file as `name`. An error if the name, the type or the hash is wrong.
absl::StatusOr<ConstantSource> ReadConstant(const SafetensorsFile& file, std::string_view name,
                                            std::string_view key, DataType dtype,
                                            const std::vector<int64_t>& shape);

/// A constant and its name in a file.
struct NamedConstant {
  std::string name;
  const Constant* constant = nullptr;
};

/// Writes a file of constants, whole or not at all. Each constant is stored at its alignment (at
/// least 64 bytes where its size allows), with its hash. Names must be unique. An error if a
/// constant has no bytes.
absl::Status WriteConstants(std::string_view path, std::span<const NamedConstant> constants);

}  // namespace tenon

#endif  // TENON_IR_CONSTANT_FILE_H_
