// Follows the entry on a clock of its own, with calls expanded, and notes which allocations are in
// use at each tick. A sweep over these stretches finds the pairs that meet.

#include "passes/memory/placed_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "ir/analysis/stack_arrays.h"
#include "ir/attributes.h"
#include "ir/extents.h"
#include "ir/memory_pools.h"
#include "ir/overlaps.h"

namespace tenon {

namespace {

/// The largest number of items, with calls expanded, that are visited.
constexpr int64_t kMostItems = 20'000'000;

/// The role of an entry tensor that create-io-allocates moved into the workspace, or an empty text.
std::string_view RoleOf(const MapAttr* annotations) {
  const auto* note = annotations == nullptr
                         ? nullptr
                         : dyn_cast_or_null<ArrayAttr>(annotations->Find(attr_key::kEntryTensor));
  const auto* role = note == nullptr || note->items.empty() ? nullptr : AsString(note->items[0]);
  return role == nullptr ? std::string_view() : *role;
}

}  // namespace

/// Follows the calls of the entry. The clock counts items.
class ModuleUnfolder {
 public:
  ModuleUnfolder(const IRModule& module, PlacedModule& result, Diagnostics& diagnostics)
      : module_(module), result_(result), diagnostics_(diagnostics) {}

  bool Run(const Function& entry) {
    result_.entry_ = entry.name;
    Enter(entry, {});
    if (!ok_) return false;
    if (refused_ != nullptr && HasPlaces()) {
      const Function& function = refused_->function;
      Fail(function.func->range, fmt::format("the accesses of `{}` cannot be followed: {}",
                                             function.name.view(), refused_->program.refusal));
      return false;
    }
    for (auto& [name, placed] : result_.functions_) NoteCalls(*placed);
    FindMeetings();
    return true;
  }

 private:
  /// A run of an allocation's scope. It counts as in use from its first to its last access.
  struct Instance {
    int32_t allocation = 0;
    int64_t first = -1;
    int64_t last = -1;
    bool escaped = false;
  };

  /// The scopes that a pointer may point into, by their numbers among the open ones.
  struct Target {
    int32_t instance = 0;
    bool is_start = false;
    bool operator<(const Target& other) const { return instance < other.instance; }
  };
  using Targets = std::vector<Target>;

  /// A function that is being run: what its roots point to.
  struct Frame {
    PlacedFunction& placed;
    std::vector<Targets> targets;
  };
  /// A stretch of the clock in which an allocation counts as in use.
  struct Hull {
    int64_t first = 0;
    int64_t last = 0;
    int32_t allocation = 0;
  };

  void Fail(SourceRange range, const std::string& text) {
    if (ok_) diagnostics_.Error(DiagnosticKind::kPass, range, text);
    ok_ = false;
  }

  bool HasPlaces() const {
    return std::any_of(result_.allocations_.begin(), result_.allocations_.end(),
                       [](const PlacedAllocation& at) { return at.is_workspace(); });
  }

  PlacedFunction& Compiled(const Function& function) {
    std::unique_ptr<PlacedFunction>& placed = result_.functions_[function.name];
    if (placed != nullptr) return *placed;
    placed = std::make_unique<PlacedFunction>(module_, function);
    if (!placed->program.refusal.empty() && refused_ == nullptr) refused_ = placed.get();
    return *placed;
  }

  void Enter(const Function& function, std::vector<Targets> arguments) {
    if (!ok_) return;
    if (!active_.insert(function.name).second)
      return Fail(
          function.func->range,
          fmt::format("`{}` calls itself; its memory cannot be verified", function.name.view()));
    PlacedFunction& placed = Compiled(function);
    const bool is_first = entered_.insert(function.name).second;
    Frame frame{placed, std::move(arguments)};
    frame.targets.resize(static_cast<size_t>(placed.program.roots));
    frames_.push_back(&frame);
    if (ok_) Visit(placed.program.items, frame);
    frames_.pop_back();
    active_.erase(function.name);
    if (is_first && !frames_.empty()) NoteInCaller(placed, frames_.back()->placed);
  }

  static void NoteInCaller(const PlacedFunction& callee, PlacedFunction& caller) {
    caller.reaches.insert(callee.reaches.begin(), callee.reaches.end());
    caller.escapes |= callee.escapes;
  }

  /// Notes which items of a function lead to which allocations of its callees.
  void NoteCalls(PlacedFunction& placed) const {
    for (size_t i = 0; i < placed.program.items.size(); ++i) {
      absl::flat_hash_set<int32_t> reached;
      AddReached(placed.program.items[i], reached);
      for (const int32_t allocation : reached) placed.calls_to[allocation].push_back(i);
    }
  }

