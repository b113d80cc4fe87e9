#include "random/random_operators.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fmt/format.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"

namespace tenon::random_ir {

namespace {

using Dims = std::vector<int64_t>;
using Counters = std::vector<const Expr*>;

constexpr int64_t kMostElements = 500;
constexpr DataType kDTypes[] = {DataType::Int(8), DataType::Int(16), DataType::Int(32),
                                DataType::Float(32)};

int64_t CountOf(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

/// A flat buffer that a function reads or writes. `dims` is the order of its elements.
struct Value {
  const Buffer* buffer = nullptr;
  Dims dims;

  DataType dtype() const { return buffer->dtype; }
};

/// A value between operators: main knows its pointer.
struct Between {
  const Var* pointer = nullptr;
  DataType dtype;
  Dims dims;
};

/// Makes one function from stages. Each stage computes a value from others.
class OperatorMaker {
 public:
  OperatorMaker(Context& context, Dice& dice, std::shared_ptr<Storage> storage)
      : context_(context),
        dice_(dice),
        storage_(std::move(storage)),
        b_(context, storage_->arena()) {}

  /// Adds the function; returns its result's dtype and dims.
  std::pair<DataType, Dims> Make(std::string_view name, const std::vector<Between>& inputs,
                                 IRModule& module) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      readable_.push_back(
          {NewBuffer(fmt::format("p{}", i), inputs[i].dtype, inputs[i].dims), inputs[i].dims});
    }
    params_ = readable_;
    for (int64_t left = dice_.Between(1, 4); left > 0; --left) {
      is_last_ = left == 1;
      Stage();
    }
    std::vector<const Var*> params;
    std::vector<const Buffer*> buffers;
    params_.push_back(readable_.back());
    for (const Value& value : params_) {
      params.push_back(b_.NewVar("h", DataType::Handle()));
      buffers.push_back(value.buffer);
    }
    const Stmt* body = b_.Seq(Span<const Stmt*>(stmts_.data(), stmts_.size()));
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) body = (*scope)(body);
    const MapAttr* attrs = b_.Map({{"global_symbol", b_.StringValue(name)}});
    if (dice_.Percent(85)) attrs = b_.With(attrs, "tir.noalias", b_.ExprValue(b_.Bool(true)));
    const auto* func =
        b_.New<PrimFunc>({}, Copy(params), Copy(buffers), context_.VoidType(), attrs, body);
    module.Add({context_.Intern(name), func, storage_});
    return {readable_.back().dtype(), readable_.back().dims};
  }

 private:
  template <class T>
  Span<const T*> Copy(const std::vector<const T*>& list) {
    return b_.arena().Copy(Span<const T*>(list.data(), list.size()));
  }
  const Expr* Int(int64_t value) { return b_.Int(value); }
  const Expr* Binary(NodeKind kind, const Expr* a, const Expr* b) {
    const Expr* folded = TryConstFold(b_, kind, a, b);
    return folded != nullptr ? folded : MakeBinary(b_, kind, a, b);
  }
  const Expr* Add(const Expr* a, const Expr* b) { return Binary(NodeKind::kAdd, a, b); }
  const Expr* Times(const Expr* a, int64_t factor) {
    return Binary(NodeKind::kMul, a, b_.Int(a->dtype, factor));
  }

  const Buffer* NewBuffer(std::string_view name, DataType dtype, const Dims& dims,
                          std::string_view scope = "global") {
    const Var* data = b_.NewVar(name, context_.PointerType(dtype, scope));
    return b_.New<Buffer>({}, context_.Intern(name), data, dtype,
                          b_.List<Expr>({Int(CountOf(dims))}), Int(0));
  }

  /// A local buffer: an allocation around the whole function, or around one statement.
  Value Scratch(DataType dtype, const Dims& dims) {
    const Value value = {NewBuffer(fmt::format("s{}", scratch_++), dtype, dims), dims};
    scopes_.push_back([this, value](const Stmt* body) { return Allocated(value, body); });
    return value;
  }
  const Stmt* Allocated(const Value& value, const Stmt* body) {
    return b_.New<Allocate>({}, value.buffer->data, value.dtype(), value.buffer->shape,
                            b_.Bool(true), nullptr, body);
  }

