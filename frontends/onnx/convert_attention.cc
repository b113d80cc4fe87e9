// Attention and RotaryEmbedding, as the operators that the standard's definition has.

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "frontends/onnx/convert.h"
#include "support/status_macros.h"

namespace tenon::onnx {

namespace {

constexpr DataType kIndex = DataType::Int(64);
constexpr DataType kFlag = DataType::Bool();

/// Adds operators of one node. After the first error it adds nothing, and every result is the
/// absent tensor.
class Steps {
 public:
  explicit Steps(Node& node) : node_(node) {}

  const absl::Status& status() const { return status_; }
  const std::vector<int64_t>& shape(int tensor) const { return node_.tensor(tensor).shape; }
  bool ok() const { return status_.ok(); }

  int Emit(std::string_view kind, std::vector<int> inputs, DataType type,
           graph::Attributes attributes = {}) {
    if (!ok()) return graph::kAbsent;
    absl::StatusOr<int> output = node_.Emit(kind, std::move(inputs), type, std::move(attributes));
    if (output.ok()) return *output;
    status_ = output.status();
    return graph::kAbsent;
  }
  int Binary(std::string_view kind, int a, int b) { return Emit(kind, {a, b}, TypeOf(a)); }
  int WithList(std::string_view kind, int x, std::string_view name, std::vector<int64_t> list) {
    graph::Attributes attributes;
    attributes.Set(name, std::move(list));
    return Emit(kind, {x}, TypeOf(x), std::move(attributes));
  }
  int Reshape(int x, std::vector<int64_t> shape) {
    return WithList("reshape", x, "shape", std::move(shape));
  }
  int Transpose(int x, std::vector<int64_t> perm) {
    return WithList("transpose", x, "perm", std::move(perm));
  }
  int Concat(std::vector<int> inputs, int64_t axis) {
    graph::Attributes attributes;
    attributes.Set("axis", axis);
    const DataType type = TypeOf(inputs[0]);
    return Emit("concat", std::move(inputs), type, std::move(attributes));
  }
  /// The elements `begin`, `begin + step`, ... before `end` of an axis.
  int Slice(int x, int64_t axis, int64_t begin, int64_t end, int64_t step = 1) {
    graph::Attributes attributes;
    attributes.Set("starts", std::vector<int64_t>{begin});
    attributes.Set("ends", std::vector<int64_t>{end});
    attributes.Set("axes", std::vector<int64_t>{axis});
    attributes.Set("steps", std::vector<int64_t>{step});
    return Emit("slice", {x}, TypeOf(x), std::move(attributes));
  }
  int Cast(int x, DataType type) { return TypeOf(x) == type ? x : Emit("cast", {x}, type); }
  int Scaled(int x, double factor) { return Binary("mul", x, node_.Scalar(TypeOf(x), factor)); }
  DataType TypeOf(int x) const { return x < 0 ? kFlag : node_.tensor(x).dtype; }
  Node& node() { return node_; }

 private:
  Node& node_;
  absl::Status status_;
};

/// The extents of an attention.
struct AttentionShape {
  bool is_flat = false;  ///< heads are within the last axis
  int64_t batches, heads, kv_heads, queries, keys, past;
  int64_t total() const { return past + keys; }
};

absl::StatusOr<AttentionShape> AttentionShapeOf(Node& node) {
  TENON_TRY(node.CheckInputs(3, 7));
  const graph::Tensor& q = node.in(0);
  const int64_t rank = q.rank();
  if ((rank != 3 && rank != 4) || node.in(1).rank() != rank || node.in(2).rank() != rank)
    return node.Wrong("expected inputs of 3 or of 4 dimensions, found " + q.TypeText() + ", " +
                      node.in(1).TypeText() + " and " + node.in(2).TypeText());
  AttentionShape made{};
  made.is_flat = rank == 3;
  made.batches = q.shape[0];
  made.heads = made.is_flat ? node.Int("q_num_heads") : q.shape[1];
  made.kv_heads = made.is_flat ? node.Int("kv_num_heads") : node.in(1).shape[1];
  made.queries = q.shape[static_cast<size_t>(rank) - 2];
  made.keys = node.in(1).shape[static_cast<size_t>(rank) - 2];
  if (node.HasInput(4) != node.HasInput(5))
    return node.Wrong("expected past keys and past values together");
  if (node.HasInput(4) && node.in(4).rank() != 4)
    return node.Wrong("expected past keys of 4 dimensions, found " + node.in(4).TypeText());
  made.past = node.HasInput(4) ? node.in(4).shape[2] : 0;
  const bool is_right = made.kv_heads > 0 && made.heads > 0 && made.heads % made.kv_heads == 0;
  if (!is_right) {
    return node.Wrong(
        fmt::format("expected heads of queries that are a multiple of those of keys, "
                    "found {} and {}",
                    made.heads, made.kv_heads));
  }
  for (size_t i = 0; made.is_flat && i < 3; ++i) {
    const int64_t heads = i == 0 ? made.heads : made.kv_heads;
    if (node.in(i).shape[2] % heads != 0)
      return node.Wrong(fmt::format("expected a last axis of {} heads in input {}, found {}", heads,
                                    i, node.in(i).TypeText()));
  }
  return made;
}

class Attention {
 public:
  Attention(Node& node, const AttentionShape& shape) : steps_(node), shape_(shape) {}

