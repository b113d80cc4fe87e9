#include "frontends/graph/operator_view.h"

#include <fmt/format.h>

namespace tenon::graph {

absl::Status OperatorView::CheckPresent(size_t least) const {
  for (size_t i = 0; i < least; ++i) {
    if (!HasInput(i)) return Wrong(fmt::format("input {} is missing", i));
  }
  return absl::OkStatus();
}

absl::Status OperatorView::CheckCounts(size_t least, size_t most, size_t outputs) const {
  if (op_.inputs.size() < least || op_.inputs.size() > most) {
    return Wrong(fmt::format("expected {} to {} inputs, found {}", least, most, op_.inputs.size()));
  }
  if (op_.outputs.size() != outputs)
    return Wrong(fmt::format("expected {} outputs, found {}", outputs, op_.outputs.size()));
  if (absl::Status status = CheckPresent(least); !status.ok()) return status;
  for (const int tensor : op_.outputs) {
    if (tensor == kAbsent) return Wrong("an output is missing");
  }
  return absl::OkStatus();
}

absl::Status OperatorView::Wrong(std::string_view message) const {
  return absl::InvalidArgumentError(fmt::format("{}: {}", op_.place, message));
}

absl::Status OperatorView::Unsupported(std::string_view message) const {
  return absl::UnimplementedError(fmt::format("{}: {}", op_.place, message));
}

}  // namespace tenon::graph
