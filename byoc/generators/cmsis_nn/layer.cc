// The members of a claim contain the numbers. The shape of a layer is derived from the loops and
// strides, because the names of merged axes differ from the library's.

#include "byoc/generators/cmsis_nn/layer.h"

#include <algorithm>
#include <array>
#include <limits>

#include "fmt/format.h"

namespace tenon {

namespace {

constexpr int64_t kLeast8 = std::numeric_limits<int8_t>::min();
constexpr int64_t kMost8 = std::numeric_limits<int8_t>::max();
/// The distance of an integer of uint8 from that of int8 with the same upper bit flipped.
constexpr int64_t kUnsigned = 128;
/// Conditions of more places are not compared with the padding.
constexpr int64_t kMostPlaces = 4'000'000;
/// Larger sizes, strides and pads do not occur on microcontrollers.
constexpr int64_t kMostSize = int64_t{1} << 20;
/// Dilations that are tried to find the rows of an input.
constexpr int64_t kMostSteps = 16;

/// The number of channels that depthwise kernels for Helium process at a time.
constexpr int64_t kBlockOfHelium = 124;
constexpr std::array<std::string_view, 3> kPlaceNames = {"d", "h", "w"};
constexpr std::array<std::string_view, 3> kKernelNames = {"kd", "kh", "kw"};

using Axes = std::vector<CmsisAxis>;

/// Reads the members of a claim, and then its loops. A method returns false after it has set the
/// problem.
class LayerReader {
 public:
  explicit LayerReader(const OpInfo& info) : info_(info), all_(info.computation) {}

  std::optional<CmsisLayer> Read(std::string* problem) {
    if (ReadMembers() && ReadLoops()) return layer_;
    *problem = problem_;
    return std::nullopt;
  }

 private:
  const ComputationAccess& AccessAt(int access) const {
    return all_.accesses[static_cast<size_t>(access)];
  }
  const ComputationOperand& OperandOf(int access) const {
    return all_.operands[static_cast<size_t>(AccessAt(access).operand)];
  }
  bool Fail(std::string why) {
    problem_ = std::move(why);
    return false;
  }

  bool ReadMembers() {
    constexpr std::array<std::string_view, 6> kKinds = {
        "dense", "matmul", "conv1d", "conv2d", "grouped_conv2d", "depthwise_conv2d"};
    const bool is_dot = std::find(kKinds.begin(), kKinds.end(), info_.kind) != kKinds.end();
    const bool is_max = info_.kind == "max_pool";
    if (!is_dot && !is_max && info_.kind != "avg_pool")
      return Fail(fmt::format("it has no kernel for {}", info_.kind));
    if (!info_.requantise) return Fail("its steps are not proven to be a quantised operator");
    const Requantise& own = *info_.requantise;
    is_pool_ = !is_dot;
    const QuantisedSum sum = is_dot   ? QuantisedSum::kDot
                             : is_max ? QuantisedSum::kMax
                                      : QuantisedSum::kSum;
    if (own.sum != sum || (sum == QuantisedSum::kSum) != (own.rounding == Rounding::kQuotient) ||
        (is_max && !IsIdentity(own)))
      return Fail("the library rounds its sums differently");
    const QuantisedInput& input = own.inputs[0];
    input_ = input.access;
    output_ = all_.stores[0].access;
    if (!Has8Bits(input_, "input", layer_.has_unsigned_input) ||
        !Has8Bits(output_, "output", layer_.has_unsigned_output))
      return false;
    if (!is_pool_ && own.inputs[1].zero_point != 0) return Fail("its weights have a zero point");
    if (OperandOf(input_) == OperandOf(output_)) return Fail("its output replaces its input");
    layer_.input = AccessAt(input_).operand;
    layer_.output = AccessAt(output_).operand;
    const int64_t of_input = layer_.has_unsigned_input ? kUnsigned : 0;
    const int64_t of_output = layer_.has_unsigned_output ? kUnsigned : 0;
    layer_.input_offset = of_input - input.zero_point;
    layer_.output_offset = own.zero_point - of_output;
    layer_.least = own.low - of_output;
    layer_.most = own.high - of_output;
    if (layer_.least < kLeast8 || layer_.most > kMost8)
      return Fail("its results are not clamped to 8 bits");
    if (info_.window && info_.window->input.size() > kPlaceNames.size())
      return Fail("more than three axes of places");
    if (layer_.input_offset < -kMost8 || layer_.input_offset > -kLeast8)
      return Fail(fmt::format("an offset of {} of the input", layer_.input_offset));
    if (layer_.output_offset < kLeast8 || layer_.output_offset > kMost8)
      return Fail(fmt::format("an offset of {} of the output", layer_.output_offset));
    if (is_pool_ && layer_.has_unsigned_input != layer_.has_unsigned_output)
      return Fail("a pooling from int8 to uint8");
    // Ties of a mean are rounded away from zero, and the zeros of both types differ.
    if (layer_.has_unsigned_input && sum == QuantisedSum::kSum)
      return Fail("its input is uint8, whose means have other ties");
    if (is_pool_ && (own.zero_point != 0 || input.zero_point != 0))
      return Fail("a pooling with zero points");
    return true;
  }

