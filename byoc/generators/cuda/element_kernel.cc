// Threads go through the elements in the order of memory, so that neighbours write neighbours.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "byoc/generators/cuda/kernel.h"
#include "schedule/step_facts.h"

namespace tenon {

namespace {

constexpr int kThreads = 128;

const ComputationAccess& AccessAt(const Computation& all, int access) {
  return all.accesses[static_cast<size_t>(access)];
}

class ElementWriter {
 public:
  ElementWriter(const Computation& all, const ComputationStore& store,
                const OperandAlignments& alignments)
      : all_(all),
        store_(store),
        parts_(all, alignments),
        table_(ValueTable(all, store)),
        writer_(all, DeviceMath::kExact, code_) {}

  DeviceKernel Write() {
    parts_.Reads(store_.step, certain_, reads_);
    Arrange();
    DeviceKernel kernel;
    kernel.kind = "elements";
    kernel.threads = kThreads;
    int64_t threads = 1;
    for (const int loop : order_) threads *= LoopExtent(all_, loop);
    threads /= width_;
    kernel.blocks = (threads + kThreads - 1) / kThreads;
    code_.Open(fmt::format("TN_KERNEL({}, {})", kKernelName, kThreads));
    code_.Line("tn_begin();");
    std::vector<int> accesses = reads_;
    accesses.push_back(store_.access);
    kernel.operands = parts_.Pointers(accesses, {store_.access}, code_);
    if (!table_.empty())
      code_.Line(fmt::format("const tn_u16* const table = (const tn_u16*)args.p[{}];",
                             kernel.operands.size()));
    code_.Open(fmt::format("TN_PHASE({})", kThreads));
    code_.Line(fmt::format("const int at = TN_BID * {} + TN_TID;", kThreads));
    code_.Open(fmt::format("if (at < {})", threads));
    Decode();
    width_ == 1 ? One() : Several();
    for (int i = 0; i < 3; ++i) code_.Close();
    kernel.text = code_.text();
    kernel.table = std::move(table_);
    return kernel;
  }

 private:
  /// Sorts loops by their distance in the result, and chooses how many neighbours a thread has.
  void Arrange() {
    const LinearIndex& to = AccessAt(all_, store_.access).element;
    order_ = store_.loops;
    std::stable_sort(order_.begin(), order_.end(),
                     [&](int a, int b) { return std::abs(to.stride(a)) > std::abs(to.stride(b)); });
    if (order_.empty() || to.stride(order_.back()) != 1) return;
    lane_loop_ = order_.back();
    const auto fits = [&](int64_t width) {
      return LoopExtent(all_, lane_loop_) % width == 0 &&
             parts_.IsPiece(store_.access, lane_loop_, width);
    };
    for (int64_t width = kWidestAccess / parts_.ElementBytes(store_.access); width > 1;
         width /= 2) {
      if (!fits(width)) continue;
      width_ = width;
      return;
    }
  }

  void Decode() {
    if (width_ == 1) return DecodeLoops(all_, order_, "at", writer_, code_);
    // The last loop counts pieces.
    Computation pieces = all_;
    pieces.loops[static_cast<size_t>(lane_loop_)].extent /= width_;
    DecodeLoops(pieces, order_, "at", writer_, code_);
    code_.Line(fmt::format("const int first = {} * {};", Counter(), width_));
    writer_.SetLoop(lane_loop_, "first");
  }

  std::string Counter() const {
    LinearIndex index;
    index.terms.emplace_back(lane_loop_, 1);
    return writer_.Index(index);
  }

  void One() {
    const ComputationAccess& to = AccessAt(all_, store_.access);
    const std::string target =
        fmt::format("{}[{}]", StepWriter::Pointer(to.operand), writer_.Index(to.element));
    if (!table_.empty()) {
      const ComputationAccess& from = AccessAt(all_, reads_[0]);
      code_.Line(fmt::format("{} = table[{}[{}]];", target, StepWriter::Pointer(from.operand),
                             writer_.Index(from.element)));
      return;
    }
    const std::string value = writer_.Stored(store_.step);
    code_.Line(fmt::format("{} = {};", target, value));
  }

  /// Loads of whole pieces, the values of their elements, and a store of a piece.
  void Several() {
    const ComputationAccess& to = AccessAt(all_, store_.access);
    for (const int access : certain_) {
      if (!parts_.IsPiece(access, lane_loop_, width_)) continue;
      const ComputationAccess& from = AccessAt(all_, access);
      pieces_.insert(access);
      code_.Line(fmt::format("alignas(16) {} r{}[{}];", parts_.ElementOf(access), access, width_));
      code_.Line(fmt::format("tn_copy<{}>(r{}, {} + {});", width_ * parts_.ElementBytes(access),
                             access, StepWriter::Pointer(from.operand),
                             writer_.Index(from.element)));
    }
    const std::string target =
        fmt::format("{} + {}", StepWriter::Pointer(to.operand), writer_.Index(to.element));
    code_.Line(fmt::format("alignas(16) {} w[{}];", parts_.ElementOf(store_.access), width_));
    code_.Open(fmt::format("TN_UNROLL for (int j = 0; j < {}; ++j)", width_));
    writer_.SetLoop(lane_loop_, "(first + j)");
    writer_.SetGiven([this](int step) { return Given(step); });
    writer_.Enter();
    code_.Line(fmt::format("w[j] = {};", table_.empty() ? writer_.Stored(store_.step)
                                                        : fmt::format("table[{}]", TableIndex())));
    writer_.Leave();
    code_.Close();
    code_.Line(
        fmt::format("tn_copy<{}>({}, w);", width_ * parts_.ElementBytes(store_.access), target));
  }