  void AddReached(const Item& item, absl::flat_hash_set<int32_t>& reached) const {
    if (!item.calls) return;
    const auto inside = [&](const Items& items) {
      for (const Item& child : items) AddReached(child, reached);
    };
    if (const auto* call = std::get_if<CallItem>(&item.what)) {
      const auto& of = result_.Find(call->callee->name).reaches;
      reached.insert(of.begin(), of.end());
    } else if (const auto* loop = std::get_if<LoopItem>(&item.what)) {
      inside(loop->items);
    } else if (const auto* unordered = std::get_if<UnorderedItem>(&item.what)) {
      inside(unordered->items);
    } else if (const auto* branch = std::get_if<BranchItem>(&item.what)) {
      inside(branch->then_items);
      inside(branch->else_items);
    }
  }

  void Visit(const Items& items, Frame& frame) {
    for (const Item& item : items) {
      if (!ok_) return;
      std::visit([&](const auto& what) { VisitItem(what, frame); }, item.what);
    }
  }

  void Tick(SourceRange range) {
    if (++now_ > kMostItems)
      Fail(range, fmt::format("calls unfold to more than {} accesses; memory cannot be verified",
                              kMostItems));
  }

  void Touch(const Pointer& pointer, const Frame& frame) {
    for (const PointsTo& to : pointer) {
      for (const Target& target : frame.targets[static_cast<size_t>(to.root)]) Use(target.instance);
    }
  }
  void Use(int32_t number) {
    Instance& instance = open_[static_cast<size_t>(number)];
    if (instance.last < start_) used_.push_back(number);
    if (instance.first < 0) instance.first = now_;
    instance.last = now_;
  }

  void VisitItem(const AccessItem& access, Frame& frame) {
    Tick(access.range);
    Touch(access.pointer, frame);
  }

  void VisitItem(const LoopItem& loop, Frame& frame) {
    const bool is_parallel = loop.order == LoopOrder::kParallel;
    parallel_depth_ += is_parallel ? 1 : 0;
    // Values may be carried from one iteration to the next.
    VisitTogether(loop.items, frame);
    parallel_depth_ -= is_parallel ? 1 : 0;
  }

  /// Visits items as one event: what one of them uses counts as in use in all of them.
  void VisitTogether(const Items& items, Frame& frame) {
    const auto count = static_cast<int32_t>(open_.size());
    const size_t logged = used_.size();
    const int64_t start = ++now_;
    const int64_t outer_start = std::exchange(start_, start);
    Visit(items, frame);
    start_ = outer_start;
    ++now_;
    const auto here = used_.begin() + static_cast<std::ptrdiff_t>(logged);
    std::sort(here, used_.end());
    used_.erase(std::unique(here, used_.end()), used_.end());
    while (used_.size() > logged && used_.back() >= count) used_.pop_back();
    for (size_t i = logged; i < used_.size(); ++i) {
      Instance& instance = open_[static_cast<size_t>(used_[i])];
      instance.first = std::min(instance.first, start);
      instance.last = now_;
    }
  }

  void VisitItem(const BranchItem& branch, Frame& frame) {
    Visit(branch.then_items, frame);
    Visit(branch.else_items, frame);
  }

  void VisitItem(const UnorderedItem& unordered, Frame& frame) {
    VisitTogether(unordered.items, frame);
  }

  void VisitItem(const ExternItem& call, Frame& frame) {
    Tick(call.range);
    for (const ExternItem::Argument& argument : call.arguments) Touch(argument.pointer, frame);
  }

  void VisitItem(const EscapeItem& escape, Frame& frame) {
    Tick(escape.range);
    Touch(escape.pointer, frame);
    frame.placed.escapes = true;
    for (const PointsTo& to : escape.pointer) {
      for (const Target& target : frame.targets[static_cast<size_t>(to.root)])
        open_[static_cast<size_t>(target.instance)].escaped = true;
    }
  }

  void VisitItem(const LeaveItem&, Frame&) {}

  void VisitItem(const OpenItem& scope, Frame& frame) {
    const int32_t allocation = AllocationOf(scope, frame.placed);
    const PlacedAllocation& at = result_.At(allocation);
    frame.placed.reaches.insert(allocation);
    if (at.is_workspace()) NoteOwnMemory(allocation);
    if (at.is_workspace() && parallel_depth_ > 0) result_.concurrent_.insert(allocation);
    // Inputs and outputs of the entry exist all the time, as far as this count can tell.
    if (!at.is_entry_tensor) ++now_;
    const auto number = static_cast<int32_t>(open_.size());
    open_.push_back({allocation, -1, -1, false});
    if (at.is_entry_tensor) Use(number);
    frame.targets[static_cast<size_t>(scope.root)] = {{number, true}};
  }

