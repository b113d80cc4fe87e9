// GridSample: elements of an image [n, c, extents...] at the places that a grid [n, outputs...,
// axes] has. Places are numbers of -1 to 1 along each axis, the last axis first.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "ir/builtins.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

enum class Mode : uint8_t { kNearest, kLinear, kCubic };
enum class Outside : uint8_t { kZeros, kBorder, kReflection };

struct GridSettings {
  Mode mode = Mode::kLinear;
  Outside outside = Outside::kZeros;
  bool align_corners = false;
};

absl::StatusOr<GridSettings> GridSettingsOf(const OperatorView& op) {
  GridSettings made;
  const std::string_view mode = op.attributes().Text("mode", "linear");
  const std::string_view outside = op.attributes().Text("padding_mode", "zeros");
  if (mode != "nearest" && mode != "linear" && mode != "cubic")
    return op.Wrong(fmt::format("expected nearest, linear or cubic in `mode`, found `{}`", mode));
  if (outside != "zeros" && outside != "border" && outside != "reflection")
    return op.Wrong(
        fmt::format("expected zeros, border or reflection in `padding_mode`, found `{}`", outside));
  made.mode = mode == "nearest" ? Mode::kNearest : mode == "cubic" ? Mode::kCubic : Mode::kLinear;
  made.outside = outside == "zeros"    ? Outside::kZeros
                 : outside == "border" ? Outside::kBorder
                                       : Outside::kReflection;
  made.align_corners = op.attributes().Int("align_corners") != 0;
  return made;
}

/// One axis of the image at one place of the output.
class GridAxis {
 public:
  GridAxis(OperatorCode& code, const GridSettings& settings, int64_t extent, Value number)
      : code_(code), settings_(settings), extent_(static_cast<double>(extent)) {
    const Value one = Real(number, 1);
    place_ = code.Once(settings.align_corners
                           ? (number + one) * Real(number, (extent_ - 1) / 2)
                           : ((number + one) * Real(number, extent_) - one) * Real(number, 0.5));
    if (settings.mode == Mode::kNearest) {
      first_ = code.Once(CallOf(OpKind::kRoundeven, place_));
    } else {
      first_ = code.Once(CallOf(OpKind::kFloor, place_));
      rest_ = code.Once(place_ - first_);
    }
  }

  int64_t taps() const {
    if (settings_.mode == Mode::kNearest) return 1;
    return settings_.mode == Mode::kLinear ? 2 : 4;
  }
  /// The place of a tap, which may be outside of the image.
  Value Tap(int64_t tap) const {
    return first_ + Real(first_, static_cast<double>(tap - (taps() == 4 ? 1 : 0)));
  }
  Value Weight(int64_t tap) const {
    if (taps() == 1) return Real(first_, 1);
    if (taps() == 2) return tap == 1 ? rest_ : Real(rest_, 1) - rest_;
    return CubicWeight(tap);
  }
  /// Whether an element is in the image.
  Value IsInside(Value tap) const { return Real(tap, 0) <= tap && tap <= Real(tap, extent_ - 1); }
  /// The element that stands for a tap, always one of the image.
  Value Element(Value tap) const {
    if (settings_.outside == Outside::kReflection) tap = Reflected(tap);
    const Value least = Real(tap, 0);
    // Max and Min give their second operand for NaN.
    return Cast(kInt32, Min(Max(tap, least), Real(tap, extent_ - 1)));
  }

 private:
  static Value Real(Value like, double number) { return like.code->Number(like.dtype(), number); }

  /// Mirrored at both ends as often as the place needs.
  Value Reflected(Value tap) const {
    const double low = settings_.align_corners ? 0 : -0.5;
    const double range = settings_.align_corners ? extent_ - 1 : extent_;
    if (range == 0) return Real(tap, 0);
    const Value distance = CallOf(OpKind::kFabs, tap - Real(tap, low));
    const Value phase = code_.Once(CallOf(OpKind::kFmod, distance, Real(tap, 2 * range)));
    return Min(phase, Real(tap, 2 * range) - phase) + Real(tap, low);
  }

