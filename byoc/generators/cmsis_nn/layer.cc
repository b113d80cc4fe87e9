// A pattern matcher on a claim, which has no names to rely on. The factor of memory is followed
// through casts, offsets and pads to its read, and the epilogue from the sum to the store.

#include "byoc/generators/cmsis_nn/layer.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "arith/interval.h"
#include "byoc/generators/cmsis_nn/step_numbers.h"
#include "fmt/format.h"
#include "ir/builtins.h"
#include "schedule/op_loops.h"

namespace tenon {

namespace {

constexpr int64_t kLeast8 = std::numeric_limits<int8_t>::min();
constexpr int64_t kMost8 = std::numeric_limits<int8_t>::max();
/// Conditions of more places are not compared with the padding.
constexpr int64_t kMostPlaces = 4'000'000;
/// Larger sizes, strides and pads do not occur on microcontrollers.
constexpr int64_t kMostSize = int64_t{1} << 20;
/// Dilations that are tried to find the rows of an input.
constexpr int64_t kMostSteps = 16;

using Axes = std::vector<CmsisAxis>;

/// Reads the claim in the order input, weights, epilogue, loops. A method returns false after it
/// has set the problem.
class LayerReader {
 public:
  explicit LayerReader(const OpInfo& info) : info_(info), all_(info.computation) {}

  std::optional<CmsisLayer> Read(std::string* problem) {
    if (ReadSum() && ReadEpilogue() && ReadLoops()) return layer_;
    *problem = problem_;
    return std::nullopt;
  }

 private:
  const Step& StepAt(int step) const { return all_.steps[static_cast<size_t>(step)]; }
  const ComputationAccess& AccessAt(int access) const {
    return all_.accesses[static_cast<size_t>(access)];
  }
  const ComputationOperand& OperandOf(int access) const {
    return all_.operands[static_cast<size_t>(AccessAt(access).operand)];
  }
  static int64_t Magnitude(std::optional<int64_t> number) {
    if (!number) return 0;
    const int64_t least = std::numeric_limits<int64_t>::min();
    return *number == least ? std::numeric_limits<int64_t>::max() : std::abs(*number);
  }
  bool Fail(std::string why) {
    problem_ = std::move(why);
    return false;
  }

  bool ReadSum() {
    constexpr std::array<std::string_view, 5> kKinds = {"dense", "matmul", "conv1d", "conv2d",
                                                        "depthwise_conv2d"};
    if (std::find(kKinds.begin(), kKinds.end(), info_.kind) == kKinds.end())
      return Fail(fmt::format("it has no kernel for {}", info_.kind));
    if (info_.contraction < 0 || info_.input < 0 || info_.weights < 0 || all_.stores.size() != 1)
      return Fail("the claim has no single sum of products");
    const Step& sum = StepAt(info_.contraction);
    if (sum.dtype != DataType::Int(32))
      return Fail(fmt::format("its sums are {}, not int32", sum.dtype.ToString()));
    const Step& product = StepAt(sum.args[1]);
    if (StepNumbers(all_, {}).Of(sum.args[0]) != 0 || product.kind != StepKind::kNode ||
        product.node != NodeKind::kMul || product.dtype != sum.dtype)
      return Fail("it does not add up products of int32 from 0 on");
    const DataType input = OperandOf(info_.input).dtype;
    if (input != DataType::Int(8))
      return Fail(fmt::format("its input is {}, not int8", input.ToString()));
    layer_.input = AccessAt(info_.input).operand;
    const bool is_second = DependsOn(product.args[1], info_.input);
    return ReadInput(product.args[is_second ? 1 : 0]) &&
           ReadWeights(product.args[is_second ? 0 : 1]);
  }

  /// True if the step uses a read of the access.
  bool DependsOn(int step, int access) const {
    std::vector<int> work = {step};
    std::vector<bool> seen(all_.steps.size());
    while (!work.empty()) {
      const int at = work.back();
      work.pop_back();
      if (seen[static_cast<size_t>(at)]) continue;
      seen[static_cast<size_t>(at)] = true;
      if (IsRead(StepAt(at).kind) && StepAt(at).access == access) return true;
      work.insert(work.end(), StepAt(at).args.begin(), StepAt(at).args.end());
    }
    return false;
  }

