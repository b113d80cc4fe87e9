// One walk over the nodes checks all wanted forms, and keeps the first gap of each, so that an
// error has a place. A form that was found missing is not looked for again.

#include "passes/pipeline/form.h"

#include <algorithm>
#include <bit>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/stack_arrays.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/loaded_constants.h"
#include "ir/memory_pools.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

constexpr std::string_view kNames[] = {"no-blocks",    "flat",    "serial-loops",
                                       "direct-calls", "scalar",  "pools-assigned",
                                       "planned",      "offsets", "small-stack"};

bool IsWide(DataType dtype) { return dtype.lanes() > 1 || dtype.is_scalable(); }

bool IsFlatBuffer(const Buffer& buffer) {
  const bool unit_strides =
      buffer.strides.empty() || (buffer.strides.size() == 1 && IsConstInt(buffer.strides[0], 1));
  return buffer.shape.size() == 1 && unit_strides && IsConstInt(buffer.elem_offset, 0) &&
         !buffer.dtype.is_bool() && buffer.axis_separators.empty();
}

bool HasCandidates(const MapAttr* annotations) {
  if (annotations == nullptr) return false;
  const auto* list =
      dyn_cast_or_null<ArrayAttr>(annotations->Find(attr_key::kCandidateMemoryPools));
  return (list != nullptr && !list->items.empty()) || ReadLoadPool(annotations).has_value();
}

/// Checks every node for properties that a form excludes.
class GapFinder {
 public:
  GapFinder(const IRModule& module, FormSet wanted) : module_(module), left_(wanted) {}

  std::vector<FormGap> Find() {
    if (left_.Has(ModuleForm::kSmallStack)) {
      const Stmt* beyond = FirstBeyondStack(module_);
      if (beyond != nullptr)
        Found(ModuleForm::kSmallStack, beyond, "scratch that is too large for the stack");
      left_.Remove(ModuleForm::kSmallStack);
    }
    for (const Function& function : module_.functions()) {
      if (left_.empty()) break;
      // The entry's signature keeps the buffers of its parameters: only accesses must be flat.
      Walk(function.func, [&](const Node* node) {
        if (!left_.empty()) Look(node);
        return !left_.empty();
      });
    }
    if (left_.Has(ModuleForm::kPoolsAssigned) && unassigned_ != nullptr && !assigned_) {
      Found(ModuleForm::kPoolsAssigned, unassigned_, "an allocation without candidate pools");
    }
    if (left_.Has(ModuleForm::kPlanned)) FindUnplanned();
    std::sort(gaps_.begin(), gaps_.end(),
              [](const FormGap& a, const FormGap& b) { return a.form < b.form; });
    return std::move(gaps_);
  }

 private:
  void Found(ModuleForm form, const Node* node, std::string_view what) {
    if (!left_.Has(form)) return;
    left_.Remove(form);
    gaps_.push_back({form, node->range, what});
  }

  void Look(const Node* node) {
    if (left_.Has(ModuleForm::kScalar)) LookAtLanes(node);
    switch (node->kind) {
      case NodeKind::kBlock:
      case NodeKind::kBlockRealize:
        return Found(ModuleForm::kNoBlocks, node, "a block");
      case NodeKind::kDeclBuffer:
        return Found(ModuleForm::kFlat, node, "a declared buffer");
      case NodeKind::kPrefetch:
        // Passes that remove an allocation look only for loads of it.
        if (cast<Prefetch>(node)->bounds.size() != 1 ||
            allocated_.contains(cast<Prefetch>(node)->buffer->data))
          Found(ModuleForm::kFlat, node, "a prefetch of several dimensions or of an allocation");
        return;
      case NodeKind::kBufferLoad: {
        const auto* load = cast<BufferLoad>(node);
        return LookAtAccess(node, *load->buffer, load->indices.size());
      }
      case NodeKind::kBufferStore: {
        const auto* store = cast<BufferStore>(node);
        return LookAtAccess(node, *store->buffer, store->indices.size());
      }
      case NodeKind::kFor:
        if (cast<For>(node)->for_kind == ForKind::kParallel)
          Found(ModuleForm::kSerialLoops, node, "a parallel loop");
        return;
      case NodeKind::kAllocate:
        allocated_.insert(cast<Allocate>(node)->buffer_var);
        return LookAtAllocate(*cast<Allocate>(node));
      case NodeKind::kAllocateConst:
        return LookAtAllocation(*cast<AllocateConst>(node));
      case NodeKind::kCall:
        return LookAtCall(cast<Call>(node));
      default:
        return;
    }
  }

