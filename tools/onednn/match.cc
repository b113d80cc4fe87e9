#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/contraction.h"
#include "ir/builtins.h"
#include "tools/onednn/library_op.h"
#include "tools/onednn/post_ops.h"

namespace tenon {

namespace {

absl::Status No(std::string reason) { return absl::UnimplementedError(std::move(reason)); }

/// Sets a tensor. Strides of axes with one element do not matter to a program, but the library
/// compares all strides with those of the layouts that it knows.
void SetTensor(tenon_onednn_tensor& tensor, const std::vector<int64_t>& dims,
               const std::vector<int64_t>& strides) {
  const size_t count = dims.size();
  tensor = {};
  tensor.count = static_cast<int32_t>(count);
  std::copy(dims.begin(), dims.end(), tensor.dims);
  std::vector<size_t> channels_last = {0};
  for (size_t i = 2; i < count; ++i) channels_last.push_back(i);
  if (count > 1) channels_last.push_back(1);
  std::vector<size_t> in_order(count);
  for (size_t i = 0; i < count; ++i) in_order[i] = i;
  for (const std::vector<size_t>& order : {channels_last, in_order}) {
    std::vector<int64_t> dense(count);
    int64_t size = 1;
    for (size_t i = count; i-- > 0;) {
      dense[order[i]] = size;
      size *= dims[order[i]];
    }
    bool is_equal = true;
    for (size_t i = 0; i < count; ++i) is_equal &= dims[i] == 1 || dense[i] == strides[i];
    std::copy(dense.begin(), dense.end(), tensor.strides);
    if (is_equal) return;
  }
  int64_t end = 1;
  for (size_t i = 0; i < count; ++i) end = std::max(end, dims[i] * strides[i]);
  for (size_t i = 0; i < count; ++i) tensor.strides[i] = dims[i] == 1 ? end : strides[i];
}

/// Strides of a tensor without gaps, the last axis innermost.
std::vector<int64_t> DenseStrides(const std::vector<int64_t>& dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t size = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = size;
    size *= dims[i];
  }
  return strides;
}

/// An axis of a tensor: loops of the claim, the outermost first.
using Axis = std::vector<int>;

class Matcher {
 public:
  Matcher(const OpInfo& info, bool may_reassociate, bool packed, int threads)
      : info_(info), all_(info.computation), may_reassociate_(may_reassociate), packed_(packed) {
    made_.op.threads = threads;
  }

  absl::StatusOr<LibraryOp> Run() {
    if (absl::Status status = CheckTypes(); !status.ok()) return status;
    absl::Status status;
    if (info_.contraction >= 0 && info_.kind != "conv2d_transpose") {
      const bool is_product = info_.kind == "dense" || info_.kind == "matmul";
      status = is_product ? MatchProduct() : MatchConvolution();
    } else if (info_.kind == "max_pool" || info_.kind == "avg_pool") {
      status = MatchPooling();
    } else if (info_.kind == "softmax") {
      status = MatchSoftmax();
    } else if (info_.kind == "elementwise") {
      status = MatchElementwise();
    } else {
      status = No("the library has no such operator");
    }
    if (!status.ok()) return status;
    return std::move(made_);
  }

 private:
  const Step& At(int step) const { return all_.steps[static_cast<size_t>(step)]; }
  int64_t ExtentOf(int loop) const { return all_.loops[static_cast<size_t>(loop)].extent; }
  int64_t ExtentOf(const Axis& axis) const {
    int64_t extent = 1;
    for (const int loop : axis) extent *= ExtentOf(loop);
    return extent;
  }
  Axis Loops(std::string_view name) const { return LoopsOfAxis(all_, name); }
  const ComputationAccess& Access(int access) const {
    return all_.accesses[static_cast<size_t>(access)];
  }

  absl::Status CheckTypes() const {
    if (all_.stores.size() != 1) return No("it has several results");
    for (const ComputationOperand& operand : all_.operands) {
      if (!(operand.dtype == DataType::Float(32))) return No("not float32");
      // All operands are arguments after the constants of operators were moved.
    }
    for (const ComputationAccess& access : all_.accesses) {
      if (access.element.divisor != 1) return No("an index is divided");
    }
    if (!may_reassociate_ && info_.kind != "elementwise")
      return No("the library orders sums in its own way");
    return absl::OkStatus();
  }