  absl::Status Run() {
    Node& node = steps_.node();
    type_ = node.in(0).dtype;
    const int q = Heads(0, shape_.heads);
    const int k = WithPast(Heads(1, shape_.kv_heads), 4, 1);
    const int v = WithPast(Heads(2, shape_.kv_heads), 5, 2);
    if (!steps_.ok()) return steps_.status();
    const double head_size = static_cast<double>(steps_.shape(q)[3]);
    const double scale = node.Has("scale") ? node.Real("scale") : 1 / std::sqrt(head_size);
    // The standard scales both sides, so that products stay small.
    const int keys = steps_.Transpose(steps_.Scaled(Repeated(k), std::sqrt(scale)), {0, 1, 3, 2});
    int scores = steps_.Binary("matmul", steps_.Scaled(q, std::sqrt(scale)), keys);
    BindScores(0, scores);
    if (const double cap = node.Real("softcap"); cap > 0) {
      const int limit = node.Scalar(type_, cap);
      const int bounded = steps_.Emit("tanh", {steps_.Binary("div", scores, limit)}, type_);
      scores = steps_.Binary("mul", bounded, limit);
    }
    BindScores(1, scores);
    scores = Masked(scores);
    BindScores(2, scores);
    const int weights = Softmax(scores);
    BindScores(3, weights);
    int y = steps_.Binary("matmul", weights, Repeated(v));
    if (shape_.is_flat && steps_.ok()) {
      const int64_t size = steps_.shape(y)[3];
      y = steps_.Reshape(steps_.Transpose(y, {0, 2, 1, 3}),
                         {shape_.batches, shape_.queries, shape_.heads * size});
    }
    TENON_TRY(steps_.status());
    node.Bind(0, y);
    return absl::OkStatus();
  }

 private:
  /// An input as [batch, head, place, element].
  int Heads(size_t input, int64_t heads) {
    const int x = steps_.node().input(input);
    if (!shape_.is_flat) return x;
    const std::vector<int64_t> shape = steps_.shape(x);
    const int apart = steps_.Reshape(x, {shape[0], shape[1], heads, shape[2] / heads});
    return steps_.Transpose(apart, {0, 2, 1, 3});
  }

  /// Appends an input to its past, and binds the result to an output.
  int WithPast(int x, size_t past, size_t output) {
    Node& node = steps_.node();
    const int all = node.HasInput(past) ? steps_.Concat({node.input(past), x}, 2) : x;
    if (node.HasOutput(output)) node.Bind(output, all);
    return all;
  }

  /// Keys or values with one head for each head of the queries.
  int Repeated(int x) {
    const int64_t times = shape_.heads / shape_.kv_heads;
    if (times == 1 || !steps_.ok()) return x;
    const std::vector<int64_t> of = steps_.shape(x);
    const int apart = steps_.Reshape(x, {of[0], of[1], 1, of[2], of[3]});
    const int repeated =
        steps_.WithList("expand", apart, "shape", {of[0], of[1], times, of[2], of[3]});
    return steps_.Reshape(repeated, {of[0], of[1] * times, of[2], of[3]});
  }

  void BindScores(int64_t mode, int scores) {
    Node& node = steps_.node();
    if (node.HasOutput(3) && node.Int("qk_matmul_output_mode") == mode) node.Bind(3, scores);
  }

