// Some threads, a warp or a block, compute a row. A phase computes all reductions whose values are
// ready, and values that later phases use stay in registers.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "byoc/generators/cuda/kernel.h"
#include "schedule/step_facts.h"

namespace tenon {

namespace {

constexpr int64_t kWarp = 32;
constexpr int64_t kSmallBlock = 128;
/// A warp computes rows up to this length.
constexpr int64_t kWarpRow = 512;
constexpr int64_t kLongestRow = 32768;
/// The elements of a row that a thread should have at most.
constexpr int64_t kElementsOfThread = 16;
constexpr int64_t kMostThreads = 1024;

/// Gives all loops over the places of a row the same numbers, and joins equal steps.
class RowFinder {
 public:
  explicit RowFinder(const Computation& all) : all_(all), free_(FreeLoops(all)) {}

  std::optional<RowForm> Find() {
    if (all_.stores.empty() || !FindKept() || !FindRow()) return std::nullopt;
    RowForm form;
    form.kept = kept_;
    form.row = row_;
    form.all = Renamed();
    int64_t elements = 1;
    for (const int loop : form.row) elements *= LoopExtent(all_, loop);
    if (elements > kLongestRow) return std::nullopt;
    return form;
  }

 private:
  /// The loops that values of reductions depend on: the same for all.
  bool FindKept() {
    LoopSet kept = 0;
    LoopSet reduced = 0;
    MarkUsed();
    for (size_t at = 0; at < all_.steps.size(); ++at) {
      const Step& step = all_.steps[at];
      if (!used_[at] || !IsReduction(step.kind)) continue;
      if (step.kind != StepKind::kReduce || step.node == NodeKind::kMul) return false;
      reductions_.push_back(static_cast<int>(at));
      kept |= free_[at];
      for (const int loop : step.loops) reduced |= Bit(loop);
    }
    if (reductions_.empty() || (kept & reduced) != 0) return false;
    for (const int loop : all_.stores[0].loops) {
      if ((kept & Bit(loop)) != 0) kept_.push_back(loop);
    }
    LoopSet listed = 0;
    for (const int loop : kept_) listed |= Bit(loop);
    return listed == kept;
  }

  void MarkUsed() {
    used_.resize(all_.steps.size());
    for (const ComputationStore& store : all_.stores) used_[static_cast<size_t>(store.step)] = true;
    for (size_t at = all_.steps.size(); at-- > 0;) {
      if (!used_[at]) continue;
      for (const int arg : all_.steps[at].args) used_[static_cast<size_t>(arg)] = true;
    }
  }

  std::vector<int64_t> ExtentsOf(const std::vector<int>& loops) const {
    std::vector<int64_t> extents;
    for (const int loop : loops) extents.push_back(LoopExtent(all_, loop));
    return extents;
  }

  /// The loops of the first reduction represent those of the others and of the stores.
  bool FindRow() {
    row_ = all_.steps[static_cast<size_t>(reductions_[0])].loops;
    const std::vector<int64_t> extents = ExtentsOf(row_);
    for (const int reduction : reductions_) {
      if (!Join(all_.steps[static_cast<size_t>(reduction)].loops, extents)) return false;
    }
    for (const ComputationStore& store : all_.stores) {
      std::vector<int> own;
      size_t kept = 0;
      for (const int loop : store.loops) {
        if (Includes(kept_, loop)) {
          ++kept;
        } else {
          own.push_back(loop);
        }
      }
      if (kept != kept_.size() || (!own.empty() && !Join(own, extents))) return false;
    }
    return true;
  }

  bool Join(const std::vector<int>& loops, const std::vector<int64_t>& extents) {
    if (ExtentsOf(loops) != extents) return false;
    for (size_t i = 0; i < loops.size(); ++i) {
      const auto [known, is_new] = renamed_.emplace(loops[i], row_[i]);
      if (!is_new && known->second != row_[i]) return false;
    }
    return true;
  }