  /// The stride of an axis in an access; nullopt if its loops are not one after the other.
  std::optional<int64_t> StrideOf(const LinearIndex& element, const Axis& axis) const {
    int64_t stride = 0;
    int64_t extent = 1;
    for (size_t i = axis.size(); i-- > 0;) {
      if (ExtentOf(axis[i]) == 1) continue;
      const int64_t own = element.stride(axis[i]);
      if (extent == 1) {
        stride = own;
      } else if (own != stride * extent) {
        return std::nullopt;
      }
      extent *= ExtentOf(axis[i]);
    }
    return stride;
  }

  /// Sets a tensor whose dimensions are axes, with strides above 0.
  absl::Status SetAxes(tenon_onednn_tensor& tensor, int access, const std::vector<Axis>& axes,
                       std::string_view what) const {
    std::vector<int64_t> dims;
    std::vector<int64_t> strides;
    for (const Axis& axis : axes) {
      const std::optional<int64_t> stride = StrideOf(Access(access).element, axis);
      dims.push_back(ExtentOf(axis));
      if (!stride || (dims.back() > 1 && *stride <= 0))
        return No(fmt::format("strides cannot describe the layout of its {}", what));
      strides.push_back(*stride);
    }
    if (dims.size() > TENON_ONEDNN_DIMS) return No("it has too many axes");
    SetTensor(tensor, dims, strides);
    return absl::OkStatus();
  }

  /// True if an access moves only with loops of these axes.
  bool MovesOnlyWith(int access, const std::vector<Axis>& axes) const {
    const LinearIndex& element = Access(access).element;
    return std::all_of(element.terms.begin(), element.terms.end(), [&](const auto& term) {
      return ExtentOf(term.first) == 1 ||
             std::any_of(axes.begin(), axes.end(), [&](const Axis& axis) {
               return std::find(axis.begin(), axis.end(), term.first) != axis.end();
             });
    });
  }

  /// The operand of an access, from element `base` on.
  absl::Status Place(OperandPlace& place, int access, int64_t base) const {
    if (base < 0) return No("it reads before the start of an operand");
    place = {Access(access).operand, base};
    return absl::OkStatus();
  }

  absl::Status CheckSum() const {
    const Step& sum = At(info_.contraction);
    if (sum.kind != StepKind::kReduce || sum.node != NodeKind::kAdd ||
        !(sum.dtype == DataType::Float(32)))
      return No("its sum is not of float32");
    const Step& first = At(sum.args[0]);
    if (first.kind != StepKind::kReal || first.real != 0) return No("its sum does not start at 0");
    return HasPlainFactors(info_) ? absl::OkStatus() : No("it computes its factors");
  }

  /// Sets the weights: packed, or in the layout of the claim.
  absl::Status SetWeights(const std::vector<Axis>& axes) {
    if (!MovesOnlyWith(info_.weights, axes)) return No("its weights change with places");
    const LinearIndex& element = Access(info_.weights).element;
    std::vector<int64_t> dims;
    for (const Axis& axis : axes) dims.push_back(ExtentOf(axis));
    const std::vector<int64_t> dense = DenseStrides(dims);
    for (size_t i = 0; i < axes.size(); ++i) {
      int64_t to = dense[i];
      for (size_t k = axes[i].size(); k-- > 0;) {
        const int loop = axes[i][k];
        made_.weight_loops.push_back({ExtentOf(loop), element.stride(loop), to});
        to *= ExtentOf(loop);
      }
    }
    made_.op.packed = packed_ ? 1 : 0;
    if (packed_) {
      SetTensor(made_.op.weights, dims, dense);
      std::copy(dense.begin(), dense.end(), made_.op.weights.strides);
    } else if (!SetAxes(made_.op.weights, info_.weights, axes, "weights").ok()) {
      made_.copies_weights = true;
      SetTensor(made_.op.weights, dims, dense);
      std::copy(dense.begin(), dense.end(), made_.op.weights.strides);
    }
    return Place(made_.weights, info_.weights, element.offset);
  }