  void LookAtLanes(const Node* node) {
    bool wide = false;
    if (isa<Expr>(node)) wide = IsWide(static_cast<const Expr*>(node)->dtype);
    if (const auto* buffer = dyn_cast<Buffer>(node)) wide |= IsWide(buffer->dtype);
    if (const auto* loop = dyn_cast<For>(node)) wide |= loop->for_kind == ForKind::kVectorized;
    if (wide) Found(ModuleForm::kScalar, node, "a vector");
  }

  void LookAtAccess(const Node* node, const Buffer& buffer, size_t indices) {
    if (indices != 1 || !IsFlatBuffer(buffer))
      Found(ModuleForm::kFlat, node, "an access that is not to a flat buffer");
  }

  void LookAtAllocate(const Allocate& allocate) {
    LookAtAllocation(allocate);
    if (allocate.dtype.is_bool()) Found(ModuleForm::kFlat, &allocate, "an allocation of bools");
    const bool noted = allocate.annotations != nullptr &&
                       allocate.annotations->Find(attr_key::kCandidateMemoryPools) != nullptr;
    if (!noted && unassigned_ == nullptr) unassigned_ = &allocate;
  }

  template <class T>
  void LookAtAllocation(const T& allocate) {
    if (allocate.extents.size() != 1)
      Found(ModuleForm::kFlat, &allocate, "an allocation that does not have one extent");
    assigned_ |= HasCandidates(allocate.annotations);
    if (left_.Has(ModuleForm::kOffsets) && ReadPlacement(allocate.annotations))
      Found(ModuleForm::kOffsets, &allocate, "an allocation that has a place in a pool");
  }

  void LookAtCall(const Call* call) {
    const OpKind kind = call->op->kind;
    if (!left_.Has(ModuleForm::kDirectCalls) ||
        (kind != OpKind::kCallPacked && kind != OpKind::kCallCPacked))
      return;
    const CallSite site = AsCallSite(module_, call);
    if (site.call == nullptr || site.callee == nullptr) return;
    const size_t wanted = site.callee->func->params.size();
    const size_t count = site.args.size();
    // Only the C convention passes a resource handle that the callee need not declare.
    if (count == wanted || (kind == OpKind::kCallCPacked && count == wanted + 1))
      Found(ModuleForm::kDirectCalls, call, "a packed call of a function of the module");
  }

  /// An allocation of the entry that plan-memory would place. Allocations of callees are not
  /// checked, since that needs the call graph.
  void FindUnplanned() {
    const Function* entry = module_.Main();
    if (entry == nullptr || module_.attrs()->Find(attr_key::kMemoryPlan) != nullptr) return;
    const Allocate* unplanned = nullptr;
    bool placed = false;
    Walk(entry->func->body, [&](const Node* node) {
      if (LeavesScratchAlone(node)) return false;
      const auto* allocate = dyn_cast<Allocate>(node);
      if (allocate == nullptr) return !isa<Expr>(node);
      placed |= ReadPlacement(allocate->annotations).has_value();
      if (unplanned == nullptr && IsPlannable(*allocate)) unplanned = allocate;
      return true;
    });
    if (unplanned != nullptr && !placed)
      Found(ModuleForm::kPlanned, unplanned, "an allocation that has no place yet");
  }

  /// True for loops whose iterations may run at the same time.
  static bool LeavesScratchAlone(const Node* node) {
    if (!Stmt::ClassOf(node)) return false;
    const auto* loop = dyn_cast<For>(node);
    return RunsInLockstep(static_cast<const Stmt*>(node)) ||
           (loop != nullptr && loop->for_kind == ForKind::kParallel);
  }

  static bool IsPlannable(const Allocate& allocate) {
    if (!IsConstInt(allocate.condition, 1) || !IsPoolScope(allocate.buffer_var->type->scope))
      return false;
    return StaticBytes(allocate.dtype, allocate.extents).value_or(0) > 0 &&
           !ReadCandidates(allocate.annotations).empty();
  }

  const IRModule& module_;
  FormSet left_;
  std::vector<FormGap> gaps_;
  absl::flat_hash_set<const Var*> allocated_;
  const Node* unassigned_ = nullptr;
  bool assigned_ = false;
};

}  // namespace

std::vector<ModuleForm> AllForms() {
  std::vector<ModuleForm> forms;
  for (size_t bit = 0; bit < std::size(kNames); ++bit)
    forms.push_back(static_cast<ModuleForm>(1U << bit));
  return forms;
}

std::string_view FormName(ModuleForm form) {
  return kNames[std::countr_zero(static_cast<uint16_t>(form))];
}

std::string FormNames(FormSet forms) {
  std::string names;
  for (const ModuleForm form : AllForms()) {
    if (!forms.Has(form)) continue;
    if (!names.empty()) names += ", ";
    names += FormName(form);
  }
  return names;
}

std::vector<FormGap> FindGaps(const IRModule& module, FormSet wanted) {
  if (wanted.empty()) return {};
  return GapFinder(module, wanted).Find();
}

}  // namespace tenon
