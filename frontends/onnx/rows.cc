#include "frontends/onnx/rows.h"

#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "frontends/onnx/convert.h"

namespace tenon::onnx {

namespace {

constexpr int64_t kNewest = std::numeric_limits<int64_t>::max();

constexpr OperatorRow kRows[] = {
#define TENON_ONNX_OPERATOR(domain, op_type, since, until, kind, convert, attributes) \
  {domain, op_type, since, until, kind, &convert, attributes},
#include "frontends/onnx/rows.def"
};

}  // namespace

/// The importer reads a branch that is known in place of the node, so this refuses the others.
absl::Status ConvertIf(Node& node) {
  return node.Unsupported("the condition is known only at run time");
}

std::span<const OperatorRow> AllRows() { return kRows; }

const OperatorRow* FindRow(std::string_view domain, std::string_view op_type, int64_t version) {
  for (const OperatorRow& row : kRows) {
    if (row.op_type == op_type && row.domain == domain && version >= row.since &&
        version <= row.until)
      return &row;
  }
  return nullptr;
}

bool HasAnyRow(std::string_view domain, std::string_view op_type) {
  for (const OperatorRow& row : kRows)
    if (row.op_type == op_type && row.domain == domain) return true;
  return false;
}

}  // namespace tenon::onnx
