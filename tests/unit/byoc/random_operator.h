#ifndef TENON_TESTS_UNIT_BYOC_RANDOM_OPERATOR_H_
#define TENON_TESTS_UNIT_BYOC_RANDOM_OPERATOR_H_

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "fmt/format.h"

// Operators of a known kind, in a random notation.

namespace tenon {

struct RandomOperator {
  /// A module of one function `f`.
  std::string text;
  /// The kinds that a claim about it may have.
  std::vector<std::string> kinds;
  int64_t macs = 0;
};

/// Makes one operator: its kind and sizes, the layout of each tensor, and the order, division,
/// fusion and unrolling of its loops are random.
class OperatorMaker {
 public:
  explicit OperatorMaker(uint32_t seed) : random_(seed) {}

  RandomOperator Make() {
    integers_ = Chance(2);
    switch (Pick(10)) {
      case 0:
        Matmul();
        break;
      case 1:
      case 2:
        Convolution();
        break;
      case 3:
      case 4:
        Pool();
        break;
      case 5:
        Reduce();
        break;
      case 6:
        Elementwise();
        break;
      case 7:
        Arg();
        break;
      case 8:
        Take();
        break;
      default:
        Softmax();
        break;
    }
    return Finish();
  }

 private:
  struct Loop {
    std::string name;
    int64_t extent;
    bool reduced;
  };
  struct Axis {
    std::string index;
    int64_t extent;
  };
  struct TensorText {
    std::string name;
    std::string dtype;
    int64_t elements = 0;
    /// The stride of each logical axis; for a blocked axis the stride of whole blocks.
    std::vector<int64_t> strides;
    int blocked = -1;
    int64_t block = 1;
    int64_t block_stride = 0;
  };

  int Pick(int count) { return static_cast<int>(random_() % static_cast<uint32_t>(count)); }
  bool Chance(int one_in) { return Pick(one_in) == 0; }
  int64_t Between(int64_t low, int64_t high) {
    return low + Pick(static_cast<int>(high - low + 1));
  }

  std::string Input() const { return integers_ ? "int8" : "float32"; }
  std::string Sum() const { return integers_ ? "int32" : "float32"; }
  std::string Number(const std::string& text) const {
    return integers_ ? fmt::format("T.int32({})", text) : fmt::format("T.float32({})", text);
  }
  std::string Wide(const std::string& value) const {
    return integers_ ? fmt::format("T.Cast(\"int32\", {})", value) : value;
  }

  /// A tensor with its axes in a random order. One of the first `blockable` axes may be blocked.
  TensorText NewTensor(std::string name, std::string dtype, const std::vector<int64_t>& extents,
                       int blockable = 8) {
    TensorText tensor;
    tensor.name = std::move(name);
    tensor.dtype = std::move(dtype);
    tensor.strides.resize(extents.size());
    std::vector<int> order;
    for (size_t i = 0; i < extents.size(); ++i) order.push_back(static_cast<int>(i));
    std::shuffle(order.begin(), order.end(), random_);
    int64_t stride = 1;
    if (blockable > 0 && Chance(3)) {
      const int axis = Pick(std::min(blockable, static_cast<int>(extents.size())));
      const int64_t extent = extents[static_cast<size_t>(axis)];
      for (const int64_t block : {4, 2}) {
        if (extent % block != 0 || extent == block) continue;
        tensor.blocked = axis;
        tensor.block = block;
        tensor.block_stride = 1;
        stride = block;
        break;
      }
    }
    for (const int axis : order) {
      const auto i = static_cast<size_t>(axis);
      tensor.strides[i] = stride;
      stride *= axis == tensor.blocked ? extents[i] / tensor.block : extents[i];
    }
    tensor.elements = stride;
    return tensor;
  }

