// All calls of an operator must pass a constant in the same layout. So the required layouts are
// collected first, and conflicting ones are dropped until all others agree.

#include "byoc/generators/blas_updater.h"

#include <algorithm>
#include <map>

#include "byoc/generators/blas_operator.h"

namespace tenon {

namespace {

/// The constants of one operator, in the layout that it needs.
struct Wish {
  const OpCall* call = nullptr;
  std::vector<PackedOperand> packed;
};

/// The claim of an operator whose constants have a new layout.
OpInfo RepackedClaim(const Wish& wish) {
  OpInfo info = wish.call->op.info;
  for (const PackedOperand& packed : wish.packed) {
    for (ComputationAccess& access : info.computation.accesses) {
      if (access.operand == packed.operand) access.element = packed.element;
    }
    info.computation.operands[static_cast<size_t>(packed.operand)].elements = packed.elements;
  }
  return info;
}

/// Collects the layouts that the operators of one external function require.
class FunctionUpdate {
 public:
  FunctionUpdate(const IRModule& module, const Function& function)
      : module_(module), external_(ReadExternalFunction(module, function)) {}

  ConstantUpdate Run() {
    ConstantUpdate update;
    if (!external_.ops) return update;
    for (const OpCall& call : *external_.ops) AskFor(call);
    for (bool changed = true; changed;) changed = DropConflicts();
    std::map<int, const PackedOperand*> now_of;
    for (const Wish& wish : wishes_) {
      for (const PackedOperand& packed : wish.packed)
        now_of.emplace(ConstantIndex(*wish.call, packed), &packed);
      AddCallee(module_, external_, *wish.call, RepackedClaim(wish), update);
    }
    for (const auto& [index, packed] : now_of) {
      const DataType dtype = external_.constants[static_cast<size_t>(index)].constant->dtype();
      AddConstant(external_, index, "matrix", dtype, packed->bytes, update);
    }
    return update;
  }

 private:
  void AskFor(const OpCall& call) {
    const OpInfo& info = call.op.info;
    if (call.op.function == nullptr || !CanMakeBlasCalls(info).yes) return;
    Storage storage;
    NodeBuilder builder(module_.context(), storage.arena());
    OperatorToMake op{info, {}, {}};
    for (const ComputationOperand& operand : info.computation.operands) {
      // Constants of the operator itself that can be packed are already arguments.
      if (operand.constant) return;
      op.operands.push_back(FlatOperand(builder, operand, ElementsOf(info, operand)));
      op.constants.push_back(ConstantOf(external_, call, operand));
    }
    Wish wish{&call, PackedOperandsOf(builder, op)};
    if (!wish.packed.empty()) wishes_.push_back(std::move(wish));
  }

  static int ConstantIndex(const OpCall& call, const PackedOperand& packed) {
    const ComputationOperand& operand =
        call.op.info.computation.operands[static_cast<size_t>(packed.operand)];
    return call.args[static_cast<size_t>(operand.index)].index;
  }

  /// Drops the layouts of an operator if another argument needs one of its constants in another
  /// layout. True if it dropped one.
  bool DropConflicts() {
    for (const OpCall& call : *external_.ops) {
      const Wish* wish = WishOf(call);
      for (size_t i = 0; i < call.args.size(); ++i) {
        if (call.args[i].kind != OpArgument::Kind::kConstant) continue;
        const PackedOperand* own = wish == nullptr ? nullptr : PackedAt(*wish, i);
        for (const Wish& other : wishes_) {
          for (const PackedOperand& packed : other.packed) {
            if (ConstantIndex(*other.call, packed) != call.args[i].index) continue;
            if (own != nullptr && own->bytes == packed.bytes) continue;
            Drop(other.call->op.name);
            return true;
          }
        }
      }
      // Either all calls of an operator are packed, or none of them.
      if (wish != nullptr) continue;
      const bool is_wished = std::any_of(wishes_.begin(), wishes_.end(), [&](const Wish& other) {
        return other.call->op.name == call.op.name;
      });
      if (!is_wished) continue;
      Drop(call.op.name);
      return true;
    }
    return false;
  }

  void Drop(std::string_view op) {
    std::erase_if(wishes_, [&](const Wish& wish) { return wish.call->op.name == op; });
  }

  const Wish* WishOf(const OpCall& call) const {
    for (const Wish& wish : wishes_) {
      if (wish.call == &call) return &wish;
    }
    return nullptr;
  }

  static const PackedOperand* PackedAt(const Wish& wish, size_t arg) {
    for (const PackedOperand& packed : wish.packed) {
      const ComputationOperand& operand =
          wish.call->op.info.computation.operands[static_cast<size_t>(packed.operand)];
      if (static_cast<size_t>(operand.index) == arg) return &packed;
    }
    return nullptr;
  }

  const IRModule& module_;
  ExternalFunction external_;
  std::vector<Wish> wishes_;
};

}  // namespace

std::optional<ConstantUpdate> BlasUpdater::UpdateIn(const IRModule& module,
                                                    const Function& function,
                                                    std::span<const FunctionConstant>,
                                                    Diagnostics&) const {
  return FunctionUpdate(module, function).Run();
}

}  // namespace tenon
