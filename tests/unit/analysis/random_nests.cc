#include "random_nests.h"

#include <random>

namespace tenon {
namespace {

/// A number 0, ..., extent - 1 that loops count.
struct Count {
  std::string text;
  int64_t extent = 1;
};

struct Index {
  std::string text;
  int64_t most = 0;
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : dice_(seed) {}

  NestText Make() {
    nest_.dying_dtype = Dtype();
    nest_.begun_dtype = Chance(60) ? nest_.dying_dtype : Dtype();
    const int nests = Chance(80) ? 1 : 2;
    for (int i = 0; i < nests; ++i) Nest();
    nest_.dying_elements = std::max<int64_t>(dying_most_ + 1, 1);
    nest_.begun_elements = std::max<int64_t>(begun_most_ + 1, 1);
    return nest_;
  }

 private:
  int64_t Roll(int64_t min, int64_t max) {
    return std::uniform_int_distribution<int64_t>(min, max)(dice_);
  }
  bool Chance(int percent) { return Roll(1, 100) <= percent; }

  std::string Dtype() {
    const char* const dtypes[] = {"int8", "int8", "uint8", "int16", "int32", "float32"};
    return dtypes[Roll(0, 5)];
  }

  void Line(const std::string& text) {
    nest_.body += std::string(static_cast<size_t>(indent_), ' ') + text + "\n";
  }

  /// Opens a loop and returns its counts: one, or two for a divided counter.
  std::vector<Count> Loop() {
    const std::string name = fmt::format("i{}", loops_++);
    std::vector<Count> counts;
    if (Chance(20)) {
      const int64_t low = Roll(2, 3);
      const int64_t high = Roll(1, 3);
      Line(fmt::format("for {} in range({}):", name, low * high));
      counts.push_back({fmt::format("{} // {}", name, low), high});
      counts.push_back({fmt::format("{} % {}", name, low), low});
    } else {
      const int64_t extent = Roll(1, 4);
      const int64_t min = Chance(15) ? Roll(1, 3) : 0;
      if (min == 0) {
        Line(fmt::format("for {} in range({}):", name, extent));
        counts.push_back({name, extent});
      } else {
        Line(fmt::format("for {} in range({}, {}):", name, min, min + extent));
        counts.push_back({fmt::format("({} - {})", name, min), extent});
      }
    }
    indent_ += 2;
    for (Count& count : counts) {
      if (Chance(15)) count.text = fmt::format("({} - {})", count.extent - 1, count.text);
    }
    return counts;
  }

  /// A sum of counts: in mixed radix, in the given or another order, or with random strides.
  Index Sum(std::vector<Count> counts) {
    const bool is_dense = Chance(70);
    if (Chance(20)) std::shuffle(counts.begin(), counts.end(), dice_);
    Index index{"", 0};
    int64_t stride = 1;
    for (size_t i = counts.size(); i-- > 0;) {
      const int64_t used = is_dense ? stride : Roll(0, 5);
      stride *= counts[i].extent;
      index.most += used * (counts[i].extent - 1);
      index.text = fmt::format("{} * {}{}", counts[i].text, used,
                               index.text.empty() ? "" : " + " + index.text);
    }
    const int64_t offset = Chance(25) ? Roll(1, 4) : 0;
    index.most += offset;
    if (index.text.empty()) index.text = "0";
    if (offset > 0) index.text += fmt::format(" + {}", offset);
    return index;
  }

  std::string Load(const std::vector<Count>& counts) {
    const Index index = Sum(counts);
    dying_most_ = std::max(dying_most_, index.most);
    return fmt::format("T.Cast(\"{}\", A[{}])", nest_.begun_dtype, index.text);
  }
  std::string Place(const Index& index) {
    begun_most_ = std::max(begun_most_, index.most);
    return fmt::format("B[{}]", index.text);
  }

  void Nest() {
    indent_ = 4;
    std::vector<Count> counts;
    for (int64_t i = Roll(1, 3); i > 0; --i) {
      for (Count& count : Loop()) counts.push_back(std::move(count));
    }
    switch (Roll(0, 7)) {
      case 0:
      case 1:
        return Elementwise(counts);
      case 2:
        return Sums(counts, false);
      case 3:
        return Sums(counts, true);
      case 4:
        return Block(counts);
      case 5:
        return Guarded(counts);
      default:
        return Lanes(counts);
    }
  }