  /// The axes of the result, the second of which has the channels.
  absl::Status SetResult(const std::vector<Axis>& axes) {
    const int access = all_.stores[0].access;
    if (!MovesOnlyWith(access, axes)) return No("its result has other axes");
    if (absl::Status status = SetAxes(made_.op.result, access, axes, "result"); !status.ok())
      return status;
    result_axes_ = axes;
    return Place(made_.result, access, Access(access).element.offset);
  }

  /// The operations between step `from` and the stored value.
  absl::Status SetPosts(int from, bool has_bias, size_t channel_axis) {
    const absl::StatusOr<std::vector<PostOp>> found = FindPostOps(all_, from, all_.stores[0].step);
    if (!found.ok()) return found.status();
    std::vector<PostOp> posts = *found;
    tenon_onednn_tensor other;
    if (has_bias && !posts.empty() && posts[0].algorithm == TENON_ONEDNN_ADD &&
        posts[0].access >= 0 && OtherTensor(posts[0].access, other).ok()) {
      bool is_bias = other.strides[channel_axis] == 1 || other.dims[channel_axis] == 1;
      for (int i = 0; i < other.count; ++i) {
        is_bias &= other.dims[i] ==
                   (i == static_cast<int>(channel_axis) ? made_.op.result.dims[channel_axis] : 1);
      }
      if (is_bias) {
        SetTensor(made_.op.bias, {made_.op.result.dims[channel_axis]}, {1});
        absl::Status status =
            Place(made_.bias, posts[0].access, Access(posts[0].access).element.offset);
        if (!status.ok()) return status;
        posts.erase(posts.begin());
      }
    }
    return AppendPosts(posts);
  }

  absl::Status AppendPosts(const std::vector<PostOp>& posts) {
    if (posts.size() > TENON_ONEDNN_POSTS) return No("too many operations follow its sum");
    bool has_sum = false;
    for (size_t i = 0; i < posts.size(); ++i) {
      tenon_onednn_post& post = made_.op.posts[i];
      post.algorithm = posts[i].algorithm;
      post.alpha = posts[i].alpha;
      post.beta = posts[i].beta;
      post.kind = posts[i].access < 0 ? TENON_ONEDNN_ELTWISE : TENON_ONEDNN_BINARY;
      if (posts[i].access < 0) continue;
      if (absl::Status status = OtherTensor(posts[i].access, post.other); !status.ok())
        return status;
      if (absl::Status status =
              Place(made_.posts[i], posts[i].access, Access(posts[i].access).element.offset);
          !status.ok())
        return status;
      // The library adds to what the result's memory has before.
      if (posts[i].algorithm != TENON_ONEDNN_ADD || has_sum || !IsLikeResult(post.other)) continue;
      post.kind = TENON_ONEDNN_SUM;
      has_sum = true;
    }
    made_.op.post_count = static_cast<int32_t>(posts.size());
    return absl::OkStatus();
  }

  bool IsLikeResult(const tenon_onednn_tensor& other) const {
    const tenon_onednn_tensor& result = made_.op.result;
    int64_t elements = 1;
    for (int i = 0; i < result.count; ++i) {
      elements *= result.dims[i];
      if (other.dims[i] != result.dims[i] ||
          (result.dims[i] > 1 && other.strides[i] != result.strides[i]))
        return false;
    }
    // Copies must not move memory that belongs to others.
    int64_t last = 0;
    for (int i = 0; i < result.count; ++i) last += (result.dims[i] - 1) * result.strides[i];
    return last + 1 == elements;
  }

  /// An operand with the axes of the result; those without a stride have one element.
  absl::Status OtherTensor(int access, tenon_onednn_tensor& tensor) const {
    if (!MovesOnlyWith(access, result_axes_)) return No("an operand has other axes");
    std::vector<int64_t> dims;
    std::vector<int64_t> strides;
    for (const Axis& axis : result_axes_) {
      const std::optional<int64_t> stride = StrideOf(Access(access).element, axis);
      if (!stride || *stride < 0) return No("strides cannot describe the layout of an operand");
      dims.push_back(*stride == 0 ? 1 : ExtentOf(axis));
      strides.push_back(*stride);
    }
    SetTensor(tensor, dims, strides);
    return absl::OkStatus();
  }