  Value CubicWeight(int64_t tap) const {
    constexpr double kA = -0.75;
    // The distance from the place to the tap.
    const Value x = tap < 2 ? rest_ + Real(rest_, static_cast<double>(1 - tap))
                            : Real(rest_, static_cast<double>(tap - 1)) - rest_;
    const auto step = [&](Value so_far, double next) { return so_far * x + Real(x, next); };
    if (tap == 1 || tap == 2) return step(step(Real(x, kA + 2) * x - Real(x, kA + 3), 0), 1);
    return step(step(Real(x, kA) * x - Real(x, 5 * kA), 8 * kA), -4 * kA);
  }

  OperatorCode& code_;
  GridSettings settings_;
  double extent_;
  Value place_, first_, rest_;
};

/// Adds the products of all taps of the axes from `place.size()` on.
void AddTaps(OperatorCode& code, const std::vector<GridAxis>& axes, bool with_zeros,
             std::vector<Value>& place, Value weight, Value inside,
             const std::function<void(Value weight, Value inside)>& add) {
  const size_t axis = place.size();
  if (axis == axes.size()) return add(weight, inside);
  for (int64_t tap = 0; tap < axes[axis].taps(); ++tap) {
    const Value at = code.Once(axes[axis].Tap(tap));
    const Value is_inside = with_zeros ? inside && axes[axis].IsInside(at) : inside;
    const Value scaled = axes[axis].taps() == 1 ? weight : weight * axes[axis].Weight(tap);
    place.push_back(code.Once(axes[axis].Element(at)));
    AddTaps(code, axes, with_zeros, place, code.Once(scaled), is_inside, add);
    place.pop_back();
  }
}

}  // namespace

absl::StatusOr<Shapes> ShapeOfGridSample(const OperatorView& op) {
  const Tensor& x = op.input(0);
  const Tensor& grid = op.input(1);
  constexpr int64_t kMostRank = 5;
  if (x.rank() < 3 || x.rank() > kMostRank)
    return op.Unsupported(
        fmt::format("an image of {} dimensions, where 3 to {} are supported", x.rank(), kMostRank));
  if (grid.rank() != x.rank() || grid.shape[0] != x.shape[0] || grid.shape.back() != x.rank() - 2)
    return op.Wrong(
        fmt::format("expected a grid of {} batches with {} numbers for each place, found {}",
                    x.shape[0], x.rank() - 2, grid.TypeText()));
  TensorShape shape = {x.shape[0], x.shape[1]};
  shape.insert(shape.end(), grid.shape.begin() + 1, grid.shape.end() - 1);
  return Shapes{std::move(shape)};
}

absl::Status BuildGridSample(OperatorCode& code) {
  TENON_TRY(CheckInput(code, 0, kFloats));
  TENON_TRY(CheckInput(code, 1, kFloats));
  TENON_TRY(CheckOutput(code, code.input(0).dtype));
  TENON_ASSIGN_OR(const GridSettings settings, GridSettingsOf(code));
  const Tensor& x = code.input(0);
  if (x.elements() == 0 && code.output().elements() > 0)
    return code.Wrong("expected an image with elements, found none");
  const DataType work = WorkType(x.dtype);
  const Array image = code.In(0);
  const Array grid = code.In(1);
  const size_t axes = x.shape.size() - 2;
  WriteElements(code, 0, [&](const std::vector<Value>& to) {
    std::vector<GridAxis> places;
    for (size_t axis = 0; axis < axes; ++axis) {
      std::vector<Value> at = {to[0]};
      at.insert(at.end(), to.begin() + 2, to.end());
      at.push_back(code.Int(static_cast<int64_t>(axes - 1 - axis)));
      places.emplace_back(code, settings, x.shape[axis + 2], Cast(work, grid.Load(at)));
    }
    const Array sum = code.Scalar("sum", work);
    code.Set(sum, code.Number(work, 0));
    std::vector<Value> place;
    AddTaps(code, places, settings.outside == Outside::kZeros, place, code.Number(work, 1),
            code.Bool(true), [&](Value weight, Value inside) {
              std::vector<Value> own = {to[0], to[1]};
              own.insert(own.end(), place.begin(), place.end());
              const Value term = weight * Cast(work, image.Load(own));
              code.Set(sum, code.Get(sum) + Select(inside, term, code.Number(work, 0)));
            });
    return Cast(x.dtype, code.Get(sum));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph::plain
