// The model counts operations on registers. Memory beyond the L1 cache only adds a cost for copied
// elements, because blocks access memory in order.

#include "schedule/cost.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "analysis/contraction.h"
#include "schedule/op_loops.h"
#include "schedule/pads.h"
#include "schedule/schedule_rules.h"
#include "schedule/step_facts.h"
#include "support/check.h"

namespace tenon {

namespace {

/// Cycles to copy an element from one order to another, or from rows to rows; and cycles to begin a
/// row.
constexpr double kMovedElement = 1.0;
constexpr double kCopiedElement = 0.25;
constexpr double kCopiedRow = 1.0;
/// Cycles to transpose an element in a tile, and the shortest rows of tiles, in bytes.
constexpr double kTurnedElement = 0.25;
constexpr int64_t kLeastTileRow = 16;
/// Cycles to store one lane of a vector whose lanes are not adjacent: in a line that is in the L1
/// cache, and in one that is not. LLVM transposes one vector of each place in registers, but not
/// several.
constexpr double kScatteredLane = 1.0;
constexpr double kFarLane = 8.0;
constexpr double kScatteredVector = 0.25;
/// If a row of a block is shorter than a cache line, the line is loaded more than once.
constexpr double kPartOfLine = 1.25;
/// The numbers of loads that take as long as one load that misses the L1 cache, and as one load
/// whose line others have evicted.
constexpr double kFarLoad = 1.5;
constexpr double kCollidingLoad = 4;
/// Cycles that a result waits for a line that is this many bytes from the line of the result before
/// it. On a Zen 5, a maximum of 32 rows took 10.7 cycles for each result by columns, and 3.7 by
/// rows.
constexpr double kFarLine = 3;
constexpr int64_t kFarBytes = 1024;
constexpr int64_t kPage = 4096;
/// For fewer lanes, no instruction adds several products, so they take longer.
constexpr int kFewestCombined = 8;
constexpr double kNarrowProducts = 4;
/// Operations of a product of 32-bit integers.
constexpr double kWideProduct = 2;
/// Cycles to load a cache line of lanes that all places share, if the lanes of all steps do not fit
/// in the L1 cache.
constexpr double kSharedLine = 0.5;
/// Cycles of a step for its loop, and of a block for its beginning and its end.
constexpr double kLoopStep = 0.5;
constexpr double kBlockStart = 4;
/// The number of loads that take as long as loading a vector and sorting its lanes.
constexpr double kSortedLoads = 2;
/// Cycles of one addition of a sum that is computed alone.
constexpr double kScalarStep = 1.0;
/// Vectors along the steps of a sum have at least this many lanes.
constexpr int64_t kFewestSteps = 8;
/// Cycles to add up the lanes of a vector.
constexpr double kAddedLanes = 12;

/// True if lines whose distances are multiples of `distance` bytes evict each other from the L1
/// cache. Other operands also need space.
bool AreEvicted(int64_t lines, int64_t distance, const Caches& caches) {
  const int64_t sets = caches.l1_way_bytes() / std::max(distance, caches.line_bytes);
  return lines > caches.l1_ways * sets * 3 / 4;
}

/// True if the unrolled iterations of a block use lines of an operand that evict each other from
/// the L1 cache, because their distances are multiples of large powers of two.
bool Collides(const Computation& all, const ComputationAccess& access, const BlockShape& shape,
              const Caches& caches) {
  const ComputationOperand& operand = all.operands[static_cast<size_t>(access.operand)];
  if (operand.elements * operand.dtype.bytes() <= caches.l1_bytes) return false;
  int64_t lines = 1;
  int64_t distance = caches.l1_way_bytes();
  const auto add = [&](int loop, int64_t iterations) {
    const int64_t bytes =
        loop < 0 ? 0 : std::abs(access.element.stride(loop)) * operand.dtype.bytes();
    if (bytes < caches.line_bytes) return;
    lines *= iterations;
    distance = std::gcd(distance, bytes);
  };
  const auto is_in_line = [&](int64_t stride) {
    return std::abs(stride) * operand.dtype.bytes() < caches.line_bytes;
  };
  // If a step uses only a part of a line, a later step may use the rest. Steps in between use other
  // lines.
  const std::vector<int>& steps = all.steps[static_cast<size_t>(shape.sum)].loops;
  auto next = steps.rbegin();
  const auto stride_at = [&](int loop) { return access.element.stride(loop); };
  while (next != steps.rend() && (stride_at(*next) == 0 || !is_in_line(stride_at(*next)))) ++next;
  const bool is_partial = is_in_line(shape.lanes);
  for (auto inner = steps.rbegin(); is_partial && next != steps.rend() && inner != next; ++inner)
    add(*inner, LoopExtent(all, *inner));
  // Otherwise, later blocks use the rest, after all places of the loop.
  const bool leaves_rest = is_partial && next == steps.rend();
  add(shape.jam,
      leaves_rest && shape.jam >= 0 ? LoopExtent(all, shape.jam) : shape.places / shape.rows);
  add(shape.jam_rows, shape.rows);
  add(shape.row, shape.lanes);
  return AreEvicted(lines, distance, caches);
}

/// Vector operations and loads of a step of a sum, for one vector.
struct StepWork {
  /// Operations and loads of lanes for each place.
  double operations = 1;
  double own_loads = 0;
  /// Loads of lanes that all places share, and numbers that are broadcast to all lanes, for each
  /// place and for all places together.
  double shared_loads = 0;
  double copies = 0;
  double shared_copies = 0;
};

/// Counts the work of one store.
class Counter {
 public:
  /// `is_combined`: an instruction adds up several products. `wide`: the access whose elements it
  /// reads side by side, or -1.
  Counter(const Computation& computation, const BlockShape& shape, const Caches& caches,
          bool is_combined, int wide)
      : computation_(computation),
        shape_(shape),
        caches_(caches),
        is_combined_(is_combined),
        wide_(wide),
        free_(FreeLoops(computation)) {}