  /// Storage for one sum at a time: a scalar, or one element of an array, which vectors may make
  /// too large for the stack. `at` is the index of the sum.
  Value SumStorage(DataType dtype, const Expr*& at) {
    const int64_t count = dice_.Percent(40) ? int64_t{8} << dice_.Below(4) : 1;
    at = Int(dice_.Below(count));
    return {NewBuffer("t", dtype, {count}, dice_.Percent(20) ? "local" : "global"), {count}};
  }

  /// The output of the stage: the function's result, or scratch.
  Value Target(DataType dtype, const Dims& dims) {
    if (is_last_) return {NewBuffer("out", dtype, dims), dims};
    return Scratch(dtype, dims);
  }

  Value ConstantOf(DataType dtype, const Dims& dims) {
    // The scope of a constant's pointer has no name in the text.
    const Value value = {NewBuffer(fmt::format("c{}", scratch_++), dtype, dims, ""), dims};
    std::vector<uint8_t> bytes;
    for (int64_t i = 0; i < CountOf(dims); ++i) {
      if (dtype.is_float()) {
        // Numbers around 1, whose sums depend on their order.
        const auto number = static_cast<float>(dice_.Between(-100000, 100000)) / 70001.0F;
        const auto* raw = reinterpret_cast<const uint8_t*>(&number);
        bytes.insert(bytes.end(), raw, raw + sizeof number);
        continue;
      }
      const int64_t number = dice_.Between(-120, 120);
      for (int byte = 0; byte < dtype.bytes(); ++byte)
        bytes.push_back(static_cast<uint8_t>(number >> (8 * byte)));
    }
    const tenon::Constant* data =
        context_.AddConstant(Symbol(), dtype, {CountOf(dims)}, std::move(bytes));
    scopes_.push_back([this, value, data](const Stmt* body) -> const Stmt* {
      return b_.New<AllocateConst>({}, value.buffer->data, value.dtype(), value.buffer->shape, data,
                                   nullptr, body);
    });
    return value;
  }

  static Dims StridesOf(const Dims& dims) {
    Dims strides(dims.size(), 1);
    for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
    return strides;
  }
  const Expr* IndexOf(const Dims& dims, const Counters& counters) {
    const Dims strides = StridesOf(dims);
    const Expr* index = Int(0);
    for (size_t i = 0; i < dims.size(); ++i) index = Add(index, Times(counters[i], strides[i]));
    return index;
  }
  const Expr* LoadAt(const Value& value, const Expr* index) {
    return b_.New<BufferLoad>({}, value.dtype(), value.buffer, b_.List<Expr>({index}));
  }
  const Expr* Load(const Value& value, const Counters& counters) {
    return LoadAt(value, IndexOf(value.dims, counters));
  }
  const Stmt* StoreAt(const Value& value, const Expr* index, const Expr* element) {
    return b_.New<BufferStore>({}, value.buffer, SmartCast(b_, value.dtype(), element),
                               b_.List<Expr>({index}));
  }
  const Stmt* Store(const Value& value, const Counters& counters, const Expr* element) {
    return StoreAt(value, IndexOf(value.dims, counters), element);
  }
  const Expr* Choice(const Expr* condition, const Expr* yes, const Expr* no) {
    return b_.NewCall(yes->dtype, OpKind::kIfThenElse, {condition, yes, no});
  }
  const Expr* And(const Expr* a, const Expr* b) {
    return a == nullptr ? b : b_.New<tenon::And>({}, a, b);
  }
  const Expr* Below(const Expr* a, int64_t limit) { return b_.New<LT>({}, a, Int(limit)); }
  const Expr* AtLeast(const Expr* a, int64_t limit) { return b_.New<LE>({}, Int(limit), a); }

  const Var* Counter() { return b_.NewVar(fmt::format("i{}", counter_++), DataType::Int(32)); }
  const Stmt* Loop(const Var* var, int64_t extent, const Stmt* body) {
    const ForKind kind = dice_.Percent(5) ? ForKind::kUnrolled : ForKind::kSerial;
    return b_.New<For>({}, var, Int(0), Int(extent), kind, body);
  }
  /// A plain loop: calls `body` with its counter.
  template <class F>
  const Stmt* PlainLoop(int64_t extent, F&& body) {
    const Var* var = Counter();
    return b_.New<For>({}, var, Int(0), Int(extent), ForKind::kSerial, body(var));
  }

