#ifndef TENON_TESTS_UNIT_BYOC_CLAIMS_H_
#define TENON_TESTS_UNIT_BYOC_CLAIMS_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "byoc/op_info.h"
#include "ir/builtins.h"

namespace tenon::testing_claims {

using Bytes = std::vector<uint8_t>;

inline Bytes RandomBytes(DataType dtype, int64_t elements, std::mt19937_64& random) {
  Bytes bytes(static_cast<size_t>(elements * dtype.bytes()));
  for (size_t i = 0; i < static_cast<size_t>(elements); ++i) {
    const double unit = static_cast<double>(random() % 2001) / 1000 - 1;
    if (dtype == DataType::Float(32)) {
      const auto value = static_cast<float>(unit);
      std::memcpy(&bytes[i * 4], &value, 4);
    } else if (dtype == DataType::Float(64)) {
      std::memcpy(&bytes[i * 8], &unit, 8);
    } else {
      const auto value = static_cast<int64_t>(unit * 127);
      std::memcpy(&bytes[i * static_cast<size_t>(dtype.bytes())], &value,
                  static_cast<size_t>(dtype.bytes()));
    }
  }
  return bytes;
}

/// Builds a claim step by step. All functions return the index of the added step.
class ClaimMaker {
 public:
  OpInfo op;

  explicit ClaimMaker(std::string kind) { op.kind = std::move(kind); }

  int Loop(std::string name, int64_t extent) {
    op.computation.loops.push_back({std::move(name), extent});
    return static_cast<int>(op.computation.loops.size()) - 1;
  }
  int64_t Extent(int loop) const { return op.computation.loops[static_cast<size_t>(loop)].extent; }
  int Operand(DataType dtype, int64_t elements, bool constant = false) {
    int index = 0;
    for (const ComputationOperand& operand : op.computation.operands)
      index += operand.constant == constant ? 1 : 0;
    op.computation.operands.push_back({constant, index, dtype, elements});
    return static_cast<int>(op.computation.operands.size()) - 1;
  }
  int Access(int operand, LinearIndex element) {
    std::sort(element.terms.begin(), element.terms.end());
    op.computation.accesses.push_back({operand, std::move(element)});
    return static_cast<int>(op.computation.accesses.size()) - 1;
  }
  DataType TypeOf(int step) const { return op.computation.steps[static_cast<size_t>(step)].dtype; }
  int Read(int operand, LinearIndex element) {
    const int access = Access(operand, std::move(element));
    Step step = New(StepKind::kRead, op.computation.operands[static_cast<size_t>(operand)].dtype);
    step.access = access;
    return Add(step);
  }
  int Real(DataType dtype, double value) {
    Step step = New(StepKind::kReal, dtype);
    step.real = value;
    return Add(step);
  }
  int Int(DataType dtype, int64_t value) {
    Step step = New(StepKind::kInteger, dtype);
    step.integer = value;
    return Add(step);
  }
  int Zero(DataType dtype) { return dtype.is_integer() ? Int(dtype, 0) : Real(dtype, 0); }
  int Index(LinearIndex linear) {
    std::sort(linear.terms.begin(), linear.terms.end());
    Step step = New(StepKind::kIndex, DataType::Int(32));
    step.linear = std::move(linear);
    return Add(step);
  }
  int Node(NodeKind node, std::vector<int> args) {
    const bool compares = node >= NodeKind::kEQ && node <= NodeKind::kGE;
    Step step = New(StepKind::kNode, compares ? DataType::Bool() : TypeOf(args.back()));
    step.node = node;
    step.args = std::move(args);
    return Add(step);
  }
  int Cast(DataType dtype, int value) {
    Step step = New(StepKind::kNode, dtype);
    step.node = NodeKind::kCast;
    step.args = {value};
    return Add(step);
  }
  int Call(OpKind kind, DataType dtype, std::vector<int> args) {
    Step step = New(StepKind::kCall, dtype);
    step.op = kind;
    step.args = std::move(args);
    return Add(step);
  }
  int Reduce(NodeKind node, int init, int value, std::vector<int> loops) {
    Step step = New(StepKind::kReduce, TypeOf(value));
    step.node = node;
    step.args = {init, value};
    step.loops = std::move(loops);
    return Add(step);
  }
  int Gather(int operand, LinearIndex element, int place) {
    const int access = Access(operand, std::move(element));
    Step step = New(StepKind::kGather, op.computation.operands[static_cast<size_t>(operand)].dtype);
    step.access = access;
    step.args = {place};
    return Add(step);
  }
  /// The index of the greatest or the least value. `args` are those of a kArgReduce.
  int ArgReduce(NodeKind node, bool takes_greatest, std::vector<int> args, std::vector<int> loops) {
    Step step = New(StepKind::kArgReduce, TypeOf(args[0]));
    step.node = node;
    step.integer = takes_greatest ? 1 : 0;
    step.args = std::move(args);
    step.loops = std::move(loops);
    return Add(step);
  }
  void Store(int operand, LinearIndex element, int step, std::vector<int> loops) {
    for (const int loop : loops) op.elements = (op.elements == 0 ? 1 : op.elements) * Extent(loop);
    op.computation.stores.push_back({Access(operand, std::move(element)), step, std::move(loops)});
  }
  /// `low <= index < high`.
  int Inside(const LinearIndex& index, int64_t high) {
    const int place = Index(index);
    const int above = Node(NodeKind::kGE, {place, Int(DataType::Int(32), 0)});
    const int below = Node(NodeKind::kLT, {place, Int(DataType::Int(32), high)});
    return Node(NodeKind::kAnd, {above, below});
  }

