// An abstract interpreter of two allocations. Cheap runs come first, and can only prove that
// nothing is lost. An exact run decides otherwise, and one more run watches the lost byte to name
// the store that overwrites it.

#include "passes/memory/value_watch.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "ir/attributes.h"
#include "ir/external_code.h"
#include "passes/inlining.h"
#include "passes/memory/pair_state.h"
#include "support/check.h"
#include "support/stack.h"

namespace tenon {

namespace {

/// With three identical iterations, one can store a value, one overwrite it and one load it.
constexpr int64_t kTellingIterations = 3;

enum class Outcome : uint8_t { kKept, kLost, kUnsure, kTooLong };

/// The one of the two allocations that a root may point into, and the distance from its start.
struct Binding {
  int who = 0;
  std::optional<int64_t> offset;
};
using Bindings = std::vector<Binding>;

/// The bytes of the pair that code in no known order may load and store.
class UnorderedUses {
 public:
  explicit UnorderedUses(size_t size) : bytes_(size) {}

  void Add(int who, bool stores, size_t first, size_t end) {
    const uint8_t bit = Bit(who, stores);
    for (size_t i = first; i < end; ++i) bytes_[i] |= bit;
  }
  /// The first byte that one allocation stores to while the other one uses it.
  std::optional<size_t> FindClash() const {
    for (size_t i = 0; i < bytes_.size(); ++i) {
      for (const int who : {0, 1}) {
        if ((bytes_[i] & Bit(who, true)) != 0 && UsedBy(1 - who, i)) return i;
      }
    }
    return std::nullopt;
  }
  bool Loads(int who, size_t at) const { return (bytes_[at] & Bit(who, false)) != 0; }
  bool Stores(int who, size_t at) const { return (bytes_[at] & Bit(who, true)) != 0; }

 private:
  static uint8_t Bit(int who, bool stores) {
    return static_cast<uint8_t>(1 << (2 * who + (stores ? 1 : 0)));
  }
  bool UsedBy(int who, size_t at) const { return Loads(who, at) || Stores(who, at); }

  std::vector<uint8_t> bytes_;
};

/// A run of the entry for one pair.
class PairWalker {
 public:
  PairWalker(const IRModule& module, const PlacedModule& placed, ValueWatch& watch, int32_t a,
             int32_t b, int64_t limit)
      : module_(module), placed_(placed), watch_(watch), limit_(limit), pair_{a, b} {
    const int64_t begin = std::max(At(0).offset, At(1).offset);
    const int64_t end = std::min(At(0).offset + At(0).size_bytes, At(1).offset + At(1).size_bytes);
    begin_ = begin;
    state_ = PairState(static_cast<size_t>(std::max<int64_t>(end - begin, 0)));
  }

  /// How much of the program is followed exactly.
  enum class Detail : uint8_t {
    kBoth,    ///< what accesses both allocations
    kVictim,  ///< also what accesses the victim
    kAll,
  };
  static constexpr int kEither = -1;

  /// The iterations and accesses that Run has followed.
  int64_t steps() const { return steps_; }

  /// A loss that an approximation finds need not be real: then the outcome is kUnsure. Only losses
  /// of `victim` count.
  Outcome Run(Detail detail, int victim = kEither) {
    detail_ = detail;
    victim_ = victim;
    Enter(placed_.entry(), {});
    return outcome_;
  }

  /// After kLost. `store` is right if `watched` was the byte that is lost.
  LostValue lost() const { return lost_; }
  size_t lost_byte() const { return lost_byte_; }
  void Watch(size_t byte) { watched_ = byte; }

 private:
  struct Frame {
    const PlacedFunction& placed;
    /// Loops set their slots at the start of each iteration, so calls can share them.
    std::vector<int64_t>& slots;
    absl::flat_hash_map<PointerRoot, Bindings> bindings;
    /// The rest of the function may not run.
    bool has_left = false;

    const Bindings& Of(PointerRoot root) const {
      static const Bindings none;
      const auto found = bindings.find(root);
      return found == bindings.end() ? none : found->second;
    }
  };

