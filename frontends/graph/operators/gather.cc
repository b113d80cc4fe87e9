// GATHER (params, indices) and EMBEDDING_LOOKUP (indices, params): elements of an axis by their
// indices. The first `batch_dims` axes are those of both inputs.

#include <algorithm>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

namespace {

absl::Status WriteGathered(OperatorCode& code, size_t params, size_t indices, size_t axis,
                           size_t batch) {
  const Tensor& x = code.input(params);
  const Tensor& at = code.input(indices);
  const Tensor& output = code.output();
  if (x.dtype != output.dtype || !at.dtype.is_int()) return UnsupportedTypes(code);
  bool fits = batch <= axis && batch <= at.shape.size();
  fits = fits && std::equal(x.shape.begin(), x.shape.begin() + static_cast<int64_t>(batch),
                            at.shape.begin());
  if (!fits) return code.Wrong("expected the same leading axes in both inputs");
  // The axes of the output: those before the axis, those of the indices, those after the axis.
  std::vector<int64_t> shape(x.shape.begin(), x.shape.begin() + static_cast<int64_t>(axis));
  shape.insert(shape.end(), at.shape.begin() + static_cast<int64_t>(batch), at.shape.end());
  const size_t after = shape.size();
  shape.insert(shape.end(), x.shape.begin() + static_cast<int64_t>(axis) + 1, x.shape.end());
  if (shape != output.shape || x.shape[axis] == 0)
    return code.Wrong("expected inputs that give the output's " + output.TypeText());
  const Array from = code.In(params);
  const Array numbers = code.In(indices);
  WriteElements(code, 0, [&](const std::vector<Value>& to) {
    std::vector<Value> place(to.begin(), to.begin() + static_cast<int64_t>(batch));
    for (size_t i = axis; i < after; ++i) place.push_back(to[i]);
    if (place.empty()) place.push_back(code.Int(0));
    std::vector<Value> own(to.begin(), to.begin() + static_cast<int64_t>(axis));
    own.push_back(IndexWithin(at, numbers.Load(place), x.shape[axis]));
    for (size_t i = after; i < shape.size(); ++i) own.push_back(to[i]);
    return from.Load(own);
  });
  return absl::OkStatus();
}

/// Rows of integers of 8 bits as floats. There is one scale, or one for each row. The integers are
/// int8, although old files call them uint8.
absl::Status LookUpQuantized(OperatorCode& code) {
  const Tensor& ids = code.input(0);
  const Tensor& x = code.input(1);
  const Quantization& quantization = x.quantization;
  std::vector<int64_t> shape = ids.shape;
  shape.insert(shape.end(), x.shape.begin() + 1, x.shape.end());
  const bool has_rows = quantization.is_per_axis();
  if (quantization.has_blocks) return code.Unsupported(kBlocksOfWeights);
  if (!HasScales(x) ||
      (has_rows &&
       (quantization.axis != 0 || static_cast<int64_t>(quantization.scales.size()) != x.shape[0])))
    return code.Wrong("expected one scale, or one for each row");
  if (std::any_of(quantization.zero_points.begin(), quantization.zero_points.end(),
                  [](int64_t zero_point) { return zero_point != 0; }))
    return code.Wrong("expected zero points of 0");
  if (shape != code.output().shape || ids.rank() != 1 || x.shape[0] == 0)
    return code.Wrong("expected inputs that give the output's " + code.output().TypeText());
  const Array numbers = code.In(0);
  const Array from = code.In(1);
  const Array scales = FloatConstant(code, "scales", quantization.scales);
  WriteElements(code, 0, [&](const std::vector<Value>& to) {
    const Value row = IndexWithin(ids, numbers({to[0]}), x.shape[0]);
    std::vector<Value> own = to;
    own[0] = row;
    const Value scale = scales({has_rows ? row : code.Int(0)});
    return Cast(code.output().dtype, Cast(kFloat32, Cast(kInt8, from.Load(own))) * scale);
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildGather(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  const std::optional<size_t> axis = AxisOf(code.attributes().Int("axis"), code.input(0).rank());
  const int64_t given = code.attributes().Int("batch_dims");
  const int64_t batch = given < 0 ? given + code.input(1).rank() : given;
  if (!axis || batch < 0) return code.Wrong("expected an axis and leading axes of the inputs");
  return WriteGathered(code, 0, 1, *axis, static_cast<size_t>(batch));
}

absl::Status BuildEmbeddingLookup(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  if (code.input(1).rank() == 0) return code.Wrong("expected an axis to look up");
  const DataType dtype = code.input(1).dtype;
  const DataType to = code.output().dtype;
  if ((dtype == kInt8 || dtype == kUInt8) && (to == kFloat32 || to == kFloat16))
    return LookUpQuantized(code);
  return WriteGathered(code, 1, 0, 0, 0);
}

}  // namespace tenon::graph