 private:
  static Step New(StepKind kind, DataType dtype) {
    Step step;
    step.kind = kind;
    step.dtype = dtype;
    return step;
  }
  int Add(Step step) {
    op.computation.steps.push_back(std::move(step));
    return static_cast<int>(op.computation.steps.size()) - 1;
  }
};

/// Compact memory with the axes in some order: an index over loops, and the number of elements.
struct Layout {
  LinearIndex index;
  int64_t elements = 1;
};

/// Random claims of all kinds, with various layouts, paddings, strides and epilogues.
class RandomClaims {
 public:
  explicit RandomClaims(uint64_t seed) : random_(seed) {}

  OpInfo Make() {
    switch (Pick(10)) {
      case 0:
      case 1:
        return Convolution();
      case 8:
        return Arg();
      case 9:
        return Take();
      case 2:
        return Depthwise();
      case 3:
      case 4:
        return Product(Flip() ? DataType::Float(32) : DataType::Int(8), false);
      case 5:
        return Pool();
      case 6:
        return Softmax();
      default:
        return Concatenate();
    }
  }

  /// A product of float matrices with any strides. With `has_constant`, one factor is a constant.
  OpInfo Product(DataType dtype, bool has_constant) {
    ClaimMaker claim(Flip() ? "matmul" : "dense");
    std::vector<int> batch, rows, columns, sums;
    if (Flip()) batch.push_back(claim.Loop("b", 1 + Pick(3)));
    rows.push_back(claim.Loop("m0", 1 + Pick(5)));
    if (Flip()) rows.push_back(claim.Loop("m1", 1 + Pick(4)));
    columns.push_back(claim.Loop("n0", 1 + Pick(6)));
    if (Flip()) columns.push_back(claim.Loop("n1", 1 + Pick(8)));
    sums.push_back(claim.Loop("k0", 1 + Pick(9)));
    if (Flip()) sums.push_back(claim.Loop("k1", 1 + Pick(4)));
    const DataType acc = dtype.is_float() ? dtype : DataType::Int(32);
    const Layout a = Some(claim, {batch, rows, sums});
    const Layout b = Some(claim, {batch, sums, columns});
    const Layout c = Some(claim, {batch, rows, columns});
    const bool constant_a = has_constant && Flip();
    const int x = claim.Operand(dtype, a.elements, constant_a);
    const int w = claim.Operand(dtype, b.elements, has_constant && !constant_a);
    const int product = claim.Node(NodeKind::kMul, {Wide(claim, claim.Read(x, a.index), acc),
                                                    Wide(claim, claim.Read(w, b.index), acc)});
    std::vector<int> summed = sums;
    if (Flip()) std::reverse(summed.begin(), summed.end());
    const int sum = claim.Reduce(NodeKind::kAdd, claim.Zero(acc), product, summed);
    claim.op.contraction = sum;
    Finish(claim, sum, c, Joined({batch, rows, columns}), columns);
    claim.op.macs = 1;
    for (const ComputationLoop& loop : claim.op.computation.loops) claim.op.macs *= loop.extent;
    return claim.op;
  }

