// Random networks give the same outputs in the layout of the file and with channels last.

#include <algorithm>
#include <random>

#include "frontends/graph/code.h"
#include "gtest/gtest.h"
#include "net.h"

namespace tenon::graph {

namespace {

using Ints = std::vector<int64_t>;

/// A network of operators that follow a layout, or need the file's. Numbers stay small.
class RandomNet {
 public:
  RandomNet(uint32_t seed, DataType dtype) : random_(seed), dtype_(dtype) {
    const int64_t channels = Number(1, 4);
    known_.push_back(net_.In(dtype, {Number(1, 2), 2 * channels, Number(2, 5), Number(2, 5)}));
  }

  const Net& Make(int operators) {
    for (int i = 0; i < operators; ++i) AddOne();
    for (size_t i = known_.size() - std::min<size_t>(known_.size(), 3); i < known_.size(); ++i)
      net_.Out(known_[i]);
    return net_;
  }

 private:
  int64_t Number(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random_() % static_cast<uint32_t>(most - least + 1));
  }
  bool Coin() { return Number(0, 1) == 1; }
  bool IsFloat() const { return dtype_.is_floating(); }
  template <class T>
  const T& OneOf(const std::vector<T>& list) {
    return list[static_cast<size_t>(Number(0, static_cast<int64_t>(list.size()) - 1))];
  }
  int64_t Rank(int x) const { return static_cast<int64_t>(net_.shape(x).size()); }
  int64_t Elements(int x) const { return net_.graph().tensor(x).elements(); }

  void Keep(int x) {
    if (Rank(x) > 0 && Elements(x) > 0 && Elements(x) <= 2000) known_.push_back(x);
  }
  int Add(std::string_view kind, std::vector<int> inputs, const Net::Settings& settings = {}) {
    const int made = net_.Add(kind, std::move(inputs), settings, dtype_);
    Keep(made);
    return made;
  }

  void AddOne() {
    // Later tensors are more likely, so that networks become deep.
    const auto newest = static_cast<int64_t>(known_.size()) - 1;
    const int x = known_[static_cast<size_t>(std::max(Number(0, newest), Number(0, newest)))];
    switch (Number(0, 6)) {
      case 0:
        return AddElementwise(x);
      case 1:
        return AddMove(x);
      case 2:
        return AddAlongAxes(x);
      case 3:
        return Rank(x) == 2 ? AddProduct(x) : AddElementwise(x);
      default:
        return Rank(x) >= 3 && Rank(x) <= 5 ? AddImage(x) : AddMove(x);
    }
  }

  void AddElementwise(int x) {
    Net::Shape shape = net_.shape(x);
    for (int64_t& extent : shape)
      if (Coin()) extent = 1;
    if (Coin()) shape.erase(shape.begin(), shape.begin() + Number(0, Rank(x)));
    std::vector<int> others = {net_.Constant(dtype_, shape)};
    for (const int other : known_)
      if (net_.shape(other) == net_.shape(x)) others.push_back(other);
    const int y = OneOf(others);
    switch (Number(0, 4)) {
      case 0:
        Add("max", {x, y});
        return;
      case 1:
        Add("min", {y, x});
        return;
      case 2:
        Add("clip", {x, net_.Constant(dtype_, {}, {-3}), net_.Constant(dtype_, {}, {9})});
        return;
      case 3:
        Add("where", {net_.Add("less", {x, y}, {}, DataType::Bool()), y, x});
        return;
      default:
        Add(IsFloat() ? "tanh" : "abs", {Add(Coin() ? "add" : "sub", {x, y})});
    }
  }

  void AddMove(int x) {
    const Net::Shape shape = net_.shape(x);
    const int64_t rank = Rank(x);
    const int64_t axis = Number(0, rank - 1);
    switch (Number(0, 8)) {
      case 0: {
        Ints perm;
        for (int64_t i = 0; i < rank; ++i) perm.push_back(i);
        std::shuffle(perm.begin(), perm.end(), random_);
        Add("transpose", {x}, {{"perm", perm}});
        return;
      }
      case 1:
        return AddReshape(x);
      case 2:
        Add("concat", {x, Coin() ? x : net_.Constant(dtype_, shape)}, {{"axis", axis}});
        return;
      case 3: {
        const int64_t extent = shape[static_cast<size_t>(axis)];
        if (extent == 1) return;
        const int64_t size = Number(1, extent - 1);
        const Ints sizes = {size, extent - size};
        const int made =
            net_.Add("split", {x}, {{"axis", axis}, {"split", sizes}}, dtype_, sizes.size());
        Keep(made);
        Keep(made + 1);
        return;
      }
      case 4:
        Add("slice", {x},
            {{"starts", Ints{-1}}, {"ends", Ints{-9}}, {"steps", Ints{-2}}, {"axes", Ints{axis}}});
        return;
      case 5:
        Add("pad", {x}, {{"pads", Ints{Number(0, 2), 1}}, {"axes", Ints{axis}}, {"mode", "edge"}});
        return;
      case 6:
        Add("gather",
            {x, Coin() ? net_.Constant(DataType::Int(64), {}, {0})
                       : net_.Constant(DataType::Int(64), {3}, {-1, 0, 0})},
            {{"axis", axis}});
        return;
      case 7: {
        Ints times(shape.size(), 1);
        times[static_cast<size_t>(axis)] = 2;
        Add("tile", {x}, {{"repeats", times}});
        return;
      }
      default:
        if (rank < 5) Add("unsqueeze", {x}, {{"axes", Ints{axis}}});
    }
  }