  // Convolutions.

  struct Space {
    std::vector<Axis> places, kernels;
    std::vector<int64_t> pitches;
    int64_t before = 0;  ///< elements of the padding before the first one
  };

  /// The axes of the window, and the strides of the input on them.
  absl::StatusOr<Space> FindSpace(int access) {
    constexpr std::string_view kNames[] = {"d", "h", "w"};
    if (!info_.window || info_.window->input.empty() || info_.window->input.size() > 3)
      return No("its window has no axes, or more than three");
    const WindowInfo& window = *info_.window;
    const LinearIndex& element = Access(access).element;
    Space space;
    const size_t count = window.input.size();
    for (size_t i = 0; i < count; ++i) {
      const std::string_view name = kNames[3 - count + i];
      space.places.push_back(Loops(name));
      space.kernels.push_back(Loops(fmt::format("k{}", name)));
      const auto place = StrideOf(element, space.places[i]);
      const auto kernel = StrideOf(element, space.kernels[i]);
      const bool fits = place && kernel && window.stride[i] > 0 && window.dilation[i] > 0 &&
                        *place % window.stride[i] == 0 && *kernel % window.dilation[i] == 0 &&
                        ExtentOf(space.places[i]) == window.output[i] &&
                        ExtentOf(space.kernels[i]) == window.kernel[i];
      if (!fits) return No("its windows have an unknown form");
      const int64_t by_place = *place / window.stride[i];
      const int64_t by_kernel = *kernel / window.dilation[i];
      if (window.output[i] > 1 && window.kernel[i] > 1 && by_place != by_kernel)
        return No("its windows have an unknown form");
      space.pitches.push_back(window.kernel[i] > 1 ? by_kernel : by_place);
      if (!SetWindow(i)) return No("its padding has an unknown form");
      space.before += made_.op.pad_before[i] * space.pitches[i];
    }
    made_.op.space = static_cast<int32_t>(count);
    return space;
  }

  /// Sets the numbers of one axis of the window. The library computes the size of the result from
  /// them.
  bool SetWindow(size_t axis) {
    const WindowInfo& window = *info_.window;
    tenon_onednn_op& op = made_.op;
    op.kernel[axis] = window.kernel[axis];
    op.stride[axis] = window.stride[axis];
    op.dilation[axis] = window.dilation[axis];
    op.pad_before[axis] = window.pad_before[axis];
    const int64_t reach = (window.kernel[axis] - 1) * window.dilation[axis] + 1;
    const int64_t last = (window.output[axis] - 1) * window.stride[axis] + reach;
    const int64_t after = last - window.input[axis] - window.pad_before[axis];
    op.pad_after[axis] = std::max<int64_t>(after, 0);
    return window.pad_before[axis] >= 0 && -after < window.stride[axis];
  }

  absl::Status MatchConvolution() {
    if (absl::Status status = CheckSum(); !status.ok()) return status;
    const absl::StatusOr<Space> space = FindSpace(info_.input);
    if (!space.ok()) return space.status();
    const Axis batch = Loops("n");
    const Axis groups = Loops("g");
    const Axis to = Loops("co");
    const Axis from = Loops("ci");
    const auto joined = [](Axis axis, const Axis& more) {
      axis.insert(axis.end(), more.begin(), more.end());
      return axis;
    };
    std::vector<Axis> result = {batch, joined(groups, to)};
    result.insert(result.end(), space->places.begin(), space->places.end());
    if (absl::Status status = SetResult(result); !status.ok()) return status;
    std::vector<Axis> weights = {to, from};
    if (ExtentOf(groups) > 1) weights.insert(weights.begin(), groups);
    weights.insert(weights.end(), space->kernels.begin(), space->kernels.end());
    if (absl::Status status = SetWeights(weights); !status.ok()) return status;
    if (absl::Status status = SetInput(*space, batch, joined(groups, from), info_.input);
        !status.ok())
      return status;
    made_.op.kind = TENON_ONEDNN_CONVOLUTION;
    return SetPosts(info_.contraction, true, 1);
  }

