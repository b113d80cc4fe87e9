#ifndef TENON_PARSER_CONSTANT_FILES_H_
#define TENON_PARSER_CONSTANT_FILES_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "ir/constant.h"
#include "parser/parser.h"
#include "support/safetensors.h"

namespace tenon {

/// The side files that one text refers to, each opened and checked once. Constants read
/// from them point into the mapped files and keep these alive.
class ConstantFiles {
 public:
  /// Relative names are relative to `base_dir`; empty: the working directory. `find`, unless empty,
  /// finds all files instead.
  explicit ConstantFiles(std::string_view base_dir, FindSideFile find = nullptr)
      : base_dir_(base_dir), find_(std::move(find)) {}

  /// The bytes of the tensor `key` of the safetensors file `name`, which must have `dtype` and
  /// `shape`, with lanes as an innermost extent. For element types that safetensors lacks, it is a
  /// flat uint8 tensor of the same size. The hash that the file states as `xxh3.<key>` in
  /// `__metadata__` becomes the claim of ConstantSource. Errors of the file, the name, the type or
  /// the hash have a message. An unreadable file has a message only once: its later errors have an
  /// empty message.
  absl::StatusOr<ConstantSource> Read(std::string_view name, std::string_view key, DataType dtype,
                                      const std::vector<int64_t>& shape);

 private:
  const absl::StatusOr<SafetensorsFile>& Open(std::string_view name);

  std::string base_dir_;
  FindSideFile find_;
  absl::flat_hash_map<std::string, std::unique_ptr<absl::StatusOr<SafetensorsFile>>> files_;
  absl::flat_hash_set<std::string> failed_;
};

}  // namespace tenon

#endif  // TENON_PARSER_CONSTANT_FILES_H_