  int Rename(int loop) const {
    const auto found = renamed_.find(loop);
    return found == renamed_.end() ? loop : found->second;
  }

  LinearIndex Rename(const LinearIndex& index) const {
    std::map<int, int64_t> terms;
    for (const auto& [loop, stride] : index.terms) terms[Rename(loop)] += stride;
    LinearIndex now;
    now.offset = index.offset;
    now.divisor = index.divisor;
    for (const auto& [loop, stride] : terms) {
      if (stride != 0) now.terms.emplace_back(loop, stride);
    }
    return now;
  }

  int AddAccess(Computation& now, const ComputationAccess& access) const {
    const ComputationAccess renamed{access.operand, Rename(access.element)};
    const auto found = std::find(now.accesses.begin(), now.accesses.end(), renamed);
    if (found != now.accesses.end()) return static_cast<int>(found - now.accesses.begin());
    now.accesses.push_back(renamed);
    return static_cast<int>(now.accesses.size()) - 1;
  }

  Computation Renamed() const {
    Computation now;
    now.loops = all_.loops;
    now.operands = all_.operands;
    std::vector<int> places(all_.steps.size(), -1);
    for (size_t at = 0; at < all_.steps.size(); ++at) {
      if (!used_[at]) continue;
      Step step = all_.steps[at];
      for (int& arg : step.args) arg = places[static_cast<size_t>(arg)];
      for (int& loop : step.loops) loop = Rename(loop);
      step.linear = Rename(step.linear);
      if (IsRead(step.kind))
        step.access = AddAccess(now, all_.accesses[static_cast<size_t>(step.access)]);
      const auto found = std::find(now.steps.begin(), now.steps.end(), step);
      places[at] = static_cast<int>(found - now.steps.begin());
      if (found == now.steps.end()) now.steps.push_back(std::move(step));
    }
    for (ComputationStore store : all_.stores) {
      store.access = AddAccess(now, all_.accesses[static_cast<size_t>(store.access)]);
      store.step = places[static_cast<size_t>(store.step)];
      for (int& loop : store.loops) loop = Rename(loop);
      now.stores.push_back(std::move(store));
    }
    return now;
  }

  const Computation& all_;
  const std::vector<LoopSet> free_;
  std::vector<bool> used_;
  std::vector<int> reductions_;
  std::vector<int> kept_;
  std::vector<int> row_;
  std::map<int, int> renamed_;
};

class RowWriter {
 public:
  RowWriter(const RowForm& form, const OperandAlignments& alignments)
      : form_(form),
        all_(form.all),
        parts_(all_, alignments),
        free_(FreeLoops(all_)),
        writer_(all_, DeviceMath::kFast, code_) {
    for (const int loop : form.row) row_loops_ |= Bit(loop);
  }

  DeviceKernel Write() {
    FindStages();
    Arrange();
    FindKept();
    DeviceKernel kernel;
    kernel.kind = "rows";
    kernel.threads = static_cast<int>(threads_);
    kernel.blocks = (rows_ * lanes_ + threads_ - 1) / threads_;
    code_.Open(fmt::format("TN_KERNEL({}, {})", kKernelName, threads_));
    code_.Line("tn_begin();");
    std::vector<int> accesses;
    std::vector<int> written;
    for (size_t i = 0; i < all_.accesses.size(); ++i) accesses.push_back(static_cast<int>(i));
    for (const ComputationStore& store : all_.stores) written.push_back(store.access);
    kernel.operands = parts_.Pointers(accesses, written, code_);
    Declare();
    for (int phase = 0; phase <= last_; ++phase) Phase(phase);
    code_.Close();
    kernel.text = code_.text();
    return kernel;
  }

 private:
  const Step& StepAt(int step) const { return all_.steps[static_cast<size_t>(step)]; }
  bool IsOfElement(int step) const { return (free_[static_cast<size_t>(step)] & row_loops_) != 0; }
  int StageOf(int step) const { return stages_[static_cast<size_t>(step)]; }
  bool WritesRow(const ComputationStore& store) const {
    return Includes(store.loops, form_.row[0]);
  }