  static std::string At(const TensorText& tensor, const std::vector<std::string>& indices) {
    std::string sum;
    const auto add = [&](const std::string& index, int64_t stride) {
      if (!sum.empty()) sum += " + ";
      sum += stride == 1 ? index : fmt::format("{} * {}", index, stride);
    };
    for (size_t i = 0; i < indices.size(); ++i) {
      if (static_cast<int>(i) == tensor.blocked) {
        add(fmt::format("({}) // {}", indices[i], tensor.block), tensor.strides[i]);
        add(fmt::format("({}) % {}", indices[i], tensor.block), tensor.block_stride);
      } else {
        add(fmt::format("({})", indices[i]), tensor.strides[i]);
      }
    }
    return fmt::format("{}[{}]", tensor.name, sum);
  }

  void Param(const TensorText& tensor) {
    params_ += fmt::format("{}{}: T.Buffer(({},), \"{}\")", params_.empty() ? "" : ", ",
                           tensor.name, tensor.elements, tensor.dtype);
  }

  void Line(int indent, const std::string& text) {
    body_ += std::string(static_cast<size_t>(8 + 4 * indent), ' ') + text + "\n";
  }

  /// Opens loops, some of them divided or fused, in a random order. Returns the expression for each
  /// logical loop. The caller may unroll the innermost loop.
  struct Nest {
    std::vector<std::pair<std::string, std::string>> values;  // logical loop, expression
    int indent = 0;
  };
  Nest Open(std::vector<Loop> loops, int indent, bool keep_order = false) {
    Nest nest;
    std::vector<Loop> parts;
    for (const Loop& loop : loops) {
      std::vector<int64_t> factors;
      for (int64_t factor = 2; factor < loop.extent; ++factor) {
        // Blocks of an axis and parts of its loop are powers of two, so that they fit together.
        const bool fits = loop.extent % 2 != 0 || factor == 2 || factor == 4;
        if (loop.extent % factor == 0 && fits) factors.push_back(factor);
      }
      if (factors.empty() || !Chance(3)) {
        parts.push_back({loop.name + Suffix(), loop.extent, loop.reduced});
        nest.values.emplace_back(loop.name, parts.back().name);
        continue;
      }
      const int64_t factor = factors[static_cast<size_t>(Pick(static_cast<int>(factors.size())))];
      parts.push_back({loop.name + "_o" + Suffix(), loop.extent / factor, loop.reduced});
      parts.push_back({loop.name + "_i" + Suffix(), factor, loop.reduced});
      nest.values.emplace_back(
          loop.name,
          fmt::format("({} * {} + {})", parts[parts.size() - 2].name, factor, parts.back().name));
    }
    if (!keep_order) std::shuffle(parts.begin(), parts.end(), random_);
    for (size_t i = 0; i < parts.size(); ++i) {
      if (i + 1 < parts.size() && Chance(4)) {
        const std::string fused = "f" + Suffix();
        Line(indent++, fmt::format("for {} in {}({}):", fused, "range",
                                   parts[i].extent * parts[i + 1].extent));
        Replace(nest, parts[i].name, fmt::format("({} // {})", fused, parts[i + 1].extent));
        Replace(nest, parts[i + 1].name, fmt::format("({} % {})", fused, parts[i + 1].extent));
        ++i;
      } else {
        const bool parallel = !parts[i].reduced && Chance(6);
        Line(indent++, fmt::format("for {} in {}({}):", parts[i].name,
                                   parallel ? "T.parallel" : "range", parts[i].extent));
      }
    }
    nest.indent = indent;
    return nest;
  }