  StepWork Count(int value) {
    seen_.assign(computation_.steps.size(), false);
    Visit(value);
    return work_;
  }

 private:
  void Visit(int at) {
    const auto index = static_cast<size_t>(at);
    if (seen_[index]) return;
    seen_[index] = true;
    const Step& step = computation_.steps[index];
    const LoopSet lanes = Bit(shape_.row) | (shape_.tile < 0 ? 0 : Bit(shape_.tile));
    const LoopSet places =
        (shape_.jam < 0 ? 0 : Bit(shape_.jam)) | (shape_.jam_rows < 0 ? 0 : Bit(shape_.jam_rows));
    if ((free_[index] & lanes) == 0) {
      const double copies = CopiesOf(at);
      double& all = (free_[index] & places) == 0 ? work_.shared_copies : work_.copies;
      all += copies * CollisionBelow(at);
      return;
    }
    const bool is_shared = (free_[index] & places) == 0;
    if (step.kind == StepKind::kRead) {
      const LinearIndex& element = computation_.accesses[static_cast<size_t>(step.access)].element;
      const auto stride = static_cast<double>(std::max<int64_t>(element.stride(shape_.row), 1));
      // Elements that are not adjacent are loaded with those in between, and then sorted.
      const bool is_adjacent = stride == 1 || shape_.is_scalar;
      const double loads = is_adjacent ? 1 : (step.access == wide_ ? 1 : kSortedLoads) * stride;
      const double cost = std::max(CollisionBelow(at), IsFar(step) ? kFarLoad : 1);
      (is_shared ? work_.shared_loads : work_.own_loads) += loads * cost;
      return;
    }
    if (IsChoice(step)) return Visit(step.args[1]);
    const bool is_wide =
        step.node == NodeKind::kMul && step.dtype.is_integer() && step.dtype.bits() >= 32;
    if (!is_shared || step.node != NodeKind::kCast)
      work_.operations += is_wide && !is_combined_ ? kWideProduct : 1;
    for (const int arg : step.args) Visit(arg);
  }

  /// The number of loads that take as long as computing a number and broadcasting it to all lanes.
  double CopiesOf(int number) const {
    double copies = 0;
    std::vector<bool> seen(computation_.steps.size());
    std::vector<int> work = {number};
    while (!work.empty()) {
      const auto at = static_cast<size_t>(work.back());
      work.pop_back();
      const Step& step = computation_.steps[at];
      if (seen[at] || step.kind == StepKind::kInteger || step.kind == StepKind::kReal) continue;
      seen[at] = true;
      if (IsChoice(step)) {
        work.push_back(step.args[1]);
        continue;
      }
      ++copies;
      if (step.kind == StepKind::kNode) work.insert(work.end(), step.args.begin(), step.args.end());
    }
    return copies;
  }

