#ifndef TENON_IR_MAPPED_TENSORS_H_
#define TENON_IR_MAPPED_TENSORS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/function.h"

// Inputs and outputs of the entry function that lie in its memory pools instead of in memory that
// the caller passes. They are first allocations with annotations (create-io-allocates). When the
// allocations become addresses (convert-pool-allocations-to-offsets), they become an attribute of
// the entry.

namespace tenon {

/// One input or output in a pool.
struct MappedTensor {
  std::string name;
  bool is_output = false;
  /// The index of the parameter that it replaced.
  int64_t index = 0;
  DataType dtype;
  /// Extents, none negative.
  std::vector<int64_t> shape;
  /// The size of `shape` elements of `dtype`.
  int64_t size_bytes = 0;
  /// The place in a pool; empty before planning.
  std::string pool;
  int64_t offset = 0;
};

/// The mapped tensors of an entry function, in order, from its attribute or else from its outermost
/// allocations. Malformed entries are left out.
std::vector<MappedTensor> ReadMappedTensors(const PrimFunc& function);

/// The value of attr_key::kMappedTensors.
const ArrayAttr* MappedTensorsAttr(NodeBuilder& builder, const std::vector<MappedTensor>& tensors);

/// Restores the original order of tensors: `params` are still parameters, in order; each element of
/// `mapped` is inserted at its former index.
template <class T>
std::vector<T> InOrderOfParams(std::vector<T> params, std::vector<std::pair<int64_t, T>> mapped) {
  std::vector<T> all;
  size_t next = 0;
  for (T& param : params) {
    while (next < mapped.size() && mapped[next].first <= static_cast<int64_t>(all.size()))
      all.push_back(std::move(mapped[next++].second));
    all.push_back(std::move(param));
  }
  for (; next < mapped.size(); ++next) all.push_back(std::move(mapped[next].second));
  return all;
}

}  // namespace tenon

#endif  // TENON_IR_MAPPED_TENSORS_H_
