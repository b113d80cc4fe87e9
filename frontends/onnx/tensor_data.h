#ifndef TENON_FRONTENDS_ONNX_TENSOR_DATA_H_
#define TENON_FRONTENDS_ONNX_TENSOR_DATA_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/graph/graph.h"
#include "frontends/onnx/model.h"
#include "support/file.h"

namespace tenon::onnx {

/// The type of elements; nullopt for types that Tenon lacks, such as strings and 4-bit floats.
std::optional<DataType> TypeOf(int32_t element_type);

/// The name that onnx.proto gives to a type: `FLOAT`; `type 99` for a number that it lacks.
std::string TypeName(int32_t element_type);

/// The most elements of a tensor: indices are int32.
inline constexpr int64_t kMostElements = (int64_t{1} << 31) - 1;

/// An error of the file: InvalidArgument.
absl::Status Wrong(std::string_view place, std::string_view message);

/// An error of the options for the file (read_options.h): FailedPrecondition.
absl::Status WrongOption(std::string_view place, std::string_view message);

/// Checks that extents are at least 0, and that their product is at most kMostElements.
absl::Status CheckShape(std::string_view place, const std::vector<int64_t>& shape);

/// Makes tensors of messages. Elements stay in the file, or in the file of external data, and keep
/// it alive.
class TensorReader {
 public:
  explicit TensorReader(std::shared_ptr<const FileBytes> file);

  /// A tensor with data; a tensor with `unsupported` if the type is not supported. Errors: the
  /// shape; bytes that are not as many as the shape needs; a file of external data that is not in
  /// the model's folder or below it.
  absl::StatusOr<graph::Tensor> Read(const TensorProto& proto);

 private:
  struct Elements {
    std::string_view bytes;
    std::shared_ptr<const FileBytes> file;
  };
  /// The bytes of external data. `size` is the size that the shape needs.
  absl::StatusOr<Elements> ReadExternal(const TensorProto& proto, uint64_t size);
  absl::StatusOr<std::shared_ptr<const FileBytes>> OpenExternal(const TensorProto& proto);

  std::shared_ptr<const FileBytes> file_;
  /// Files of external data, by their locations.
  std::map<std::string, std::shared_ptr<const FileBytes>, std::less<>> files_;
};

}  // namespace tenon::onnx

#endif  // TENON_FRONTENDS_ONNX_TENSOR_DATA_H_