  /// The number of loads that take as long as a load of a value whose elements may collide. Places
  /// may use elements of the same line.
  double CollisionBelow(int value) const {
    const std::vector<bool> below = StepsBelow(computation_, value);
    double loads = 1;
    for (size_t i = 0; i < below.size(); ++i) {
      const Step& step = computation_.steps[i];
      if (!below[i] || step.kind != StepKind::kRead) continue;
      const ComputationAccess& access = computation_.accesses[static_cast<size_t>(step.access)];
      if (!Collides(computation_, access, shape_, caches_)) continue;
      const int64_t apart = shape_.jam < 0 ? 0 : access.element.stride(shape_.jam);
      const auto bytes = static_cast<double>(std::abs(apart) * step.dtype.bytes());
      const double lines =
          bytes == 0 ? 1 : std::min(bytes / static_cast<double>(caches_.line_bytes), 1.0);
      loads = std::max(loads, 1 + (kCollidingLoad - 1) * lines);
    }
    return loads;
  }

  /// True if neighbouring steps read distant pieces of an operand that does not fit in the L1
  /// cache. Places may read adjacent pieces.
  bool IsFar(const Step& read) const {
    if (read.access == wide_) return false;
    const ComputationAccess& access = computation_.accesses[static_cast<size_t>(read.access)];
    const int64_t elements = computation_.operands[static_cast<size_t>(access.operand)].elements;
    if (elements * read.dtype.bytes() <= caches_.l1_bytes) return false;
    const std::vector<int>& steps = computation_.steps[static_cast<size_t>(shape_.sum)].loops;
    const auto step = std::find_if(steps.rbegin(), steps.rend(),
                                   [&](int loop) { return access.element.stride(loop) != 0; });
    const int64_t next = shape_.jam < 0 ? 0 : std::abs(access.element.stride(shape_.jam));
    const int64_t piece =
        shape_.lanes + (next > 0 && next <= shape_.lanes ? next * (shape_.places - 1) : 0);
    return step != steps.rend() && access.element.stride(*step) > piece;
  }

  const Computation& computation_;
  const BlockShape& shape_;
  const Caches& caches_;
  const bool is_combined_;
  const int wide_;
  const std::vector<LoopSet> free_;
  std::vector<bool> seen_;
  StepWork work_;
};

/// Iterations of one loop in pieces: `full` pieces of `size`, and a last piece of `rest`.
struct Pieces {
  double size = 1;
  double full = 1;
  double rest = 0;

  /// The sum of `cost` over all pieces.
  template <typename F>
  double Sum(F&& cost) const {
    return full * cost(size) + (rest > 0 ? cost(rest) : 0);
  }
};

Pieces PiecesOf(int64_t all, int64_t size) {
  size = std::min(size, all);
  return {static_cast<double>(size), static_cast<double>(all / size),
          static_cast<double>(all % size)};
}

/// The operations that compute a result from its sum.
double FinishSteps(const Computation& computation, const ComputationStore& store, int sum) {
  const std::vector<bool> all = StepsBelow(computation, store.step);
  const std::vector<bool> before = StepsBelow(computation, sum);
  double steps = 0;
  for (size_t i = 0; i < all.size(); ++i)
    steps += all[i] && !before[i] && !computation.steps[i].args.empty() ? 1 : 0;
  return steps;
}

/// The cost of one store in blocks.
class BlockCost {
 public:
  BlockCost(const Computation& computation, const ComputationStore& store, const BlockShape& shape,
            const Schedule& schedule, int wide, const Machine& machine)
      : computation_(computation), store_(store), shape_(shape), machine_(machine) {
    const Step& sum = computation.steps[static_cast<size_t>(shape.sum)];
    work_ = Counter(computation, shape, machine.caches, schedule.combine != Combine::kNothing, wide)
                .Count(sum.args[1]);
    steps_ = static_cast<double>(Iterations(computation, sum.loops));
    together_ = static_cast<double>(StepsTogether(schedule));
    bytes_ = static_cast<double>(sum.dtype.bytes());
    latency_ = sum.dtype.is_float() ? static_cast<double>(machine.latency) : 1;
    const auto is_sum = [&](int step) { return step == shape.sum; };
    const StepFacts finished(computation, is_sum, /*wide=*/-1, machine.register_bytes);
    stores_lanes_ = !IsScattered() && finished.IsLaneValue(store.step, shape.row);
    finish_ = FinishSteps(computation, store, shape.sum);
    const int64_t lanes = LoopExtent(computation, shape.row) *
                          (shape.tile < 0 ? 1 : LoopExtent(computation, shape.tile));
    is_read_again_ = Iterations(computation, store.loops) > lanes;
    const int64_t width = machine.register_bytes / sum.dtype.bytes();
    width_ = shape.is_scalar ? 1 : static_cast<double>(std::max<int64_t>(width, 1));
  }