  void VisitItem(const CloseItem& scope, Frame& frame) {
    Instance& instance = open_.back();
    const PlacedAllocation& at = result_.At(instance.allocation);
    if (at.goes_out || instance.escaped) {
      ++now_;
      Use(static_cast<int32_t>(open_.size()) - 1);
    }
    if (at.is_workspace() && instance.first >= 0)
      hulls_.push_back({instance.first, instance.last, instance.allocation});
    frame.targets[static_cast<size_t>(scope.root)].clear();
    open_.pop_back();
  }

  void VisitItem(const CallItem& call, Frame& frame) {
    const Function& callee = *call.callee;
    std::vector<Targets> targets = TargetsOf(call, frame);
    NoteArguments(callee, targets);
    const auto known = result_.functions_.find(callee.name);
    const bool is_entered = entered_.contains(callee.name) && !active_.contains(callee.name);
    // A function without calls and memory of its own is one event.
    if (is_entered && known->second->IsPlain()) {
      Tick(call.range);
      for (const Targets& of : targets) {
        for (const Target& target : of) Use(target.instance);
      }
      return;
    }
    if (is_entered) NoteInCaller(*known->second, frame.placed);
    Enter(callee, std::move(targets));
  }

  static std::vector<Targets> TargetsOf(const CallItem& call, const Frame& frame) {
    std::vector<Targets> all;
    const size_t count = std::min(call.arguments.size(), call.callee->func->params.size());
    for (size_t i = 0; i < count; ++i) {
      Targets& targets = all.emplace_back();
      for (const PointsTo& to : call.arguments[i]) {
        for (Target target : frame.targets[static_cast<size_t>(to.root)]) {
          target.is_start &= to.is_start;
          targets.push_back(target);
        }
      }
      std::sort(targets.begin(), targets.end());
    }
    return all;
  }

  /// Notes what a call's arguments share.
  void NoteArguments(const Function& callee, const std::vector<Targets>& targets) {
    for (size_t i = 0; i < targets.size(); ++i) {
      for (size_t j = i + 1; j < targets.size(); ++j) {
        for (const Target& x : targets[i]) {
          for (const Target& y : targets[j]) NotePair(callee, i, x, j, y);
        }
      }
    }
  }

  void NotePair(const Function& callee, size_t i, const Target& x, size_t j, const Target& y) {
    const int32_t a = open_[static_cast<size_t>(x.instance)].allocation;
    const int32_t b = open_[static_cast<size_t>(y.instance)].allocation;
    if (a == b || !result_.At(a).is_workspace() || !result_.At(b).is_workspace()) return;
    if (x.is_start && y.is_start) {
      AddCall({a, b}, {&callee, i, j});
      AddCall({b, a}, {&callee, j, i});
    }
    if (result_.ShareBytes(a, b) && AreNoAliasParams(*callee.func, i, j))
      result_.shared_arguments_.push_back({module_.Find(callee.name), i, a, b, j});
  }

  void AddCall(std::pair<int32_t, int32_t> pair, const CallOfPair& call) {
    std::vector<CallOfPair>& calls = result_.calls_of_[pair];
    for (const CallOfPair& known : calls) {
      if (known.callee == call.callee && known.first_param == call.first_param &&
          known.second_param == call.second_param)
        return;
    }
    calls.push_back(call);
  }

  /// Notes running functions whose arguments share bytes with memory that one of them opens.
  void NoteOwnMemory(int32_t own) {
    for (const Frame* frame : frames_) {
      const Function& function = frame->placed.function;
      if (!IsNoAlias(*function.func)) continue;
      for (size_t i = 0; i < function.func->params.size(); ++i) {
        for (const Target& target : frame->targets[i]) {
          const int32_t argument = open_[static_cast<size_t>(target.instance)].allocation;
          if (!result_.At(argument).is_workspace() || !result_.ShareBytes(argument, own)) continue;
          const auto noted = ReadPoolOverlaps(*function.func);
          const ParamAndPool pair(static_cast<int64_t>(i), result_.At(own).pool);
          if (!std::binary_search(noted.begin(), noted.end(), pair))
            result_.shared_arguments_.push_back(
                {module_.Find(function.name), i, argument, own, std::nullopt});
        }
      }
    }
  }