  OpInfo Convolution() {
    ClaimMaker claim("conv2d");
    const int64_t stride = 1 + Pick(2), dilation = 1 + Pick(2), pad = Pick(2);
    const int64_t size = 5 + Pick(4);
    const int h = claim.Loop("h", 0), w = claim.Loop("w", 0);
    const int co = claim.Loop("co", 1 + Pick(80));
    const int kh = claim.Loop("kh", 1 + Pick(3)), kw = claim.Loop("kw", 1 + Pick(3));
    const int ci = claim.Loop("ci", 1 + Pick(4));
    const auto places = [&](int kernel) {
      return (size + 2 * pad - (claim.Extent(kernel) - 1) * dilation - 1) / stride + 1;
    };
    claim.op.computation.loops[0].extent = std::max<int64_t>(places(kh), 1);
    claim.op.computation.loops[1].extent = std::max<int64_t>(places(kw), 1);
    const DataType dtype = Flip() ? DataType::Float(32) : DataType::Int(8);
    const DataType acc = dtype.is_float() ? dtype : DataType::Int(32);
    const int64_t channels = claim.Extent(ci);
    const bool is_nhwc = Flip();
    const int64_t row = is_nhwc ? size * channels : size;
    const int64_t column = is_nhwc ? channels : 1;
    const int x = claim.Operand(dtype, size * size * channels);
    const LinearIndex element = {-pad * (row + column),
                                 {{h, stride * row},
                                  {w, stride * column},
                                  {kh, dilation * row},
                                  {kw, dilation * column},
                                  {ci, is_nhwc ? 1 : size * size}}};
    int value = claim.Read(x, element);
    const int inside =
        claim.Node(NodeKind::kAnd, {claim.Inside({-pad, {{h, stride}, {kh, dilation}}}, size),
                                    claim.Inside({-pad, {{w, stride}, {kw, dilation}}}, size)});
    value = claim.Node(NodeKind::kSelect, {inside, value, claim.Zero(dtype)});
    const Layout weights = Some(claim, {{kh, kw}, {ci}, {co}});
    const int k = claim.Operand(dtype, weights.elements, Flip());
    const int product = claim.Node(
        NodeKind::kMul, {Wide(claim, value, acc), Wide(claim, claim.Read(k, weights.index), acc)});
    const int sum = claim.Reduce(NodeKind::kAdd, claim.Zero(acc), product, {kh, kw, ci});
    claim.op.contraction = sum;
    Finish(claim, sum, Some(claim, {{h, w}, {co}}), {h, w, co}, {co});
    return claim.op;
  }

  OpInfo Depthwise() {
    ClaimMaker claim("depthwise_conv2d");
    const int h = claim.Loop("h", 1 + Pick(4)), w = claim.Loop("w", 1 + Pick(4));
    const int g = claim.Loop("g", 1 + Pick(70));
    const int kh = claim.Loop("kh", 3), kw = claim.Loop("kw", 1 + Pick(3));
    const DataType dtype = Flip() ? DataType::Float(32) : DataType::Int(8);
    const DataType acc = dtype.is_float() ? dtype : DataType::Int(32);
    const int64_t c = claim.Extent(g), high = claim.Extent(h), wide = claim.Extent(w) + 2;
    const int x = claim.Operand(dtype, high * wide * c);
    int value =
        claim.Read(x, {-wide * c, {{h, wide * c}, {w, c}, {kh, wide * c}, {kw, c}, {g, 1}}});
    const int inside = claim.Inside({-1, {{h, 1}, {kh, 1}}}, high);
    value = claim.Node(NodeKind::kSelect, {inside, value, claim.Zero(dtype)});
    const Layout weights = Some(claim, {{kh, kw}, {g}});
    const int k = claim.Operand(dtype, weights.elements, true);
    const int product = claim.Node(
        NodeKind::kMul, {Wide(claim, value, acc), Wide(claim, claim.Read(k, weights.index), acc)});
    const int sum = claim.Reduce(NodeKind::kAdd, claim.Zero(acc), product, {kh, kw});
    claim.op.contraction = sum;
    Finish(claim, sum, Some(claim, {{h, w}, {g}}), {h, w, g}, {g});
    return claim.op;
  }