  struct LoopSpec {
    const Var* var = nullptr;
    int64_t extent = 1;
  };

  /// The counter of one dimension of `extent`, from one loop or two.
  const Expr* CountOne(int64_t extent, std::vector<LoopSpec>& loops, const Expr*& guard) {
    const int64_t kind = dice_.Below(100);
    if (kind < 15 && extent > 3) {
      const int64_t factor = dice_.Between(2, 4);
      const Var* outer = Counter();
      const Var* inner = Counter();
      loops.push_back({outer, (extent + factor - 1) / factor});
      loops.push_back({inner, factor});
      const Expr* counter = Add(Times(outer, factor), inner);
      if (extent % factor != 0) guard = And(guard, Below(counter, extent));
      return counter;
    }
    const Var* var = Counter();
    loops.push_back({var, extent});
    return kind < 25 ? Binary(NodeKind::kSub, Int(extent - 1), var) : var;
  }

  /// Loops over all of `dims` in some way.
  template <class F>
  const Stmt* Loops(const Dims& dims, F&& body) {
    std::vector<LoopSpec> loops;
    const Expr* guard = nullptr;
    Counters counters;
    for (size_t i = 0; i < dims.size();) {
      size_t end = i + 1;
      while (end < dims.size() && dice_.Percent(30)) ++end;
      int64_t extent = 1;
      for (size_t k = i; k < end; ++k) extent *= dims[k];
      const Expr* counter = CountOne(extent, loops, guard);
      for (size_t k = i; k < end; ++k) {
        extent /= dims[k];
        const Expr* digit = counter;
        if (extent > 1) digit = Binary(NodeKind::kFloorDiv, digit, Int(extent));
        if (k > i) digit = Binary(NodeKind::kFloorMod, digit, Int(dims[k]));
        counters.push_back(digit);
      }
      i = end;
    }
    const Stmt* stmt = body(counters);
    if (guard != nullptr) stmt = b_.New<IfThenElse>({}, guard, stmt, nullptr);
    if (dice_.Percent(20)) {
      for (size_t i = loops.size(); i > 1; --i)
        std::swap(loops[i - 1], loops[static_cast<size_t>(dice_.Below(static_cast<int64_t>(i)))]);
    }
    for (size_t i = loops.size(); i-- > 0;) stmt = Loop(loops[i].var, loops[i].extent, stmt);
    return stmt;
  }

  const Value& AnyValue() {
    // Prefers the last value, to form chains.
    if (dice_.Percent(60)) return readable_.back();
    return dice_.Pick(readable_);
  }

  const Expr* Number(DataType dtype, int64_t low, int64_t high) {
    const int64_t value = dice_.Between(low, high);
    if (dtype.is_float()) return b_.Number(dtype, static_cast<double>(value) / 8);
    return b_.Int(dtype, value);
  }

  /// Some elementwise operations; the channel is the last counter.
  const Expr* Chain(const Expr* value, const Counters& counters, const Dims& dims) {
    for (int64_t left = dice_.Below(4); left > 0; --left) value = Link(value, counters, dims);
    return value;
  }
  const Expr* Link(const Expr* value, const Counters& counters, const Dims& dims) {
    const DataType dtype = value->dtype;
    switch (dice_.Below(7)) {
      case 0:
        return Binary(NodeKind::kAdd, value, Number(dtype, -40, 40));
      case 1:
        return b_.New<Max>({}, value, Number(dtype, -9, 9));
      case 2: {
        const Value channel = ConstantOf(dtype, {dims.back()});
        return Binary(NodeKind::kAdd, value, Load(channel, {counters.back()}));
      }
      case 3:
        return Binary(NodeKind::kMul, value, Number(dtype, 2, 6));
      case 4:
        if (dtype == DataType::Int(32)) {
          const Expr* factor = Int(dice_.Between(int64_t{1} << 30, INT32_MAX));
          return b_.NewCall(dtype, OpKind::kQMultiplyShift,
                            {value, factor, Int(31), Int(dice_.Between(-9, 1))});
        }
        return dtype.is_float() ? b_.NewCall(dtype, OpKind::kFabs, {value}) : value;
      case 5:
        if (dtype == DataType::Int(32)) {
          value = b_.New<Max>({}, b_.New<Min>({}, value, Int(127)), Int(-128));
          if (dice_.Percent(50)) return b_.New<Sub>({}, value, Int(dice_.Between(-128, 127)));
          return b_.New<Cast>({}, DataType::Int(8), value);
        }
        return value;
      default:
        return SmartCast(b_, dice_.Pick(kDTypes), value);
    }
  }