  /// The first phase in which each step has a value.
  void FindStages() {
    stages_.resize(all_.steps.size());
    for (size_t at = 0; at < all_.steps.size(); ++at) {
      const Step& step = all_.steps[at];
      for (const int arg : step.args) stages_[at] = std::max(stages_[at], StageOf(arg));
      if (step.kind == StepKind::kReduce) ++stages_[at];
    }
    for (const ComputationStore& store : all_.stores) last_ = std::max(last_, StageOf(store.step));
  }

  void Arrange() {
    for (const int loop : form_.row) elements_ *= LoopExtent(all_, loop);
    for (const int loop : form_.kept) rows_ *= LoopExtent(all_, loop);
    threads_ = kSmallBlock;
    lanes_ = elements_ <= kWarpRow ? kWarp : threads_;
    while (lanes_ > kWarp && threads_ < kMostThreads && elements_ > threads_ * kElementsOfThread)
      lanes_ = threads_ *= 2;
    // Several adjacent elements, if that divides the row evenly among the threads.
    for (int64_t width = 8; width > 1; width /= 2) {
      const bool is_even =
          elements_ % (width * lanes_) == 0 ||
          (elements_ % width == 0 && elements_ < width * lanes_ && 2 * elements_ > width * lanes_);
      if (!is_even || form_.row.size() != 1 || !HasPiece(width)) continue;
      width_ = width;
      break;
    }
    chunks_ = (elements_ + width_ * lanes_ - 1) / (width_ * lanes_);
  }

  bool HasPiece(int64_t width) const {
    for (size_t access = 0; access < all_.accesses.size(); ++access) {
      if (parts_.IsPiece(static_cast<int>(access), form_.row[0], width)) return true;
    }
    return false;
  }

  /// The steps that a phase computes: arguments of reductions, and stores in the last one.
  std::vector<int> RootsOf(int phase) const {
    std::vector<int> roots;
    for (size_t at = 0; at < all_.steps.size(); ++at) {
      if (all_.steps[at].kind == StepKind::kReduce && stages_[at] == phase + 1)
        roots.push_back(all_.steps[at].args[1]);
    }
    if (phase == last_) {
      for (const ComputationStore& store : all_.stores) roots.push_back(store.step);
    }
    return roots;
  }

  /// Finds the values of elements that a phase computes and a later one uses again.
  void FindKept() {
    LoadEarly();
    for (int phase = 0; phase <= last_; ++phase) {
      std::set<std::pair<int, bool>> seen;
      for (const int root : RootsOf(phase)) Visit(root, phase, true, seen);
    }
  }

  /// The first phase also loads elements that only a later phase needs, so that no phase waits for
  /// memory.
  void LoadEarly() {
    std::set<int> early;
    for (int phase = 0; phase <= last_; ++phase) {
      std::vector<int> certain;
      std::set<int> seen;
      for (const int root : RootsOf(phase)) CertainReads(root, phase, certain, seen);
      if (phase == 0) early.insert(certain.begin(), certain.end());
      for (const int access : certain) {
        if (width_ > 1 && parts_.IsPiece(access, form_.row[0], width_) &&
            early.insert(access).second)
          KeepReads(access);
      }
    }
  }

  void KeepReads(int access) {
    for (size_t at = 0; at < all_.steps.size(); ++at) {
      if (all_.steps[at].kind != StepKind::kRead || all_.steps[at].access != access) continue;
      first_.emplace(static_cast<int>(at), 0);
      kept_.insert(static_cast<int>(at));
    }
  }