  static void ReplaceAll(std::string& text, const std::string& name, const std::string& value) {
    const auto is_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    };
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
      const bool begins = at == 0 || !is_word(text[at - 1]);
      const size_t end = at + name.size();
      if (begins && (end == text.size() || !is_word(text[end]))) {
        text.replace(at, name.size(), value);
        at += value.size();
      } else {
        ++at;
      }
    }
  }
  static void Replace(Nest& nest, const std::string& name, const std::string& value) {
    for (auto& [logical, expression] : nest.values) ReplaceAll(expression, name, value);
  }
  /// `text` with the values of logical loops.
  static std::string In(const Nest& nest, std::string text) {
    for (const auto& [logical, expression] : nest.values)
      ReplaceAll(text, "@" + logical, expression);
    return text;
  }
  std::string Suffix() { return fmt::format("{}", next_++); }

  static std::string With(std::string text, const std::string& acc) {
    ReplaceAll(text, "ACC", acc);
    return text;
  }

  template <class F>
  void RowByRow(const std::vector<Loop>& space, const std::vector<Loop>& reduced,
                const std::string& init, F&& update, const std::string& target,
                const std::string& post) {
    // A row of the result.
    const Loop row = space.back();
    std::vector<Loop> others(space.begin(), space.end() - 1);
    Line(0, fmt::format("acc = T.allocate([{}], \"{}\", \"global\")", row.extent, Sum()));
    Line(0, fmt::format("t = T.Buffer(({},), \"{}\", data=acc)", row.extent, Sum()));
    const Nest outer = Open(others, 0);
    const auto close = [&](Nest nest, const std::string& text) {
      nest.values.insert(nest.values.end(), outer.values.begin(), outer.values.end());
      Line(nest.indent, In(nest, text));
    };
    const std::string place = fmt::format("t[@{}]", row.name);
    close(Open({row}, outer.indent), place + " = " + init);
    std::vector<Loop> all = reduced;
    all.push_back(row);
    // Conditions of unrolled statements are simplified in different ways.
    const bool plain = update(place).find("if_then_else") == std::string::npos;
    if (row.extent <= 7 && plain && Chance(2)) {
      Unrolled(outer, reduced, row, update(place));
    } else {
      close(Open(all, outer.indent), update(place));
    }
    close(Open({row}, outer.indent), fmt::format("{} = {}", target, With(post, place)));
  }

  /// `y[space] = post(reduction of value)`: `value` and the indices are over `@loop`.
  void Reduction(const std::vector<Loop>& space, const std::vector<Loop>& reduced,
                 const std::string& init, const std::string& combine, const std::string& value,
                 const std::string& target, const std::string& post) {
    const auto update = [&](const std::string& place) {
      return combine == "+" ? fmt::format("{} = {} + {}", place, place, value)
                            : fmt::format("{} = T.max({}, {})", place, place, value);
    };
    const int style = Pick(3);
    if (style == 0) {
      // A scalar inside the loops of the result.
      Line(0, fmt::format("acc = T.allocate([1], \"{}\", \"global\")", Sum()));
      Line(0, fmt::format("t = T.Buffer((1,), \"{}\", data=acc)", Sum()));
      const Nest outer = Open(space, 0);
      Line(outer.indent, "t[0] = " + init);
      Nest inner = Open(reduced, outer.indent);
      inner.values.insert(inner.values.end(), outer.values.begin(), outer.values.end());
      Line(inner.indent, In(inner, update("t[0]")));
      Line(outer.indent, In(outer, fmt::format("{} = {}", target, With(post, "t[0]"))));
      return;
    }
    if (style == 1 && space.size() > 1) return RowByRow(space, reduced, init, update, target, post);
    // A buffer for the whole result.
    int64_t elements = 1;
    std::string index;
    for (const Loop& loop : space) {
      index = index.empty() ? "@" + loop.name
                            : fmt::format("({}) * {} + @{}", index, loop.extent, loop.name);
      elements *= loop.extent;
    }
    Line(0, fmt::format("acc = T.allocate([{}], \"{}\", \"global\")", elements, Sum()));
    Line(0, fmt::format("t = T.Buffer(({},), \"{}\", data=acc)", elements, Sum()));
    const std::string place = fmt::format("t[{}]", index);
    const auto stage = [&](const std::vector<Loop>& loops, const std::string& text) {
      const Nest nest = Open(loops, 0);
      Line(nest.indent, In(nest, text));
    };
    stage(space, place + " = " + init);
    std::vector<Loop> all = space;
    all.insert(all.end(), reduced.begin(), reduced.end());
    stage(all, update(place));
    stage(space, fmt::format("{} = {}", target, With(post, place)));
  }

  /// The statements for all elements of a row, one after the other.
  void Unrolled(const Nest& outer, const std::vector<Loop>& reduced, const Loop& row,
                const std::string& text) {
    Nest nest = Open(reduced, outer.indent);
    nest.values.insert(nest.values.end(), outer.values.begin(), outer.values.end());
    for (int64_t i = 0; i < row.extent; ++i) {
      Nest one = nest;
      one.values.emplace_back(row.name, fmt::format("{}", i));
      Line(nest.indent, In(one, text));
    }
  }

  std::string Post() {
    switch (Pick(3)) {
      case 0:
        return "ACC";
      case 1:
        return fmt::format("T.max(ACC, {})", Number("0"));
      default:
        return fmt::format("T.min(T.max(ACC + {}, {}), {})", Number("1"), Number("-20"),
                           Number("20"));
    }
  }

  void Matmul() {
    const int64_t m = Between(2, 8), n = Between(2, 8), k = Between(2, 8), b = Between(2, 3);
    const bool batch = Chance(3);
    const bool one_row = !batch && Chance(4);
    std::vector<Loop> space;
    if (batch) space.push_back({"b", b, false});
    if (!one_row) space.push_back({"m", m, false});
    space.push_back({"n", n, false});
    const TensorText x = NewTensor("x", Input(), {b, m, k});
    const TensorText w = NewTensor("w", Input(), {b, k, n});
    const TensorText y = NewTensor("y", Sum(), {b, m, n});
    for (const TensorText* tensor : {&x, &w, &y}) Param(*tensor);
    const std::string bb = batch ? "@b" : "0";
    const std::string mm = one_row ? "0" : "@m";
    const std::string value = Wide(At(x, {bb, mm, "@k"})) + " * " + Wide(At(w, {bb, "@k", "@n"}));
    Reduction(space, {{"k", k, true}}, Number("0"), "+", value, At(y, {bb, mm, "@n"}), Post());
    result_.kinds = {one_row ? "dense" : "matmul"};
    result_.macs = (batch ? b : 1) * (one_row ? 1 : m) * n * k;
  }

  /// The input of a window: a padded temporary, or a condition in the sum.
  std::string Windowed(const TensorText& x, const std::vector<int64_t>& extents,
                       const std::string& channel, int64_t stride, int64_t pad,
                       const std::string& outside) {
    const auto place = [&](const char* o, const char* k) {
      return fmt::format("@{} * {} + @{}", o, stride, k);
    };
    const std::string h = place("h", "p");
    const std::string w = place("w", "q");
    if (pad == 0) return At(x, {channel, h, w});
    const auto inside = [&](const std::string& index, int64_t extent) {
      return fmt::format("{} <= {} and {} < {}", pad, index, index, extent + pad);
    };
    const auto moved = [&](const std::string& index) { return fmt::format("{} - {}", index, pad); };
    const auto choice = [&](const std::string& a, const std::string& b, const std::string& c) {
      return fmt::format("T.if_then_else({} and {}, {}, {})", inside(b, extents[1]),
                         inside(c, extents[2]), At(x, {a, moved(b), moved(c)}), outside);
    };
    if (Chance(2)) return choice(channel, h, w);
    const TensorText p =
        NewTensor("p", x.dtype, {extents[0], extents[1] + 2 * pad, extents[2] + 2 * pad},
                  x.blocked == 0 ? 1 : 0);
    Line(0, fmt::format("pad = T.allocate([{}], \"{}\", \"global\")", p.elements, p.dtype));
    Line(0, fmt::format("p = T.Buffer(({},), \"{}\", data=pad)", p.elements, p.dtype));
    const Nest nest = Open({{"c", extents[0], false},
                            {"h", extents[1] + 2 * pad, false},
                            {"w", extents[2] + 2 * pad, false}},
                           0);
    Line(nest.indent, In(nest, At(p, {"@c", "@h", "@w"}) + " = " + choice("@c", "@h", "@w")));
    return At(p, {channel, h, w});
  }

  void Convolution() {
    const int type = Pick(3);  // plain, depthwise, grouped
    const int64_t kernel = 3;
    const int64_t stride = Between(1, 2);
    const int64_t pad = Between(0, 1);
    const int64_t size = Between(2, 4);
    const int64_t groups = type == 0 ? 1 : Between(2, 4);
    const int64_t ci = type == 1 ? 1 : Between(2, 4);
    const int64_t co = type == 1 ? 1 : Between(2, 4);
    const int64_t extent = (size - 1) * stride + kernel - 2 * pad;
    const std::vector<int64_t> extents = {groups * ci, extent, extent};
    // Blocks of channels do not cross groups.
    const int in_blocks = groups > 1 && ci % 2 != 0 && ci > 1 ? 0 : 1;
    const bool out_blocks = groups == 1 || co % 2 == 0 || co == 1;
    const TensorText x = NewTensor("x", Input(), extents, in_blocks);
    const TensorText w =
        NewTensor("k", Input(), {groups * co, ci, kernel, kernel}, out_blocks ? 2 : 0);
    const TensorText y = NewTensor("y", Sum(), {groups * co, size, size}, out_blocks ? 8 : 0);
    for (const TensorText* tensor : {&x, &w, &y}) Param(*tensor);
    std::vector<Loop> space = {{"h", size, false}, {"w", size, false}};
    std::vector<Loop> reduced = {{"p", kernel, true}, {"q", kernel, true}};
    if (groups > 1) space.push_back({"g", groups, false});
    if (co > 1) space.push_back({"o", co, false});
    if (ci > 1) reduced.push_back({"i", ci, true});
    std::shuffle(space.begin(), space.end(), random_);
    const auto channel = [&](const char* name, int64_t count) -> std::string {
      if (groups == 1) return fmt::format("@{}", name);
      return count == 1 ? "@g" : fmt::format("@g * {} + @{}", count, name);
    };
    const std::string zero = integers_ ? "T.int8(0)" : "T.float32(0)";
    const std::string in = Windowed(x, extents, channel("i", ci), stride, pad, zero);
    const std::string value =
        Wide(in) + " * " +
        Wide(At(w, {channel("o", co), ci > 1 ? std::string("@i") : std::string("0"), "@p", "@q"}));
    Reduction(space, reduced, Number("0"), "+", value, At(y, {channel("o", co), "@h", "@w"}),
              Post());
    result_.kinds = {type == 0 ? "conv2d" : type == 1 ? "depthwise_conv2d" : "grouped_conv2d"};
    result_.macs = groups * co * ci * size * size * kernel * kernel;
  }

  void Pool() {
    const bool max = Chance(2);
    const int64_t kernel = Between(2, 3);
    const int64_t stride = Between(1, kernel);
    const int64_t pad = kernel == 3 ? Between(0, 1) : 0;
    const int64_t size = Between(2, 4);
    const int64_t channels = Between(2, 4);
    const int64_t extent = (size - 1) * stride + kernel - 2 * pad;
    const std::vector<int64_t> extents = {channels, extent, extent};
    const TensorText x = NewTensor("x", Sum(), extents, 1);
    const TensorText y = NewTensor("y", Sum(), {channels, size, size});
    for (const TensorText* tensor : {&x, &y}) Param(*tensor);
    const std::string outside = max ? Number("-1000000") : Number("0");
    const std::string value = Windowed(x, extents, "@c", stride, pad, outside);
    std::vector<Loop> space = {{"c", channels, false}, {"h", size, false}, {"w", size, false}};
    std::shuffle(space.begin(), space.end(), random_);
    const bool average = !max && Chance(2);
    const std::string post = !average    ? "ACC"
                             : integers_ ? fmt::format("T.Div(ACC, {})", kernel * kernel)
                                         : "ACC * T.float32(0.25)";
    Reduction(space, {{"p", kernel, true}, {"q", kernel, true}}, outside, max ? "max" : "+", value,
              At(y, {"@c", "@h", "@w"}), post);
    result_.kinds = {max ? "max_pool" : average ? "avg_pool" : "sum_pool"};
  }

  void Reduce() {
    const int64_t a = Between(2, 6), b = Between(2, 6), c = Between(2, 6);
    const TensorText x = NewTensor("x", Sum(), {a, b, c});
    const TensorText y = NewTensor("y", Sum(), {a, c});
    for (const TensorText* tensor : {&x, &y}) Param(*tensor);
    const bool max = Chance(2);
    Reduction({{"a", a, false}, {"c", c, false}}, {{"b", b, true}},
              max ? Number("-1000000") : Number("0"), max ? "max" : "+", At(x, {"@a", "@b", "@c"}),
              At(y, {"@a", "@c"}), "ACC");
    result_.kinds = {"reduce"};
  }

  /// The index of the best value along two axes.
  void Arg() {
    const int64_t a = Between(2, 5), b = Between(2, 5), c = Between(2, 5);
    const TensorText x = NewTensor("x", Input(), {a, b, c}, 0);
    const TensorText y = NewTensor("y", "int32", {a}, 0);
    for (const TensorText* tensor : {&x, &y}) Param(*tensor);
    const bool max = Chance(2);
    const bool last = Chance(2);
    for (const auto& [name, dtype] : {std::pair<std::string, std::string>{"v", Input()},
                                      std::pair<std::string, std::string>{"p", "int32"}}) {
      Line(0, fmt::format("{}_d = T.allocate([{}], \"{}\", \"global\")", name, a, dtype));
      Line(0, fmt::format("{0} = T.Buffer(({1},), \"{2}\", data={0}_d)", name, a, dtype));
    }
    const Nest start = Open({{"a", a, false}}, 0);
    const std::string least =
        integers_ ? (max ? "T.int8(-128)" : "T.int8(127)")
                  : fmt::format("T.float32({}3.4028234663852886e+38)", max ? "-" : "");
    Line(start.indent, In(start, "p[@a] = -1"));
    Line(start.indent, In(start, "v[@a] = " + least));
    // A NaN reveals the comparison order of floats.
    const Nest nest =
        Open({{"a", a, false}, {"b", b, true}, {"c", c, true}}, 0, /*keep_order=*/!integers_);
    const std::string place = fmt::format("@b * {} + @c", c);
    const std::string value = At(x, {"@a", "@b", "@c"});
    const std::string stays = max ? value + " < v[@a]" : "v[@a] < " + value;
    const std::string first = last ? place + " < p[@a]" : "p[@a] < " + place;
    Line(nest.indent,
         In(nest, fmt::format("vp: T.int32 = T.Select({} or (v[@a] == {} and {}), p[@a], {})",
                              stays, value, first, place)));
    Line(nest.indent,
         In(nest, fmt::format("vv: T.{} = T.Select({}, v[@a], {})", Input(), stays, value)));
    Line(nest.indent, In(nest, "p[@a] = vp"));
    Line(nest.indent, In(nest, "v[@a] = vv"));
    const Nest end = Open({{"a", a, false}}, 0);
    Line(end.indent, In(end, At(y, {"@a"}) + " = p[@a]"));
    result_.kinds = {max ? "argmax" : "argmin"};
  }

  /// Rows of a table by index.
  void Take() {
    const int64_t rows = Between(2, 8), width = Between(2, 8), count = Between(2, 8);
    const TensorText x = NewTensor("x", Sum(), {rows, width}, 0);
    const TensorText n = NewTensor("n", "int32", {count}, 0);
    const TensorText y = NewTensor("y", Sum(), {count, width}, 0);
    for (const TensorText* tensor : {&x, &n, &y}) Param(*tensor);
    const Nest nest = Open({{"i", count, false}, {"j", width, false}}, 0);
    const std::string number = At(n, {"@i"});
    const std::string row = Chance(2) ? fmt::format("T.max(T.min({}, {}), 0)", number, rows - 1)
                                      : fmt::format("({0} % {1} + {1}) % {1}", number, rows);
    Line(nest.indent, In(nest, At(y, {"@i", "@j"}) + " = " + At(x, {row, "@j"})));
    result_.kinds = {"take"};
  }

  void Elementwise() {
    const std::vector<int64_t> extents = {Between(2, 8), Between(2, 8), Between(2, 8)};
    const bool layout = Chance(2);
    const TensorText x = NewTensor("x", Sum(), extents);
    const TensorText z = NewTensor("z", Sum(), {extents[2]});
    const TensorText y = NewTensor("y", Sum(), extents);
    Param(x);
    if (!layout) Param(z);
    Param(y);
    const Nest nest =
        Open({{"a", extents[0], false}, {"b", extents[1], false}, {"c", extents[2], false}}, 0);
    const std::string read = At(x, {"@a", "@b", "@c"});
    const std::string value =
        layout ? read : fmt::format("T.max({} + {}, {})", read, At(z, {"@c"}), Number("0"));
    Line(nest.indent, In(nest, fmt::format("{} = {}", At(y, {"@a", "@b", "@c"}), value)));
    result_.kinds = {layout ? "layout" : "elementwise"};
  }

  void Softmax() {
    integers_ = false;
    const int64_t rows = Between(1, 4), columns = Between(2, 8);
    const TensorText x = NewTensor("x", "float32", {rows, columns}, 1);
    const TensorText y = NewTensor("y", "float32", {rows, columns}, 1);
    Param(x);
    Param(y);
    for (const char* name : {"big", "all", "exps"}) {
      Line(0, fmt::format("{}_d = T.allocate([{}], \"float32\", \"global\")", name,
                          name[0] == 'e' ? rows * columns : rows));
      Line(0, fmt::format("{0} = T.Buffer(({1},), \"float32\", data={0}_d)", name,
                          name[0] == 'e' ? rows * columns : rows));
    }
    const Loop i{"i", rows, false};
    const Loop j{"j", columns, false};
    const auto stage = [&](const std::vector<Loop>& loops, const std::string& text) {
      const Nest nest = Open(loops, 0);
      Line(nest.indent, In(nest, text));
    };
    const std::string read = At(x, {"@i", "@j"});
    const std::string exps = fmt::format("exps[@i * {} + @j]", columns);
    stage({i}, "big[@i] = T.float32(-1e30)");
    stage({i, j}, fmt::format("big[@i] = T.max(big[@i], {})", read));
    stage({i, j}, fmt::format("{} = T.exp({} - big[@i])", exps, read));
    stage({i}, "all[@i] = T.float32(0)");
    stage({i, j}, fmt::format("all[@i] = all[@i] + {}", exps));
    stage({i, j}, fmt::format("{} = {} / all[@i]", At(y, {"@i", "@j"}), exps));
    result_.kinds = {"softmax"};
  }

  RandomOperator Finish() {
    result_.text = fmt::format(
        "from tvm.script import tir as T\n\n@T.prim_func\ndef f({}):\n"
        "    T.func_attr({{\"tir.noalias\": T.bool(True)}})\n",
        params_);
    // The body is indented for a function in a class.
    for (size_t at = 0; at < body_.size();) {
      const size_t end = body_.find('\n', at);
      result_.text += body_.substr(at + 4, end - at - 3);
      at = end + 1;
    }
    return result_;
  }

  std::mt19937 random_;
  bool integers_ = false;
  int next_ = 0;
  std::string params_;
  std::string body_;
  RandomOperator result_;
};

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_BYOC_RANDOM_OPERATOR_H_
