#include <array>
#include <cstring>

#include "fmt/format.h"
#include "ir/builtins.h"
#include "random/generator.h"
#include "random/random_operators.h"

namespace tenon::random_ir {

namespace {

/// The storage of all parameters that may overlap.
constexpr int kOverlapping = -1;

}  // namespace

Generator::Generator(Context& context, Dice& dice, const ModuleOptions& options, IRModule& module,
                     std::vector<Callee>& callees)
    : context_(context),
      dice_(dice),
      options_(options),
      module_(module),
      callees_(callees),
      b_(context, storage_->arena()) {}

std::vector<int64_t> Generator::AnyShape() {
  static const std::array<std::vector<int64_t>, 7> kShapes = {
      {{8}, {4}, {16}, {3, 4}, {4, 8}, {2, 3, 4}, {}}};
  return dice_.Pick(kShapes);
}

Tensor Generator::NewTensor(std::string_view name, DataType dtype, std::vector<int64_t> shape,
                            const Var* data) {
  Tensor tensor;
  // In TIR, a bool of a buffer without an allocation is an int8.
  const DataType element = dtype == DataType::Bool() ? DataType::Int(8) : dtype;
  if (data == nullptr) data = b_.NewVar(name, context_.PointerType(element, "global"));
  std::vector<const Expr*> extents;
  for (const int64_t extent : shape) extents.push_back(Int(extent));
  tensor.buffer = b_.New<Buffer>({}, context_.Intern(name), data, dtype, Copy(extents), Int(0));
  tensor.shape = std::move(shape);
  tensor.storage = Storages(next_storage_++);
  return tensor;
}

/// Values that survive printing: elements of constants are printed as numbers.
const tenon::Constant* Generator::NewConstant(DataType dtype, const std::vector<int64_t>& shape) {
  int64_t elements = 1;
  for (const int64_t extent : shape) elements *= extent;
  std::vector<uint8_t> bytes;
  std::optional<uint64_t> first;
  for (int64_t i = 0; i < elements; ++i) {
    uint64_t bits = dice_.Bits();
    if (!first) first = bits;
    // In a third of the constants all elements are equal, so that they can be compressed.
    if (*first % 3 == 0) bits = *first;
    if (dtype.is_bool()) bits &= 1;
    if (dtype.is_floating()) {
      // Finite: the exponent stays in the middle of its range.
      const int mantissa = dtype == DataType::Float(64)           ? 52
                           : dtype == DataType::Float(32)         ? 23
                           : dtype == DataType::Float(16)         ? 10
                           : dtype.is_bfloat16()                  ? 7
                           : dtype.code() == TypeCode::kE4M3Float ? 3
                                                                  : 2;
      const int exponent_bits = dtype.bits() - 1 - mantissa;
      const auto bias = (uint64_t{1} << (exponent_bits - 1)) - 1;
      const uint64_t exponent = bias - 1 + bits % 3;
      const uint64_t sign = bits >> 63;
      bits = (bits >> 8) & ((uint64_t{1} << mantissa) - 1);
      bits |= exponent << mantissa | sign << (dtype.bits() - 1);
    }
    uint8_t raw[8];
    std::memcpy(raw, &bits, sizeof raw);
    bytes.insert(bytes.end(), raw, raw + dtype.element_bytes());
  }
  const bool named = dice_.Percent(30) && !any_node_;
  const Symbol name =
      named ? context_.Intern(fmt::format("w{}", module_.constants.size())) : Symbol();
  const tenon::Constant* made = context_.AddConstant(name, dtype, shape, std::move(bytes));
  if (named) module_.constants.push_back(made);
  return made;
}

const MapAttr* Generator::FunctionAttrs(std::string_view name, bool is_main, bool noalias) {
  const MapAttr* attrs = b_.Map({});
  if (is_main || dice_.Percent(70)) {
    attrs = b_.With(attrs, "global_symbol", b_.StringValue(is_main ? "main" : name));
  }
  if (noalias) {
    attrs = b_.With(attrs, "tir.noalias", b_.ExprValue(b_.Bool(true)));
  }
  if (dice_.Percent(30)) attrs = b_.With(attrs, "random.note", Attribute(3));
  return attrs;
}

std::vector<Callee::Param> Generator::Signature(bool is_main) {
  std::vector<Callee::Param> params;
  const int64_t count = is_main ? 6 : dice_.Between(1, 4);
  for (int64_t i = 0; i < count; ++i) {
    Callee::Param param;
    param.tensor = is_main || i == 0 || dice_.Percent(80);
    param.dtype = AnyScalar();
    if (param.tensor) param.shape = AnyShape();
    // Two tensors of one kind can be passed in both orders.
    if (!is_main && i > 0 && params[0].dtype.is_scalar() && dice_.Percent(40)) param = params[0];
    param.written = param.tensor && (is_main ? i >= 3 : i == 0 || dice_.Percent(40));
    params.push_back(std::move(param));
  }
  return params;
}

const Stmt* Generator::AnyNodes() {
  any_node_ = true;
  std::vector<const Stmt*> list;
  for (int i = 0; i < 12; ++i) {
    if (const Stmt* stmt = Statement(2)) list.push_back(stmt);
    list.push_back(b_.New<Evaluate>({}, Expression(AnyDType(), options_.depth)));
    list.push_back(b_.New<AttrStmt>({}, Attribute(3), "pragma_any", Int(i), b_.NoOp()));
  }
  return b_.Seq(Span<const Stmt*>(list.data(), list.size()));
}

const Stmt* Generator::InRootBlock(const Stmt* body) {
  if (!has_blocks_) return body;
  Block root;
  root.name_hint = "root";
  root.body = body;
  return b_.New<BlockRealize>({}, Span<const Expr*>(), b_.Bool(true), b_.New<Block>({}, root));
}

void Generator::Function(std::string_view name, bool is_main) {
  Callee callee;
  callee.name = context_.Intern(name);
  const bool is_pair = !is_main && dice_.Percent(30);
  callee.params = is_pair ? PairSignature() : Signature(is_main);
  const bool noalias = is_main || dice_.Percent(50);
  callee.may_overlap = !noalias && dice_.Percent(50);
  std::vector<const Var*> params;
  std::vector<const Buffer*> buffers;
  std::vector<const Stmt*> body;
  std::vector<Tensor> written;
  for (const Callee::Param& param : callee.params) {
    const std::string text = fmt::format("{}{}", param.tensor ? "A" : "n", params.size());
    if (!param.tensor) {
      params.push_back(b_.NewVar(text, param.dtype));
      buffers.push_back(nullptr);
      vars_.push_back({params.back()});
      continue;
    }
    params.push_back(b_.NewVar(text + "_h", context_.PrimType(DataType::Handle())));
    Tensor tensor = NewTensor(text, param.dtype, param.shape);
    buffers.push_back(tensor.buffer);
    tensor.writable = param.written;
    // Within the function, all of them count as one storage.
    if (callee.may_overlap) tensor.storage = Storages(kOverlapping);
    // Outputs of main are initially undefined.
    if (is_main && param.written) {
      written.push_back(tensor);
    } else {
      tensors_.push_back(tensor);
    }
  }
  for (const Tensor& tensor : written) {
    body.push_back(Fill(tensor));
    tensors_.push_back(tensor);
  }
  const bool leaves = options_.reuse && !is_main && !is_pair && RefillArguments(body);
  if (is_main) {
    for (const Callee& other : callees_) {
      body.push_back(CallWithTensors(other));
    }
  }
  body.push_back(is_pair ? PairBody() : Sequence(options_.statements));
  if (is_main && options_.any_node) body.push_back(AnyNodes());
  const bool returns = leaves || (!is_main && dice_.Percent(25));
  callee.result = returns ? DataType::Int(32) : DataType::Void();
  if (returns) {
    const Expr* value = Expression(DataType::Int(32), options_.depth);
    body.push_back(b_.New<Evaluate>({}, b_.NewCall(DataType::Int(32), OpKind::kRet, {value})));
  }
  const Stmt* all = InRootBlock(b_.Seq(Span<const Stmt*>(body.data(), body.size())));
  const MapAttr* attrs = FunctionAttrs(name, is_main, noalias);
  if (attrs->Find("global_symbol") != nullptr) callee.symbol = name;
  const Type* result = returns ? context_.PrimType(callee.result) : context_.VoidType();
  const auto* func = b_.New<PrimFunc>({}, Copy(params), Copy(buffers), result, attrs, all);
  module_.Add({callee.name, func, storage_});
  callees_.push_back(std::move(callee));
}

IRModule MakeModule(Context& context, uint64_t seed, const ModuleOptions& options) {
  Dice dice(seed);
  IRModule module(context);
  module.name = context.Intern("Module");
  if (options.operators) {
    AddOperators(context, dice, module, options.outputs);
    return module;
  }
  std::vector<Callee> callees;
  for (int i = 0; i < options.functions; ++i) {
    Generator(context, dice, options, module, callees).Function(fmt::format("f{}", i), false);
  }
  Generator(context, dice, options, module, callees).Function("main", true);
  return module;
}

}  // namespace tenon::random_ir