  OpInfo Pool() {
    const bool is_max = Flip();
    ClaimMaker claim(is_max ? "max_pool" : "avg_pool");
    const int h = claim.Loop("h", 1 + Pick(4)), w = claim.Loop("w", 1 + Pick(4));
    const int c = claim.Loop("c", 1 + Pick(20));
    const int kh = claim.Loop("kh", 1 + Pick(3)), kw = claim.Loop("kw", 1 + Pick(3));
    const DataType dtype = Flip() ? DataType::Float(32) : DataType::Int(32);
    const int64_t channels = claim.Extent(c);
    const int64_t width = 2 * (claim.Extent(w) - 1) + claim.Extent(kw);
    const int64_t height = 2 * (claim.Extent(h) - 1) + claim.Extent(kh);
    const int x = claim.Operand(dtype, width * height * channels);
    const int value = claim.Read(x, {0,
                                     {{h, 2 * width * channels},
                                      {w, 2 * channels},
                                      {kh, width * channels},
                                      {kw, channels},
                                      {c, 1}}});
    const int first = !is_max            ? claim.Zero(dtype)
                      : dtype.is_float() ? claim.Real(dtype, -1e30)
                                         : claim.Int(dtype, INT32_MIN);
    int result = claim.Reduce(is_max ? NodeKind::kMax : NodeKind::kAdd, first, value, {kh, kw});
    const int64_t count = claim.Extent(kh) * claim.Extent(kw);
    if (!is_max) {
      result = dtype.is_float()
                   ? claim.Node(NodeKind::kMul,
                                {result, claim.Real(dtype, 1 / static_cast<double>(count))})
                   : claim.Node(NodeKind::kDiv, {result, claim.Int(dtype, count)});
    }
    Finish(claim, result, Some(claim, {{h, w}, {c}}), {h, w, c}, {c});
    return claim.op;
  }

  OpInfo Softmax() {
    ClaimMaker claim("softmax");
    const DataType dtype = DataType::Float(32);
    const int i = claim.Loop("i", 1 + Pick(4)), k = claim.Loop("k0", 1 + Pick(20));
    const int other = claim.Loop("k1", claim.Extent(k));
    const int64_t width = claim.Extent(k);
    const int x = claim.Operand(dtype, claim.Extent(i) * width);
    const int inner = claim.Read(x, {0, {{i, width}, {k, 1}}});
    const int most = claim.Reduce(NodeKind::kMax, claim.Real(dtype, -3e38), inner, {k});
    const int power = claim.Call(OpKind::kExp, dtype, {claim.Node(NodeKind::kSub, {inner, most})});
    const int sum = claim.Reduce(NodeKind::kAdd, claim.Zero(dtype), power, {k});
    const int outer = claim.Read(x, {0, {{i, width}, {other, 1}}});
    const int mine = claim.Call(OpKind::kExp, dtype, {claim.Node(NodeKind::kSub, {outer, most})});
    const int y = claim.Operand(dtype, claim.Extent(i) * width);
    claim.Store(y, {0, {{i, width}, {other, 1}}}, claim.Node(NodeKind::kDiv, {mine, sum}),
                {i, other});
    return claim.op;
  }

  OpInfo Arg() {
    const bool is_max = Flip();
    ClaimMaker claim(is_max ? "argmax" : "argmin");
    const DataType dtype = Flip() ? DataType::Float(32) : DataType::Int(8);
    const DataType index = Flip() ? DataType::Int(32) : DataType::Int(64);
    const int i = claim.Loop("i", 1 + Pick(9));
    const int j = claim.Loop("k0", 1 + Pick(5)), k = claim.Loop("k1", 1 + Pick(9));
    const Layout layout = Some(claim, {{i}, {j, k}});
    const int value = claim.Read(claim.Operand(dtype, layout.elements), layout.index);
    int place = claim.Index({0, {{j, claim.Extent(k)}, {k, 1}}});
    if (index != claim.TypeOf(place)) place = claim.Cast(index, place);
    const int64_t least = is_max ? -128 : 127;
    const int worst =
        dtype.is_float() ? claim.Real(dtype, is_max ? -3e38 : 3e38) : claim.Int(dtype, least);
    const int best = claim.ArgReduce(is_max ? NodeKind::kMax : NodeKind::kMin, Flip(),
                                     {claim.Int(index, -1), worst, place, value}, {j, k});
    claim.Store(claim.Operand(index, claim.Extent(i)), {0, {{i, 1}}}, best, {i});
    return claim.op;
  }