  void Elementwise(const std::vector<Count>& counts) {
    std::string value = Load(counts);
    if (Chance(30)) value = fmt::format("{} + {}", value, Load(counts));
    Line(fmt::format("{} = {}", Place(Sum(counts)), value));
    if (Chance(20)) Line(fmt::format("{} = {}", Place(Sum(counts)), Load(counts)));
  }

  /// A sum over one more loop, in a local accumulator or in the output.
  void Sums(const std::vector<Count>& counts, bool is_local) {
    const std::string to = is_local ? "S[0]" : Place(Sum(counts));
    const std::string name = fmt::format("s{}", loops_++);
    if (is_local) {
      Line(fmt::format("{} = T.allocate([1], \"{}\", \"global\")", name, nest_.begun_dtype));
      Line(fmt::format("S = T.Buffer((1,), \"{}\", data={})", nest_.begun_dtype, name));
    }
    Line(fmt::format("{} = T.Cast(\"{}\", 0)", to, nest_.begun_dtype));
    std::vector<Count> all = counts;
    for (Count& count : Loop()) all.push_back(std::move(count));
    Line(fmt::format("{0} = {0} + {1}", to, Load(all)));
    indent_ -= 2;
    if (is_local) Line(fmt::format("{} = {}", Place(Sum(counts)), to));
  }

  /// A block of sums, which are stored after all of them have been computed.
  void Block(const std::vector<Count>& counts) {
    const int64_t width = Roll(2, 4);
    const std::string name = fmt::format("s{}", loops_++);
    Line(fmt::format("{} = T.allocate([{}], \"{}\", \"global\")", name, width, nest_.begun_dtype));
    Line(fmt::format("S = T.Buffer(({},), \"{}\", data={})", width, nest_.begun_dtype, name));
    const std::string counter = fmt::format("o{}", loops_++);
    std::vector<Count> all = counts;
    all.push_back({counter, width});
    Line(fmt::format("for {} in range({}):", counter, width));
    Line(fmt::format("  S[{}] = {}", counter, Load(all)));
    Line(fmt::format("for {} in range({}):", counter + "b", width));
    all.back().text = counter + "b";
    Line(fmt::format("  {} = S[{}b]", Place(Sum(all)), counter));
  }

  void Guarded(const std::vector<Count>& counts) {
    const Count& count =
        counts[static_cast<size_t>(Roll(0, static_cast<int64_t>(counts.size()) - 1))];
    const std::string condition = Chance(50)
                                      ? fmt::format("{} < {}", count.text, Roll(0, count.extent))
                                      : fmt::format("{} <= {}", Roll(0, count.extent), count.text);
    if (Chance(50)) {
      Line(fmt::format("{} = T.if_then_else({}, {}, T.Cast(\"{}\", 3))", Place(Sum(counts)),
                       condition, Load(counts), nest_.begun_dtype));
    } else {
      Line(fmt::format("if {}:", condition));
      Line(fmt::format("  {} = {}", Place(Sum(counts)), Load(counts)));
    }
  }

  void Lanes(const std::vector<Count>& counts) {
    const int64_t lanes = Roll(2, 4);
    std::vector<Count> scaled = counts;
    Index from = Sum(scaled);
    Index to = Sum(scaled);
    const bool is_dense = Chance(70);
    const auto ramp = [&](Index& index, int64_t& most) {
      const int64_t step = Chance(75) ? 1 : Roll(1, 3);
      const int64_t spread = is_dense ? lanes : 1;
      index.most = index.most * spread + step * (lanes - 1);
      most = std::max(most, index.most);
      return fmt::format("T.Ramp(({}) * {}, {}, {})", index.text, spread, step, lanes);
    };
    const std::string read = ramp(from, dying_most_);
    const std::string written = ramp(to, begun_most_);
    Line(fmt::format("B[{}] = T.Cast(\"{}x{}\", A[{}])", written, nest_.begun_dtype, lanes, read));
  }

  std::mt19937_64 dice_;
  NestText nest_;
  int loops_ = 0;
  int indent_ = 4;
  int64_t dying_most_ = 0;
  int64_t begun_most_ = 0;
};

}  // namespace

NestText RandomNest(uint64_t seed) { return Generator(seed).Make(); }

}  // namespace tenon