  void Visit(int at, int phase, bool is_certain, std::set<std::pair<int, bool>>& seen) {
    const Step& step = StepAt(at);
    if (step.args.empty() && !IsRead(step.kind)) return;
    if (!IsOfElement(at) || step.kind == StepKind::kReduce) return;
    const auto known = first_.find(at);
    if (known != first_.end() && known->second < phase) {
      kept_.insert(at);
      return;
    }
    if (is_certain) first_.emplace(at, phase);
    if (!seen.emplace(at, is_certain).second) return;
    for (size_t i = 0; i < step.args.size(); ++i)
      Visit(step.args[i], phase, is_certain && !(IsChoice(step) && i > 0), seen);
  }

  void Declare() {
    for (const int step : kept_)
      code_.Line(fmt::format("TN_LOCAL({}, k{}, {}, {});", DeviceType(StepAt(step).dtype), step,
                             threads_, chunks_ * width_));
    for (size_t at = 0; at < all_.steps.size(); ++at) {
      if (all_.steps[at].kind == StepKind::kReduce)
        code_.Line(fmt::format("TN_LOCAL({}, s{}, {}, 1);", DeviceType(all_.steps[at].dtype), at,
                               threads_));
    }
  }

  /// The value that a thread without elements contributes.
  std::string NeutralOf(const Step& step) const {
    const std::string_view type = DeviceType(step.dtype);
    if (step.node == NodeKind::kAdd) return fmt::format("({})0", type);
    const bool is_max = step.node == NodeKind::kMax;
    if (step.dtype.is_floating()) {
      const std::string_view inf =
          step.dtype.bits() == 64 ? "tn_double(0x7ff0000000000000ull)" : "tn_float(0x7f800000u)";
      return fmt::format("{}{}", is_max ? "-" : "", inf);
    }
    return fmt::format("tn_saturate<{}>({}1e30)", type, is_max ? "-" : "");
  }

  void Phase(int phase) {
    std::vector<int> sums;
    for (size_t at = 0; at < all_.steps.size(); ++at) {
      if (all_.steps[at].kind == StepKind::kReduce && stages_[at] == phase + 1)
        sums.push_back(static_cast<int>(at));
    }
    code_.Open(fmt::format("TN_PHASE({})", threads_));
    for (const int sum : sums)
      code_.Line(fmt::format("TN_AT(s{})[0] = {};", sum, NeutralOf(StepAt(sum))));
    if (lanes_ == kWarp) {
      code_.Line(fmt::format("const int at = TN_BID * {} + TN_TID / {}, lane = TN_TID % {};",
                             threads_ / kWarp, kWarp, kWarp));
      code_.Open(fmt::format("if (at < {})", rows_));
    } else {
      code_.Line("const int at = TN_BID, lane = TN_TID;");
      code_.Open("");
    }
    Row(phase, sums);
    code_.Close();
    code_.Close();
    for (const int sum : sums) {
      const Step& step = StepAt(sum);
      code_.Line(fmt::format("TN_REDUCE({}, {}, {}, {}, s{});", DeviceReduction(step.node),
                             DeviceType(step.dtype), lanes_, threads_, sum));
    }
  }

  void Row(int phase, const std::vector<int>& sums) {
    writer_.Enter();
    writer_.SetGiven([this, phase](int step) { return Given(step, phase); });
    for (const int loop : form_.row) writer_.SetLoop(loop, "");
    DecodeLoops(all_, form_.kept, "at", writer_, code_);
    if (form_.kept.empty()) code_.Line("(void)at;");
    // Values of the row come first, so that the loop over elements does not repeat them.
    std::set<int> seen;
    for (const int root : RootsOf(phase)) OfRow(root, phase, seen);
    const bool has_elements = !sums.empty() || (phase == last_ && StoresRows());
    if (has_elements) Elements(phase, sums);
    if (phase == last_) StoreOnce();
    writer_.Leave();
  }

  bool StoresRows() const {
    return std::any_of(all_.stores.begin(), all_.stores.end(),
                       [&](const ComputationStore& store) { return WritesRow(store); });
  }