  /// True if results are the sums themselves, clamped.
  static bool IsIdentity(const Requantise& own) {
    const Rescale rescale = own.RescaleOf(0);
    return (own.rounding == Rounding::kTwice || own.rounding == Rounding::kOnce) &&
           rescale.multiplier == int64_t{1} << 30 && rescale.shift == 1 && own.bias.empty();
  }

  bool Has8Bits(int access, std::string_view what, bool& is_unsigned) {
    const DataType dtype = OperandOf(access).dtype;
    is_unsigned = dtype == DataType::UInt(8);
    return is_unsigned || dtype == DataType::Int(8) ||
           Fail(fmt::format("its {} is {}, not int8 or uint8", what, dtype.ToString()));
  }

  CmsisAxis AxisOf(int loop) const {
    return {loop, all_.loops[static_cast<size_t>(loop)].extent,
            AccessAt(input_).element.stride(loop), AccessAt(output_).element.stride(loop)};
  }

  /// Loops become channels, positions and sums, depending on the operands whose index they change.
  bool ReadLoops() {
    const LinearIndex& output = AccessAt(output_).element;
    if (AccessAt(input_).element.divisor != 1 || output.divisor != 1)
      return Fail("an element that is divided");
    if (output.offset != 0) return Fail("its output is a part of a tensor");
    const std::vector<int>& kept = all_.stores[0].loops;
    const std::vector<int> of_pool = LoopsOfAxis(all_, "c");
    for (size_t i = 0; i < all_.loops.size(); ++i) {
      const auto loop = static_cast<int>(i);
      const CmsisAxis axis = AxisOf(loop);
      const std::string& name = all_.loops[i].name;
      if (std::find(kept.begin(), kept.end(), loop) != kept.end()) {
        const bool is_channel =
            is_pool_ ? std::find(of_pool.begin(), of_pool.end(), loop) != of_pool.end()
                     : AccessAt(info_.requantise->inputs[1].access).element.stride(loop) != 0;
        (is_channel ? layer_.channels : places_).push_back(axis);
      } else {
        const bool is_kernel =
            name.starts_with("kd") || name.starts_with("kh") || name.starts_with("kw");
        (is_kernel ? layer_.kernel : layer_.summed).push_back(axis);
      }
    }
    const auto by_output = [](const CmsisAxis& a, const CmsisAxis& b) {
      return a.output < b.output;
    };
    const auto by_input = [](const CmsisAxis& a, const CmsisAxis& b) { return a.input < b.input; };
    std::sort(layer_.channels.begin(), layer_.channels.end(), by_output);
    std::sort(places_.begin(), places_.end(), by_output);
    std::sort(layer_.summed.begin(), layer_.summed.end(), by_input);
    std::sort(layer_.kernel.begin(), layer_.kernel.end(), by_input);
    if (is_pool_) KeepNeighbours();
    SplitChannels();
    return ReadChannels() && ReadPlaces();
  }