  /// 0 where a condition holds, and minus infinity elsewhere.
  int BiasOf(int allowed) {
    Node& node = steps_.node();
    has_mask_ = true;
    return steps_.Emit("where",
                       {allowed, node.Scalar(type_, 0),
                        node.Scalar(type_, -std::numeric_limits<double>::infinity())},
                       type_);
  }

  int Masked(int scores) {
    Node& node = steps_.node();
    if (node.HasInput(3)) {
      const int mask = node.input(3);
      int bias = steps_.TypeOf(mask).is_bool() ? BiasOf(mask) : mask;
      has_mask_ = true;
      bias = PaddedBias(bias);
      scores = steps_.Binary("add", scores, bias);
    }
    if (node.HasInput(6)) return WithLengths(scores);
    if (node.Int("is_causal") == 0 && Left() < 0 && Right() < 0) return scores;
    std::vector<int64_t> allowed;
    for (int64_t query = 0; query < shape_.queries; ++query) {
      for (int64_t key = 0; key < shape_.total(); ++key) {
        const int64_t distance = shape_.past + query - key;
        const bool is_seen = (node.Int("is_causal") == 0 || distance >= 0) &&
                             (Left() < 0 || distance <= Left()) &&
                             (Right() < 0 || -distance <= Right());
        allowed.push_back(is_seen ? 1 : 0);
      }
    }
    const int constant = node.builder().Constant(kFlag, {shape_.queries, shape_.total()}, allowed);
    return steps_.Binary("add", scores, BiasOf(constant));
  }

  // Until version 24, there are no windows.
  int64_t Left() { return Window("left_window_size"); }
  int64_t Right() { return Window("right_window_size"); }
  int64_t Window(std::string_view name) {
    return steps_.node().Has(name) ? steps_.node().Int(name) : -1;
  }

  /// A mask may be shorter than the keys: the others are masked.
  int PaddedBias(int bias) {
    if (!steps_.ok() || steps_.shape(bias).empty()) return bias;
    const int64_t missing = shape_.total() - steps_.shape(bias).back();
    if (missing <= 0 || steps_.shape(bias).back() == 1) return bias;
    const size_t rank = steps_.shape(bias).size();
    std::vector<int64_t> pads(2 * rank, 0);
    pads.back() = missing;
    graph::Attributes attributes;
    attributes.Set("pads", std::move(pads));
    const int fill = steps_.node().Scalar(type_, -std::numeric_limits<double>::infinity());
    return steps_.Emit("pad", {bias, fill}, type_, std::move(attributes));
  }

  /// Masks by numbers of valid keys, which are known at run time.
  int WithLengths(int scores) {
    Node& node = steps_.node();
    const int lengths =
        steps_.Cast(steps_.Reshape(node.input(6), {shape_.batches, 1, 1, 1}), kIndex);
    std::vector<int64_t> keys, behind;
    for (int64_t key = 0; key < shape_.total(); ++key) keys.push_back(key);
    for (int64_t query = 0; query < shape_.queries; ++query)
      for (int64_t key = 0; key < shape_.total(); ++key)
        behind.push_back(query - shape_.queries - key);
    const int places = node.builder().Constant(kIndex, {shape_.total()}, keys);
    scores = steps_.Binary("add", scores, BiasOf(steps_.Emit("less", {places, lengths}, kFlag)));
    // The distance of a query from a key is this constant plus the length.
    const int constant = node.builder().Constant(kIndex, {shape_.queries, shape_.total()}, behind);
    const int distance = steps_.Binary("add", constant, lengths);
    const auto keep = [&](std::string_view comparison, int64_t bound) {
      const int limit = node.builder().Constant(kIndex, {}, std::span<const int64_t>(&bound, 1));
      const int allowed = steps_.Emit(comparison, {distance, limit}, kFlag);
      scores = steps_.Binary("add", scores, BiasOf(allowed));
    };
    if (node.Int("is_causal") != 0) keep("greater_or_equal", 0);
    if (Left() >= 0) keep("less_or_equal", Left());
    if (Right() >= 0) keep("greater_or_equal", -Right());
    return scores;
  }