  double Cycles() const {
    const auto extent = [&](int loop) { return loop < 0 ? 1 : LoopExtent(computation_, loop); };
    double outer = 1;
    for (const int loop : store_.loops) {
      if (loop != shape_.row && loop != shape_.tile && loop != shape_.jam &&
          loop != shape_.jam_rows)
        outer *= static_cast<double>(extent(loop));
    }
    const Pieces lanes = PiecesOf(extent(shape_.row) * extent(shape_.tile), shape_.lanes);
    const Pieces places = PiecesOf(extent(shape_.jam), shape_.places / shape_.rows);
    const Pieces rows = PiecesOf(extent(shape_.jam_rows), shape_.rows);
    return outer * lanes.Sum([&](double lane) {
      return rows.Sum([&](double row) {
        return places.Sum([&](double place) { return CyclesOfBlock(lane, row * place); });
      });
    });
  }

 private:
  double CyclesOfBlock(double lanes, double places) const {
    const double vectors = VectorsOf(lanes);
    const bool fills_line = lanes * bytes_ >= static_cast<double>(machine_.caches.line_bytes);
    const double own = work_.own_loads * (fills_line || shape_.is_scalar ? 1 : kPartOfLine);
    const double units = 2 * static_cast<double>(machine_.products_per_cycle);
    const double copy = machine_.loads_copies() ? 1 : 2;
    const double arithmetic = vectors * places * work_.operations / together_ / units;
    const double loads = vectors * (work_.shared_loads + places * own) +
                         (places * work_.copies + work_.shared_copies) * copy;
    const double in_step =
        std::max({arithmetic, loads / together_ / static_cast<double>(machine_.loads_per_cycle),
                  latency_ / together_});
    const double finish =
        places * (finish_ + LaneCycles(vectors)) * (stores_lanes_ ? vectors : lanes);
    return steps_ * (FarLines(lanes, vectors) * kSharedLine + in_step + kLoopStep / together_) +
           finish + places * (vectors + FarPlaceCycles(lanes)) + kBlockStart;
  }

  /// The lines of shared lanes that each step loads from beyond the L1 cache.
  double FarLines(double lanes, double vectors) const {
    const Caches& caches = machine_.caches;
    const bool fits = steps_ * lanes * bytes_ <= static_cast<double>(caches.l1_bytes);
    if (fits || !is_read_again_) return 0;
    return vectors * work_.shared_loads * width_ * bytes_ / static_cast<double>(caches.line_bytes);
  }