  const PlacedAllocation& At(int who) const { return placed_.At(pair_[who]); }
  /// The byte of the pair at an offset in an allocation.
  int64_t PairByte(int who, int64_t offset) const { return At(who).offset + offset - begin_; }

  bool Done() const { return outcome_ != Outcome::kKept; }
  void Step(int64_t steps = 1) {
    steps_ += steps;
    if (steps_ > limit_ && !Done()) outcome_ = Outcome::kTooLong;
  }
  void StepOverAll() { Step(1 + static_cast<int64_t>(state_.size() / 16)); }

  /// The access of the victim finds a value that the other allocation has overwritten.
  void Lose(int victim, size_t byte, SourceRange access) {
    Lose(victim, byte, last_store_[1 - victim], access, {});
  }
  /// The other allocation's store may overwrite a value that is still needed.
  void Lose(int victim, size_t byte, SourceRange store, std::string_view why) {
    Lose(victim, byte, store, {}, why);
  }
  void Lose(int victim, size_t byte, SourceRange store, SourceRange access, std::string_view why) {
    if (Done() || (victim_ != kEither && victim != victim_)) return;
    outcome_ = detail_ == Detail::kAll ? Outcome::kLost : Outcome::kUnsure;
    lost_byte_ = byte;
    lost_ = {pair_[victim],
             pair_[1 - victim],
             static_cast<int64_t>(byte) + begin_ - At(victim).offset,
             store,
             access,
             why};
  }

  /// One allocation stores to a byte that the other one uses, in no known order.
  void LoseInClash(const UnorderedUses& uses, size_t byte, SourceRange store,
                   std::string_view why) {
    Lose(uses.Stores(1, byte) ? 0 : 1, byte, store, why);
  }

  void Load(int who, size_t first, size_t end, SourceRange range) {
    if (uses_ != nullptr) return uses_->Add(who, false, first, end);
    const std::optional<size_t> lost = state_.Find(who, PairState::kLost, first, end);
    if (lost) Lose(who, *lost, range);
  }

  void Store(int who, size_t first, size_t end, bool is_certain, SourceRange range) {
    if (uses_ != nullptr) return uses_->Add(who, true, first, end);
    if (escaped_[1 - who]) {
      const std::optional<size_t> held = state_.Find(1 - who, PairState::kHeld, first, end);
      if (held) Lose(1 - who, *held, range, "a pointer to it may still be used");
    }
    if (first <= watched_ && watched_ < end) last_store_[who] = range;
    state_.Store(who, first, end, is_certain && IsCertain(who));
  }

  /// False if a function inside the scope of the allocation may have ended before this point.
  bool IsCertain(int who) const {
    for (size_t i = scope_depth_[who]; i < frames_.size(); ++i) {
      if (frames_[i]->has_left) return false;
    }
    return true;
  }

  void Enter(const PlacedFunction& function, const std::vector<Bindings>& bindings) {
    Frame frame{function, watch_.SlotsOf(function), {}};
    for (size_t i = 0; i < bindings.size(); ++i) {
      if (!bindings[i].empty()) frame.bindings[static_cast<PointerRoot>(i)] = bindings[i];
    }
    frames_.push_back(&frame);
    const Items& items = function.program.items;
    WithStack([&] {
      for (const size_t at : PositionsOfInterest(frame)) {
        if (!Done()) Visit(items[at], frame);
      }
    });
    frames_.pop_back();
  }

  /// The items of a function that may concern the pair.
  std::vector<size_t> PositionsOfInterest(const Frame& frame) const {
    std::vector<size_t> positions = frame.placed.leaves;
    const auto add = [&](const auto& map, auto key) {
      const auto found = map.find(key);
      if (found == map.end()) return;
      positions.insert(positions.end(), found->second.begin(), found->second.end());
    };
    for (const auto& [root, bindings] : frame.bindings) add(frame.placed.mentions, root);
    for (const int who : {0, 1}) {
      if (At(who).function == frame.placed.function.name) add(frame.placed.mentions, At(who).root);
      add(frame.placed.calls_to, pair_[who]);
    }
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    return positions;
  }