  /// Writes the values of the row that elements use, except those in arms of choices.
  void OfRow(int at, int phase, std::set<int>& seen) {
    const Step& step = StepAt(at);
    if (!seen.insert(at).second) return;
    if (kept_.contains(at) && first_.contains(at) && first_.at(at) < phase) return;
    if (!IsOfElement(at)) {
      writer_.Value(at);
      return;
    }
    if (step.kind == StepKind::kReduce || IsChoice(step)) return;
    for (const int arg : step.args) OfRow(arg, phase, seen);
  }

  void Elements(int phase, const std::vector<int>& sums) {
    const bool is_even = elements_ % (width_ * lanes_) == 0;
    if (chunks_ > 1) {
      code_.Open(fmt::format("TN_UNROLL for (int e = 0; e < {}; ++e)", chunks_));
    } else {
      code_.Open("");
      code_.Line("const int e = 0;");
    }
    code_.Line(fmt::format("const int first = (e * {} + lane) * {};", lanes_, width_));
    code_.Open(is_even ? "" : fmt::format("if (first < {})", elements_));
    LoadPieces(phase);
    std::vector<const ComputationStore*> stores;
    for (const ComputationStore& store : all_.stores) {
      if (phase == last_ && WritesRow(store)) stores.push_back(&store);
    }
    for (size_t i = 0; i < stores.size(); ++i) {
      if (StoresPiece(*stores[i]))
        code_.Line(
            fmt::format("alignas(16) {} w{}[{}];", parts_.ElementOf(stores[i]->access), i, width_));
    }
    code_.Open(fmt::format("TN_UNROLL for (int j = 0; j < {}; ++j)", width_));
    OneElement(phase, sums, stores);
    code_.Close();
    for (size_t i = 0; i < stores.size(); ++i) {
      if (!StoresPiece(*stores[i])) continue;
      writer_.SetLoop(form_.row[0], "first");
      const ComputationAccess& to = all_.accesses[static_cast<size_t>(stores[i]->access)];
      code_.Line(fmt::format("tn_copy<{}>({} + {}, w{});",
                             width_ * parts_.ElementBytes(stores[i]->access),
                             StepWriter::Pointer(to.operand), writer_.Index(to.element), i));
    }
    code_.Close();
    code_.Close();
    pieces_.clear();
  }

  bool StoresPiece(const ComputationStore& store) const {
    return width_ > 1 && parts_.IsPiece(store.access, form_.row[0], width_);
  }

  void OneElement(int phase, const std::vector<int>& sums,
                  const std::vector<const ComputationStore*>& stores) {
    writer_.Enter();
    const bool is_one = form_.row.size() == 1;
    code_.Line("const int place = first + j;");
    if (is_one) {
      writer_.SetLoop(form_.row[0], "place");
    } else {
      DecodeLoops(all_, form_.row, "place", writer_, code_);
    }
    for (const int sum : sums) {
      const Step& step = StepAt(sum);
      code_.Line(fmt::format("TN_AT(s{0})[0] = {1}::Do<{2}>(TN_AT(s{0})[0], {3});", sum,
                             DeviceReduction(step.node), DeviceType(step.dtype),
                             writer_.Value(step.args[1])));
    }
    for (size_t i = 0; i < stores.size(); ++i) {
      const ComputationAccess& to = all_.accesses[static_cast<size_t>(stores[i]->access)];
      const std::string target =
          StoresPiece(*stores[i])
              ? fmt::format("w{}[j]", i)
              : fmt::format("{}[{}]", StepWriter::Pointer(to.operand), writer_.Index(to.element));
      const std::string value = writer_.Stored(stores[i]->step);
      code_.Line(fmt::format("{} = {};", target, value));
    }
    for (const int step : kept_) {
      if (first_.at(step) == phase)
        code_.Line(fmt::format("TN_AT(k{})[e * {} + j] = {};", step, width_, writer_.Value(step)));
    }
    writer_.Leave();
  }