  std::string TableIndex() const {
    if (pieces_.contains(reads_[0])) return fmt::format("r{}[j]", reads_[0]);
    const ComputationAccess& from = AccessAt(all_, reads_[0]);
    return fmt::format("{}[{}]", StepWriter::Pointer(from.operand), writer_.Index(from.element));
  }

  std::string Given(int at) const {
    const Step& step = all_.steps[static_cast<size_t>(at)];
    if (step.kind != StepKind::kRead || !pieces_.contains(step.access)) return {};
    return FromElement(step.dtype, fmt::format("r{}[j]", step.access));
  }

  const Computation& all_;
  const ComputationStore& store_;
  const KernelText parts_;
  std::vector<uint16_t> table_;
  CodeText code_;
  StepWriter writer_;
  /// Loops, those with the greatest distance first.
  std::vector<int> order_;
  int lane_loop_ = -1;
  int64_t width_ = 1;
  std::vector<int> certain_, reads_;
  /// Accesses whose pieces are in arrays.
  std::set<int> pieces_;
};

}  // namespace

std::vector<int> KernelText::Pointers(const std::vector<int>& accesses,
                                      const std::vector<int>& written, CodeText& code) const {
  std::vector<int> operands;
  std::set<int> outputs;
  for (const int access : written) outputs.insert(AccessAt(all_, access).operand);
  for (const int access : accesses) {
    const int operand = AccessAt(all_, access).operand;
    if (std::find(operands.begin(), operands.end(), operand) == operands.end())
      operands.push_back(operand);
  }
  std::sort(operands.begin(), operands.end());
  for (size_t i = 0; i < operands.size(); ++i) {
    const DataType dtype = all_.operands[static_cast<size_t>(operands[i])].dtype;
    code.Line(fmt::format("{0}{1}* const {2} = ({0}{1}*)args.p[{3}];",
                          outputs.contains(operands[i]) ? "" : "const ", DeviceElement(dtype),
                          StepWriter::Pointer(operands[i]), i));
  }
  return operands;
}

int64_t KernelText::ElementBytes(int access) const {
  return all_.operands[static_cast<size_t>(AccessAt(all_, access).operand)].dtype.element_bytes();
}

std::string_view KernelText::ElementOf(int access) const {
  return DeviceElement(all_.operands[static_cast<size_t>(AccessAt(all_, access).operand)].dtype);
}

bool KernelText::IsPiece(int access, int loop, int64_t width) const {
  const ComputationAccess& at = AccessAt(all_, access);
  if (at.element.divisor != 1 || at.element.stride(loop) != 1 || at.element.offset % width != 0)
    return false;
  for (const auto& [other, stride] : at.element.terms) {
    if (other != loop && stride % width != 0) return false;
  }
  const int64_t bytes = width * ElementBytes(access);
  return alignments_[static_cast<size_t>(at.operand)] >= std::min(bytes, kWidestAccess);
}

void KernelText::Reads(int root, std::vector<int>& certain, std::vector<int>& all) const {
  std::set<std::pair<int, bool>> seen;
  Reads(root, true, certain, all, seen);
}

void KernelText::Reads(int at, bool is_certain, std::vector<int>& certain, std::vector<int>& all,
                       std::set<std::pair<int, bool>>& seen) const {
  if (!seen.emplace(at, is_certain).second) return;
  const auto add = [](std::vector<int>& list, int access) {
    if (std::find(list.begin(), list.end(), access) == list.end()) list.push_back(access);
  };
  const Step& step = all_.steps[static_cast<size_t>(at)];
  if (IsRead(step.kind)) {
    add(all, step.access);
    if (is_certain && step.kind == StepKind::kRead) add(certain, step.access);
  }
  for (size_t i = 0; i < step.args.size(); ++i) {
    const bool is_arm = IsChoice(step) && i > 0;
    Reads(step.args[i], is_certain && !is_arm && !IsReduction(step.kind), certain, all, seen);
  }
}

void DecodeLoops(const Computation& all, const std::vector<int>& loops, const std::string& at,
                 StepWriter& writer, CodeText& code) {
  std::string rest = at;
  for (size_t i = loops.size(); i-- > 0;) {
    const int loop = loops[i];
    const int64_t extent = LoopExtent(all, loop);
    const std::string name = fmt::format("l{}", loop);
    const std::string next = fmt::format("q{}", loop);
    code.Line(i == 0 ? fmt::format("const int {} = {};", name, rest)
                     : fmt::format("const int {} = {} % {}, {} = {} / {};", name, rest, extent,
                                   next, rest, extent));
    writer.SetLoop(loop, name);
    rest = next;
  }
}

DeviceKernel ElementKernel(const Computation& all, const ComputationStore& store,
                           const OperandAlignments& alignments) {
  return ElementWriter(all, store, alignments).Write();
}

}  // namespace tenon