  void Visit(const Items& items, Frame& frame) {
    for (const Item& item : items) {
      if (!Done() && IsOfInterest(item, frame)) Visit(item, frame);
    }
  }

  void Visit(const Item& item, Frame& frame) {
    if (detail_ != Detail::kAll && uses_ == nullptr && Approximate(item, frame)) return;
    std::visit([&](const auto& what) { VisitItem(what, frame); }, item.what);
  }

  bool Opens(const PlacedFunction& function) const {
    return function.reaches.contains(pair_[0]) || function.reaches.contains(pair_[1]);
  }

  bool IsOfInterest(const Item& item, const Frame& frame) const {
    if (item.leaves || (item.calls && Opens(frame.placed))) return true;
    return std::any_of(item.roots.begin(), item.roots.end(), [&](PointerRoot root) {
      return !frame.Of(root).empty() || WhoOpens(frame, root) >= 0;
    });
  }

  /// The allocation of the pair whose scope in this function has the root; -1 for none.
  int WhoOpens(const Frame& frame, PointerRoot root) const {
    const int32_t allocation = frame.placed.allocation_of[static_cast<size_t>(root)];
    if (allocation < 0) return -1;
    return allocation == pair_[0] ? 0 : allocation == pair_[1] ? 1 : -1;
  }

  /// Replaces a loop or a call that accesses one allocation only by loads and stores that it may
  /// do. False if it must be visited.
  bool Approximate(const Item& item, const Frame& frame) {
    if (counted_loops_ > 0 || item.leaves || item.escapes) return false;
    const auto* call = std::get_if<CallItem>(&item.what);
    if (call == nullptr && !std::holds_alternative<LoopItem>(item.what)) return false;
    if (item.calls && call == nullptr) return false;
    if (call != nullptr) {
      const PlacedFunction& callee = placed_.Find(call->callee->name);
      if (callee.escapes || Opens(callee)) return false;
    }
    bool uses[2] = {false, false};
    for (const PointerRoot root : item.roots) {
      if (WhoOpens(frame, root) >= 0 && frame.Of(root).empty()) return false;
      for (const Binding& binding : frame.Of(root)) uses[binding.who] = true;
    }
    if (!uses[0] && !uses[1]) return true;
    if (uses[0] && uses[1]) {
      return detail_ == Detail::kBoth && call != nullptr && ApproximateBoth(*call, frame);
    }
    const int who = uses[0] ? 0 : 1;
    if (detail_ == Detail::kVictim && who == victim_) return false;
    StepOverAll();
    Load(who, 0, state_.size(), {});
    Store(who, 0, state_.size(), false, {});
    return true;
  }

  /// A call that reads one allocation for the last time and begins the other one, if its trace says
  /// so at this distance.
  bool ApproximateBoth(const CallItem& call, const Frame& frame) {
    if (call.callee->FindAttr(attr_key::kCompiler) != nullptr) return false;
    std::optional<size_t> param[2];
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      for (const PointsTo& to : call.arguments[i]) {
        for (const Binding& binding : frame.Of(to.root)) {
          if (!to.is_start || binding.offset != 0 || param[binding.who] ||
              call.arguments[i].size() != 1)
            return false;
          param[binding.who] = i;
        }
      }
    }
    const int begun = state_.Any(1) == PairState::kNothing ? 1 : 0;
    if (!param[0] || !param[1] || state_.Any(begun) != PairState::kNothing ||
        (state_.Any(1 - begun) & PairState::kLost) != 0)
      return false;
    const int dying = 1 - begun;
    const absl::StatusOr<AccessTrace>& trace = watch_.TraceOf(
        *call.callee, *param[dying], At(dying).size_bytes, *param[begun], At(begun).size_bytes);
    if (!trace.ok() || !trace->IsSafe(0, 1, At(begun).offset - At(dying).offset)) return false;
    StepOverAll();
    Store(dying, 0, state_.size(), false, call.range);
    Store(begun, 0, state_.size(), true, call.range);
    state_.Add(begun, PairState::kNothing);
    return true;
  }

