#ifndef TENON_TOOLS_ONEDNN_PACK_WEIGHTS_H_
#define TENON_TOOLS_ONEDNN_PACK_WEIGHTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/onednn/generator_request.h"
#include "tools/onednn/library_op.h"

namespace tenon {

/// A constant of a function in the library's layout.
struct PackedWeights {
  size_t constant = 0;
  std::string bytes;
};

/// Packs the weights of a function. Their values are in the request's file, in `folder`. A constant
/// that several operators need in different layouts stays as it is.
absl::StatusOr<std::vector<PackedWeights>> PackWeights(const RequestFunction& function,
                                                       const GeneratorRequest& request,
                                                       const std::string& folder,
                                                       const LibraryOptions& options);

}  // namespace tenon

#endif  // TENON_TOOLS_ONEDNN_PACK_WEIGHTS_H_