  /// Sets the source of windows.
  absl::Status SetInput(const Space& space, const Axis& batch, const Axis& channels, int access) {
    const LinearIndex& element = Access(access).element;
    const auto batch_stride = StrideOf(element, batch);
    const auto channel_stride = StrideOf(element, channels);
    if (!batch_stride || !channel_stride)
      return No("strides cannot describe the layout of its input");
    std::vector<int64_t> dims = {ExtentOf(batch), ExtentOf(channels)};
    std::vector<int64_t> strides = {*batch_stride, *channel_stride};
    for (size_t i = 0; i < space.pitches.size(); ++i) {
      dims.push_back(info_.window->input[i]);
      strides.push_back(space.pitches[i]);
    }
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] > 1 && strides[i] <= 0)
        return No("strides cannot describe the layout of its input");
    }
    SetTensor(made_.op.source, dims, strides);
    return Place(made_.source, access, element.offset + space.before);
  }

  // Products.

  absl::Status MatchProduct() {
    if (absl::Status status = CheckSum(); !status.ok()) return status;
    const Axis batch = Loops("b");
    const Axis rows = Loops("m");
    const Axis columns = Loops("n");
    const Axis summed = Loops("k");
    if (ExtentOf(batch) > 1 ||
        (!packed_ && ExtentOf(rows) > 1 && StrideOf(Access(info_.input).element, rows) &&
         StrideOf(Access(all_.stores[0].access).element, rows)))
      return MatchMatmul(batch, rows, columns, summed);
    if (ExtentOf(rows) == 1) return MatchInnerProduct(columns, summed);
    return MatchRows(rows, columns, summed);
  }

  absl::Status SetSource(const std::vector<Axis>& axes) {
    if (!MovesOnlyWith(info_.input, axes)) return No("its input has other axes");
    if (absl::Status status = SetAxes(made_.op.source, info_.input, axes, "input"); !status.ok())
      return status;
    return Place(made_.source, info_.input, Access(info_.input).element.offset);
  }

  absl::Status MatchMatmul(const Axis& batch, const Axis& rows, const Axis& columns,
                           const Axis& summed) {
    if (packed_ && ExtentOf(batch) > 1) return No("weights of batches are not packed");
    const bool has_batch = ExtentOf(batch) > 1;
    const auto with_batch = [&](std::vector<Axis> axes) {
      if (has_batch) axes.insert(axes.begin(), batch);
      return axes;
    };
    for (const absl::Status& status :
         {SetResult(with_batch({rows, columns})), SetSource(with_batch({rows, summed})),
          SetWeights(with_batch({summed, columns}))}) {
      if (!status.ok()) return status;
    }
    made_.op.kind = TENON_ONEDNN_MATMUL;
    // A bias of this operator has all axes of the result, so that it is an operand like others.
    return SetPosts(info_.contraction, false, has_batch ? 2 : 1);
  }

  absl::Status MatchInnerProduct(const Axis& columns, const Axis& summed) {
    for (const absl::Status& status :
         {SetResult({{}, columns}), SetSource({{}, summed}), SetWeights({columns, summed})}) {
      if (!status.ok()) return status;
    }
    made_.op.kind = TENON_ONEDNN_INNER_PRODUCT;
    return SetPosts(info_.contraction, true, 1);
  }

  /// Several rows: a convolution with windows of one place. A window with a stride leaves out rows.
  absl::Status MatchRows(const Axis& rows, const Axis& columns, const Axis& summed) {
    std::vector<Axis> parts;
    for (const int loop : rows) {
      if (ExtentOf(loop) == 1) continue;
      Axis joined = parts.empty() ? Axis() : parts.back();
      joined.push_back(loop);
      const bool fits = !parts.empty() && StrideOf(Access(info_.input).element, joined) &&
                        StrideOf(Access(all_.stores[0].access).element, joined);
      if (fits) {
        parts.back() = std::move(joined);
      } else {
        parts.push_back({loop});
      }
    }
    if (parts.size() > 3) return No("strides cannot describe its rows");
    while (parts.size() < 3) parts.insert(parts.begin(), Axis());
    for (const absl::Status& status :
         {SetResult({parts[0], columns, parts[1], parts[2]}), SetWeights({columns, summed, {}, {}}),
          SetRows(parts, summed)}) {
      if (!status.ok()) return status;
    }
    made_.op.kind = TENON_ONEDNN_CONVOLUTION;
    return SetPosts(info_.contraction, true, 1);
  }

  absl::Status SetRows(const std::vector<Axis>& parts, const Axis& summed) {
    const LinearIndex& element = Access(info_.input).element;
    const int64_t channels = ExtentOf(summed);
    const auto stride_of = [&](const Axis& axis) { return StrideOf(element, axis).value_or(0); };
    const auto channel = StrideOf(element, summed);
    if (!channel) return No("strides cannot describe the layout of its input");
    made_.op.space = 2;
    for (int i = 0; i < 2; ++i) made_.op.kernel[i] = made_.op.stride[i] = made_.op.dilation[i] = 1;
    std::vector<int64_t> dims = {ExtentOf(parts[0]), channels, ExtentOf(parts[1]),
                                 ExtentOf(parts[2])};
    std::vector<int64_t> strides = {stride_of(parts[0]), *channel, stride_of(parts[1]),
                                    stride_of(parts[2])};
    if (dims[2] > 1 && *channel == 1) FitPicture(dims, strides);
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] > 1 && strides[i] <= 0)
        return No("strides cannot describe the layout of its input");
    }
    SetTensor(made_.op.source, dims, strides);
    return Place(made_.source, info_.input, element.offset);
  }

  /// Rows of a picture from which a window with a stride leaves out some: finds its width. Without
  /// a fitting width, the strides stay as they are.
  void FitPicture(std::vector<int64_t>& dims, std::vector<int64_t>& strides) {
    const int64_t channels = dims[1];
    if (strides[3] % channels != 0 || strides[2] % channels != 0) return;
    const int64_t step = strides[3] / channels;
    const int64_t row = strides[2] / channels;
    for (const int64_t down : {step, int64_t{1}, int64_t{2}, int64_t{3}, int64_t{4}}) {
      if (down < 1 || step < 1 || row % down != 0) continue;
      const int64_t width = row / down;
      if ((width - 1) / step + 1 != dims[3]) continue;
      int64_t height = (dims[2] - 1) * down + 1;
      if (dims[0] > 1) {
        if (strides[0] % (width * channels) != 0) continue;
        height = strides[0] / (width * channels);
        if ((height - 1) / down + 1 != dims[2]) continue;
      }
      made_.op.stride[0] = down;
      made_.op.stride[1] = step;
      dims[2] = height;
      dims[3] = width;
      strides[2] = width * channels;
      strides[3] = channels;
      return;
    }
  }

  // Pooling.

  absl::Status MatchPooling() {
    const std::vector<int> reductions = Reductions(all_);
    if (reductions.size() != 1) return No("it has several reductions");
    const Step& reduce = At(reductions[0]);
    const bool is_max = info_.kind == "max_pool";
    if (reduce.node != (is_max ? NodeKind::kMax : NodeKind::kAdd))
      return No("its reduction has an unknown form");
    const Step& first = At(reduce.args[0]);
    std::vector<int> guards;
    const Step& value = At(Unguarded(all_, reduce.args[1], first.real, guards));
    const bool is_plain =
        value.kind == StepKind::kRead && first.kind == StepKind::kReal &&
        (is_max ? first.real <= std::numeric_limits<float>::lowest() : first.real == 0);
    if (!is_plain) return No("it computes the values of its windows");
    const int access = value.access;
    absl::StatusOr<Space> space = FindSpace(access);
    if (!space.ok()) return space.status();
    std::vector<Axis> result = {Loops("n"), Loops("c")};
    result.insert(result.end(), space->places.begin(), space->places.end());
    if (absl::Status status = SetResult(result); !status.ok()) return status;
    if (absl::Status status = SetInput(*space, Loops("n"), Loops("c"), access); !status.ok())
      return status;
    int from = reductions[0];
    if (!is_max) {
      const std::optional<int> mean = MeanOf(from);
      if (!mean) return No("it does not divide by the number of places of its window");
      from = *mean;
    }
    made_.op.kind = TENON_ONEDNN_POOLING;
    made_.op.algorithm = is_max ? TENON_ONEDNN_POOL_MAX : TENON_ONEDNN_POOL_AVERAGE;
    SeparateChannels();
    return SetPosts(from, false, 1);
  }

  /// The step that divides a sum by the number of places of the window.
  std::optional<int> MeanOf(int sum) const {
    double places = 1;
    for (const int64_t size : info_.window->kernel) places *= static_cast<double>(size);
    for (size_t i = 0; i < all_.steps.size(); ++i) {
      const Step& step = all_.steps[i];
      if (step.kind != StepKind::kNode || step.args.size() != 2) continue;
      const bool is_left = step.args[0] == sum;
      if (!is_left && step.args[1] != sum) continue;
      const Step& other = At(step.args[is_left ? 1 : 0]);
      if (other.kind != StepKind::kReal) continue;
      const double factor = step.node == NodeKind::kMul              ? other.real * places
                            : step.node == NodeKind::kDiv && is_left ? places / other.real
                                                                     : 0;
      if (factor > 1 - 1e-6 && factor < 1 + 1e-6) return static_cast<int>(i);
    }
    return std::nullopt;
  }

  /// Channels that are part of the innermost axis of a window, where they are its dilation, become
  /// an axis: the library is slow with dilations.
  void SeparateChannels() {
    tenon_onednn_op& op = made_.op;
    const size_t last = static_cast<size_t>(op.space) - 1;
    const int64_t channels = op.dilation[last];
    const int32_t axis = op.source.count - 1;
    if (channels == 1 || op.source.dims[1] != 1 || op.stride[last] != 1 ||
        op.source.strides[axis] != 1 || op.result.strides[axis] != 1 ||
        op.pad_before[last] % channels != 0 || op.pad_after[last] % channels != 0 ||
        op.source.dims[axis] % channels != 0 || op.result.dims[axis] % channels != 0 ||
        (all_.operands.size() != 2))
      return;
    for (tenon_onednn_tensor* tensor : {&op.source, &op.result}) {
      std::vector<int64_t> dims(tensor->dims, tensor->dims + tensor->count);
      std::vector<int64_t> strides(tensor->strides, tensor->strides + tensor->count);
      dims[1] = channels;
      strides[1] = 1;
      dims.back() /= channels;
      strides.back() = channels;
      SetTensor(*tensor, dims, strides);
    }
    op.dilation[last] = 1;
    op.pad_before[last] /= channels;
    op.pad_after[last] /= channels;
  }

  // Softmax.

  absl::Status MatchSoftmax() {
    const Step& quotient = At(all_.stores[0].step);
    const auto is_node = [&](const Step& step, NodeKind node) {
      return step.kind == StepKind::kNode && step.node == node;
    };
    const auto is_exp = [](const Step& step) {
      return step.kind == StepKind::kCall && step.op == OpKind::kExp;
    };
    if (!is_node(quotient, NodeKind::kDiv) || !is_exp(At(quotient.args[0])))
      return No("it computes more than a softmax");
    const Step& shifted = At(At(quotient.args[0]).args[0]);
    const Step& sum = At(quotient.args[1]);
    if (!is_node(shifted, NodeKind::kSub) || sum.kind != StepKind::kReduce ||
        sum.node != NodeKind::kAdd || !is_exp(At(sum.args[1])))
      return No("it computes more than a softmax");
    const Step& read = At(shifted.args[0]);
    const Step& most = At(shifted.args[1]);
    const bool is_plain = read.kind == StepKind::kRead && most.kind == StepKind::kReduce &&
                          most.node == NodeKind::kMax && At(most.args[1]).kind == StepKind::kRead &&
                          all_.operands.size() == 2;
    if (!is_plain) return No("it computes more than a softmax");
    std::vector<Axis> axes;
    for (const int loop : Loops("i")) axes.push_back({loop});
    axes.push_back(Loops("j"));
    if (axes.size() < 2) axes.insert(axes.begin(), Axis());
    if (absl::Status status = SetResult(axes); !status.ok()) return status;
    if (!MovesOnlyWith(read.access, axes)) return No("its input has other axes");
    if (absl::Status status = SetAxes(made_.op.source, read.access, axes, "input"); !status.ok())
      return status;
    made_.op.kind = TENON_ONEDNN_SOFTMAX;
    made_.op.axis = static_cast<int32_t>(axes.size()) - 1;
    return Place(made_.source, read.access, Access(read.access).element.offset);
  }

  // Operators without sums.

  absl::Status MatchElementwise() {
    std::vector<Axis> axes;
    for (const int loop : all_.stores[0].loops) {
      if (ExtentOf(loop) > 1) axes.push_back({loop});
    }
    if (axes.empty()) return No("it computes one element");
    if (absl::Status status = SetResult(axes); !status.ok()) return status;
    const int from = FirstRead(all_, all_.stores[0].step);
    if (from < 0) return No("it has a form that the library lacks");
    const absl::StatusOr<std::vector<PostOp>> found = FindPostOps(all_, from, all_.stores[0].step);
    if (!found.ok()) return found.status();
    std::vector<PostOp> posts = *found;
    if (posts.empty()) return No("it only moves elements");
    for (const PostOp& post : posts) {
      if (!may_reassociate_ && !IsExact(post)) return No("the library rounds in its own way");
    }
    const int access = At(from).access;
    if (absl::Status status = SetAxes(made_.op.source, access, axes, "input"); !status.ok())
      return status;
    if (!MovesOnlyWith(access, axes)) return No("its input has other axes");
    if (absl::Status status = Place(made_.source, access, Access(access).element.offset);
        !status.ok())
      return status;
    const PostOp first = posts[0];
    posts.erase(posts.begin());
    made_.op.algorithm = first.algorithm;
    made_.op.alpha = first.alpha;
    made_.op.beta = first.beta;
    made_.op.kind = first.access < 0 ? TENON_ONEDNN_ELTWISE : TENON_ONEDNN_BINARY;
    if (first.access >= 0) {
      if (absl::Status status = OtherTensor(first.access, made_.op.weights); !status.ok())
        return status;
      if (absl::Status status =
              Place(made_.weights, first.access, Access(first.access).element.offset);
          !status.ok())
        return status;
    }
    return AppendPosts(posts);
  }

  const OpInfo& info_;
  const Computation& all_;
  const bool may_reassociate_;
  const bool packed_;
  LibraryOp made_;
  std::vector<Axis> result_axes_;
};

