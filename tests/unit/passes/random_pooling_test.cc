// Random poolings of products: each iteration computes sums and uses them, and only the uses make
// the iterations depend on each other. The results are the same after the loops are divided.

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "fmt/format.h"
#include "tests/unit/passes/random_results.h"

namespace tenon {
namespace {

/// Writes `y[c] = op(y[c], use(sum over k of x[t, k] * f[k, c]))` for all `t`, in many forms.
class PoolingWriter {
 public:
  explicit PoolingWriter(uint64_t seed) : random_(seed) {}

  std::string Module() {
    Line(0, "# from tvm.script import tir as T\n\n@T.prim_func");
    Line(0, fmt::format("def main(x: T.Buffer(({},), \"{}\"), f: T.Buffer(({},), \"{}\"), "
                        "y: T.Buffer(({},), \"{}\")):",
                        places_ * steps_, data_, steps_ * columns_, data_, columns_, dtype_));
    if (Below(8) != 0) Line(1, "T.func_attr({\"tir.noalias\": T.bool(True)})");
    const bool is_split = columns_ % 2 == 0 && Below(3) == 0;
    const std::string c = is_split ? "(c * 2 + d)" : "c";
    Line(1, is_split ? fmt::format("for t, c, d in T.grid({}, {}, 2):", places_, columns_ / 2)
                     : fmt::format("for t, c in T.grid({}, {}):", places_, columns_));
    Line(2, fmt::format("s = T.allocate([1], \"{}\", \"global\")", dtype_));
    Line(2, fmt::format("s_1 = T.Buffer((1,), \"{}\", data=s)", dtype_));
    Line(2, fmt::format("s_1[0] = {}", Number(Below(3))));
    Line(2, fmt::format("for k in range({}):", steps_));
    const std::string factor = Below(2) == 0 ? fmt::format("f[k * {} + {}]", columns_, c)
                                             : fmt::format("f[{} * {} + k]", c, steps_);
    const std::string product =
        fmt::format("{} * {}", Wide(fmt::format("x[t * {} + k]", steps_)), Wide(factor));
    // Reads of what the uses write tie the sums to the uses.
    const std::string more = Below(6) == 0 ? fmt::format(" + y[{}]", Below(columns_)) : "";
    Line(3, fmt::format("s_1[0] = s_1[0] + {}{}", product, more));
    std::string used = "s_1[0]";
    if (Below(3) == 0) {
      Line(2, fmt::format("v = T.allocate([1], \"{}\", \"global\")", dtype_));
      Line(2, fmt::format("v_1 = T.Buffer((1,), \"{}\", data=v)", dtype_));
      Line(2, fmt::format("v_1[0] = T.max(s_1[0], {})", Number(0)));
      used = "v_1[0]";
    }
    if (Below(3) == 0) used = fmt::format("{} * {}", used, Number(3));
    if (Below(3) == 0) used = fmt::format("({} + {})", used, Wide("x[t]"));
    // Later columns of an iteration read what its earlier ones write.
    if (columns_ <= steps_ && data_ == dtype_ && Below(4) == 0)
      Line(2, fmt::format("x[t * {} + {}] = {}", steps_, c, used));
    const std::string result = fmt::format("y[{}]", Below(6) == 0 ? "0" : c);
    switch (Below(3)) {
      case 0:
        Line(2, fmt::format("{0} = {0} + {1}", result, used));
        break;
      case 1:
        Line(2, fmt::format("{0} = T.max({0}, {1})", result, used));
        break;
      default:
        Line(2, fmt::format("{0} = {1} - {0}", result, used));
        break;
    }
    return text_;
  }

 private:
  int Below(int end) { return static_cast<int>(random_() % static_cast<uint64_t>(end)); }
  void Line(int depth, const std::string& line) {
    text_ += std::string(static_cast<size_t>(depth) * 4, ' ') + line + "\n";
  }
  std::string Number(int value) const { return fmt::format("T.{}({})", dtype_, value); }
  std::string Wide(const std::string& element) const {
    return data_ == dtype_ ? element : fmt::format("T.Cast(\"{}\", {})", dtype_, element);
  }

  std::mt19937_64 random_;
  std::string text_;
  const std::string dtype_ = Below(2) == 0 ? "float32" : "int32";
  const std::string data_ = dtype_ == "float32" ? "float32" : Below(2) == 0 ? "int8" : "int32";
  const int places_ = 1 + Below(30);
  const int columns_ = Below(12) == 0 ? 90 + Below(300) : 1 + Below(40);
  const int steps_ = 1 + Below(20);
};

class RandomPooling : public testing::TestWithParam<const char*> {};

TEST_P(RandomPooling, KeepsResults) {
  ExpectSameResults<PoolingWriter>(GetParam(), LastParameter::kNumbers);
}

INSTANTIATE_TEST_SUITE_P(
    All, RandomPooling,
    testing::Values("choose-blocks", "choose-blocks{registers=32 register-bytes=64 small=true}",
                    "choose-blocks{registers=16 register-bytes=16 pairs=true},simplify,"
                    "localize-buffers,vectorize-loops,vectorize-sums,jam-loops,simplify"));

}  // namespace
}  // namespace tenon