  /// The factor is `x + offset`, or 0 at pads. All steps are exact for an x of int8.
  bool ReadInput(int factor) {
    int64_t pad = 0;
    std::vector<const Step*> chain;
    int at = factor;
    while (StepAt(at).kind != StepKind::kRead || StepAt(at).access != info_.input) {
      const Step& step = StepAt(at);
      if (step.kind != StepKind::kNode) return Fail("its input is computed in another way");
      chain.push_back(&step);
      const auto uses = [&](int arg) { return DependsOn(arg, info_.input); };
      const auto found = std::find_if(step.args.begin(), step.args.end(), uses);
      if (found == step.args.end() || std::count_if(step.args.begin(), step.args.end(), uses) != 1)
        return Fail("its input is computed in another way");
      at = *found;
    }
    for (size_t i = chain.size(); i-- > 0;) {
      if (!ReadInputStep(*chain[i], pad)) return false;
    }
    if (pad_condition_ >= 0 && pad != 0)
      return Fail("its padding is not the zero point of the input");
    if (layer_.input_offset < -kMost8 || layer_.input_offset > -kLeast8)
      return Fail(fmt::format("an offset of {} of the input", layer_.input_offset));
    return true;
  }

  /// One step of the factor, seen from its argument.
  bool ReadInputStep(const Step& step, int64_t& pad) {
    const StepNumbers numbers(all_, {});
    const auto number = [&](size_t arg) { return numbers.Of(step.args[arg]); };
    int64_t& offset = layer_.input_offset;
    if (step.node == NodeKind::kSelect) {
      const std::optional<int64_t> other = number(2);
      // The arm of pads comes last in all claims, so the condition is true inside.
      if (pad_condition_ >= 0 || !other || DependsOn(step.args[0], info_.input))
        return Fail("its padding has a form that is not known");
      pad_condition_ = step.args[0];
      pad = *other;
    } else if (step.node == NodeKind::kAdd || step.node == NodeKind::kSub) {
      const std::optional<int64_t> second = number(1);
      const std::optional<int64_t> first = step.node == NodeKind::kAdd ? number(0) : std::nullopt;
      if (!first && !second) return Fail("its input is computed in another way");
      if (std::max(Magnitude(first), Magnitude(second)) > kMostSize)
        return Fail("its input may wrap");
      const int64_t added = first ? *first : step.node == NodeKind::kSub ? -*second : *second;
      offset += added;
      pad += added;
    } else if (step.node != NodeKind::kCast) {
      return Fail("its input is computed in another way");
    }
    const Interval values{kLeast8 + offset, kMost8 + offset};
    if (!FitsDType(Unite(values, Interval::Point(pad_condition_ >= 0 ? pad : values.min)),
                   step.dtype))
      return Fail("its input may wrap");
    return true;
  }

  bool ReadWeights(int factor) {
    while (StepAt(factor).kind == StepKind::kNode && StepAt(factor).node == NodeKind::kCast) {
      if (!StepAt(factor).dtype.is_int()) return Fail("its weights are computed");
      factor = StepAt(factor).args[0];
    }
    const Step& read = StepAt(factor);
    if (read.kind != StepKind::kRead || read.access != info_.weights)
      return Fail("its weights are computed, or have a zero point");
    return OperandOf(info_.weights).dtype.is_integer() || Fail("its weights are not integers");
  }

