// Two searches over the cuts between groups: the first finds the least peak, and the second the
// least work that reaches it.

#include "passes/streaming/choose_groups.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/safe_distances.h"

namespace tenon {

namespace {

/// A longer group is not tried.
constexpr size_t kMostStreamed = 64;
/// The cost of an operator in a group, compared with a byte that is copied: it has more functions.
constexpr int64_t kStreamedCost = 4096;

/// Calls `first`, ..., `last` of the entry, in a group or alone.
struct StreamCandidate {
  size_t first = 0;
  size_t last = 0;
  int64_t bytes = 0;
  int64_t cost = 0;
  std::optional<StreamGroup> group;
};

class StreamChooser {
 public:
  StreamChooser(StreamPlanner& planner, const StreamProgram& program, bool is_fed)
      : planner_(planner), program_(program), is_fed_(is_fed) {}

  StreamChoice Choose(int64_t enough_bytes) {
    const size_t count = program_.calls.size();
    by_end_.resize(count);
    for (size_t last = 0; last < count; ++last) FindSegments(last);
    StreamChoice choice;
    choice.record.calls = static_cast<int64_t>(count);
    choice.record.enough_bytes = enough_bytes;
    for (const std::vector<StreamCandidate>& candidates : by_end_) {
      for (const StreamCandidate& candidate : candidates)
        choice.record.candidates.push_back(RecordOf(candidate));
    }
    TakeCheapest(std::max(LeastPeak(), enough_bytes), choice);
    return choice;
  }

 private:
  static StreamSegment RecordOf(const StreamCandidate& candidate) {
    return {static_cast<int64_t>(candidate.first), static_cast<int64_t>(candidate.last),
            candidate.bytes};
  }

  void FindSegments(size_t last) {
    if (last > 0 || !is_fed_)
      by_end_[last].push_back({last, last, BytesAlone(last), 0, std::nullopt});
    for (size_t first = last; first-- > 0 && last - first < kMostStreamed;) {
      if (program_.calls[first].callee == nullptr || program_.calls[last].callee == nullptr) break;
      std::optional<StreamGroup> group = planner_.Find(first, last);
      if (!group) continue;
      group->is_fed = is_fed_ && first == 0;
      if (group->is_fed && !group->ops.front().is_inner) continue;
      const int64_t bytes =
          LiveBytes(first, last, &*group) + group->workspace_bytes - SharedIn(*group);
      const int64_t cost =
          group->copied_bytes + kStreamedCost * static_cast<int64_t>(last - first + 1);
      by_end_[last].push_back({first, last, bytes, cost, std::move(group)});
    }
  }

  /// The bytes of the tensors that are live in these calls, without those inside of the group.
  int64_t LiveBytes(size_t first, size_t last, const StreamGroup* group) const {
    int64_t bytes = 0;
    for (const auto& [var, tensor] : program_.counted) {
      if (tensor.uses.front() <= last && tensor.uses.back() >= first) bytes += tensor.bytes;
    }
    for (const auto& item : program_.tensors) {
      const StreamTensor& tensor = item.second;
      if (tensor.uses.empty() || tensor.uses.front() > last || tensor.uses.back() < first) continue;
      const bool is_inner =
          group != nullptr &&
          std::any_of(group->ops.begin(), group->ops.end(), [&](const StreamedOperator& op) {
            return op.is_inner && static_cast<int64_t>(op.position) == tensor.writer;
          });
      if (!is_inner) bytes += tensor.bytes;
    }
    return bytes;
  }

  int64_t BytesAlone(size_t call) const { return LiveBytes(call, call, nullptr) - Shared(call); }

  /// A tensor that is in the workspace; null for other memory.
  const StreamTensor* TensorOf(const Var* var) const {
    for (const auto* tensors : {&program_.tensors, &program_.counted}) {
      const auto found = tensors->find(var);
      if (found != tensors->end() && !found->second.uses.empty()) return &found->second;
    }
    return nullptr;
  }

