// DFT and STFT: sums of products with the sines and cosines of one turn, which a table has. The
// numbers at the last axis are real and imaginary parts, or real parts alone.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "frontends/graph/plain/resize_axis.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

/// The extents of a transform. An array of any shape is seen as [before, axis, after, parts].
struct Transform {
  int64_t before = 1;
  int64_t after = 1;
  int64_t inputs = 0;   ///< elements of the axis that take part; others are 0
  int64_t length = 0;   ///< of the transform
  int64_t outputs = 0;  ///< elements of the axis in the output
  int64_t parts_in = 1;
  int64_t parts_out = 2;
  bool is_inverse = false;
  /// The input of an inverse has the first half of a spectrum, and the other half mirrors it.
  bool is_mirrored = false;
};

absl::Status CheckParts(const OperatorView& op, const Tensor& x) {
  if (x.rank() >= 2 && (x.shape.back() == 1 || x.shape.back() == 2)) return absl::OkStatus();
  return op.Wrong("expected one or two parts of a number at the last axis, found " + x.TypeText());
}

absl::StatusOr<Transform> TransformOf(const OperatorView& op, size_t& axis) {
  const Tensor& x = op.input(0);
  TENON_TRY(CheckParts(op, x));
  TENON_ASSIGN_OR(axis, AxisIn(op, op.attributes().Int("axis", -2), x.rank()));
  if (axis + 1 == x.shape.size()) return op.Wrong("expected another axis than the last one");
  Transform of;
  const bool is_one_sided = op.attributes().Int("onesided") != 0;
  of.is_inverse = op.attributes().Int("inverse") != 0;
  of.is_mirrored = of.is_inverse && is_one_sided;
  const int64_t extent = x.shape[axis];
  of.length = op.attributes().Int("dft_length", of.is_mirrored ? 2 * (extent - 1) : extent);
  if (of.length < 1 || of.length > kMostExtent)
    return op.Wrong(fmt::format("expected a length of 1 to {}, found {}", kMostExtent, of.length));
  const int64_t half = of.length / 2 + 1;
  of.inputs = std::min(extent, of.is_mirrored ? half : of.length);
  of.outputs = is_one_sided && !of.is_inverse ? half : of.length;
  of.parts_in = x.shape.back();
  of.parts_out = of.is_mirrored ? 1 : 2;
  if (is_one_sided && !of.is_inverse && of.parts_in == 2)
    return op.Unsupported("one side of the spectrum of complex numbers");
  of.before = ExtentOf(x.shape, 0, axis);
  of.after = ExtentOf(x.shape, axis + 1, x.shape.size() - 1);
  return of;
}

/// The tables of a transform, and the code of one sum.
class FourierCode {
 public:
  FourierCode(OperatorCode& code, const Transform& of, DataType work)
      : code_(code), of_(of), work_(work) {
    cosines_ = Table("cosines", [](double angle) { return std::cos(angle); });
    sines_ = Table("sines", [](double angle) { return std::sin(angle); });
  }

  /// The parts of an element of an axis, in the dtype of sums.
  struct Number {
    Value real;
    Value imaginary;
  };
  using Elements = std::function<Number(Value index)>;
  using Results = std::function<void(int64_t part, Value value)>;

  /// Gives the parts of element `k` of the result to `store`.
  void Sum(Value k, const Elements& elements, const Results& store) {
    const Array real = code_.Scalar("real", work_);
    const bool is_complex = of_.parts_out == 2;
    const Array imaginary = is_complex ? code_.Scalar("imaginary", work_) : Array();
    const Array phase = code_.Scalar("phase", kInt32);
    code_.Set(real, code_.Number(work_, 0));
    if (is_complex) code_.Set(imaginary, code_.Number(work_, 0));
    code_.Set(phase, code_.Int(0));
    code_.For("j", of_.inputs, [&](Value j) {
      const Value cosine = cosines_({code_.Get(phase)});
      const Value sine = sines_({code_.Get(phase)});
      const Number x = Weighted(elements(j), j);
      Add(real, x.real * cosine);
      // The inverse turns the other way.
      if (of_.parts_in == 2) Add(real, x.imaginary * sine, of_.is_inverse);
      if (is_complex) {
        if (of_.parts_in == 2) Add(imaginary, x.imaginary * cosine);
        Add(imaginary, x.real * sine, !of_.is_inverse);
      }
      const Value next = code_.Get(phase) + k;
      code_.Set(phase, Select(next < of_.length, next, next - of_.length));
    });
    const auto scaled = [&](const Array& sum) {
      const Value value = code_.Get(sum);
      if (!of_.is_inverse) return value;
      return Div(value, code_.Number(work_, static_cast<double>(of_.length)));
    };
    store(0, scaled(real));
    if (is_complex) store(1, scaled(imaginary));
  }

 private:
  void Add(const Array& sum, Value value, bool is_negative = false) {
    code_.Set(sum, is_negative ? code_.Get(sum) - value : code_.Get(sum) + value);
  }

  /// An element with its mirror image, which all elements have but the first and the middle one.
  Number Weighted(Number x, Value j) {
    if (!of_.is_mirrored) return x;
    const Value is_single = of_.length % 2 == 0
                                ? j == code_.Int(0) || j == code_.Int(of_.length / 2)
                                : j == code_.Int(0);
    const auto twice = [&](Value part) { return Select(is_single, part, part + part); };
    return {twice(x.real), of_.parts_in == 2 ? twice(x.imaginary) : x.imaginary};
  }