  void VisitItem(const AccessItem& access, Frame& frame) {
    Step();
    const bool is_one = access.pointer.size() == 1;
    for (const PointsTo& to : access.pointer) {
      const Bindings& bindings = frame.Of(to.root);
      for (const Binding& binding : bindings) {
        const bool is_certain = access.is_certain && is_one && bindings.size() == 1;
        if (access.anywhere || !to.offset || !binding.offset) {
          StepOverAll();
          Use(access, binding.who, 0, state_.size(), false);
        } else {
          UseElements(access, frame, binding, Slot(frame, *to.offset), is_certain);
        }
      }
    }
  }

  static int64_t Slot(const Frame& frame, SlotId slot) {
    return frame.slots[static_cast<size_t>(slot)];
  }

  void Use(const AccessItem& access, int who, size_t first, size_t end, bool is_certain) {
    if (access.is_store) {
      Store(who, first, end, is_certain, access.range);
    } else {
      Load(who, first, end, access.range);
    }
  }

  void UseElements(const AccessItem& access, const Frame& frame, const Binding& binding,
                   int64_t offset, bool is_certain) {
    const auto size = static_cast<int64_t>(state_.size());
    for (const SlotId slot : access.elements) {
      int64_t element = Slot(frame, slot);
      for (int64_t lane = 0; lane < access.lanes; ++lane, element += access.step) {
        int64_t byte = 0;
        // An access outside of the allocation is an error in any case.
        if (__builtin_mul_overflow(element, access.width, &byte) ||
            __builtin_add_overflow(byte, offset, &byte) ||
            __builtin_add_overflow(byte, *binding.offset, &byte) || byte < 0 ||
            byte >= At(binding.who).size_bytes)
          continue;
        const int64_t first = PairByte(binding.who, byte);
        const int64_t end = std::min(first + access.width, size);
        if (end > 0 && first < size)
          Use(access, binding.who, static_cast<size_t>(std::max<int64_t>(first, 0)),
              static_cast<size_t>(end), is_certain);
      }
    }
  }

  void VisitItem(const LoopItem& loop, Frame& frame) {
    if (loop.order == LoopOrder::kParallel && uses_ == nullptr &&
        !CheckUnordered([&] { Iterate(loop, frame); }))
      return;
    Iterate(loop, frame);
  }

  void Iterate(const LoopItem& loop, Frame& frame) {
    if (loop.has_bounds) {
      const int64_t min = Slot(frame, loop.min);
      int64_t extent = Slot(frame, loop.extent);
      if (loop.index.is_plain) extent = std::min(extent, kTellingIterations);
      counted_loops_ += loop.index.is_plain ? 0 : 1;
      for (int64_t i = 0; i < extent && !Done(); ++i) {
        Step();
        StartIteration(loop.index, min + i, frame.slots);
        Visit(loop.items, frame);
      }
      counted_loops_ -= loop.index.is_plain ? 0 : 1;
      return;
    }
    for (int64_t i = 0; i < kTellingIterations && !Done(); ++i) {
      StartIteration(loop.index, 0, frame.slots);
      Either([&] { Visit(loop.items, frame); }, [] {});
    }
  }

  /// Runs one of two arms.
  template <class Then, class Else>
  void Either(Then&& then_arm, Else&& else_arm) {
    if (uses_ != nullptr) {
      then_arm();
      else_arm();
      return;
    }
    state_.BeginArm();
    then_arm();
    const PairState::Changes a = state_.EndArm();
    state_.BeginArm();
    else_arm();
    const PairState::Changes b = state_.EndArm();
    state_.Join(a, b);
    Step(static_cast<int64_t>(a.size() + b.size()));
  }

  void VisitItem(const BranchItem& branch, Frame& frame) {
    if (branch.condition) {
      const bool is_true = Slot(frame, *branch.condition) != 0;
      return Visit(is_true ? branch.then_items : branch.else_items, frame);
    }
    Either([&] { Visit(branch.then_items, frame); }, [&] { Visit(branch.else_items, frame); });
  }