  /// The vectors of some lanes.
  double VectorsOf(double lanes) const {
    if (shape_.is_scalar) return lanes;
    double vectors = 0;
    const bool overlap = shape_.tile < 0 && stores_lanes_;
    for (const OpLoops::LanePiece& piece :
         OpLoops::LanePiecesOf(static_cast<int64_t>(lanes), overlap))
      vectors += std::max(piece.size / width_, 1.0) *
                 (together_ > 1 && piece.size < kFewestCombined ? kNarrowProducts : 1);
    return vectors;
  }
  /// The time to store a vector, or one of the lanes of a place.
  double LaneCycles(double vectors) const {
    const ComputationAccess& stored = computation_.accesses[static_cast<size_t>(store_.access)];
    const ComputationOperand& operand = computation_.operands[static_cast<size_t>(stored.operand)];
    const int64_t bytes = operand.dtype.bytes();
    const bool is_far = bytes * stored.element.stride(shape_.row) >= machine_.caches.line_bytes &&
                        bytes * operand.elements > machine_.caches.l1_bytes;
    if ((IsScattered() && is_far) || Collides(computation_, stored, shape_, machine_.caches))
      return kFarLane;
    return IsScattered() ? kScatteredLane + kScatteredVector * (vectors - 1) : kScatteredLane;
  }
  /// The time that a place waits for its line, if the places of a block store parts of lines in
  /// different pages.
  double FarPlaceCycles(double lanes) const {
    const ComputationAccess& stored = computation_.accesses[static_cast<size_t>(store_.access)];
    const ComputationOperand& operand = computation_.operands[static_cast<size_t>(stored.operand)];
    const auto bytes_apart = [&](int loop) {
      return loop < 0 ? 0 : std::abs(stored.element.stride(loop)) * operand.dtype.bytes();
    };
    const int64_t part =
        shape_.tile < 0 ? static_cast<int64_t>(lanes) : LoopExtent(computation_, shape_.row);
    const bool is_far = std::max(bytes_apart(shape_.jam), bytes_apart(shape_.jam_rows)) >= kPage &&
                        part * operand.dtype.bytes() < machine_.caches.line_bytes &&
                        operand.elements * operand.dtype.bytes() > machine_.caches.l1_bytes;
    return is_far && !IsScattered() ? kFarLine : 0;
  }
  bool IsScattered() const {
    return !shape_.is_scalar &&
           computation_.accesses[static_cast<size_t>(store_.access)].element.stride(shape_.row) !=
               1;
  }

  const Computation& computation_;
  const ComputationStore& store_;
  const BlockShape& shape_;
  const Machine& machine_;
  StepWork work_;
  double steps_ = 1;
  double together_ = 1;
  double latency_ = 1;
  double width_ = 1;
  double bytes_ = 4;
  /// The operations of a result, and whether vectors compute them.
  double finish_ = 0;
  bool stores_lanes_ = true;
  /// True if several blocks read the lanes that places share.
  bool is_read_again_ = false;
};

/// True if fold-constants may compute a value at compile time.
bool ReadsConstantsAlone(const Computation& computation, int value) {
  const std::vector<bool> below = StepsBelow(computation, value);
  for (size_t i = 0; i < below.size(); ++i) {
    const Step& step = computation.steps[i];
    if (!below[i] || !IsRead(step.kind)) continue;
    const ComputationAccess& access = computation.accesses[static_cast<size_t>(step.access)];
    if (!computation.operands[static_cast<size_t>(access.operand)].constant) return false;
  }
  return true;
}

/// The cycles that results wait for cache lines, if neighbouring results along the innermost loop
/// read distant lines.
double CyclesOfFarLines(const Computation& computation, const ComputationStore& store, int sum,
                        const Caches& caches) {
  if (store.loops.empty()) return 0;
  const Step& all = computation.steps[static_cast<size_t>(sum)];
  const std::vector<bool> below = StepsBelow(computation, all.args[1]);
  double lines = 0;
  for (size_t i = 0; i < below.size(); ++i) {
    const Step& read = computation.steps[i];
    if (!below[i] || read.kind != StepKind::kRead) continue;
    const ComputationAccess& access = computation.accesses[static_cast<size_t>(read.access)];
    const int64_t bytes = read.dtype.bytes();
    const int64_t elements = computation.operands[static_cast<size_t>(access.operand)].elements;
    if (elements * bytes <= caches.l1_bytes ||
        std::abs(access.element.stride(store.loops.back())) * bytes < kFarBytes)
      continue;
    double of_read = 1;
    for (const int loop : all.loops) {
      const int64_t stride = std::abs(access.element.stride(loop)) * bytes;
      const auto extent = static_cast<double>(LoopExtent(computation, loop));
      const auto in_line = static_cast<double>(std::min(stride, caches.line_bytes)) /
                           static_cast<double>(caches.line_bytes);
      of_read *= std::max(extent * in_line, 1.0);
    }
    lines += of_read;
  }
  return lines * kFarLine * static_cast<double>(Iterations(computation, store.loops));
}

/// The time of a store without sums.
class ElementCost {
 public:
  ElementCost(const Computation& computation, const ComputationStore& store, const Machine& machine)
      : computation_(computation), store_(store), machine_(machine) {
    const std::vector<bool> below = StepsBelow(computation, store.step);
    int64_t bytes = 1;
    Add(computation.accesses[static_cast<size_t>(store.access)]);
    for (size_t i = 0; i < below.size(); ++i) {
      const Step& step = computation.steps[i];
      if (!below[i]) continue;
      bytes = std::max<int64_t>(bytes, step.dtype.bytes());
      if (IsRead(step.kind)) {
        Add(computation.accesses[static_cast<size_t>(step.access)]);
      } else {
        operations_ += step.args.empty() ? 0 : 1;
      }
    }
    width_ = static_cast<double>(std::clamp<int64_t>(machine.register_bytes / bytes, 1,
                                                     OpLoops::MostLanes(machine.register_bytes)));
  }