/// The library's answers about an operator; an error if it has no fast code.
absl::Status Ask(LibraryOp& made) {
  char name[64];
  if (tenon_onednn_ask(&made.op, name) != 0) return No("the library refuses it");
  made.implementation = name;
  return absl::OkStatus();
}

bool IsSlow(const LibraryOp& made) {
  return made.implementation.starts_with("ref") || made.implementation.starts_with("simple");
}

/// The operator with an operand instead of a sum in place.
bool ReplaceSum(tenon_onednn_op& op) {
  bool replaced = false;
  for (int i = 0; i < op.post_count; ++i) {
    if (op.posts[i].kind != TENON_ONEDNN_SUM) continue;
    op.posts[i].kind = TENON_ONEDNN_BINARY;
    replaced = true;
  }
  return replaced;
}

}  // namespace

int64_t LibraryOp::weight_elements() const {
  int64_t elements = 1;
  for (int i = 0; i < op.weights.count; ++i) elements *= op.weights.dims[i];
  return elements;
}

bool HasWeights(const LibraryOp& op) {
  return op.op.kind == TENON_ONEDNN_CONVOLUTION || op.op.kind == TENON_ONEDNN_INNER_PRODUCT;
}

absl::StatusOr<LibraryOp> MatchOperator(const OpInfo& info, bool may_reassociate, bool packed,
                                        int threads) {
  absl::StatusOr<LibraryOp> made = Matcher(info, may_reassociate, packed, threads).Run();
  if (!made.ok()) return made;
  absl::Status status = Ask(*made);
  if (!status.ok() || IsSlow(*made)) {
    LibraryOp other = *made;
    if (ReplaceSum(other.op) && Ask(other).ok() && !IsSlow(other)) return other;
  }
  if (!status.ok()) return status;
  // Without packing, slow code is better than none: the operator was accepted with packed weights.
  if (packed && IsSlow(*made))
    return No(fmt::format("the library has only slow code for it ({})", made->implementation));
  return made;
}

}  // namespace tenon