  void VisitItem(const UnorderedItem& unordered, Frame& frame) {
    if (uses_ == nullptr && !CheckUnordered([&] { Visit(unordered.items, frame); })) return;
    Visit(unordered.items, frame);
  }

  /// Refuses an allocation that stores to a byte which the other one uses, in code without an
  /// order. Two scopes inside are in functions that run one after the other.
  template <class F>
  bool CheckUnordered(F&& run) {
    if (!is_open_[0] && !is_open_[1]) return true;
    UnorderedUses uses(state_.size());
    Collect(uses, run);
    const std::optional<size_t> clash = uses.FindClash();
    if (!clash) return !Done();
    LoseInClash(uses, *clash, {}, "the order of their accesses is not known");
    return false;
  }

  template <class F>
  void Collect(UnorderedUses& uses, F&& run) {
    uses_ = &uses;
    run();
    uses_ = nullptr;
    StepOverAll();
  }

  void VisitItem(const OpenItem& scope, Frame& frame) {
    const int who = WhoOpens(frame, scope.root);
    if (who < 0) return;
    scope_depth_[who] = frames_.size();
    is_open_[who] = true;
    if (uses_ == nullptr) Begin(who);
    frame.bindings[scope.root] = {{who, 0}};
  }

  void VisitItem(const CloseItem& scope, Frame& frame) {
    const int who = WhoOpens(frame, scope.root);
    if (who < 0) return;
    frame.bindings.erase(scope.root);
    if (At(who).goes_out) Load(who, 0, state_.size(), {});
    is_open_[who] = false;
    escaped_[who] = false;
    if (uses_ == nullptr) state_.Fill(who, PairState::kNothing);
  }

  /// The states at the begin of a scope. Before a run, the caller has written all inputs.
  void Begin(int who) {
    if (!At(who).is_entry_tensor) return state_.Fill(who, PairState::kNothing);
    state_.Fill(who, At(1 - who).comes_in ? PairState::kLost : PairState::kHeld);
  }

  void VisitItem(const CallItem& call, Frame& frame) {
    const PlacedFunction& callee = placed_.Find(call.callee->name);
    const std::vector<Bindings> bindings = BindingsOf(call, frame);
    const bool is_bound = std::any_of(bindings.begin(), bindings.end(),
                                      [](const Bindings& of) { return !of.empty(); });
    if (!is_bound && !Opens(callee)) return;
    if (uses_ == nullptr && call.callee->FindAttr(attr_key::kCompiler) != nullptr)
      return VisitExternal(callee, bindings, call.range);
    Enter(callee, bindings);
  }

  static std::vector<Bindings> BindingsOf(const CallItem& call, const Frame& frame) {
    std::vector<Bindings> all;
    const size_t count = std::min(call.arguments.size(), call.callee->func->params.size());
    for (size_t i = 0; i < count; ++i) all.push_back(BindingsOf(call.arguments[i], frame));
    return all;
  }

  static Bindings BindingsOf(const Pointer& pointer, const Frame& frame) {
    Bindings all;
    for (const PointsTo& to : pointer) {
      for (Binding binding : frame.Of(to.root)) {
        if (to.offset && binding.offset) {
          *binding.offset += Slot(frame, *to.offset);
        } else {
          binding.offset.reset();
        }
        all.push_back(binding);
      }
    }
    return all;
  }

  /// A function with code of its own: the body says what it accesses, but not in which order.
  void VisitExternal(const PlacedFunction& callee, const std::vector<Bindings>& bindings,
                     SourceRange range) {
    // Memory of the body is not memory of the code.
    if (!is_open_[0] && !is_open_[1]) return Enter(callee, bindings);
    UnorderedUses uses(state_.size());
    Collect(uses, [&] { Enter(callee, bindings); });
    const std::optional<size_t> clash = uses.FindClash();
    if (!clash) return Enter(callee, bindings);
    const std::optional<ExternalCode> code = ReadExternalCode(callee.function);
    if (!code || !IsInPlace(*code, bindings))
      return LoseInClash(uses, *clash, range, "the order of its code's accesses is not known");
    ApplyInPlace(uses, range);
  }