  /// The steps from the sum to the stored value, each with its argument that depends on the sum.
  std::optional<std::vector<std::pair<int, size_t>>> Chain() const {
    std::vector<bool> depends(all_.steps.size());
    depends[static_cast<size_t>(info_.contraction)] = true;
    for (size_t i = static_cast<size_t>(info_.contraction) + 1; i < all_.steps.size(); ++i) {
      for (const int arg : all_.steps[i].args)
        depends[i] = depends[i] || depends[static_cast<size_t>(arg)];
    }
    std::vector<std::pair<int, size_t>> chain;
    for (int at = all_.stores[0].step; at != info_.contraction;) {
      const Step& step = StepAt(at);
      if (!depends[static_cast<size_t>(at)] || IsReduction(step.kind)) return std::nullopt;
      size_t own = step.args.size();
      for (size_t i = 0; i < step.args.size(); ++i) {
        if (!depends[static_cast<size_t>(step.args[i])]) continue;
        if (own != step.args.size()) return std::nullopt;
        own = i;
      }
      chain.emplace_back(at, own);
      at = step.args[own];
    }
    std::reverse(chain.begin(), chain.end());
    return chain;
  }

  bool ReadEpilogue() {
    const auto chain = Chain();
    if (!chain) return Fail("its epilogue uses the sum more than once");
    range_ = Interval::Everything();
    for (const auto& [at, own] : *chain) {
      const Step& step = StepAt(at);
      if (step.kind == StepKind::kCall) {
        if (!ReadRequantisation(step, own)) return false;
      } else if (step.kind != StepKind::kNode) {
        return Fail("its epilogue has an operation that the library lacks");
      } else if (!(layer_.steps.multiplier < 0 ? ReadBefore(step, own) : ReadAfter(step, own))) {
        return false;
      }
    }
    const ComputationStore& store = all_.stores[0];
    layer_.output = AccessAt(store.access).operand;
    if (layer_.steps.multiplier < 0) return Fail("its sums are not requantised");
    if (OperandOf(store.access).dtype != DataType::Int(8) || range_.min < kLeast8 ||
        range_.max > kMost8)
      return Fail(fmt::format("its output is {}, not a clipped int8",
                              OperandOf(store.access).dtype.ToString()));
    if (layer_.output_offset < kLeast8 || layer_.output_offset > kMost8)
      return Fail(fmt::format("an offset of {} of the output", layer_.output_offset));
    layer_.least = range_.min;
    layer_.most = range_.max;
    return true;
  }

  /// The bias. Its values are read later: sums that would wrap are refused there.
  bool ReadBefore(const Step& step, size_t own) {
    if (step.node == NodeKind::kCast && step.dtype == DataType::Int(32)) return true;
    if (step.node != NodeKind::kAdd || layer_.steps.bias >= 0 || step.dtype != DataType::Int(32))
      return Fail("an operation before the requantisation that is not a bias");
    layer_.steps.bias = step.args[1 - own];
    return true;
  }

  bool ReadRequantisation(const Step& step, size_t own) {
    CmsisSteps& steps = layer_.steps;
    const StepNumbers numbers(all_, {});
    if (steps.multiplier >= 0) return Fail("it is requantised twice");
    const bool is_uniform = step.op == OpKind::kQMultiplyShift;
    if (own != 0 || (!is_uniform && step.op != OpKind::kQMultiplyShiftPerAxis))
      return Fail("its epilogue has an operation that the library lacks");
    steps.multiplier = step.args[1];
    steps.is_uniform = is_uniform;
    steps.shift = step.args[3];
    steps.shifts_right = !is_uniform;
    if (numbers.Of(step.args[is_uniform ? 2 : 4]) != 31)
      return Fail("a multiplier of another form than Q31");
    // A left shift counts only if it is required.
    if (!is_uniform && numbers.Of(step.args[5]) != 0 && numbers.Of(step.args[2]) != 0)
      return Fail("a left shift before its multiplication");
    return true;
  }