  /// The number of elements that axes cover without gaps, beginning with `stride`; 0 if there are
  /// gaps.
  static int64_t Compact(const Axes& axes, int64_t CmsisAxis::*stride, int64_t first) {
    int64_t next = first;
    for (const CmsisAxis& axis : axes) {
      if (axis.*stride != next) return 0;
      if (axis.extent > kMostSize || next > kMostSize * kMostSize) return 0;
      next *= axis.extent;
    }
    return next / first;
  }

  bool ReadChannels() {
    layer_.output_c = Compact(layer_.channels, &CmsisAxis::output, 1);
    if (layer_.output_c == 0) return Fail("its output channels are not neighbours in memory");
    Axes groups;
    for (const CmsisAxis& axis : layer_.channels) {
      if (axis.input != 0) groups.push_back(axis);
    }
    if (groups.empty() && !is_pool_) return ReadInputChannels();
    layer_.kind = !is_pool_                  ? CmsisLayer::Kind::kDepthwise
                  : info_.kind == "max_pool" ? CmsisLayer::Kind::kMax
                                             : CmsisLayer::Kind::kMean;
    MoveToKernel(0);
    layer_.input_c = Compact(groups, &CmsisAxis::input, 1);
    if (layer_.input_c == 0) return Fail("its input channels are not neighbours in memory");
    const int64_t multiplier = layer_.output_c / layer_.input_c;
    if (is_pool_ && multiplier != 1) return Fail("its output has other channels than its input");
    const auto fits = [&](const CmsisAxis& axis) { return axis.output == axis.input * multiplier; };
    return std::all_of(groups.begin(), groups.end(), fits) ||
           Fail("the channels of a group are not neighbours in memory");
  }

  /// Summed loops beginning with number `first` are positions in the kernel. Windows that do not
  /// overlap have no kernel in the claim.
  void MoveToKernel(size_t first) {
    const auto from = layer_.summed.begin() + static_cast<std::ptrdiff_t>(first);
    layer_.kernel.insert(layer_.kernel.end(), from, layer_.summed.end());
    layer_.summed.erase(from, layer_.summed.end());
    std::sort(layer_.kernel.begin(), layer_.kernel.end(),
              [](const CmsisAxis& a, const CmsisAxis& b) { return a.input < b.input; });
  }

  /// Summed loops that are neighbours in memory are channels.
  bool ReadInputChannels() {
    size_t count = 0;
    for (int64_t next = 1; count < layer_.summed.size() && layer_.summed[count].input == next;
         ++count)
      next *= layer_.summed[count].extent;
    if (count == 0 && !layer_.summed.empty() && layer_.kernel.empty() &&
        layer_.summed[0].input <= 0)
      return Fail("its input channels are not neighbours in memory");
    MoveToKernel(count);
    layer_.input_c = Compact(layer_.summed, &CmsisAxis::input, 1);
    return layer_.input_c > 0 || Fail("its input channels are not neighbours in memory");
  }

  bool ReadPlaces() {
    if (places_.size() > 2 || layer_.kernel.size() > 2) return Fail("more than two axes of places");
    if (!places_.empty() && Compact(places_, &CmsisAxis::output, layer_.output_c) == 0)
      return Fail("its output is not NHWC");
    const CmsisAxis* w = places_.empty() ? nullptr : &places_[0];
    const CmsisAxis* h = places_.size() < 2 ? nullptr : &places_[1];
    const CmsisAxis* kw = layer_.kernel.empty() ? nullptr : &layer_.kernel[0];
    const CmsisAxis* kh = layer_.kernel.size() < 2 ? nullptr : &layer_.kernel[1];
    // A kernel with one axis that does not fit into a row is a column.
    if (h != nullptr && kh == nullptr && kw != nullptr &&
        (kw->extent - 1) * kw->input + layer_.input_c > h->input)
      std::swap(kh, kw);
    const bool has_rows = w != nullptr && h == nullptr && w->input == layer_.input_c;
    if ((w == nullptr || has_rows) && kw == nullptr && kh == nullptr && !HasPads() &&
        layer_.kind == CmsisLayer::Kind::kConvolution)
      layer_.is_product = true;
    return ReadRows(h, w, kh, kw);
  }

