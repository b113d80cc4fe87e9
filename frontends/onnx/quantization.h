#ifndef TENON_FRONTENDS_ONNX_QUANTIZATION_H_
#define TENON_FRONTENDS_ONNX_QUANTIZATION_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "frontends/graph/graph.h"

namespace tenon::onnx {

/// The elements of a constant of float32 or float16; nullopt for other tensors.
std::optional<std::vector<float>> FloatsIn(const graph::Tensor& tensor);

/// The scales and zero points of a QuantizeLinear or DequantizeLinear, from its inputs 1 and 2, of
/// which the second one may be absent. Nullopt unless they are constants, and all scales are finite
/// and greater than 0.
std::optional<graph::Quantization> QuantizationOf(const graph::Graph& graph,
                                                  const graph::Operator& op, int64_t axis);

/// Whether integers of both stand for the same numbers.
bool AreEqual(const graph::Quantization& a, const graph::Quantization& b);

/// The number of a tensor with the elements of `tensor` and this quantisation: `tensor` itself, or
/// a view if it has another one. Views are appended to `operators`.
int Quantized(graph::Graph& graph, int tensor, const graph::Quantization& quantization,
              std::string_view place, std::vector<graph::Operator>& operators);

/// The integer of a real number, as QuantizeLinear has it. `quantization` has one scale.
int64_t QuantizedInteger(float real, const graph::Quantization& quantization, DataType dtype);
/// The real number of an integer, as DequantizeLinear has it.
float RealOf(int64_t integer, const graph::Quantization& quantization);

/// The attribute of operators whose integers are those of onnxruntime
/// (graph/plain/quantized_result.h).
void SetRounding(graph::Attributes& attributes);

}  // namespace tenon::onnx

#endif  // TENON_FRONTENDS_ONNX_QUANTIZATION_H_
