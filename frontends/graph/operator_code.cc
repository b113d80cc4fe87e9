#include "frontends/graph/operator_code.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "ir/attributes.h"
#include "support/check.h"
#include "support/little_endian.h"

namespace tenon::graph {

std::vector<int64_t> MemoryShape(const Tensor& tensor) {
  return tensor.shape.empty() ? std::vector<int64_t>{1} : tensor.shape;
}

Array IntConstant(Code& code, std::string_view name, std::span<const int32_t> values) {
  std::string bytes;
  for (const int32_t value : values) AppendLittleEndian(value, &bytes);
  return code.Constant(name, kInt32, {static_cast<int64_t>(values.size())},
                       {bytes.begin(), bytes.end()});
}

Array FloatConstant(Code& code, std::string_view name, std::span<const float> values) {
  std::string bytes;
  for (const float value : values) AppendLittleEndian(std::bit_cast<uint32_t>(value), &bytes);
  return code.Constant(name, kFloat32, {static_cast<int64_t>(values.size())},
                       {bytes.begin(), bytes.end()});
}

const tenon::Constant* GraphConstants::Of(int tensor) {
  const tenon::Constant*& constant = constants_[tensor];
  if (constant != nullptr) return constant;
  const Tensor& of = graph_.tensor(tensor);
  TENON_CHECK(of.data.has_value());
  ConstantSource source;
  source.bytes = of.data->bytes;
  source.owner = of.data->owner;
  source.is_mapped = of.data->is_mapped;
  constant = context_.AddConstant({}, of.dtype, MemoryShape(of), std::move(source));
  return constant;
}

const Type* ParamPointer(Context& context, DataType dtype) {
  return context.PointerType(dtype.is_bool() ? DataType::Int(8) : dtype, "global");
}

OperatorCode::OperatorCode(Context& context, const Graph& graph, const Operator& op,
                           GraphConstants& constants, std::string name, Replaceable replaceable)
    : Code(context, std::make_shared<Storage>()),
      OperatorView(graph, op),
      constants_(constants),
      name_(std::move(name)),
      replaceable_(replaceable) {}

Array OperatorCode::In(size_t index) {
  const int tensor = op().inputs[index];
  if (!input(index).data) return Parameter(inputs_, tensor, fmt::format("p{}", index));
  Array& array = constant_arrays_[tensor];
  if (!array.exists()) {
    const std::string name = IdentifierOf(input(index), fmt::format("constant_{}", index));
    array = Constant(name, constants_.Of(tensor));
  }
  return array;
}

Array OperatorCode::Out(size_t index) {
  const std::string name = outputs() == 1 ? "output" : fmt::format("output_{}", index);
  return Parameter(outputs_, op().outputs[index], name);
}

Array OperatorCode::Parameter(std::vector<Param>& params, int number, std::string_view name) {
  for (const Param& param : params) {
    if (param.tensor == number) return param.array;
  }
  const Tensor& of = tensor(number);
  NodeBuilder& make = builder();
  const Var* data = make.NewVar(name, ParamPointer(make.context(), of.dtype));
  std::vector<const Expr*> shape;
  for (const int64_t extent : MemoryShape(of)) shape.push_back(make.Int(extent));
  const Buffer* buffer = make.New<Buffer>(
      {}, data->name, data, of.dtype,
      make.arena().Copy(Span<const Expr*>(shape.data(), shape.size())), make.Int(0));
  const Var* handle = make.NewVar(fmt::format("{}_handle", name), DataType::Handle());
  params.push_back({number, handle, Array(this, buffer)});
  return params.back().array;
}

std::vector<int> OperatorCode::Params() const {
  std::vector<int> tensors;
  for (const Param& param : inputs_) tensors.push_back(param.tensor);
  for (const Param& param : outputs_) tensors.push_back(param.tensor);
  return tensors;
}

const PrimFunc* OperatorCode::FinishFunction() {
  NodeBuilder& make = builder();
  std::vector<const Var*> handles;
  std::vector<const Buffer*> buffers;
  for (const std::vector<Param>* params : {&inputs_, &outputs_}) {
    for (const Param& param : *params) {
      handles.push_back(param.handle);
      buffers.push_back(param.array.buffer());
    }
  }
  const MapAttr* attrs = make.Map({{attr_key::kNoAlias, make.ExprValue(make.Bool(true))}});
  const Stmt* body = Finish();
  return make.New<PrimFunc>({}, make.arena().Copy(Span<const Var*>(handles.data(), handles.size())),
                            make.arena().Copy(Span<const Buffer*>(buffers.data(), buffers.size())),
                            make.context().VoidType(), attrs, body);
}

}  // namespace tenon::graph
