// The kind of a contraction follows from its classes of loops: windows make it a convolution,
// shared loops a grouped one. Axes are named here, by their order in memory.

#include <algorithm>
#include <array>

#include "analysis/contraction.h"
#include "byoc/recognise/recognise.h"
#include "fmt/format.h"

namespace tenon {

namespace {

int64_t ExtentOf(const Computation& all, const std::vector<int>& loops) {
  int64_t extent = 1;
  for (const int loop : loops) extent *= all.loops[static_cast<size_t>(loop)].extent;
  return extent;
}

std::string KindOf(const Contraction& found) {
  if (found.windows.empty()) {
    return found.rows.empty() && found.shared.empty() ? "dense" : "matmul";
  }
  const auto axes = found.windows.size();
  const bool transposed = std::any_of(found.windows.begin(), found.windows.end(),
                                      [](const Window& window) { return window.divisor != 1; });
  if (transposed) return fmt::format("conv{}d_transpose", axes);
  if (found.shared.empty()) return fmt::format("conv{}d", axes);
  const bool depthwise = found.columns.empty() && found.summed.empty();
  return depthwise ? "depthwise_conv2d" : "grouped_conv2d";
}

}  // namespace

std::optional<OpInfo> RecogniseContraction(const Computation& all, std::string& because) {
  std::optional<Contraction> found = FindContraction(all, because);
  if (!found) return std::nullopt;
  // If each channel has a separate sum, one window covers all summed elements.
  const bool alone = found->rows.empty() && found->columns.empty() && !found->shared.empty();
  if (found->windows.empty() && alone) {
    Window& window = found->windows.emplace_back();
    window.kernel =
        ByStride(std::move(found->summed), all.accesses[static_cast<size_t>(found->input)].element);
    window.extent = ExtentOf(all, window.kernel);
    found->summed.clear();
  }
  const size_t axes = found->windows.size();
  if (axes > 3) {
    because = "it has windows along more than three axes";
    return std::nullopt;
  }
  OpInfo info = ClaimOf(KindOf(*found), all);
  Computation& named = info.computation;
  const auto element = [&](int access) {
    return all.accesses[static_cast<size_t>(access)].element;
  };
  const LinearIndex output = element(all.stores[0].access);
  const bool window = axes > 0;
  NameAxis(named, window ? "g" : "b", ByStride(found->shared, output));
  NameAxis(named, window ? "n" : "m", ByStride(found->rows, output));
  NameAxis(named, window ? "co" : "n", ByStride(found->columns, output));
  NameAxis(named, window ? "ci" : "k", ByStride(found->summed, element(found->input)));
  constexpr std::array<std::string_view, 3> kPlaces = {"d", "h", "w"};
  constexpr std::array<std::string_view, 3> kKernel = {"kd", "kh", "kw"};
  if (window) {
    WindowInfo& shape = info.window.emplace();
    for (size_t i = 0; i < axes; ++i) {
      const Window& axis = found->windows[i];
      NameAxis(named, kPlaces[3 - axes + i], axis.places);
      NameAxis(named, kKernel[3 - axes + i], axis.kernel);
      shape.input.push_back(axis.extent);
      shape.output.push_back(ExtentOf(all, axis.places));
      shape.kernel.push_back(ExtentOf(all, axis.kernel));
      shape.stride.push_back(axis.divisor != 1 ? axis.divisor : axis.stride);
      shape.dilation.push_back(axis.dilation);
      shape.pad_before.push_back(axis.pad_before);
      shape.pad_after.push_back(axis.pad_after);
    }
    info.groups = ExtentOf(all, found->shared);
  }
  info.contraction = found->step;
  info.input = found->input;
  info.weights = found->weights;
  info.macs = info.elements * ExtentOf(all, all.steps[static_cast<size_t>(found->step)].loops);
  return info;
}

}  // namespace tenon