  /// Whether the generator declares that its code may store each byte of one over the other.
  bool IsInPlace(const ExternalCode& code, const std::vector<Bindings>& bindings) const {
    if (At(0).offset != At(1).offset) return false;
    return std::any_of(code.in_place.begin(), code.in_place.end(), [&](const auto& pair) {
      const auto of = [&](int index) -> const Binding* {
        const auto at = static_cast<size_t>(index);
        const bool is_one = index >= 0 && at < bindings.size() && bindings[at].size() == 1;
        return is_one ? bindings[at].data() : nullptr;
      };
      const Binding* x = of(pair.first);
      const Binding* y = of(pair.second);
      return x != nullptr && y != nullptr && x->who != y->who && x->offset == 0 && y->offset == 0;
    });
  }

  /// Each byte is loaded before it is stored.
  void ApplyInPlace(const UnorderedUses& uses, SourceRange range) {
    for (const int who : {0, 1}) {
      for (size_t i = 0; i < state_.size() && !Done(); ++i) {
        if (uses.Loads(who, i) && !uses.Stores(who, i)) Load(who, i, i + 1, range);
      }
    }
    for (const int who : {0, 1}) {
      for (size_t i = 0; i < state_.size() && !Done(); ++i) {
        if (uses.Stores(who, i)) Store(who, i, i + 1, true, range);
      }
    }
  }

  void VisitItem(const ExternItem& call, Frame& frame) {
    std::vector<Bindings> bindings;
    UnorderedUses uses(state_.size());
    for (const ExternItem::Argument& argument : call.arguments) {
      bindings.push_back(BindingsOf(argument.pointer, frame));
      for (const Binding& binding : bindings.back()) {
        UnorderedUses& to = uses_ != nullptr ? *uses_ : uses;
        if (argument.effect.reads) to.Add(binding.who, false, 0, state_.size());
        if (argument.effect.writes) to.Add(binding.who, true, 0, state_.size());
      }
    }
    StepOverAll();
    if (uses_ != nullptr) return;
    if (const std::optional<size_t> clash = uses.FindClash()) {
      const std::optional<ExternalCode> code = DeclaredExternal(call.name);
      if (code && IsInPlace(*code, bindings)) return ApplyInPlace(uses, call.range);
      return LoseInClash(uses, *clash, call.range, "the order of the code's accesses is not known");
    }
    for (const int who : {0, 1}) {
      if (state_.size() > 0 && uses.Loads(who, 0)) Load(who, 0, state_.size(), call.range);
    }
    StoreArguments(call, bindings);
  }

  void StoreArguments(const ExternItem& call, const std::vector<Bindings>& bindings) {
    for (size_t i = 0; i < bindings.size(); ++i) {
      const ArgumentEffect& effect = call.arguments[i].effect;
      if (!effect.writes) continue;
      for (const Binding& binding : bindings[i]) {
        const bool is_certain = effect.overwrites && bindings[i].size() == 1 && binding.offset;
        const int64_t first = is_certain ? PairByte(binding.who, *binding.offset) : 0;
        const auto size = static_cast<int64_t>(state_.size());
        const auto begin = static_cast<size_t>(std::clamp<int64_t>(first, 0, size));
        Store(binding.who, begin, state_.size(), is_certain, call.range);
      }
    }
  }

  std::optional<ExternalCode> DeclaredExternal(std::string_view name) const {
    for (ExternalCode& code : ReadDeclaredExternals(module_)) {
      if (code.symbol == name) return std::move(code);
    }
    for (const Function& function : module_.functions()) {
      std::optional<ExternalCode> code = ReadExternalCode(function);
      if (code && code->symbol == name) return code;
    }
    return std::nullopt;
  }

  void VisitItem(const EscapeItem& escape, Frame& frame) {
    StepOverAll();
    for (const Binding& binding : BindingsOf(escape.pointer, frame)) {
      Load(binding.who, 0, state_.size(), escape.range);
      Store(binding.who, 0, state_.size(), false, escape.range);
      if (uses_ == nullptr) escaped_[binding.who] = true;
    }
  }

