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
  /// Relative names are looked for in `base_dir`; empty: the working directory. `find`, unless
  /// empty, finds all files instead.
  explicit ConstantFiles(std::string_view base_dir, FindSideFile find = nullptr)
      : base_dir_(base_dir), find_(std::move(find)) {}

  /// The bytes of the tensor `key` of the safetensors file `name`, which must be of `dtype` and
  /// `shape`: of the dtype's elements, with lanes as an innermost extent; or, for element types
  /// that safetensors lacks, a flat uint8 tensor of the same size. The hash that the file gives for
  /// it as `xxh3.<key>` in `__metadata__` is taken as the claim of ConstantSource. An error says
  /// what is wrong with the file, the name, the type or the hash. A file that cannot be read has a
  /// message once: later errors of the same file have an empty message.
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