  /// Finds the elements of a row: strides of rows are multiples of it.
  bool ReadRows(const CmsisAxis* h, const CmsisAxis* w, const CmsisAxis* kh, const CmsisAxis* kw) {
    layer_.output_h = h == nullptr ? 1 : h->extent;
    layer_.output_w = w == nullptr ? 1 : w->extent;
    layer_.kernel_h = kh == nullptr ? 1 : kh->extent;
    layer_.kernel_w = kw == nullptr ? 1 : kw->extent;
    const int64_t elements = OperandOf(input_).elements;
    for (const int64_t size : {layer_.output_h, layer_.output_w, layer_.output_c, layer_.input_c,
                               layer_.kernel_h, layer_.kernel_w}) {
      if (size > kMostSize) return Fail("its tensors are too large");
    }
    const int64_t stride = kh != nullptr ? kh->input : h != nullptr ? h->input : elements;
    const bool has_rows = kh != nullptr || h != nullptr;
    const int64_t across = w == nullptr ? 1 : w->input / layer_.input_c;
    std::vector<int64_t> steps = {1};
    // Strides of both axes are mostly equal.
    if (kh == nullptr && across > 1 && across <= kMostSteps) steps = {across, 1};
    for (int64_t step = 2; has_rows && step <= kMostSteps; ++step) steps.push_back(step);
    for (const int64_t step : steps) {
      if (stride % step == 0 && TryRows(stride / step, h, w, kh, kw)) return true;
    }
    return Fail("its input is not NHWC with rows of one length, or its padding is not a border");
  }

  /// True if the layer reads the input as the claim does, with rows of `row` elements.
  bool TryRows(int64_t row, const CmsisAxis* h, const CmsisAxis* w, const CmsisAxis* kh,
               const CmsisAxis* kw) {
    const int64_t elements = OperandOf(input_).elements;
    const int64_t c = layer_.input_c;
    const int64_t offset = AccessAt(input_).element.offset;
    if (offset > 0 || offset < -INT32_MAX) return false;
    const int64_t before = -offset;
    if (row <= 0 || row % c != 0 || elements % row != 0 || before > elements ||
        elements > INT32_MAX)
      return false;
    const auto steps = [](const CmsisAxis* axis, int64_t unit, int64_t& into) {
      into = axis == nullptr ? 1 : axis->input / unit;
      return axis == nullptr || (into > 0 && into <= kMostSize && axis->input % unit == 0);
    };
    layer_.input_h = elements / row;
    layer_.input_w = row / c;
    layer_.pad_h = before / row;
    layer_.pad_w = before % row / c;
    return before % c == 0 && steps(h, row, layer_.stride_h) && steps(kh, row, layer_.dilation_h) &&
           steps(w, c, layer_.stride_w) && steps(kw, c, layer_.dilation_w) &&
           PadsMatch(h, w, kh, kw) && SuitsLibrary();
  }

  /// Omits rows of the input that no window reaches, and columns if there is only one row. False if
  /// a kernel would misinterpret the shape.
  bool SuitsLibrary() {
    const int64_t last_row = RowOf(layer_.output_h * layer_.kernel_h - 1);
    const int64_t last_column = ColumnOf(layer_.output_w * layer_.kernel_w - 1);
    layer_.input_h = std::min(layer_.input_h, std::max<int64_t>(last_row + 1, 1));
    if (layer_.input_h == 1)
      layer_.input_w = std::min(layer_.input_w, std::max<int64_t>(last_column + 1, 1));
    const bool is_dilated = layer_.dilation_h != 1 || layer_.dilation_w != 1;
    if (is_pool_) return !is_dilated;
    // A 1x1 convolution without strides computes one output for each position of the input.
    const bool is_one = layer_.kernel_h == 1 && layer_.kernel_w == 1 && layer_.stride_h == 1 &&
                        layer_.stride_w == 1 && layer_.pad_h == 0 && layer_.pad_w == 0;
    return !is_one || layer_.kind != CmsisLayer::Kind::kConvolution ||
           (layer_.input_h == layer_.output_h && layer_.input_w == layer_.output_w);
  }