  /// After the requantisation, the value is `clip(product + output_offset)` with the limits
  /// `range_`.
  bool ReadAfter(const Step& step, size_t own) {
    if (step.node == NodeKind::kCast) {
      if (!step.dtype.is_integer() || (step.dtype != DataType::Int(32) &&
                                       !(range_.is_bounded() && FitsDType(range_, step.dtype))))
        return Fail(fmt::format("a cast to {} that may wrap", step.dtype.ToString()));
      return true;
    }
    const std::optional<int64_t> number = StepNumbers(all_, {}).Of(step.args[1 - own]);
    if (!number) return Fail("its epilogue has another operand");
    if (Magnitude(number) > INT32_MAX) return Fail("its epilogue may wrap");
    const Interval point = Interval::Point(*number);
    if (step.node == NodeKind::kMin) {
      range_ = MinOf(range_, point);
    } else if (step.node == NodeKind::kMax) {
      range_ = MaxOf(range_, point);
    } else if (step.node == NodeKind::kAdd || (step.node == NodeKind::kSub && own == 0)) {
      const Interval added = step.node == NodeKind::kAdd ? point : -point;
      layer_.output_offset += added.min;
      range_ = range_ + added;
      layer_.steps.largest_offset =
          std::max(layer_.steps.largest_offset, std::abs(layer_.output_offset));
      if (range_.is_bounded() && !FitsDType(range_, step.dtype))
        return Fail("its epilogue may wrap");
      if (std::abs(layer_.output_offset) > INT32_MAX) return Fail("its epilogue may wrap");
    } else {
      return Fail("its epilogue has an operation that the library lacks");
    }
    return true;
  }

  CmsisAxis AxisOf(int loop) const {
    const int output = all_.stores[0].access;
    return {loop, all_.loops[static_cast<size_t>(loop)].extent,
            AccessAt(info_.input).element.stride(loop), AccessAt(output).element.stride(loop)};
  }

  /// Loops become channels, places and sums by the operands that they walk over.
  bool ReadLoops() {
    const LinearIndex& weights = AccessAt(info_.weights).element;
    const LinearIndex& output = AccessAt(all_.stores[0].access).element;
    for (const int access : {info_.input, info_.weights, all_.stores[0].access}) {
      if (AccessAt(access).element.divisor != 1) return Fail("an element that is divided");
    }
    if (output.offset != 0) return Fail("its output is a part of a tensor");
    for (const int loop : all_.stores[0].loops) {
      const CmsisAxis axis = AxisOf(loop);
      (weights.stride(loop) != 0 ? layer_.channels : places_).push_back(axis);
    }
    for (const int loop : StepAt(info_.contraction).loops) {
      const CmsisAxis axis = AxisOf(loop);
      const std::string& name = all_.loops[static_cast<size_t>(loop)].name;
      const bool is_kernel =
          name.starts_with("kd") || name.starts_with("kh") || name.starts_with("kw");
      (is_kernel ? layer_.kernel : layer_.summed).push_back(axis);
    }
    const auto by_output = [](const CmsisAxis& a, const CmsisAxis& b) {
      return a.output < b.output;
    };
    const auto by_input = [](const CmsisAxis& a, const CmsisAxis& b) { return a.input < b.input; };
    std::sort(layer_.channels.begin(), layer_.channels.end(), by_output);
    std::sort(places_.begin(), places_.end(), by_output);
    std::sort(layer_.summed.begin(), layer_.summed.end(), by_input);
    std::sort(layer_.kernel.begin(), layer_.kernel.end(), by_input);
    return ReadChannels() && ReadPlaces();
  }

  /// The number of elements that axes count through without holes, from `stride` on; 0 if they do
  /// not.
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
    if (groups.empty()) {
      layer_.input_c = Compact(layer_.summed, &CmsisAxis::input, 1);
      if (layer_.input_c == 0) return Fail("its input channels are not neighbours in memory");
      return true;
    }
    layer_.kind = CmsisLayer::Kind::kDepthwise;
    if (!layer_.summed.empty()) return Fail("it has groups of several channels");
    layer_.input_c = Compact(groups, &CmsisAxis::input, 1);
    if (layer_.input_c == 0) return Fail("its input channels are not neighbours in memory");
    const int64_t multiplier = layer_.output_c / layer_.input_c;
    const auto fits = [&](const CmsisAxis& axis) { return axis.output == axis.input * multiplier; };
    return std::all_of(groups.begin(), groups.end(), fits) ||
           Fail("the channels of a group are not neighbours in memory");
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
    if (w == nullptr && kw == nullptr && kh == nullptr && pad_condition_ < 0 &&
        layer_.kind == CmsisLayer::Kind::kConvolution && layer_.steps.is_uniform)
      layer_.kind = CmsisLayer::Kind::kDense;
    return ReadRows(h, w, kh, kw);
  }