  /// The time in tiles of the two innermost loops. The last one runs along the stored rows.
  double InTiles() const {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    if (store_.loops.size() < 2) return kNever;
    const int row = store_.loops.back();
    const int other = store_.loops[store_.loops.size() - 2];
    double lines = 0;
    int64_t bytes = 0;
    bool is_turned = false;
    for (const ComputationAccess* access : accesses_) {
      lines += OutOfCache(*access) ? PartOfLine(*access, 1) : 0;
      bytes = std::max(bytes, BytesOf(*access));
      if (StrideOf(*access, row) <= 1 && access->element.divisor == 1) continue;
      if (StrideOf(*access, other) != 1 || access->element.divisor != 1) return kNever;
      is_turned = true;
    }
    const int64_t longest =
        std::max(LoopExtent(computation_, row), LoopExtent(computation_, other));
    if (!is_turned || StrideOf(*accesses_[0], row) != 1 || longest * bytes < kLeastTileRow)
      return kNever;
    const auto work = static_cast<double>(accesses_.size()) + operations_;
    return static_cast<double>(Iterations(computation_, store_.loops)) *
           (work / width_ + kTurnedElement + lines * kFarLine);
  }

  double Cycles() const {
    const auto elements = static_cast<double>(Iterations(computation_, store_.loops));
    if (store_.loops.empty()) return operations_;
    const int row = store_.loops.back();
    const auto extent = static_cast<double>(LoopExtent(computation_, row));
    double in_lanes = operations_;
    double one_by_one = operations_;
    int64_t longest = 0;
    for (const ComputationAccess* access : accesses_) {
      const int64_t stride = StrideOf(*access, row);
      longest = std::max(longest, stride);
      in_lanes += stride <= 1 ? 1 : kSortedLoads * static_cast<double>(stride);
      one_by_one += 1;
    }
    const bool is_scattered = StrideOf(*accesses_[0], row) != 1;
    double step = one_by_one + (is_scattered ? kScatteredLane : 0);
    if (!is_scattered && longest <= kMostLaneStride)
      step = std::min(step, std::ceil(extent / width_) / extent * in_lanes);
    return elements * step + elements / extent * kCopiedRow + LineCycles();
  }

  /// The time to load cache lines from beyond the L1 cache.
  double LineCycles() const {
    double lines = 0;
    for (const ComputationAccess* access : accesses_) lines += LinesOf(*access);
    return lines * kFarLine * static_cast<double>(Iterations(computation_, store_.loops));
  }

 private:
  void Add(const ComputationAccess& access) { accesses_.push_back(&access); }
  static int64_t StrideOf(const ComputationAccess& access, int loop) {
    return std::abs(access.element.stride(loop));
  }
  int64_t BytesOf(const ComputationAccess& access) const {
    return computation_.operands[static_cast<size_t>(access.operand)].dtype.bytes();
  }
  bool OutOfCache(const ComputationAccess& access) const {
    const int64_t elements = computation_.operands[static_cast<size_t>(access.operand)].elements;
    return elements * BytesOf(access) > machine_.caches.l1_bytes;
  }
  /// The part of a line between neighbours that are `stride` elements apart.
  double PartOfLine(const ComputationAccess& access, int64_t stride) const {
    return std::min(static_cast<double>(stride * BytesOf(access)) /
                        static_cast<double>(machine_.caches.line_bytes),
                    1.0);
  }
  /// The lines that an access loads from beyond the L1 cache for one element of the result.
  double LinesOf(const ComputationAccess& access) const {
    if (!OutOfCache(access)) return 0;
    const Caches& caches = machine_.caches;
    int64_t lines = 1;
    int64_t distance = caches.l1_way_bytes();
    double part = 1;
    for (size_t i = store_.loops.size(); i-- > 0;) {
      const int64_t stride = StrideOf(access, store_.loops[i]);
      const int64_t extent = LoopExtent(computation_, store_.loops[i]);
      if (stride * BytesOf(access) >= caches.line_bytes) {
        lines *= extent;
        distance = std::gcd(distance, stride * BytesOf(access));
        continue;
      }
      // Neighbours use the same line, if other lines have not evicted it.
      if (AreEvicted(lines, distance, caches)) continue;
      part *= std::max(PartOfLine(access, stride), 1.0 / static_cast<double>(extent));
    }
    return part;
  }