  DataType AccumulatorOf(DataType dtype) { return dtype.is_float() ? dtype : DataType::Int(32); }

  void Stage() {
    for (;;) {
      const bool done = [&] {
        switch (dice_.Below(9)) {
          case 0:
          case 1:
            return Pad();
          case 2:
            return Transpose();
          case 3:
            return Concatenate();
          case 4:
          case 5:
          case 6:
            return Window();
          case 7:
            return Product();
          default:
            return Elementwise();
        }
      }();
      if (done) return;
    }
  }

  bool Finish(const Value& target, const Stmt* stmt) {
    stmts_.push_back(stmt);
    readable_.push_back(target);
    return true;
  }

  bool Elementwise() {
    const Value source = AnyValue();
    const Value* other = nullptr;
    for (const Value& value : readable_) {
      const bool fits =
          CountOf(value.dims) == CountOf(source.dims) && value.dtype() == source.dtype();
      if (fits && dice_.Percent(40)) other = &value;
    }
    const Dims& dims = source.dims;
    Value target;
    return Finish(target, Loops(dims, [&](const Counters& counters) {
                    const Expr* value = Load(source, counters);
                    if (other != nullptr) {
                      const Expr* more = LoadAt(*other, IndexOf(dims, counters));
                      value = dice_.Percent(50) ? Binary(NodeKind::kAdd, value, more)
                                                : b_.New<Max>({}, value, more);
                    }
                    value = Chain(value, counters, dims);
                    target = Target(value->dtype, dims);
                    return Store(target, counters, value);
                  }));
  }

  /// Pads a value with zeros around or between its elements, or takes a part of it.
  bool Pad() {
    const Value source = AnyValue();
    Dims dims = source.dims;
    Dims before(dims.size());
    Dims step(dims.size(), 1);
    for (size_t i = 0; i < dims.size(); ++i) {
      if (!dice_.Percent(50)) continue;
      if (dice_.Percent(25)) {
        step[i] = 2;
        dims[i] = (dims[i] - 1) * 2 + 1;
        continue;
      }
      before[i] = dice_.Between(dims[i] > 2 ? -1 : 0, 2);
      dims[i] += before[i] + dice_.Between(dims[i] > 3 ? -1 : 0, 2);
    }
    if (CountOf(dims) > kMostElements || *std::min_element(dims.begin(), dims.end()) < 1)
      return false;
    const Value target = Target(source.dtype(), dims);
    const Expr* filling = Number(source.dtype(), dice_.Percent(70) ? 0 : -3, 0);
    return Finish(target, Loops(dims, [&](const Counters& counters) {
                    const Expr* inside = nullptr;
                    Counters at;
                    for (size_t i = 0; i < dims.size(); ++i) {
                      const Expr* place = counters[i];
                      if (step[i] > 1) {
                        const Expr* rest = Binary(NodeKind::kFloorMod, place, Int(step[i]));
                        inside = And(inside, b_.New<EQ>({}, rest, Int(0)));
                        place = Binary(NodeKind::kFloorDiv, place, Int(step[i]));
                      }
                      if (before[i] != 0) place = Binary(NodeKind::kSub, place, Int(before[i]));
                      if (before[i] > 0) inside = And(inside, AtLeast(counters[i], before[i]));
                      if (step[i] == 1 && source.dims[i] + before[i] < dims[i])
                        inside = And(inside, Below(counters[i], source.dims[i] + before[i]));
                      at.push_back(place);
                    }
                    const Expr* value = Load(source, at);
                    return Store(target, counters,
                                 inside == nullptr ? value : Choice(inside, value, filling));
                  }));
  }