  /// Weights of keys. A query without keys has weights of 0.
  int Softmax(int scores) {
    Node& node = steps_.node();
    DataType precise = type_;
    if (node.Has("softmax_precision")) {
      const auto type = static_cast<int32_t>(node.Int("softmax_precision"));
      precise = onnx::TypeOf(type).value_or(type_);
    }
    const int x = steps_.Cast(scores, precise);
    int weights = steps_.Emit("softmax", {x}, precise);
    if (has_mask_) {
      graph::Attributes along;
      along.Set("axes", std::vector<int64_t>{-1});
      const int most = steps_.Emit("reduce_max", {x}, precise, std::move(along));
      const int none = node.Scalar(precise, -std::numeric_limits<double>::infinity());
      const int is_empty = steps_.Emit("equal", {most, none}, kFlag);
      weights = steps_.Emit("where", {is_empty, node.Scalar(precise, 0), weights}, precise);
    }
    return steps_.Cast(weights, type_);
  }

  Steps steps_;
  AttentionShape shape_;
  DataType type_;
  /// Whether a query may have no key.
  bool has_mask_ = false;
};

}  // namespace

absl::Status ConvertAttention(Node& node) {
  TENON_ASSIGN_OR(const AttentionShape shape, AttentionShapeOf(node));
  constexpr int64_t kMostScores = int64_t{1} << 24;
  if (shape.queries * shape.total() > kMostScores)
    return node.Unsupported(fmt::format("more than {} pairs of places", kMostScores));
  return Attention(node, shape).Run();
}

absl::Status ConvertRotaryEmbedding(Node& node) {
  TENON_TRY(node.CheckInputs(3, 4));
  Steps steps(node);
  const std::vector<int64_t> original = node.in(0).shape;
  const DataType type = node.in(0).dtype;
  int x = node.input(0);
  const int64_t heads = node.Int("num_heads");
  if (original.size() == 4) {
    x = steps.Transpose(x, {0, 2, 1, 3});
  } else if (original.size() == 3 && heads > 0 && original[2] % heads == 0) {
    x = steps.Reshape(x, {original[0], original[1], heads, original[2] / heads});
  } else {
    return node.Wrong("expected an input of 4 dimensions, or of 3 with heads in the last, found " +
                      node.in(0).TypeText());
  }
  TENON_TRY(steps.status());
  const int64_t size = steps.shape(x)[3];
  const int64_t turned =
      node.Int("rotary_embedding_dim") == 0 ? size : node.Int("rotary_embedding_dim");
  if (turned < 2 || turned > size || turned % 2 != 0)
    return node.Wrong(
        fmt::format("expected an even number of up to {} elements, found {}", size, turned));
  const int64_t half = turned / 2;
  const auto cache = [&](size_t input) {
    int table = node.input(input);
    if (node.HasInput(3)) table = steps.Emit("gather", {table, node.input(3)}, type);
    return steps.WithList("unsqueeze", table, "axes", {2});
  };
  const int cosines = cache(1);
  const int sines = cache(2);
  const bool interleaved = node.Int("interleaved") != 0;
  const int part = turned == size ? x : steps.Slice(x, 3, 0, turned);
  const int a = interleaved ? steps.Slice(part, 3, 0, turned, 2) : steps.Slice(part, 3, 0, half);
  const int b =
      interleaved ? steps.Slice(part, 3, 1, turned, 2) : steps.Slice(part, 3, half, turned);
  const int real =
      steps.Binary("sub", steps.Binary("mul", cosines, a), steps.Binary("mul", sines, b));
  const int imaginary =
      steps.Binary("add", steps.Binary("mul", sines, a), steps.Binary("mul", cosines, b));
  TENON_TRY(steps.status());
  int result = graph::kAbsent;
  if (interleaved) {
    const std::vector<int64_t> of = steps.shape(part);
    const int pairs = steps.Concat({steps.WithList("unsqueeze", real, "axes", {-1}),
                                    steps.WithList("unsqueeze", imaginary, "axes", {-1})},
                                   4);
    result = steps.Reshape(pairs, of);
  } else {
    result = steps.Concat({real, imaginary}, 3);
  }
  if (turned < size) result = steps.Concat({result, steps.Slice(x, 3, turned, size)}, 3);
  result = original.size() == 4 ? steps.Transpose(result, {0, 2, 1, 3})
                                : steps.Reshape(result, original);
  TENON_TRY(steps.status());
  node.Bind(0, result);
  return absl::OkStatus();
}

}  // namespace tenon::onnx