  /// Loops that are not loops of a window may be positions: only neighbours in memory are channels.
  void KeepNeighbours() {
    size_t count = 0;
    for (int64_t next = 1;
         count < layer_.channels.size() && layer_.channels[count].output == next &&
         layer_.channels[count].input == next;
         ++count)
      next *= layer_.channels[count].extent;
    const auto from = layer_.channels.begin() + static_cast<std::ptrdiff_t>(count);
    places_.insert(places_.end(), from, layer_.channels.end());
    layer_.channels.erase(from, layer_.channels.end());
    std::sort(places_.begin(), places_.end(),
              [](const CmsisAxis& a, const CmsisAxis& b) { return a.output < b.output; });
  }

  /// If channels are merged with the positions of a row, the distance of the kernel's positions is
  /// the number of channels.
  void SplitChannels() {
    if (!is_pool_ || !layer_.channels.empty() || places_.empty() || layer_.kernel.empty() ||
        HasPads())
      return;
    CmsisAxis& w = places_[0];
    const int64_t channels = layer_.kernel[0].input;
    if (w.input != 1 || w.output != 1 || channels <= 1 || w.extent % channels != 0) return;
    layer_.channels.push_back({.loop = w.loop, .extent = channels, .input = 1, .output = 1});
    w = {.loop = w.loop, .extent = w.extent / channels, .input = channels, .output = channels};
  }

  /// True if a place of the claim's windows may be outside of the input.
  bool HasPads() const {
    if (!info_.window) return false;
    const WindowInfo& window = *info_.window;
    for (size_t i = 0; i < window.input.size(); ++i) {
      const int64_t last = (window.output[i] - 1) * window.stride[i] +
                           (window.kernel[i] - 1) * window.dilation[i] - window.pad_before[i];
      if (window.pad_before[i] > 0 || last >= window.input[i]) return true;
    }
    return false;
  }

  int64_t PlaceOn(std::string_view axis, const std::vector<int64_t>& places) const {
    int64_t place = 0;
    for (const int loop : LoopsOfAxis(all_, axis)) {
      const auto at = static_cast<size_t>(loop);
      place = place * all_.loops[at].extent + places[at];
    }
    return place;
  }

  /// True if the windows of the claim are inside of the input at a place of all loops.
  bool IsInside(const std::vector<int64_t>& places) const {
    const WindowInfo& window = *info_.window;
    const size_t axes = window.input.size();
    for (size_t i = 0; i < axes; ++i) {
      const int64_t at = PlaceOn(kPlaceNames[3 - axes + i], places) * window.stride[i] +
                         PlaceOn(kKernelNames[3 - axes + i], places) * window.dilation[i] -
                         window.pad_before[i];
      if (at < 0 || at >= window.input[i]) return false;
    }
    return true;
  }

  /// True if the loops of the claim's windows are the layer's axes.
  bool OwnsWindows(std::initializer_list<const CmsisAxis*> own) const {
    const size_t axes = info_.window->input.size();
    for (size_t i = 0; i < axes; ++i) {
      for (const std::string_view name : {kPlaceNames[3 - axes + i], kKernelNames[3 - axes + i]}) {
        for (const int loop : LoopsOfAxis(all_, name)) {
          const bool found = std::any_of(own.begin(), own.end(), [&](const CmsisAxis* axis) {
            return axis != nullptr && axis->loop == loop;
          });
          if (!found && all_.loops[static_cast<size_t>(loop)].extent > 1) return false;
        }
      }
    }
    return true;
  }