  /// Joins two axes, divides one, or makes rows.
  void AddReshape(int x) {
    Net::Shape shape = net_.shape(x);
    const auto axis = static_cast<size_t>(Number(0, Rank(x) - 1));
    const auto place = shape.begin() + static_cast<int64_t>(axis);
    if (Coin() && shape.size() > 2) {
      Add("flatten", {x}, {{"axis", int64_t{1}}});
      return;
    }
    if (axis + 1 < shape.size() && Coin()) {
      shape[axis] *= shape[axis + 1];
      shape.erase(place + 1);
    } else if (shape[axis] % 2 == 0 && shape.size() < 6) {
      shape[axis] /= 2;
      shape.insert(place, 2);
    }
    Add("reshape", {x}, {{"shape", shape}});
  }

  void AddAlongAxes(int x) {
    const int64_t axis = Number(0, Rank(x) - 1);
    const Ints axes = Rank(x) > 2 && Coin() ? Ints{axis, (axis + 1) % Rank(x)} : Ints{axis};
    const bool keeps = Rank(x) <= static_cast<int64_t>(axes.size()) || Coin();
    switch (Number(0, IsFloat() ? 4 : 1)) {
      case 0:
        Add("reduce_max", {x}, {{"axes", axes}, {"keepdims", int64_t{keeps}}});
        return;
      case 1:
        if (IsFloat()) {
          Add("reduce_mean", {x}, {{"axes", axes}, {"keepdims", int64_t{keeps}}});
        } else {
          Add("cumsum", {x}, {{"axis", axis}});
        }
        return;
      case 2:
        Add("softmax", {x}, {{"axis", axis}});
        return;
      case 3:
        Add("log_softmax", {x}, {{"axis", axis}});
        return;
      default:
        Add("layer_normalization", {x, net_.Constant(dtype_, {net_.shape(x).back()})});
    }
  }

  void AddProduct(int x) {
    const int64_t depth = net_.shape(x)[1];
    if (!IsFloat()) return AddMove(x);
    const int weights = net_.Constant(dtype_, {depth, 3});
    Add("tanh", {net_.Add(Coin() ? "gemm" : "matmul", {x, weights}, {}, dtype_)});
  }

  void AddImage(int x) {
    const Net::Shape shape = net_.shape(x);
    const Ints kernel(shape.size() - 2, 2);
    const Ints pads(2 * kernel.size(), 1);
    switch (Number(0, IsFloat() ? 9 : 5)) {
      case 0:
        Add("max_pool", {x}, {{"kernel_shape", kernel}, {"pads", pads}});
        return;
      case 1:
        Add("global_max_pool", {x});
        return;
      case 2:
        if (shape.size() == 4 && shape[1] % 4 == 0)
          Add("depth_to_space", {x}, {{"blocksize", int64_t{2}}});
        return;
      case 3:
        Add("resize", {x},
            {{"scales", std::vector<double>(kernel.size(), 2)}, {"axes", LastAxes(x)}});
        return;
      case 4:
      case 5:
        return AddConvolution(x, kernel, pads);
      case 6:
        Add("average_pool", {x}, {{"kernel_shape", kernel}, {"pads", pads}});
        return;
      case 7:
        Add("instance_normalization",
            {x, net_.Constant(dtype_, {shape[1]}), net_.Constant(dtype_, {shape[1]})});
        return;
      case 8:
        Add("lrn", {x}, {{"size", int64_t{3}}});
        return;
      default: {
        const int scale = net_.Constant(dtype_, {shape[1]});
        const int variance =
            net_.Constant(dtype_, {shape[1]}, Net::Numbers(static_cast<size_t>(shape[1]), 0.5));
        Add("tanh",
            {net_.Add("batch_normalization", {x, scale, scale, scale, variance}, {}, dtype_)});
      }
    }
  }

  Ints LastAxes(int x) const {
    Ints axes;
    for (int64_t axis = 2; axis < Rank(x); ++axis) axes.push_back(axis);
    return axes;
  }

  void AddConvolution(int x, const Ints& kernel, const Ints& pads) {
    const int64_t channels = net_.shape(x)[1];
    const int64_t groups = OneOf(channels % 2 == 0 ? Ints{1, 2, channels} : Ints{1, channels});
    Net::Shape weights = {2 * groups, channels / groups};
    weights.insert(weights.end(), kernel.begin(), kernel.end());
    const Net::Settings settings = {{"group", groups}, {"pads", pads}};
    if (IsFloat()) {
      const int made = net_.Add("conv", {x, net_.Constant(dtype_, weights)}, settings, dtype_);
      Add("tanh", {made});
      return;
    }
    const int scale = net_.Constant(kFloat32, {}, {0.0625});
    const int zero = net_.Constant(dtype_, {}, {3});
    Add("qlinear_conv",
        {x, scale, zero, net_.Constant(dtype_, weights), scale, net_.Constant(dtype_, {}, {0}),
         net_.Constant(kFloat32, {}, {0.03}), zero},
        settings);
  }

  Net net_;
  std::mt19937 random_;
  DataType dtype_;
  std::vector<int> known_;
};

void CheckNetworks(DataType dtype, uint32_t count) {
  for (uint32_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomNet random(seed, dtype);
    random.Make(12).Check();
  }
}

TEST(RandomLayoutTest, FloatsAreNear) { CheckNetworks(kFloat32, 150); }
TEST(RandomLayoutTest, IntegersAreEqual) { CheckNetworks(kInt8, 150); }

}  // namespace

}  // namespace tenon::graph
