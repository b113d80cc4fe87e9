#include "tools/onednn/post_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "analysis/contraction.h"
#include "ir/builtins.h"
#include "ir/op.h"

namespace tenon {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

absl::Status No(std::string reason) { return absl::UnimplementedError(std::move(reason)); }

class Finder {
 public:
  Finder(const Computation& all, int from) : all_(all), from_(from) {}

  absl::StatusOr<std::vector<PostOp>> Run(int to) {
    std::vector<PostOp> posts;
    for (int at = to; at != from_;) {
      if (!(At(at).dtype == DataType::Float(32))) return No("it converts its result");
      std::optional<PostOp> post;
      if (const std::optional<int> inner = LogisticOf(at)) {
        post = PostOp{TENON_ONEDNN_LOGISTIC};
        at = *inner;
      } else {
        post = Peel(at);
      }
      if (!post) return No("the library has no such operation on the result");
      posts.push_back(*post);
    }
    std::reverse(posts.begin(), posts.end());
    return Joined(posts);
  }

 private:
  const Step& At(int step) const { return all_.steps[static_cast<size_t>(step)]; }

  bool Depends(int step) const { return StepsBelow(all_, step)[static_cast<size_t>(from_)]; }

  static std::optional<int> FunctionOf(OpKind op) {
    switch (op) {
      case OpKind::kExp:
        return TENON_ONEDNN_EXP;
      case OpKind::kTanh:
        return TENON_ONEDNN_TANH;
      case OpKind::kSigmoid:
        return TENON_ONEDNN_LOGISTIC;
      case OpKind::kLog:
        return TENON_ONEDNN_LOG;
      case OpKind::kSqrt:
        return TENON_ONEDNN_SQRT;
      case OpKind::kFabs:
        return TENON_ONEDNN_ABS;
      default:
        return std::nullopt;
    }
  }

  /// The operation of step `at`, which becomes the step that it is applied to.
  std::optional<PostOp> Peel(int& at) const {
    const Step& step = At(at);
    if (step.kind == StepKind::kCall && step.args.size() == 1) {
      const std::optional<int> algorithm = FunctionOf(step.op);
      if (!algorithm || !Depends(step.args[0])) return std::nullopt;
      at = step.args[0];
      return PostOp{*algorithm};
    }
    if (step.kind != StepKind::kNode || step.args.size() != 2) return std::nullopt;
    const bool left = Depends(step.args[0]);
    if (left == Depends(step.args[1])) return std::nullopt;
    const Step& other = At(step.args[left ? 1 : 0]);
    if (!(other.dtype == DataType::Float(32))) return std::nullopt;
    at = step.args[left ? 0 : 1];
    if (other.kind == StepKind::kReal)
      return WithNumber(step.node, static_cast<float>(other.real), left);
    if (other.kind == StepKind::kRead) return WithOperand(step.node, other.access, left);
    return std::nullopt;
  }

  static std::optional<PostOp> WithNumber(NodeKind node, float number, bool left) {
    switch (node) {
      case NodeKind::kAdd:
        return PostOp{TENON_ONEDNN_LINEAR, 1, number};
      case NodeKind::kSub:
        return left ? PostOp{TENON_ONEDNN_LINEAR, 1, -number}
                    : PostOp{TENON_ONEDNN_LINEAR, -1, number};
      case NodeKind::kMul:
        return PostOp{TENON_ONEDNN_LINEAR, number, 0};
      case NodeKind::kDiv:
        if (!left || number == 0) return std::nullopt;
        return PostOp{TENON_ONEDNN_LINEAR, 1 / number, 0};
      case NodeKind::kMax:
        return PostOp{TENON_ONEDNN_CLIP, number, kInfinity};
      case NodeKind::kMin:
        return PostOp{TENON_ONEDNN_CLIP, -kInfinity, number};
      default:
        return std::nullopt;
    }
  }

