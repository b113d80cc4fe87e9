#include "frontends/graph/window.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/status_macros.h"

namespace tenon::graph {

namespace {

/// The name of the loop over an axis of the kernel.
std::string_view KernelName(size_t axis, size_t axes) {
  constexpr std::string_view kNames[] = {"kx", "ky", "kz"};
  const size_t from_last = axes - 1 - axis;
  return from_last < std::size(kNames) ? kNames[from_last] : "k";
}

/// The elements from the first to the last one that a kernel's place reads.
int64_t ReachOf(int64_t kernel, int64_t dilation) { return (kernel - 1) * dilation + 1; }

absl::StatusOr<WindowAxis> AxisOf(const OperatorView& op, int64_t input, int64_t output,
                                  int64_t kernel, std::string_view axis) {
  const absl::StatusOr<int64_t> wanted = WindowExtent(op, input, kernel, axis);
  if (!wanted.ok()) return wanted.status();
  if (*wanted != output) {
    return op.Wrong(fmt::format("expected an output of {} elements along `{}`, found {}", *wanted,
                                axis, output));
  }
  WindowAxis window;
  window.input = input;
  window.output = output;
  window.kernel = kernel;
  window.stride = op.attributes().Int(fmt::format("stride_{}", axis), 1);
  window.dilation = op.attributes().Int(fmt::format("dilation_{}", axis), 1);
  const int64_t reach = ReachOf(kernel, window.dilation);
  window.pad = std::max<int64_t>(0, (output - 1) * window.stride + reach - input) / 2;
  return window;
}

}  // namespace

absl::StatusOr<bool> HasSamePadding(const OperatorView& op) {
  const std::string_view padding = op.attributes().Text("padding", "valid");
  if (padding == "same" || padding == "valid") return padding == "same";
  return op.Wrong(fmt::format("expected `same` or `valid` padding, found {}", padding));
}

absl::StatusOr<int64_t> WindowExtent(const OperatorView& op, int64_t input, int64_t kernel,
                                     std::string_view axis) {
  const int64_t stride = op.attributes().Int(fmt::format("stride_{}", axis), 1);
  const int64_t dilation = op.attributes().Int(fmt::format("dilation_{}", axis), 1);
  for (const int64_t number : {stride, dilation, kernel}) {
    if (number < 1 || number > kMostWindowSteps) {
      return op.Wrong(
          fmt::format("expected a stride, a dilation and a kernel of 1 to {}, "
                      "found {}",
                      kMostWindowSteps, number));
    }
  }
  const int64_t reach = ReachOf(kernel, dilation);
  if (reach > kMostWindowReach)
    return op.Wrong(fmt::format("expected a kernel over at most {} elements", kMostWindowReach));
  TENON_ASSIGN_OR(const bool same, HasSamePadding(op));
  const int64_t padded = same ? input : input - reach + 1;
  return padded <= 0 ? 0 : (padded + stride - 1) / stride;
}

Value WindowAxis::IsInside(Value place) const {
  Code& code = *place.code;
  Value inside = code.Of(code.builder().Bool(true));
  const int64_t last = (output - 1) * stride + (kernel - 1) * dilation - pad;
  if (pad > 0) inside = 0 <= place;
  if (last < input) return inside;
  return pad > 0 ? (inside && place < input) : place < input;
}

namespace {

/// An index of the kernel, the place of the input that belongs to it, and whether there is one.
struct AxisPlace {
  Value kernel, at, inside;
};

void ForEachOf(Code& code, size_t axis, std::span<const int64_t> kernel,
               const std::function<AxisPlace(size_t axis, Value k)>& place_of, WindowPlace& place,
               const WindowBody& body) {
  if (axis == kernel.size()) return body(place);
  code.For(KernelName(axis, kernel.size()), kernel[axis], [&](Value k) {
    const AxisPlace found = place_of(axis, k);
    code.If(found.inside, [&] {
      place.at.push_back(found.at);
      place.kernel.push_back(found.kernel);
      ForEachOf(code, axis + 1, kernel, place_of, place, body);
      place.at.pop_back();
      place.kernel.pop_back();
    });
  });
}

}  // namespace

void Window::ForEachPlace(Code& code, std::span<const Value> output, const WindowBody& body) const {
  std::vector<int64_t> kernel;
  for (const WindowAxis& axis : axes) kernel.push_back(axis.kernel);
  const auto place_of = [&](size_t axis, Value k) -> AxisPlace {
    const Value at = axes[axis].Place(output[axis], k);
    return {k, at, axes[axis].IsInside(at)};
  };
  WindowPlace place;
  ForEachOf(code, 0, kernel, place_of, place, body);
}

void TransposedWindow::ForEachPlace(Code& code, std::span<const Value> output,
                                    const WindowBody& body) const {
  std::vector<int64_t> kernel;
  for (const TransposedAxis& axis : axes) kernel.push_back(axis.kernel);
  const auto place_of = [&](size_t number, Value k) -> AxisPlace {
    const TransposedAxis& axis = axes[number];
    const Value steps =
        output[number] + k * axis.dilation + (axis.pad - (axis.kernel - 1) * axis.dilation);
    Value inside = 0 <= steps;
    if (axis.stride > 1) inside = inside && FloorMod(steps, axis.stride) == code.Int(0);
    inside = inside && steps < axis.input * axis.stride;
    return {code.Int(axis.kernel - 1) - k, FloorDiv(steps, axis.stride), inside};
  };
  WindowPlace place;
  ForEachOf(code, 0, kernel, place_of, place, body);
}

absl::StatusOr<Window> WindowOf(const OperatorCode& code, const Tensor& input, const Tensor& output,
                                int64_t kernel_h, int64_t kernel_w) {
  if (input.rank() != 4 || output.rank() != 4) {
    return code.Wrong(
        fmt::format("expected an input and an output of 4 dimensions, found {} and "
                    "{}",
                    input.TypeText(), output.TypeText()));
  }
  const absl::StatusOr<WindowAxis> h = AxisOf(code, input.shape[1], output.shape[1], kernel_h, "h");
  if (!h.ok()) return h.status();
  const absl::StatusOr<WindowAxis> w = AxisOf(code, input.shape[2], output.shape[2], kernel_w, "w");
  if (!w.ok()) return w.status();
  return Window{{*h, *w}};
}

absl::StatusOr<Window> ConvolutionWindow(const OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 3); !status.ok()) return status;
  const Tensor& weights = code.input(1);
  if (weights.rank() != 4 || weights.elements() == 0) {
    return code.Wrong(
        fmt::format("expected weights of 4 dimensions, found {}", weights.TypeText()));
  }
  return WindowOf(code, code.input(0), code.output(), weights.shape[1], weights.shape[2]);
}

absl::Status WrongConvolutionShapes(const OperatorCode& code) {
  return code.Wrong(
      fmt::format("expected matching shapes, found input {}, weights {} and output {}",
                  code.input(0).TypeText(), code.input(1).TypeText(), code.output().TypeText()));
}

}  // namespace tenon::graph