  /// A function of the angles of one turn. Quarters of the turn are exact.
  Array Table(std::string_view name, double (*function)(double angle)) {
    std::vector<double> values;
    for (int64_t i = 0; i < of_.length; ++i) {
      const double turn = static_cast<double>(i) / static_cast<double>(of_.length);
      const double value = function(2 * std::numbers::pi * turn);
      values.push_back(4 * i % of_.length == 0 ? std::round(value) : value);
    }
    return RealConstant(code_, name, work_, values);
  }

  OperatorCode& code_;
  const Transform& of_;
  DataType work_;
  Array cosines_;
  Array sines_;
};

/// The number of elements of a frame, and of frames. The window says the length if nothing else
/// does.
struct Frames {
  int64_t length = 0;
  int64_t step = 0;
  int64_t count = 0;
};

absl::StatusOr<Frames> FramesOf(const OperatorView& op) {
  const Tensor& x = op.input(0);
  // Exporters leave out the axis of parts of real signals.
  if (x.rank() != 2) TENON_TRY(CheckParts(op, x));
  if (x.rank() != 2 && x.rank() != 3)
    return op.Wrong("expected a signal of 2 or 3 dimensions, found " + x.TypeText());
  const int64_t window = op.HasInput(1) ? op.input(1).elements() : x.shape[1];
  const Frames frames = {op.attributes().Int("frame_length", window),
                         op.attributes().Int("frame_step"), 0};
  if (frames.length < 1 || frames.length > x.shape[1] || frames.step < 1)
    return op.Wrong(
        fmt::format("expected a step of 1 or more and frames of 1 to {} elements, found {} "
                    "and {}",
                    x.shape[1], frames.step, frames.length));
  if (op.HasInput(1) && window != frames.length)
    return op.Wrong(
        fmt::format("expected a window of {} elements, found {}", frames.length, window));
  return Frames{frames.length, frames.step, 1 + (x.shape[1] - frames.length) / frames.step};
}

/// The transform of one frame.
absl::StatusOr<Transform> FrameTransform(const OperatorView& op, const Frames& frames) {
  const bool is_one_sided = op.attributes().Int("onesided", 1) != 0;
  Transform of;
  of.inputs = of.length = frames.length;
  of.outputs = is_one_sided ? frames.length / 2 + 1 : frames.length;
  of.parts_in = op.input(0).rank() == 3 ? op.input(0).shape[2] : 1;
  if (is_one_sided && of.parts_in == 2)
    return op.Unsupported("one side of the spectrum of complex numbers");
  return of;
}

}  // namespace

absl::StatusOr<Shapes> ShapeOfDft(const OperatorView& op) {
  size_t axis = 0;
  TENON_ASSIGN_OR(const Transform of, TransformOf(op, axis));
  TensorShape shape = op.input(0).shape;
  shape[axis] = of.outputs;
  shape.back() = of.parts_out;
  return Shapes{std::move(shape)};
}

absl::Status BuildDft(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kFloats));
  size_t axis = 0;
  TENON_ASSIGN_OR(const Transform of, TransformOf(code, axis));
  const DataType dtype = code.output().dtype;
  const DataType work = WorkType(dtype);
  FourierCode fourier(code, of, work);
  const int64_t extent = code.input(0).shape[axis];
  const Array from = code.Flat(code.In(0), {of.before, extent, of.after, of.parts_in});
  const Array to = code.Flat(code.Out(), {of.before, of.outputs, of.after, of.parts_out});
  const int64_t places[] = {of.before, of.outputs, of.after};
  code.Grid("i", places, [&](const std::vector<Value>& at) {
    const auto element = [&](Value j) {
      const auto part = [&](int64_t number) {
        return Cast(work, from({at[0], j, at[2], code.Int(number)}));
      };
      return FourierCode::Number{part(0), part(of.parts_in - 1)};
    };
    fourier.Sum(at[1], element, [&](int64_t part, Value value) {
      code.Store(to, {at[0], at[1], at[2], code.Int(part)}, Cast(dtype, value));
    });
  });
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfStft(const OperatorView& op) {
  TENON_ASSIGN_OR(const Frames frames, FramesOf(op));
  TENON_ASSIGN_OR(const Transform of, FrameTransform(op, frames));
  return Shapes{{op.input(0).shape[0], frames.count, of.outputs, of.parts_out}};
}

// Each frame is multiplied by the window first, into memory of its own.
absl::Status BuildStft(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kFloats));
  TENON_ASSIGN_OR(const Frames frames, FramesOf(code));
  TENON_ASSIGN_OR(const Transform of, FrameTransform(code, frames));
  const DataType dtype = code.output().dtype;
  const DataType work = WorkType(dtype);
  FourierCode fourier(code, of, work);
  const TensorShape& shape = code.input(0).shape;
  const Array from = code.Flat(code.In(0), {shape[0], shape[1], of.parts_in});
  const Array to = code.Out();
  const int64_t size[] = {frames.length, of.parts_in};
  const int64_t counts[] = {shape[0], frames.count};
  const Array frame = code.Allocate("frame", work, size);
  code.Grid("f", counts, [&](const std::vector<Value>& at) {
    code.Grid("w", size, [&](const std::vector<Value>& place) {
      const Value x = Cast(work, from({at[0], at[1] * frames.step + place[0], place[1]}));
      const bool has_window = code.HasInput(1);
      code.Store(
          frame, place,
          has_window ? x * Cast(work, code.Flat(code.In(1), {frames.length})({place[0]})) : x);
    });
    code.For("k", of.outputs, [&](Value k) {
      const auto element = [&](Value j) {
        return FourierCode::Number{frame({j, code.Int(0)}), frame({j, code.Int(of.parts_in - 1)})};
      };
      fourier.Sum(k, element, [&](int64_t part, Value value) {
        code.Store(to, {at[0], at[1], k, code.Int(part)}, Cast(dtype, value));
      });
    });
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph::plain