  static std::optional<PostOp> WithOperand(NodeKind node, int access, bool left) {
    PostOp post;
    post.access = access;
    switch (node) {
      case NodeKind::kAdd:
        post.algorithm = TENON_ONEDNN_ADD;
        return post;
      case NodeKind::kMul:
        post.algorithm = TENON_ONEDNN_MULTIPLY;
        return post;
      case NodeKind::kMax:
        post.algorithm = TENON_ONEDNN_MAXIMUM;
        return post;
      case NodeKind::kMin:
        post.algorithm = TENON_ONEDNN_MINIMUM;
        return post;
      case NodeKind::kSub:
        post.algorithm = TENON_ONEDNN_SUBTRACT;
        return left ? std::optional(post) : std::nullopt;
      case NodeKind::kDiv:
        post.algorithm = TENON_ONEDNN_DIVIDE;
        return left ? std::optional(post) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

  bool IsNumber(int step, double number) const {
    return At(step).kind == StepKind::kReal && At(step).real == number;
  }

  bool IsNode(int step, NodeKind node) const {
    return At(step).kind == StepKind::kNode && At(step).node == node;
  }

  /// The value x of a step 1 / (1 + exp(-x)).
  std::optional<int> LogisticOf(int step) const {
    if (!IsNode(step, NodeKind::kDiv) || !IsNumber(At(step).args[0], 1)) return std::nullopt;
    const int sum = At(step).args[1];
    if (!IsNode(sum, NodeKind::kAdd)) return std::nullopt;
    const std::vector<int>& terms = At(sum).args;
    const int power = IsNumber(terms[0], 1) ? terms[1] : terms[0];
    if (!IsNumber(terms[0], 1) && !IsNumber(terms[1], 1)) return std::nullopt;
    if (At(power).kind != StepKind::kCall || At(power).op != OpKind::kExp) return std::nullopt;
    const int minus = At(power).args[0];
    if (IsNode(minus, NodeKind::kSub) && IsNumber(At(minus).args[0], 0)) return At(minus).args[1];
    if (IsNode(minus, NodeKind::kMul) && IsNumber(At(minus).args[1], -1)) return At(minus).args[0];
    return std::nullopt;
  }

  /// One clip for a maximum and a minimum.
  static std::vector<PostOp> Joined(const std::vector<PostOp>& posts) {
    std::vector<PostOp> joined;
    for (const PostOp& post : posts) {
      PostOp* last = joined.empty() ? nullptr : &joined.back();
      const bool are_clips = last != nullptr && last->algorithm == TENON_ONEDNN_CLIP &&
                             post.algorithm == TENON_ONEDNN_CLIP;
      if (are_clips && std::max(last->alpha, post.alpha) <= std::min(last->beta, post.beta)) {
        last->alpha = std::max(last->alpha, post.alpha);
        last->beta = std::min(last->beta, post.beta);
      } else {
        joined.push_back(post);
      }
    }
    for (PostOp& post : joined) {
      if (post.algorithm == TENON_ONEDNN_CLIP && post.alpha == 0 && post.beta == kInfinity)
        post = PostOp{TENON_ONEDNN_RELU};
    }
    return joined;
  }

  const Computation& all_;
  const int from_;
};

bool HasRead(const Computation& all, int step) {
  const std::vector<bool> below = StepsBelow(all, step);
  for (size_t i = 0; i < below.size(); ++i) {
    if (below[i] && IsRead(all.steps[i].kind)) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<std::vector<PostOp>> FindPostOps(const Computation& all, int from, int to) {
  return Finder(all, from).Run(to);
}

int FirstRead(const Computation& all, int step) {
  for (;;) {
    const Step& at = all.steps[static_cast<size_t>(step)];
    if (at.kind == StepKind::kRead) return step;
    if (at.kind != StepKind::kNode && at.kind != StepKind::kCall) return -1;
    // An operand that is computed is the beginning; among operands that are read, the larger one.
    int next = -1;
    size_t terms = 0;
    for (const int arg : at.args) {
      if (!HasRead(all, arg)) continue;
      const Step& value = all.steps[static_cast<size_t>(arg)];
      const size_t rank =
          value.kind != StepKind::kRead
              ? std::numeric_limits<size_t>::max()
              : all.accesses[static_cast<size_t>(value.access)].element.terms.size();
      if (next >= 0 && rank <= terms) continue;
      next = arg;
      terms = rank;
    }
    if (next < 0) return -1;
    step = next;
  }
}

bool IsExact(const PostOp& post) {
  switch (post.algorithm) {
    case TENON_ONEDNN_RELU:
    case TENON_ONEDNN_CLIP:
    case TENON_ONEDNN_ADD:
    case TENON_ONEDNN_SUBTRACT:
    case TENON_ONEDNN_MULTIPLY:
    case TENON_ONEDNN_MAXIMUM:
    case TENON_ONEDNN_MINIMUM:
      return true;
    default:
      return false;
  }
}

}  // namespace tenon