  /// Copies to another order of dimensions; one dimension may be divided first.
  bool Transpose() {
    Value source = AnyValue();
    Dims divided;
    for (const int64_t extent : source.dims) {
      if (extent % 4 == 0 && dice_.Percent(50)) {
        divided.push_back(extent / 4);
        divided.push_back(4);
      } else {
        divided.push_back(extent);
      }
    }
    source.dims = divided;
    std::vector<size_t> order(divided.size());
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<size_t>(dice_.Below(static_cast<int64_t>(i)))]);
    Dims dims;
    for (const size_t i : order) dims.push_back(divided[i]);
    const Value target = Target(source.dtype(), dims);
    return Finish(target, Loops(dims, [&](const Counters& counters) {
                    Counters at(order.size());
                    for (size_t i = 0; i < order.size(); ++i) at[order[i]] = counters[i];
                    return Store(target, counters, Load(source, at));
                  }));
  }

  /// Concatenates two values along one dimension: with a conditional, or one after the other.
  bool Concatenate() {
    const Value a = AnyValue();
    const Value b = AnyValue();
    if (a.dims.size() != b.dims.size() || a.dtype() != b.dtype()) return false;
    const size_t axis = dice_.Percent(60) ? 0 : a.dims.size() - 1;
    for (size_t i = 0; i < a.dims.size(); ++i)
      if (i != axis && a.dims[i] != b.dims[i]) return false;
    Dims dims = a.dims;
    dims[axis] += b.dims[axis];
    if (CountOf(dims) > kMostElements) return false;
    const Value target = Target(a.dtype(), dims);
    const auto moved = [&](Counters counters, int64_t by) {
      counters[axis] = Add(counters[axis], Int(by));
      return counters;
    };
    if (dice_.Percent(50)) {
      return Finish(target, Loops(dims, [&](const Counters& counters) {
                      const Expr* value =
                          Choice(Below(counters[axis], a.dims[axis]), Load(a, counters),
                                 Load(b, moved(counters, -a.dims[axis])));
                      return Store(target, counters, value);
                    }));
    }
    stmts_.push_back(Loops(a.dims, [&](const Counters& counters) {
      return Store(target, counters, Load(a, counters));
    }));
    return Finish(target, Loops(b.dims, [&](const Counters& counters) {
                    return Store(target, moved(counters, a.dims[axis]), Load(b, counters));
                  }));
  }

  /// The parts of a sum or a maximum over windows.
  struct WindowOf {
    Value source;
    Value weights;
    bool has_weights = false;
    bool is_sum = true;
    size_t axis = 0;
    int64_t stride = 1;
    int64_t taps = 1;
    DataType total;
  };

  const Expr* First(const WindowOf& window) {
    if (window.is_sum) return b_.Number(window.total, 0);
    return b_.Number(window.total, window.total.is_float() ? -1000 : -100000);
  }
  const Expr* Grown(const WindowOf& window, const Expr* total, const Counters& counters,
                    const Expr* tap) {
    Counters at = counters;
    at[window.axis] = Add(Times(at[window.axis], window.stride), tap);
    const Expr* value = SmartCast(b_, window.total, Load(window.source, at));
    if (window.has_weights) {
      const Expr* weight = Load(window.weights, {tap, counters.back()});
      value = Binary(NodeKind::kMul, value, SmartCast(b_, window.total, weight));
    }
    return window.is_sum ? Binary(NodeKind::kAdd, total, value) : b_.New<Max>({}, total, value);
  }

  bool Window() {
    WindowOf window;
    window.source = AnyValue();
    Dims dims = window.source.dims;
    window.axis = static_cast<size_t>(dice_.Below(static_cast<int64_t>(dims.size())));
    int64_t& extent = dims[window.axis];
    if (extent < 2) return false;
    window.taps = dice_.Between(2, std::min<int64_t>(extent, 4));
    window.stride = dice_.Between(1, 2);
    extent = (extent - window.taps) / window.stride + 1;
    window.total = AccumulatorOf(window.source.dtype());
    window.is_sum = dice_.Percent(80);
    window.has_weights = window.is_sum && dice_.Percent(60);
    if (window.has_weights) {
      const DataType weight = window.total.is_float() ? window.total : DataType::Int(16);
      window.weights = ConstantOf(weight, {window.taps, dims.back()});
    }
    switch (dice_.Below(4)) {
      case 0:
        return SumsOfOne(window, dims);
      case 1:
        return SumsOfRow(window, dims, /*is_unrolled=*/false);
      case 2:
        return SumsOfRow(window, dims, /*is_unrolled=*/true);
      default:
        return SumsOfAll(window, dims);
    }
  }

  /// Each sum uses a buffer of its own.
  bool SumsOfOne(const WindowOf& window, const Dims& dims) {
    Value target;
    const Expr* place = nullptr;
    const Value one = SumStorage(window.total, place);
    return Finish(target, Loops(dims, [&](const Counters& counters) {
                    const Expr* total = LoadAt(one, place);
                    const Stmt* taps = PlainLoop(window.taps, [&](const Expr* tap) {
                      return StoreAt(one, place, Grown(window, total, counters, tap));
                    });
                    const Expr* value = Chain(total, counters, dims);
                    target = Target(value->dtype, dims);
                    return Allocated(one, b_.Seq({StoreAt(one, place, First(window)), taps,
                                                  Store(target, counters, value)}));
                  }));
  }

  /// The sums of a row, or of two rows in consecutive statements, use a block.
  bool SumsOfRow(const WindowOf& window, const Dims& dims, bool is_unrolled) {
    if (dims.size() < 2 || (is_unrolled && dims.size() < 3)) return false;
    const int64_t lanes = dims.back();
    const int64_t rows = is_unrolled ? dims[dims.size() - 2] : 1;
    if (rows > 4) return false;
    const Dims outer(dims.begin(), dims.end() - (is_unrolled ? 2 : 1));
    const Value block = {NewBuffer("t", window.total, {rows * lanes}), {rows, lanes}};
    const Value copy = {NewBuffer("u", window.total, {rows * lanes}), {rows, lanes}};
    const bool copies = dice_.Percent(50);
    Value target;
    return Finish(target, Loops(outer, [&](const Counters& around) {
                    const auto each = [&](auto&& make) {
                      std::vector<const Stmt*> list;
                      for (int64_t row = 0; row < rows; ++row) {
                        list.push_back(PlainLoop(lanes, [&](const Expr* lane) {
                          Counters all = around;
                          if (is_unrolled) all.push_back(Int(row));
                          all.push_back(lane);
                          return make(all, IndexOf(block.dims, {Int(row), lane}));
                        }));
                      }
                      return b_.Seq(Span<const Stmt*>(list.data(), list.size()));
                    };
                    std::vector<const Stmt*> list;
                    list.push_back(each([&](const Counters&, const Expr* at) {
                      return StoreAt(block, at, First(window));
                    }));
                    list.push_back(PlainLoop(window.taps, [&](const Expr* tap) {
                      return each([&](const Counters& all, const Expr* at) {
                        return StoreAt(block, at, Grown(window, LoadAt(block, at), all, tap));
                      });
                    }));
                    if (copies) {
                      list.push_back(PlainLoop(rows * lanes, [&](const Expr* at) {
                        return StoreAt(copy, at, LoadAt(block, at));
                      }));
                    }
                    list.push_back(PlainLoop(rows, [&](const Expr* row) {
                      return PlainLoop(lanes, [&](const Expr* lane) {
                        Counters all = around;
                        if (is_unrolled) all.push_back(row);
                        all.push_back(lane);
                        const Expr* at = is_unrolled ? IndexOf(block.dims, {row, lane}) : lane;
                        const Expr* value = Chain(LoadAt(copies ? copy : block, at), all, dims);
                        target = Target(value->dtype, dims);
                        return Store(target, all, value);
                      });
                    }));
                    const Stmt* body =
                        Allocated(block, b_.Seq(Span<const Stmt*>(list.data(), list.size())));
                    return copies ? Allocated(copy, body) : body;
                  }));
  }

  /// All sums use one buffer, and separate nests.
  bool SumsOfAll(const WindowOf& window, const Dims& dims) {
    const Value sums = Scratch(window.total, dims);
    if (dice_.Percent(50)) {
      stmts_.push_back(Loops(
          dims, [&](const Counters& counters) { return Store(sums, counters, First(window)); }));
      stmts_.push_back(PlainLoop(window.taps, [&](const Expr* tap) {
        return Loops(dims, [&](const Counters& counters) {
          return Store(sums, counters, Grown(window, Load(sums, counters), counters, tap));
        });
      }));
    } else {
      stmts_.push_back(Loops(dims, [&](const Counters& counters) {
        const Stmt* taps = PlainLoop(window.taps, [&](const Expr* tap) {
          return Store(sums, counters, Grown(window, Load(sums, counters), counters, tap));
        });
        return b_.Seq({Store(sums, counters, First(window)), taps});
      }));
    }
    Value target;
    return Finish(target, Loops(dims, [&](const Counters& counters) {
                    const Expr* value = Chain(Load(sums, counters), counters, dims);
                    target = Target(value->dtype, dims);
                    return Store(target, counters, value);
                  }));
  }

  /// Rows times a matrix of weights, which another nest may reorder first.
  bool Product() {
    const Value source = AnyValue();
    const int64_t depth = source.dims.back();
    const int64_t rows = CountOf(source.dims) / depth;
    const int64_t columns = dice_.Between(1, 3) * 4;
    if (depth < 2 || rows * columns > kMostElements) return false;
    const DataType total = AccumulatorOf(source.dtype());
    Value weights = ConstantOf(total.is_float() ? total : DataType::Int(16), {columns, depth});
    if (dice_.Percent(60)) {
      const Value packed = Scratch(weights.dtype(), {columns / 4, depth, 4});
      stmts_.push_back(Loops(packed.dims, [&](const Counters& at) {
        return Store(packed, at, Load(weights, {Add(Times(at[0], 4), at[2]), at[1]}));
      }));
      weights = packed;
    }
    Dims dims = source.dims;
    dims.back() = columns;
    const Expr* place = nullptr;
    const Value one = SumStorage(total, place);
    Value target;
    return Finish(target, Loops(dims, [&](const Counters& counters) {
                    const Expr* sum = LoadAt(one, place);
                    const Stmt* taps = PlainLoop(depth, [&](const Expr* k) {
                      Counters at = counters;
                      at.back() = k;
                      Counters of = {counters.back(), k};
                      if (weights.dims.size() == 3) {
                        of = {Binary(NodeKind::kFloorDiv, counters.back(), Int(4)), k,
                              Binary(NodeKind::kFloorMod, counters.back(), Int(4))};
                      }
                      const Expr* product =
                          Binary(NodeKind::kMul, SmartCast(b_, total, Load(source, at)),
                                 SmartCast(b_, total, Load(weights, of)));
                      return StoreAt(one, place, Binary(NodeKind::kAdd, sum, product));
                    });
                    const Expr* value = Chain(sum, counters, dims);
                    target = Target(value->dtype, dims);
                    const Stmt* zero = StoreAt(one, place, b_.Number(total, 0));
                    return Allocated(one, b_.Seq({zero, taps, Store(target, counters, value)}));
                  }));
  }

  Context& context_;
  Dice& dice_;
  std::shared_ptr<Storage> storage_;
  NodeBuilder b_;
  std::vector<Value> params_;
  std::vector<Value> readable_;
  std::vector<const Stmt*> stmts_;
  std::vector<std::function<const Stmt*(const Stmt*)>> scopes_;
  int scratch_ = 0;
  int counter_ = 0;
  bool is_last_ = false;
};

}  // namespace