  /// Finds the elements of a row: strides of rows are multiples of it.
  bool ReadRows(const CmsisAxis* h, const CmsisAxis* w, const CmsisAxis* kh, const CmsisAxis* kw) {
    layer_.output_h = h == nullptr ? 1 : h->extent;
    layer_.output_w = w == nullptr ? 1 : w->extent;
    layer_.kernel_h = kh == nullptr ? 1 : kh->extent;
    layer_.kernel_w = kw == nullptr ? 1 : kw->extent;
    const int64_t elements = OperandOf(info_.input).elements;
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
    const int64_t elements = OperandOf(info_.input).elements;
    const int64_t c = layer_.input_c;
    const int64_t offset = AccessAt(info_.input).element.offset;
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
           PadsMatch(h, w, kh, kw);
  }

  /// True if the claim reads the input exactly where the layer's places are inside.
  bool PadsMatch(const CmsisAxis* h, const CmsisAxis* w, const CmsisAxis* kh,
                 const CmsisAxis* kw) const {
    const int64_t rows = layer_.output_h * layer_.kernel_h;
    const int64_t columns = layer_.output_w * layer_.kernel_w;
    if (pad_condition_ < 0) {
      return layer_.pad_h == 0 && layer_.pad_w == 0 && RowOf(rows - 1) < layer_.input_h &&
             ColumnOf(columns - 1) < layer_.input_w;
    }
    if (rows > kMostPlaces / columns) return false;
    LoopSet own = 0;
    StepNumbers numbers(all_, {});
    const auto set = [&](const CmsisAxis* axis, int64_t place) {
      if (axis == nullptr) return;
      own |= Bit(axis->loop);
      numbers.Set(axis->loop, place);
    };
    for (int64_t r = 0; r < rows; ++r) {
      set(h, r / layer_.kernel_h);
      set(kh, r % layer_.kernel_h);
      const bool is_row = RowOf(r) >= 0 && RowOf(r) < layer_.input_h;
      for (int64_t s = 0; s < columns; ++s) {
        set(w, s / layer_.kernel_w);
        set(kw, s % layer_.kernel_w);
        const bool is_inside = is_row && ColumnOf(s) >= 0 && ColumnOf(s) < layer_.input_w;
        if (numbers.Of(pad_condition_) != int64_t{is_inside}) return false;
      }
    }
    return (FreeLoops(all_)[static_cast<size_t>(pad_condition_)] & ~own) == 0;
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
  /// The limits of the value so far.
  Interval range_;
  /// The condition under which the input is read; -1 without padding.
  int pad_condition_ = -1;
  /// Places of the output, the innermost first.
  Axes places_;
};

int64_t RoundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

int64_t CmsisLayer::ScratchBytes() const {
  const int64_t window = kernel_h * kernel_w * input_c;
  const bool is_dilated = dilation_h != 1 || dilation_w != 1;
  switch (kind) {
    case Kind::kDense:
      return 0;
    case Kind::kDepthwise:
      if (input_c != output_c || is_dilated) return 0;
      if (kernel_h == 3 && kernel_w == 3 && pad_h <= 1 && pad_w <= 1) return 0;
      return 2 * window;
    case Kind::kConvolution:
      break;
  }
  const bool is_one = kernel_h == 1 && kernel_w == 1 && pad_h == 0 && pad_w == 0 && !is_dilated;
  // Some compilers use a different multiplication of matrices, with two columns of int16.
  if (is_one) return stride_h == 1 && stride_w == 1 ? 4 * input_c : 0;
  return 4 * RoundUp(window, 4);
}

std::optional<CmsisLayer> ReadCmsisLayer(const OpInfo& info, std::string* problem) {
  return LayerReader(info).Read(problem);
}

}  // namespace tenon