  /// Loads whole pieces that the phase reads in every case.
  void LoadPieces(int phase) {
    if (width_ == 1) return;
    std::vector<int> certain;
    std::set<int> seen;
    for (const int root : RootsOf(phase)) CertainReads(root, phase, certain, seen);
    for (const int step : kept_) {
      if (first_.at(step) == phase && StepAt(step).kind == StepKind::kRead)
        certain.push_back(StepAt(step).access);
    }
    for (const int access : certain) {
      if (!parts_.IsPiece(access, form_.row[0], width_) || !pieces_.insert(access).second) continue;
      const ComputationAccess& from = all_.accesses[static_cast<size_t>(access)];
      writer_.SetLoop(form_.row[0], "first");
      code_.Line(fmt::format("alignas(16) {} r{}[{}];", parts_.ElementOf(access), access, width_));
      code_.Line(fmt::format("tn_copy<{}>(r{}, {} + {});", width_ * parts_.ElementBytes(access),
                             access, StepWriter::Pointer(from.operand),
                             writer_.Index(from.element)));
    }
  }

  void CertainReads(int at, int phase, std::vector<int>& certain, std::set<int>& seen) const {
    const Step& step = StepAt(at);
    if (!seen.insert(at).second || !IsOfElement(at) || step.kind == StepKind::kReduce) return;
    if (kept_.contains(at) && first_.at(at) < phase) return;
    if (step.kind == StepKind::kRead) certain.push_back(step.access);
    if (IsChoice(step)) return CertainReads(step.args[0], phase, certain, seen);
    for (const int arg : step.args) CertainReads(arg, phase, certain, seen);
  }

  void StoreOnce() {
    for (const ComputationStore& store : all_.stores) {
      if (WritesRow(store)) continue;
      const ComputationAccess& to = all_.accesses[static_cast<size_t>(store.access)];
      code_.Open("if (lane == 0)");
      writer_.Enter();
      const std::string value = writer_.Stored(store.step);
      code_.Line(fmt::format("{}[{}] = {};", StepWriter::Pointer(to.operand),
                             writer_.Index(to.element), value));
      writer_.Leave();
      code_.Close();
    }
  }

  /// A value that is in registers: a sum, an element of a piece, or a value of an earlier phase.
  std::string Given(int at, int phase) {
    const Step& step = StepAt(at);
    if (step.kind == StepKind::kReduce) {
      const Step& start = StepAt(step.args[0]);
      const std::string sum = fmt::format("TN_AT(s{})[0]", at);
      if (IsPositiveZero(start) && step.node == NodeKind::kAdd) return sum;
      return fmt::format("{}::Do<{}>({}, {})", DeviceReduction(step.node), DeviceType(step.dtype),
                         writer_.Value(step.args[0]), sum);
    }
    if (kept_.contains(at) && first_.at(at) < phase)
      return fmt::format("TN_AT(k{})[e * {} + j]", at, width_);
    if (step.kind == StepKind::kRead && pieces_.contains(step.access))
      return FromElement(step.dtype, fmt::format("r{}[j]", step.access));
    return {};
  }

  const RowForm& form_;
  const Computation& all_;
  const KernelText parts_;
  const std::vector<LoopSet> free_;
  CodeText code_;
  StepWriter writer_;
  LoopSet row_loops_ = 0;
  std::vector<int> stages_;
  int last_ = 0;
  int64_t elements_ = 1, rows_ = 1;
  /// Threads of a block, and of a row.
  int64_t threads_ = kSmallBlock, lanes_ = kWarp;
  /// The number of pieces of each thread, and the number of neighbours in a piece.
  int64_t chunks_ = 1, width_ = 1;
  /// Values of elements that stay in registers, and the phase that computes them.
  std::set<int> kept_;
  std::map<int, int> first_;
  std::set<int> pieces_;
};

}  // namespace

std::optional<RowForm> AsRows(const Computation& all) { return RowFinder(all).Find(); }

DeviceKernel RowKernel(const RowForm& form, const OperandAlignments& alignments) {
  return RowWriter(form, alignments).Write();
}

}  // namespace tenon
