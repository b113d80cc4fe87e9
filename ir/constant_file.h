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
// tensor has the constant's elements, with lanes as an innermost extent; or, for element types that
// safetensors lacks, it is a flat uint8 tensor of the same bytes. The content hash of tensor `key`
// may stand as `xxh3.<key>` in `__metadata__`.

namespace tenon {

/// What a file says of a constant.
struct TensorForm {
  std::string dtype;  ///< as TVMScript writes it
  std::vector<int64_t> shape;
  bool operator==(const TensorForm&) const = default;
};

/// The form that a constant of this type takes in a file.
TensorForm TensorFormOf(DataType dtype, const std::vector<int64_t>& shape);

/// The bytes of the tensor `key` of `file`, which must have the form of `dtype` and `shape`. They
/// point into the file, which they keep alive; nothing is read but bools, which are checked. The
/// hash that the file gives is taken as the claim of ConstantSource. `name` is how messages and the
/// source call the file. An error says what is wrong with the name, the type or the hash.
absl::StatusOr<ConstantSource> ReadConstant(const SafetensorsFile& file, std::string_view name,
                                            std::string_view key, DataType dtype,
                                            const std::vector<int64_t>& shape);

/// A constant and its name in a file.
struct NamedConstant {
  std::string name;
  const Constant* constant = nullptr;
};

/// Writes constants, whole or not at all, each at its alignment (at least 64 bytes where its size
/// allows) and with its hash. Names must be unique. An error if one has no bytes.
absl::Status WriteConstants(std::string_view path, std::span<const NamedConstant> constants);

}  // namespace tenon

#endif  // TENON_IR_CONSTANT_FILE_H_