  void VisitItem(const LeaveItem& leave, Frame& frame) {
    if (uses_ != nullptr) return;
    // The run ends here: what the caller needs must be there.
    for (const int who : {0, 1}) {
      if (frames_.size() == 1 && !leave.fails && is_open_[who] && At(who).goes_out)
        Load(who, 0, state_.size(), {});
    }
    frame.has_left = true;
  }

  const IRModule& module_;
  const PlacedModule& placed_;
  ValueWatch& watch_;
  const int64_t limit_;
  const int32_t pair_[2];
  /// The address of the first shared byte in the pool.
  int64_t begin_ = 0;
  PairState state_{0};
  Detail detail_ = Detail::kAll;
  int victim_ = kEither;
  std::vector<Frame*> frames_;
  bool is_open_[2] = {false, false};
  bool escaped_[2] = {false, false};
  /// The number of frames when the scope of an allocation began.
  size_t scope_depth_[2] = {0, 0};
  /// Loops around this point whose counters are used: iterations differ.
  int counted_loops_ = 0;
  /// Not null while accesses are only collected.
  UnorderedUses* uses_ = nullptr;
  int64_t steps_ = 0;
  Outcome outcome_ = Outcome::kKept;
  LostValue lost_;
  size_t lost_byte_ = 0;
  size_t watched_ = SIZE_MAX;
  /// The last store of each allocation to that byte.
  SourceRange last_store_[2];
};

}  // namespace

std::vector<int64_t>& ValueWatch::SlotsOf(const PlacedFunction& function) {
  const auto [at, is_new] = slots_.try_emplace(function.function.name);
  if (is_new) at->second = std::make_unique<std::vector<int64_t>>(function.program.slots);
  return *at->second;
}

const absl::StatusOr<AccessTrace>& ValueWatch::TraceOf(const Function& callee, size_t first_param,
                                                       int64_t first_bytes, size_t second_param,
                                                       int64_t second_bytes) {
  const auto key =
      std::make_tuple(callee.name, first_param, second_param, first_bytes, second_bytes);
  const auto found = traces_.find(key);
  if (found != traces_.end()) return found->second;
  // A trace follows no calls.
  const Function whole = WithCalleesInlined(module_, callee);
  const auto buffer = [&](size_t param, int64_t bytes) {
    const Buffer* of = whole.func->buffers[param];
    return FunctionBuffer{of != nullptr ? of->data : whole.func->params[param], bytes};
  };
  const FunctionBuffer buffers[] = {buffer(first_param, first_bytes),
                                    buffer(second_param, second_bytes)};
  return traces_
      .emplace(key, AccessTrace::Of(*whole.func, buffers, {.max_steps = options_.max_steps}))
      .first->second;
}

absl::StatusOr<std::optional<LostValue>> ValueWatch::Find(int32_t a, int32_t b) {
  using Detail = PairWalker::Detail;
  const auto walk = [&] { return PairWalker(module_, placed_, *this, a, b, steps_left_); };
  const auto run = [&](auto&& walker, auto... how) {
    const Outcome outcome = walker.Run(how...);
    steps_left_ = std::max<int64_t>(steps_left_ - walker.steps(), 0);
    return outcome;
  };
  const auto keeps = [&](int victim) {
    return run(walk(), Detail::kBoth, victim) == Outcome::kKept ||
           run(walk(), Detail::kVictim, victim) == Outcome::kKept;
  };
  if (run(walk(), Detail::kBoth) == Outcome::kKept) return std::nullopt;
  if (keeps(0) && keeps(1)) return std::nullopt;
  PairWalker exact = walk();
  const Outcome outcome = run(exact, Detail::kAll);
  if (outcome == Outcome::kKept) return std::nullopt;
  if (outcome == Outcome::kTooLong) return absl::ResourceExhaustedError("too many steps");
  // A second run finds the store that overwrites this byte. It takes no more steps than the first.
  PairWalker again(module_, placed_, *this, a, b, options_.max_steps);
  again.Watch(exact.lost_byte());
  again.Run(Detail::kAll);
  return again.lost();
}

}  // namespace tenon