namespace {

/// Makes `main` and the functions that it calls.
class ModuleMaker {
 public:
  ModuleMaker(Context& context, Dice& dice, IRModule& module)
      : context_(context), dice_(dice), module_(module), b_(context, storage_->arena()) {}

  /// `outputs` as in AddOperators.
  void Make(int outputs) {
    static const std::vector<Dims> kShapes = {{4, 6, 4}, {3, 8},    {24},
                                              {2, 3, 4}, {5, 5, 4}, {8, 3, 3}};
    for (int i = 0; i < 3; ++i) {
      const DataType dtype = dice_.Pick(kDTypes);
      const Dims& dims = dice_.Pick(kShapes);
      values_.push_back({Param(fmt::format("x{}", i), dtype, dims), dtype, dims});
    }
    const int64_t count = dice_.Between(2, 6);
    for (int64_t i = 0; i < count; ++i) Call(i, i + 1 == count || dice_.Percent(outputs));
    const Stmt* body = b_.Seq(Span<const Stmt*>(calls_.data(), calls_.size()));
    for (const Between& value : allocated_) {
      const int64_t bytes = CountOf(value.dims) * value.dtype.bytes();
      body = b_.New<Allocate>({}, value.pointer, DataType::Int(8), b_.List<Expr>({b_.Int(bytes)}),
                              b_.Bool(true), nullptr, body);
    }
    const MapAttr* attrs = b_.Map(
        {{"global_symbol", b_.StringValue("main")}, {"tir.noalias", b_.ExprValue(b_.Bool(true))}});
    const auto* main =
        b_.New<PrimFunc>({}, b_.arena().Copy(Span<const Var*>(params_.data(), params_.size())),
                         b_.arena().Copy(Span<const Buffer*>(buffers_.data(), buffers_.size())),
                         context_.VoidType(), attrs, body);
    module_.Add({context_.Intern("main"), main, storage_});
  }