  /// The allocation of a scope, which is new in the first run of its function.
  int32_t AllocationOf(const OpenItem& scope, PlacedFunction& placed) {
    int32_t& known = placed.allocation_of[static_cast<size_t>(scope.root)];
    if (known >= 0) return known;
    known = static_cast<int32_t>(result_.allocations_.size());
    const auto* allocate = dyn_cast<Allocate>(scope.stmt);
    const auto* constant = dyn_cast<AllocateConst>(scope.stmt);
    const Var* var = allocate != nullptr ? allocate->buffer_var : constant->buffer_var;
    const MapAttr* notes = allocate != nullptr ? allocate->annotations : constant->annotations;
    const std::optional<int64_t> bytes = allocate != nullptr
                                             ? StaticBytes(allocate->dtype, allocate->extents)
                                             : StaticBytes(constant->dtype, constant->extents);
    PlacedAllocation& made = result_.allocations_.emplace_back();
    made.stmt = scope.stmt;
    made.function = placed.function.name;
    made.root = scope.root;
    made.size_bytes = bytes.value_or(0);
    if (constant != nullptr) made.data = constant->data;
    const bool may_be_planned = bytes && IsPoolScope(var->type->scope) &&
                                (allocate == nullptr || IsConstInt(allocate->condition, 1));
    if (may_be_planned) made.name = UniqueName(var->name.view());
    if (const std::optional<PlacementNote> place = ReadPlacement(notes);
        place && !ReadPoolElsewhere(notes)) {
      made.pool = place->pool;
      made.offset = place->offset;
    }
    const std::string_view role = RoleOf(notes);
    const auto has = [&](std::string_view key) {
      return notes != nullptr && notes->Find(key) != nullptr;
    };
    made.comes_in = has(attr_key::kInputTensor) || role == "input";
    made.goes_out = has(attr_key::kOutputTensor) || role == "output";
    made.is_entry_tensor = made.comes_in || made.goes_out;
    return known;
  }

  std::string UniqueName(std::string_view base) {
    const int64_t count = ++names_[std::string(base)];
    return count == 1 ? std::string(base) : fmt::format("{}{}", base, count);
  }

  /// Sweeps along the clock: a module has thousands of allocations, but few are in use at once.
  void FindMeetings() {
    std::stable_sort(hulls_.begin(), hulls_.end(),
                     [](const Hull& a, const Hull& b) { return a.first < b.first; });
    std::vector<Hull> live;
    for (const Hull& now : hulls_) {
      std::erase_if(live, [&](const Hull& past) { return past.last < now.first; });
      for (const Hull& other : live) {
        if (other.allocation != now.allocation &&
            result_.ShareBytes(other.allocation, now.allocation))
          result_.meetings_.insert(std::minmax(other.allocation, now.allocation));
      }
      live.push_back(now);
    }
  }

  const IRModule& module_;
  PlacedModule& result_;
  Diagnostics& diagnostics_;
  absl::flat_hash_set<Symbol> active_;
  absl::flat_hash_set<Symbol> entered_;
  std::vector<Frame*> frames_;
  std::vector<Instance> open_;
  /// The instances that the current loops and expressions use, and the start of the innermost one.
  std::vector<int32_t> used_;
  int64_t start_ = -1;
  std::vector<Hull> hulls_;
  absl::flat_hash_map<std::string, int64_t> names_;
  int parallel_depth_ = 0;
  /// The first function whose accesses cannot be followed, or null.
  const PlacedFunction* refused_ = nullptr;
  int64_t now_ = 0;
  bool ok_ = true;
};

std::optional<PlacedModule> PlacedModule::Of(const IRModule& module, const Function& entry,
                                             Diagnostics& diagnostics) {
  PlacedModule result;
  if (!ModuleUnfolder(module, result, diagnostics).Run(entry)) return std::nullopt;
  return result;
}

PlacedFunction::PlacedFunction(const IRModule& module, const Function& of)
    : function(of), program(module, of) {
  allocation_of.assign(static_cast<size_t>(program.roots), -1);
  for (size_t i = 0; i < program.items.size(); ++i) {
    for (const PointerRoot root : program.items[i].roots) mentions[root].push_back(i);
    if (program.items[i].leaves) leaves.push_back(i);
  }
}

bool PlacedFunction::IsPlain() const {
  return reaches.empty() && !escapes &&
         std::none_of(program.items.begin(), program.items.end(),
                      [](const Item& item) { return item.calls; });
}

bool PlacedAllocation::has_place() const {
  return !pool.empty() && offset >= 0 && offset <= kMostPoolSize && size_bytes <= kMostPoolSize;
}

std::vector<int32_t> PlacedModule::Named(std::string_view name) const {
  std::vector<int32_t> named;
  for (size_t i = 0; i < allocations_.size(); ++i) {
    if (allocations_[i].name == name) named.push_back(static_cast<int32_t>(i));
  }
  return named;
}

const std::vector<CallOfPair>& PlacedModule::CallsOf(int32_t first, int32_t second) const {
  static const std::vector<CallOfPair> none;
  const auto found = calls_of_.find({first, second});
  return found == calls_of_.end() ? none : found->second;
}

bool PlacedModule::ShareBytes(int32_t a, int32_t b) const {
  const PlacedAllocation& x = At(a);
  const PlacedAllocation& y = At(b);
  return x.pool == y.pool && x.offset < y.offset + y.size_bytes &&
         y.offset < x.offset + x.size_bytes;
}

}  // namespace tenon