  OpInfo Take() {
    ClaimMaker claim("take");
    const DataType dtype = Flip() ? DataType::Float(32) : DataType::Int(8);
    const DataType index = Flip() ? DataType::Int(32) : DataType::Int(64);
    const int64_t rows = 1 + Pick(9);
    const int i = claim.Loop("i0", 1 + Pick(9)), j = claim.Loop("i1", 1 + Pick(20));
    const int64_t width = claim.Extent(j);
    const int x = claim.Operand(dtype, rows * width);
    const int numbers = claim.Operand(index, claim.Extent(i));
    int row = claim.Read(numbers, {0, {{i, 1}}});
    row = claim.Node(NodeKind::kMax, {row, claim.Int(index, 0)});
    row = claim.Node(NodeKind::kMin, {row, claim.Int(index, rows - 1)});
    row = claim.Node(NodeKind::kMul, {row, claim.Int(index, width)});
    const int value = claim.Gather(x, {0, {{j, 1}}}, row);
    claim.Store(claim.Operand(dtype, claim.Extent(i) * width), {0, {{i, width}, {j, 1}}}, value,
                {i, j});
    return claim.op;
  }

  OpInfo Concatenate() {
    ClaimMaker claim("concatenate");
    const DataType dtype = Flip() ? DataType::Int(16) : DataType::Float(32);
    const int i = claim.Loop("i0", 1 + Pick(5));
    const int j = claim.Loop("i1", 1 + Pick(5)), k = claim.Loop("i2", 1 + Pick(5));
    const int64_t width = claim.Extent(j) + claim.Extent(k);
    const int x = claim.Operand(dtype, claim.Extent(i) * claim.Extent(j));
    const int z = claim.Operand(dtype, claim.Extent(i) * claim.Extent(k));
    const int y = claim.Operand(dtype, claim.Extent(i) * width);
    claim.Store(y, {0, {{i, width}, {j, 1}}}, claim.Read(x, {0, {{i, claim.Extent(j)}, {j, 1}}}),
                {i, j});
    const int read = claim.Read(z, {0, {{i, claim.Extent(k)}, {k, 1}}});
    // A value that is used twice.
    claim.Store(y, {claim.Extent(j), {{i, width}, {k, 1}}},
                claim.Node(NodeKind::kMul, {read, read}), {i, k});
    return claim.op;
  }

 private:
  int64_t Pick(int64_t count) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(count));
  }
  bool Flip() { return Pick(2) == 0; }

  static std::vector<int> Joined(std::vector<std::vector<int>> groups) {
    std::vector<int> all;
    for (const std::vector<int>& group : groups) all.insert(all.end(), group.begin(), group.end());
    return all;
  }

  /// Axes in compact memory: mostly in the given order, sometimes in any order.
  Layout Some(const ClaimMaker& claim, std::vector<std::vector<int>> groups) {
    std::vector<int> loops = Joined(std::move(groups));
    if (Pick(3) == 0) {
      for (size_t i = loops.size(); i-- > 1;)
        std::swap(loops[i], loops[static_cast<size_t>(Pick(static_cast<int64_t>(i) + 1))]);
    }
    Layout layout;
    for (size_t i = loops.size(); i-- > 0;) {
      layout.index.terms.emplace_back(loops[i], layout.elements);
      layout.elements *= claim.Extent(loops[i]);
    }
    return layout;
  }

  static int Wide(ClaimMaker& claim, int value, DataType dtype) {
    return claim.TypeOf(value) == dtype ? value : claim.Cast(dtype, value);
  }

  /// Bias, then relu, or requantization to int8, or nothing; then the store.
  void Finish(ClaimMaker& claim, int value, const Layout& layout, const std::vector<int>& loops,
              const std::vector<int>& channels) {
    const DataType dtype = claim.TypeOf(value);
    const Layout bias = Some(claim, {channels});
    if (Flip()) {
      const int b = claim.Operand(dtype, bias.elements, Flip());
      value = claim.Node(NodeKind::kAdd, {value, claim.Read(b, bias.index)});
    }
    if (dtype.is_float() && Flip()) value = claim.Node(NodeKind::kMax, {value, claim.Zero(dtype)});
    if (!dtype.is_float() && Flip()) {
      value = claim.Call(
          OpKind::kQMultiplyShift, dtype,
          {value, claim.Int(dtype, 1518500250), claim.Int(dtype, 31), claim.Int(dtype, -3)});
      value = claim.Node(NodeKind::kMin, {value, claim.Int(dtype, 127)});
      value = claim.Node(NodeKind::kMax, {value, claim.Int(dtype, -128)});
      value = claim.Cast(DataType::Int(8), value);
    }
    const int y = claim.Operand(claim.TypeOf(value), layout.elements);
    std::vector<int> order = loops;
    if (Flip()) std::reverse(order.begin(), order.end());
    claim.Store(y, layout.index, value, order);
  }

  std::mt19937_64 random_;
};

}  // namespace tenon::testing_claims

#endif  // TENON_TESTS_UNIT_BYOC_CLAIMS_H_