 private:
  /// Adds a parameter of main; returns its data.
  const Var* Param(std::string_view name, DataType dtype, const Dims& dims) {
    const Var* data = b_.NewVar(name, context_.PointerType(dtype, "global"));
    std::vector<const Expr*> shape;
    for (const int64_t extent : dims) shape.push_back(b_.Int(extent));
    params_.push_back(b_.NewVar(fmt::format("{}_h", name), DataType::Handle()));
    buffers_.push_back(
        b_.New<Buffer>({}, context_.Intern(name), data, dtype,
                       b_.arena().Copy(Span<const Expr*>(shape.data(), shape.size())), b_.Int(0)));
    return data;
  }

  /// Adds an operator and its call.
  void Call(int64_t number, bool is_output) {
    std::vector<Between> inputs;
    for (int64_t left = dice_.Between(1, 3); left > 0; --left)
      inputs.push_back(dice_.Percent(60) ? values_.back() : dice_.Pick(values_));
    const std::string name = fmt::format("op{}", number);
    const auto [dtype, dims] =
        OperatorMaker(context_, dice_, std::make_shared<Storage>()).Make(name, inputs, module_);
    const Var* result = nullptr;
    if (is_output) {
      result = Param(fmt::format("y{}", number), dtype, dims);
    } else {
      const Type* bytes = context_.PointerType(DataType::Int(8), "global");
      result = b_.NewVar(fmt::format("sid_{}", number), bytes);
      allocated_.push_back({result, dtype, dims});
    }
    std::vector<const Expr*> args = {b_.String(name)};
    for (const Between& input : inputs) args.push_back(input.pointer);
    args.push_back(result);
    const Expr* call =
        b_.New<tenon::Call>({}, DataType::Int(32), Op::Get(OpKind::kCallExtern),
                            b_.arena().Copy(Span<const Expr*>(args.data(), args.size())));
    calls_.push_back(b_.New<Evaluate>({}, call));
    values_.push_back({result, dtype, dims});
  }

  Context& context_;
  Dice& dice_;
  IRModule& module_;
  std::shared_ptr<Storage> storage_ = std::make_shared<Storage>();
  NodeBuilder b_;
  std::vector<const Var*> params_;
  std::vector<const Buffer*> buffers_;
  std::vector<Between> values_;
  std::vector<Between> allocated_;
  std::vector<const Stmt*> calls_;
};

}  // namespace

void AddOperators(Context& context, Dice& dice, IRModule& module, int outputs) {
  ModuleMaker(context, dice, module).Make(outputs);
}

}  // namespace tenon::random_ir