  const Computation& computation_;
  const ComputationStore& store_;
  const Machine& machine_;
  std::vector<const ComputationAccess*> accesses_;
  double operations_ = 0;
  double width_ = 1;
};

/// The time to add up the steps of all sums one by one, or in lanes along a loop.
double CyclesOfSteps(const Computation& computation, const ComputationStore& store, int sum,
                     const Machine& machine) {
  const Step& step = computation.steps[static_cast<size_t>(sum)];
  const LoopSet free = FreeLoops(computation)[static_cast<size_t>(sum)];
  double results = 1;
  for (const int loop : store.loops) {
    if ((free & Bit(loop)) != 0) results *= static_cast<double>(LoopExtent(computation, loop));
  }
  const auto steps = static_cast<double>(Iterations(computation, step.loops));
  // Each step of a float sum waits for the step before it.
  if (step.dtype.is_float()) return results * steps * static_cast<double>(machine.latency);
  double least = results * steps * kScalarStep;
  const auto width =
      static_cast<double>(std::max<int64_t>(machine.register_bytes / step.dtype.bytes(), 1));
  for (const int loop : step.loops) {
    const auto extent = static_cast<double>(LoopExtent(computation, loop));
    if (LoopExtent(computation, loop) < kFewestSteps ||
        !ReadsAlong(computation, step.args[1], loop))
      continue;
    const double lanes = std::ceil(extent / width) * width;
    least = std::min(least, results * (steps / extent * lanes / width + kAddedLanes));
  }
  return least;
}

}  // namespace

double CyclesOf(const Computation& computation, const ComputationStore& store,
                const Schedule& schedule, const Machine& machine) {
  const int row = schedule.bands.back().loop;
  StepFacts facts(
      computation, [](int) { return false; },
      GroupAccess(computation, store.step, row, schedule.combine), machine.register_bytes);
  if (schedule.skips_pads) LeaveOutPads(computation, store.step, facts);
  const bool is_scalar = schedule.bands.back().role == Role::kUnrolled;
  std::string because;
  const std::optional<BlockShape> shape = ShapeOf(
      schedule, computation, store.loops, LaneSum(facts, store.step, row, is_scalar), because);
  TENON_CHECK(shape.has_value());
  return BlockCost(computation, store, *shape, schedule, facts.wide(), machine).Cycles();
}

double CyclesOfCopy(const Computation& computation, const ComputationStore& store,
                    const Machine& machine) {
  if (ReadsConstantsAlone(computation, store.step)) return 0;
  const bool has_rows =
      !store.loops.empty() && ReadsAlong(computation, store.step, store.loops.back());
  const auto elements = static_cast<double>(Iterations(computation, store.loops));
  if (!has_rows) return elements * kMovedElement;
  const auto row = static_cast<double>(LoopExtent(computation, store.loops.back()));
  return elements * kCopiedElement + elements / row * kCopiedRow +
         ElementCost(computation, store, machine).LineCycles();
}

double CyclesOfElements(const Computation& computation, const ComputationStore& store,
                        const Machine& machine) {
  return ElementCost(computation, store, machine).Cycles();
}

double CyclesOfTiles(const Computation& computation, const ComputationStore& store,
                     const Machine& machine) {
  return ElementCost(computation, store, machine).InTiles();
}

double CyclesOfSum(const Computation& computation, const ComputationStore& store, int sum,
                   const Machine& machine) {
  const auto results = static_cast<double>(Iterations(computation, store.loops));
  return CyclesOfSteps(computation, store, sum, machine) +
         FinishSteps(computation, store, sum) * results +
         CyclesOfFarLines(computation, store, sum, machine.caches);
}

}  // namespace tenon
