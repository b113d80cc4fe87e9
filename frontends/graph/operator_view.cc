#include "frontends/graph/operator_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace tenon::graph {

std::string CountText(size_t least, size_t most) {
  return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
}

absl::Status OperatorView::CheckPresent(size_t least) const {
  for (size_t i = 0; i < least; ++i) {
    if (!HasInput(i)) return Wrong(fmt::format("input {} is missing", i));
  }
  return absl::OkStatus();
}

absl::Status OperatorView::CheckCounts(size_t least, size_t most, size_t outputs) const {
  if (op_.inputs.size() < least || op_.inputs.size() > most) {
    return Wrong(
        fmt::format("expected {} inputs, found {}", CountText(least, most), op_.inputs.size()));
  }
  if (op_.outputs.size() != outputs)
    return Wrong(fmt::format("expected {} outputs, found {}", outputs, op_.outputs.size()));
  if (absl::Status status = CheckPresent(least); !status.ok()) return status;
  for (const int tensor : op_.outputs) {
    if (tensor == kAbsent) return Wrong("an output is missing");
  }
  return absl::OkStatus();
}

std::string OperatorView::TypesText() const {
  const auto list = [&](const std::vector<int>& tensors) {
    std::string text;
    for (const int number : tensors) {
      if (number == kAbsent) continue;
      const Tensor& of = tensor(number);
      text += (text.empty() ? "" : ", ") + of.TypeText();
      constexpr int64_t kMostShown = 8;
      if (of.HasIntegers() && !of.quantization.exists() && of.elements() <= kMostShown)
        text += fmt::format(" {{{}}}", fmt::join(*of.Integers(), ", "));
    }
    return text;
  };
  return fmt::format("{} to {}", list(op_.inputs), list(op_.outputs));
}

absl::Status OperatorView::Wrong(std::string_view message) const {
  const bool says_what = message.find("found") != std::string_view::npos ||
                         message.find("missing") != std::string_view::npos;
  return absl::InvalidArgumentError(
      fmt::format("{}: {}{}", op_.place, message, says_what ? "" : ", found " + TypesText()));
}

absl::Status OperatorView::Unsupported(std::string_view message) const {
  return absl::UnimplementedError(fmt::format("{}: {}", op_.place, message));
}

}  // namespace tenon::graph
