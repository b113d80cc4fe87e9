#include <cmath>

#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "random/generator.h"

namespace tenon::random_ir {
namespace {

constexpr NodeKind kExprKinds[] = {
#define TENON_EXPR(Name) NodeKind::k##Name,
#include "ir/nodes.def"
};

constexpr DataType kScalars[] = {
    DataType::Int(8),
    DataType::Int(16),
    DataType::Int(32),
    DataType::Int(64),
    DataType::UInt(8),
    DataType::UInt(16),
    DataType::UInt(32),
    DataType::UInt(64),
    DataType::Int(8),
    DataType::Int(32),
    DataType::Float(32),
    DataType::Float(32),
    DataType::Float(64),
    DataType::Float(16),
    DataType(TypeCode::kBFloat, 16),
    DataType::Bool(),
    DataType(TypeCode::kE4M3Float, 8),
    DataType(TypeCode::kE5M2Float, 8),
};

}  // namespace

DataType Generator::AnyScalar() { return dice_.Pick(kScalars); }

DataType Generator::AnyDType() {
  static constexpr int kLanes[] = {1, 1, 1, 1, 1, 2, 4, 4, 8};
  return AnyScalar().with_lanes(dice_.Pick(kLanes));
}

const Expr* Generator::Expression(DataType dtype, int depth) {
  if (depth <= 0 || dice_.Percent(8)) return Leaf(dtype);
  for (int attempt = 0; attempt < 12; ++attempt) {
    const Expr* made = nullptr;
    switch (dice_.Pick(kExprKinds)) {
#define TENON_EXPR(Name)                 \
  case NodeKind::k##Name:                \
    made = Make##Name(dtype, depth - 1); \
    break;
#include "ir/nodes.def"
      default:
        break;
    }
    if (made != nullptr) return made;
  }
  return Leaf(dtype);
}

const Expr* Generator::Leaf(DataType dtype) {
  const int64_t kind = dice_.Below(5);
  if (kind <= 1) {
    if (const Expr* load = MakeBufferLoad(dtype, 0)) return load;
  }
  if (kind <= 2) {
    if (const Expr* var = MakeVar(dtype, 0)) return var;
  }
  if (kind == 3) {
    // A variable or an element of another dtype.
    const DataType other = AnyScalar().with_lanes(dtype.lanes());
    const Expr* value = MakeBufferLoad(other, 0);
    if (value == nullptr) value = MakeVar(other, 0);
    if (value != nullptr && other != dtype) return b_.New<Cast>({}, dtype, value);
  }
  if (dtype.lanes() > 1) return b_.New<Broadcast>({}, Leaf(dtype.element()), dtype.lanes());
  return Literal(dtype);
}

const Expr* Generator::Literal(DataType dtype) {
  return dtype.is_integer() ? MakeIntImm(dtype, 0) : MakeFloatImm(dtype, 0);
}

const Expr* Generator::MakeIntImm(DataType dtype, int) {
  if (!dtype.is_integer() || !dtype.is_scalar()) return nullptr;
  if (dtype.is_bool()) return b_.Bool(dice_.Percent(50));
  static constexpr int64_t kOften[] = {0, 1, 2, 3, 4, 7, 8, 16, -1, -2, -5, 100};
  int64_t value = dice_.Pick(kOften);
  if (dice_.Percent(20)) value = static_cast<int64_t>(dice_.Bits());
  // Text has no literals outside int64.
  value = WrapToDType(value, dtype);
  if (dtype == DataType::UInt(64) && value < 0) value &= INT64_MAX;
  return b_.Int(dtype, value);
}

const Expr* Generator::MakeFloatImm(DataType dtype, int) {
  if (!dtype.is_floating() || !dtype.is_scalar()) return nullptr;
  static constexpr double kOften[] = {0, 1, -1, 0.5, -2.5, 3, 0.125, 7.75, -0.0, 100, 0.1, -1e-3};
  return b_.New<FloatImm>({}, dtype, dice_.Pick(kOften));
}

const Expr* Generator::MakeStringImm(DataType dtype, int) {
  return dtype.is_handle() ? b_.String("text") : nullptr;
}

const Expr* Generator::MakeVar(DataType dtype, int) {
  std::vector<const Var*> fit;
  for (const Known& known : vars_) {
    if (known.var->dtype == dtype) fit.push_back(known.var);
  }
  return fit.empty() ? nullptr : dice_.Pick(fit);
}

const Expr* Generator::MakeCast(DataType dtype, int depth) {
  const DataType other = AnyScalar().with_lanes(dtype.lanes());
  if (other == dtype) return nullptr;
  return b_.New<Cast>({}, dtype, Expression(other, depth));
}

template <class T>
const Expr* Generator::Arithmetic(DataType dtype, int depth) {
  const Expr* a = Expression(dtype, depth);
  const Expr* b = Expression(dtype, depth);
  return b_.New<T>({}, a, b);
}

/// A divisor, which is not zero for integers.
const Expr* Generator::Divisor(DataType dtype, int depth) {
  if (!dtype.is_integer()) return Expression(dtype, depth);
  if (!dtype.is_scalar() && dice_.Percent(50)) {
    return b_.New<Broadcast>({}, Divisor(dtype.element(), depth), dtype.lanes());
  }
  if (dtype.is_scalar() && dice_.Percent(70)) {
    if (dtype.is_bool()) return b_.Bool(true);
    static constexpr int64_t kOften[] = {1, 2, 3, 4, 5, 8, 16, 100, -1, -3, -4};
    const int64_t value = dice_.Pick(kOften);
    return b_.Int(dtype, dtype.is_uint() && value < 0 ? -value : value);
  }
  const Expr* value = Expression(dtype, depth);
  const Expr* one = b_.Int(dtype.element(), 1);
  if (!dtype.is_scalar()) one = b_.New<Broadcast>({}, one, dtype.lanes());
  return NewCall(dtype, OpKind::kBitwiseOr, {value, one});
}

template <class T>
const Expr* Generator::Quotient(DataType dtype, int depth) {
  const Expr* a = Expression(dtype, depth);
  const Expr* b = Divisor(dtype, depth);
  return b_.New<T>({}, a, b);
}

template <class T>
const Expr* Generator::Comparison(DataType dtype, int depth) {
  if (!dtype.is_bool()) return nullptr;
  const DataType operands = AnyScalar().with_lanes(dtype.lanes());
  const Expr* a = Expression(operands, depth);
  const Expr* b = Expression(operands, depth);
  return b_.New<T>({}, a, b);
}

#define TENON_MAKE(Name, How) \
  const Expr* Generator::Make##Name(DataType dtype, int depth) { return How<Name>(dtype, depth); }
TENON_MAKE(Add, Arithmetic)
TENON_MAKE(Sub, Arithmetic)
TENON_MAKE(Mul, Arithmetic)
TENON_MAKE(Min, Arithmetic)
TENON_MAKE(Max, Arithmetic)
TENON_MAKE(Div, Quotient)
TENON_MAKE(EQ, Comparison)
TENON_MAKE(NE, Comparison)
TENON_MAKE(LT, Comparison)
TENON_MAKE(LE, Comparison)
TENON_MAKE(GT, Comparison)
TENON_MAKE(GE, Comparison)
#undef TENON_MAKE

const Expr* Generator::MakeMod(DataType dtype, int depth) {
  return dtype.is_integer() ? Quotient<Mod>(dtype, depth) : nullptr;
}
const Expr* Generator::MakeFloorDiv(DataType dtype, int depth) {
  return dtype.is_integer() ? Quotient<FloorDiv>(dtype, depth) : nullptr;
}
const Expr* Generator::MakeFloorMod(DataType dtype, int depth) {
  return dtype.is_integer() ? Quotient<FloorMod>(dtype, depth) : nullptr;
}

const Expr* Generator::MakeAnd(DataType dtype, int depth) {
  if (!dtype.is_bool()) return nullptr;
  const Expr* a = Expression(dtype, depth);
  const Expr* b = Expression(dtype, depth);
  return b_.New<And>({}, a, b);
}
const Expr* Generator::MakeOr(DataType dtype, int depth) {
  if (!dtype.is_bool()) return nullptr;
  const Expr* a = Expression(dtype, depth);
  const Expr* b = Expression(dtype, depth);
  return b_.New<Or>({}, a, b);
}
const Expr* Generator::MakeNot(DataType dtype, int depth) {
  return dtype.is_bool() ? b_.New<Not>({}, Expression(dtype, depth)) : nullptr;
}

const Expr* Generator::MakeSelect(DataType dtype, int depth) {
  const Expr* condition = Expression(DataType::Bool(dtype.lanes()), depth);
  const Expr* a = Expression(dtype, depth);
  const Expr* b = Expression(dtype, depth);
  return b_.New<Select>({}, condition, a, b);
}

const Expr* Generator::Index(int64_t extent, int depth) {
  std::vector<const Known*> fit;
  std::vector<const Known*> ranged;
  for (const Known& known : vars_) {
    if (!known.ranged || known.var->dtype != DataType::Int(32)) continue;
    ranged.push_back(&known);
    if (known.low >= 0 && known.high < extent) fit.push_back(&known);
  }
  const int64_t kind = dice_.Below(10);
  if (kind < 5 && !fit.empty()) {
    const Known& a = *dice_.Pick(fit);
    if (dice_.Percent(40)) {
      const Known& other = *dice_.Pick(fit);
      const int64_t factor = dice_.Between(1, 4);
      if (a.high * factor + other.high < extent) {
        return b_.New<Add>({}, b_.New<Mul>({}, a.var, Int(factor)), other.var);
      }
    }
    if (a.high + 1 < extent && dice_.Percent(30)) {
      return b_.New<Add>({}, a.var, Int(dice_.Between(1, extent - 1 - a.high)));
    }
    return a.var;
  }
  if (kind < 7 && !ranged.empty()) {
    const Known& a = *dice_.Pick(ranged);
    if (a.low >= 0 && dice_.Percent(40)) {
      return b_.New<FloorDiv>({}, a.var, Int(a.high / extent + 1));
    }
    return b_.New<FloorMod>({}, a.var, Int(extent));
  }
  if (kind == 7 && depth > 0) {
    return b_.New<FloorMod>({}, Expression(DataType::Int(32), depth - 1), Int(extent));
  }
  if (kind == 8 && depth > 0) {
    const Expr* low = b_.New<Max>({}, Expression(DataType::Int(32), depth - 1), Int(0));
    return b_.New<Min>({}, low, Int(extent - 1));
  }
  return Int(dice_.Below(extent));
}

std::vector<const Expr*> Generator::Indices(const Tensor& tensor, int lanes, int depth,
                                            bool distinct) {
  std::vector<const Expr*> list;
  if (tensor.shape.empty()) return list;
  for (size_t i = 0; i + 1 < tensor.shape.size(); ++i) {
    list.push_back(Index(tensor.shape[i], depth));
  }
  const int64_t extent = tensor.shape.back();
  if (lanes == 1) {
    list.push_back(Index(extent, depth));
    return list;
  }
  if (!distinct && dice_.Percent(15)) {
    const DataType dtype = DataType::Int(32, lanes);
    const Expr* any = Expression(dtype, depth - 1);
    list.push_back(b_.New<FloorMod>({}, any, b_.New<Broadcast>({}, Int(extent), lanes)));
    return list;
  }
  int64_t stride = dice_.Percent(70) ? 1 : dice_.Between(-2, 2);
  if (stride == 0 && distinct) stride = 1;
  const int64_t reach = (lanes - 1) * std::abs(stride);
  if (reach >= extent) return {};
  const Expr* base = Index(extent - reach, depth);
  if (stride < 0) base = b_.New<Add>({}, base, Int(reach));
  list.push_back(b_.New<Ramp>({}, base, Int(stride), lanes));
  return list;
}

bool Generator::Forbidden(const Tensor& tensor) const {
  return std::any_of(forbidden_.begin(), forbidden_.end(),
                     [&](const Storages& storage) { return storage.Meets(tensor.storage); });
}

const Tensor* Generator::FindTensor(bool writable, const std::function<bool(const Tensor&)>& fits) {
  std::vector<const Tensor*> fit;
  for (const Tensor& tensor : tensors_) {
    if ((!writable || tensor.writable) && !Forbidden(tensor) && fits(tensor)) {
      fit.push_back(&tensor);
    }
  }
  return fit.empty() ? nullptr : dice_.Pick(fit);
}

const Expr* Generator::MakeBufferLoad(DataType dtype, int depth) {
  const Tensor* tensor = FindTensor(false, [&](const Tensor& t) {
    const DataType have = t.buffer->dtype;
    return have.element() == dtype.element() && dtype.lanes() % have.lanes() == 0 &&
           (have.lanes() == dtype.lanes() || !t.shape.empty());
  });
  if (tensor == nullptr) return nullptr;
  const Buffer* buffer = tensor->buffer;
  const int lanes = dtype.lanes() / buffer->dtype.lanes();
  const std::vector<const Expr*> indices = Indices(*tensor, lanes, depth, false);
  if (indices.size() != buffer->shape.size()) return nullptr;
  const Expr* predicate = nullptr;
  if (lanes > 1 && depth > 0 && buffer->dtype.is_scalar() && dice_.Percent(10)) {
    predicate = Expression(DataType::Bool(lanes), depth - 1);
  }
  return b_.New<BufferLoad>({}, dtype, buffer, Copy(indices), predicate);
}

const Expr* Generator::MakeProducerLoad(DataType dtype, int) {
  if (!any_node_ || tensors_.empty()) return nullptr;
  return b_.New<ProducerLoad>({}, dtype, dice_.Pick(tensors_).buffer, b_.List<Expr>({Int(0)}));
}

const Expr* Generator::MakeRamp(DataType dtype, int depth) {
  const bool fits = dtype.is_bool() || (dtype.is_integer() && dtype.bits() >= 32);
  if (dtype.is_scalar() || !fits) return nullptr;
  const Expr* base = Expression(dtype.element(), depth);
  const Expr* stride = Literal(dtype.element());
  return b_.New<Ramp>({}, base, stride, dtype.lanes());
}

const Expr* Generator::MakeBroadcast(DataType dtype, int depth) {
  if (dtype.is_scalar()) return nullptr;
  return b_.New<Broadcast>({}, Expression(dtype.element(), depth), dtype.lanes());
}

const Expr* Generator::MakeShuffle(DataType dtype, int depth) {
  std::vector<const Expr*> vectors;
  int64_t total = 0;
  for (int64_t i = dice_.Between(1, 2); i > 0; --i) {
    const int lanes = dice_.Percent(50) ? 2 : 4;
    vectors.push_back(Expression(dtype.with_lanes(lanes), depth - 1));
    total += lanes;
  }
  std::vector<const Expr*> indices;
  for (int i = 0; i < dtype.lanes(); ++i) indices.push_back(Int(dice_.Below(total)));
  return b_.New<Shuffle>({}, dtype, Copy(vectors), Copy(indices));
}

const Expr* Generator::MakeLet(DataType dtype, int depth) {
  const DataType bound = AnyScalar().with_lanes(dice_.Percent(70) ? 1 : dtype.lanes());
  const Expr* value = Expression(bound, depth);
  const Scope scope(*this);
  const Var* var = b_.NewVar("t", bound);
  vars_.push_back({var});
  const Expr* body = Expression(dtype, depth);
  return b_.New<Let>({}, var, value, body);
}

const Expr* Generator::MakeReduce(DataType dtype, int depth) {
  if (!any_node_) return nullptr;
  const Var* x = b_.NewVar("x", dtype);
  const Var* y = b_.NewVar("y", dtype);
  const Expr* zero = Leaf(dtype);
  const auto* combiner =
      b_.New<CommReducer>({}, b_.List<Var>({x}), b_.List<Var>({y}),
                          b_.List<Expr>({b_.New<Add>({}, x, y)}), b_.List<Expr>({zero}));
  const Var* k = b_.NewVar("k", DataType::Int(32));
  const auto* axis =
      b_.New<IterVar>({}, b_.New<Range>({}, Int(0), Int(4)), k, IterVarKind::kCommReduce);
  return b_.New<Reduce>({}, dtype, combiner, b_.List<Expr>({Expression(dtype, depth - 1)}),
                        b_.List<IterVar>({axis}), b_.Bool(true), 0, Span<const Expr*>());
}

const Expr* Generator::MakeAny(DataType dtype, int) {
  return any_node_ && dtype == DataType::Int(32) ? b_.New<Any>({}) : nullptr;
}

}  // namespace tenon::random_ir