  /// True if the claim reads the input exactly at the layer's positions inside of it.
  bool PadsMatch(const CmsisAxis* h, const CmsisAxis* w, const CmsisAxis* kh,
                 const CmsisAxis* kw) const {
    const int64_t rows = layer_.output_h * layer_.kernel_h;
    const int64_t columns = layer_.output_w * layer_.kernel_w;
    if (!HasPads()) {
      return layer_.pad_h == 0 && layer_.pad_w == 0 && RowOf(rows - 1) < layer_.input_h &&
             ColumnOf(columns - 1) < layer_.input_w;
    }
    if (rows > kMostPlaces / columns || !OwnsWindows({h, w, kh, kw})) return false;
    std::vector<int64_t> places(all_.loops.size());
    const auto set = [&](const CmsisAxis* axis, int64_t place) {
      if (axis != nullptr) places[static_cast<size_t>(axis->loop)] = place;
    };
    for (int64_t r = 0; r < rows; ++r) {
      set(h, r / layer_.kernel_h);
      set(kh, r % layer_.kernel_h);
      const bool is_row = RowOf(r) >= 0 && RowOf(r) < layer_.input_h;
      for (int64_t s = 0; s < columns; ++s) {
        set(w, s / layer_.kernel_w);
        set(kw, s % layer_.kernel_w);
        const bool is_inside = is_row && ColumnOf(s) >= 0 && ColumnOf(s) < layer_.input_w;
        if (IsInside(places) != is_inside) return false;
      }
    }
    return true;
  }

  /// The row of the input for number `r` of the pairs of an output row and a kernel row.
  int64_t RowOf(int64_t r) const {
    return r / layer_.kernel_h * layer_.stride_h + r % layer_.kernel_h * layer_.dilation_h -
           layer_.pad_h;
  }
  int64_t ColumnOf(int64_t s) const {
    return s / layer_.kernel_w * layer_.stride_w + s % layer_.kernel_w * layer_.dilation_w -
           layer_.pad_w;
  }

  const OpInfo& info_;
  const Computation& all_;
  std::string problem_;
  CmsisLayer layer_;
  bool is_pool_ = false;
  /// Accesses.
  int input_ = -1, output_ = -1;
  /// Positions in the output, the innermost loop first.
  Axes places_;
};

int64_t RoundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

int64_t CmsisLayer::ScratchBytes(bool has_helium) const {
  // A library for such a processor may also be compiled without Helium.
  return has_helium ? std::max(ScratchFor(false), ScratchFor(true)) : ScratchFor(false);
}

int64_t CmsisLayer::ScratchFor(bool helium) const {
  const int64_t window = kernel_h * kernel_w * input_c;
  const bool is_dilated = dilation_h != 1 || dilation_w != 1;
  const bool is_one = kernel_h == 1 && kernel_w == 1 && pad_h == 0 && pad_w == 0 && !is_dilated;
  // Some compilers use a different multiplication of matrices, with two columns of int16.
  const int64_t product = helium || stride_h != 1 || stride_w != 1 ? 0 : 4 * input_c;
  const int64_t columns = 4 * RoundUp(window, helium ? 16 : 4);
  // A row is padded on both sides by at most a window more.
  const int64_t row = input_h == 1 && kernel_h == 1 ? 3 * window + 2 * pad_w * input_c : 0;
  const int64_t convolution = is_one ? product : std::max(columns, helium ? row : 0);
  switch (kind) {
    case Kind::kMax:
      return 0;
    case Kind::kMean:
      return helium ? 0 : 4 * input_c;
    case Kind::kDepthwise:
      // The library runs a convolution with one input channel instead, and moves its weights.
      if (helium && input_c == 1 && output_c > 1) return convolution + window * output_c;
      if (input_c != output_c || is_dilated) return 0;
      if (helium) return 4 * kBlockOfHelium * kernel_h * kernel_w;
      if (kernel_h == 3 && kernel_w == 3 && pad_h <= 1 && pad_w <= 1) return 0;
      return 2 * window;
    case Kind::kConvolution:
      break;
  }
  return convolution;
}

std::optional<CmsisLayer> ReadCmsisLayer(const OpInfo& info, std::string* problem) {
  return LayerReader(info).Read(problem);
}

}  // namespace tenon
