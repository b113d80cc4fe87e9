// Random products of two inputs, as in attention: the same bits in blocks of vectors, or of
// scalars.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "fmt/format.h"
#include "tests/unit/passes/random_results.h"

namespace tenon {
namespace {

/// Writes `y[i, h, t] = sum over d of q[i, h, d] * k[t, h, d]` with axes in random orders, followed
/// by a use of each sum.
class ProductWriter {
 public:
  explicit ProductWriter(uint64_t seed) : random_(seed) {}

  std::string Module() {
    const std::string q = Index("ihd");
    const std::string k = Index("thd");
    const std::string y = Index("iht");
    const bool is_fused = Below(3) == 0;
    std::string text = fmt::format(
        "# from tvm.script import tir as T\n\n@T.prim_func\n"
        "def main(q: T.Buffer(({},), \"float32\"), k: T.Buffer(({},), \"float32\"), "
        "y: T.Buffer(({},), \"float32\")):\n    T.func_attr({{\"tir.noalias\": T.bool(True)}})\n"
        "    s = T.allocate([1], \"float32\", \"global\")\n"
        "    s_1 = T.Buffer((1,), \"float32\", data=s)\n    s_1[0] = T.float32(0)\n",
        rows_ * heads_ * depth_, columns_ * heads_ * depth_, rows_ * heads_ * columns_);
    const std::string pad(is_fused ? 8 : 12, ' ');
    text += is_fused ? fmt::format("    for f in range({}):\n", rows_ * heads_)
                     : fmt::format("    for i in range({}):\n        for h in range({}):\n", rows_,
                                   heads_);
    const std::string body = fmt::format(
        "{0}for t in range({1}):\n{0}    y[{2}] = T.float32({3})\n{0}    for d in range({4}):\n"
        "{0}        y[{2}] = y[{2}] + q[{5}] * k[{6}]\n",
        pad, columns_, y, Below(3), depth_, q, k);
    text += body;
    switch (Below(4)) {
      case 0:
        text += fmt::format("{0}    y[{1}] = y[{1}] * T.float32(0.125)\n", pad, y);
        break;
      case 1:
        text += fmt::format("{0}    s_1[0] = s_1[0] + y[{1}]\n", pad, y);
        break;
      case 2:
        text += fmt::format(
            "{0}    y[{1}] = y[{1}] * T.float32(0.5)\n{0}    s_1[0] = T.max(s_1[0], y[{1}])\n"
            "{0}    y[{1}] = y[{1}] - s_1[0]\n",
            pad, y);
        break;
      default:
        break;
    }
    if (is_fused) {
      for (const auto& [name, value] : {std::pair{"h", fmt::format("(f % {})", heads_)},
                                        std::pair{"i", fmt::format("(f // {})", heads_)}})
        Replace(text, fmt::format("{} * ", name), fmt::format("{} * ", value));
    }
    return text;
  }

 private:
  int Below(int end) { return static_cast<int>(random_() % static_cast<uint64_t>(end)); }
  int ExtentOf(char axis) const {
    return axis == 'i' ? rows_ : axis == 'h' ? heads_ : axis == 't' ? columns_ : depth_;
  }

  /// The number of an element of a tensor with these axes, in a random order.
  std::string Index(std::string axes) {
    if (Below(3) != 0) {
      std::shuffle(axes.begin(), axes.end(), random_);
    }
    std::string index;
    int stride = 1;
    for (size_t i = axes.size(); i-- > 0;) {
      index += fmt::format("{}{} * {}", index.empty() ? "" : " + ", axes[i], stride);
      stride *= ExtentOf(axes[i]);
    }
    return index;
  }

  static void Replace(std::string& text, const std::string& from, const std::string& to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      if (at == 0 || text[at - 1] == '[' || text[at - 1] == ' ') text.replace(at, from.size(), to);
  }

  std::mt19937_64 random_;
  const int rows_ = 1 + Below(12);
  const int heads_ = 1 + Below(3);
  const int columns_ = 2 + Below(16);
  const int depth_ = 1 + Below(9);
};

class RandomAttention : public testing::TestWithParam<const char*> {};

TEST_P(RandomAttention, KeepsResults) {
  ExpectSameResults<ProductWriter>(GetParam(), LastParameter::kUndefined);
}

INSTANTIATE_TEST_SUITE_P(All, RandomAttention,
                         testing::Values("choose-blocks",
                                         "choose-blocks{registers=4 register-bytes=16}",
                                         "choose-blocks{registers=32 register-bytes=64}",
                                         "choose-blocks,choose-blocks,simplify,vectorize-loops,"
                                         "promote-accumulators,jam-loops"));

}  // namespace
}  // namespace tenon