  /// The bytes that the result of a call can share with an operand that dies in it.
  int64_t Shared(size_t index) const {
    const StreamCall& call = program_.calls[index];
    if (call.callee == nullptr) return 0;
    int64_t most = 0;
    for (size_t i = 0; i < call.args.size(); ++i) {
      for (size_t j = 0; j < call.args.size(); ++j) {
        const StreamTensor* dying = TensorOf(call.args[i]);
        const StreamTensor* begun = TensorOf(call.args[j]);
        if (i == j || dying == nullptr || begun == nullptr || dying->uses.back() != index ||
            begun->uses.front() != index || begun->writer != static_cast<int64_t>(index))
          continue;
        most = std::max(most, SharedBy(*call.callee->func, i, dying->bytes, j, begun->bytes));
      }
    }
    return most;
  }

  /// The bytes that a result of a group can share with an operand that dies in it.
  int64_t SharedIn(const StreamGroup& group) const {
    int64_t most = 0;
    for (const RowDistance& distance : group.distances) {
      const StreamTensor* dying = TensorOf(distance.dying);
      const StreamTensor* begun = TensorOf(distance.begun);
      if (dying == nullptr || begun == nullptr || dying->uses.back() > group.last ||
          begun->uses.front() < group.first)
        continue;
      most = std::max(most,
                      SharedAt(std::min<int64_t>(distance.bytes, 0), dying->bytes, begun->bytes));
    }
    return most;
  }

  /// The bytes that two tensors share if the second one begins `distance` bytes after the first.
  static int64_t SharedAt(int64_t distance, int64_t dying_bytes, int64_t begun_bytes) {
    const int64_t end = std::max(dying_bytes, distance + begun_bytes);
    return dying_bytes + begun_bytes - (end - std::min<int64_t>(0, distance));
  }

  static int64_t SharedBy(const PrimFunc& func, size_t dying, int64_t dying_bytes, size_t begun,
                          int64_t begun_bytes) {
    const auto data = [&](size_t param) {
      const Buffer* buffer = func.buffers[param];
      return buffer != nullptr ? buffer->data : func.params[param];
    };
    const SafeDistances distances =
        SafeDistancesOf(func, {data(dying), dying_bytes}, {data(begun), begun_bytes});
    int64_t most = 0;
    for (const AllowedDistances& range : distances.allowed) {
      for (const int64_t wanted : {int64_t{0}, dying_bytes - begun_bytes}) {
        const int64_t distance = std::clamp(wanted, range.first, range.last);
        most = std::max(most, SharedAt(distance, dying_bytes, begun_bytes));
      }
    }
    return most;
  }

  int64_t LeastPeak() const {
    std::vector<int64_t> peaks = {0};
    for (const std::vector<StreamCandidate>& segments : by_end_) {
      int64_t least = INT64_MAX;
      for (const StreamCandidate& segment : segments)
        least = std::min(least, std::max(peaks[segment.first], segment.bytes));
      peaks.push_back(least);
    }
    return peaks.back();
  }

  /// Adds the cut up to `limit` bytes with the least cost.
  void TakeCheapest(int64_t limit, StreamChoice& choice) {
    std::vector<int64_t> costs = {0};
    std::vector<StreamCandidate*> chosen = {nullptr};
    for (std::vector<StreamCandidate>& segments : by_end_) {
      costs.push_back(INT64_MAX);
      chosen.push_back(nullptr);
      for (StreamCandidate& segment : segments) {
        const int64_t before = costs[segment.first];
        if (segment.bytes > limit || before == INT64_MAX) continue;
        if (before + segment.cost >= costs.back()) continue;
        costs.back() = before + segment.cost;
        chosen.back() = &segment;
      }
    }
    if (costs.back() == INT64_MAX) return;
    for (size_t end = by_end_.size(); end > 0;) {
      StreamCandidate& segment = *chosen[end];
      end = segment.first;
      choice.record.cut.push_back(RecordOf(segment));
      if (segment.group) choice.groups.push_back(*std::move(segment.group));
    }
    std::reverse(choice.groups.begin(), choice.groups.end());
    std::reverse(choice.record.cut.begin(), choice.record.cut.end());
  }

  StreamPlanner& planner_;
  const StreamProgram& program_;
  const bool is_fed_;
  /// The segments that end with each call.
  std::vector<std::vector<StreamCandidate>> by_end_;
};

}  // namespace

StreamChoice ChooseStreamGroups(StreamPlanner& planner, const StreamProgram& program,
                                int64_t enough_bytes, bool is_fed) {
  return StreamChooser(planner, program, is_fed).Choose(enough_bytes);
}

}  // namespace tenon
