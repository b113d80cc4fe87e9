#ifndef TENON_PASSES_PIPELINE_FORM_H_
#define TENON_PASSES_PIPELINE_FORM_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace tenon {

/// A property of a module that passes need or give. FindGaps checks it.
enum class ModuleForm : uint16_t {
  /// No Block and no BlockRealize.
  kNoBlocks = 1 << 0,
  /// Every access has one index, to a buffer of one dimension without strides, offset or bools.
  /// Allocations have one extent. No DeclBuffer. No Prefetch of allocations.
  kFlat = 1 << 1,
  /// No parallel loop. Thread-bound loops may stay.
  kSerialLoops = 1 << 2,
  /// No packed call of a function of the module with arguments that match the parameters.
  kDirectCalls = 1 << 3,
  /// No value, buffer or pointer with lanes, and no vectorized loop.
  kScalar = 1 << 4,
  /// Some allocation has candidate pools, or no allocation needs them.
  kPoolsAssigned = 1 << 5,
  /// The module has a memory plan, or its entry has no allocations to plan.
  kPlanned = 1 << 6,
  /// No allocation has a place in a pool: functions take the pools as parameters.
  kOffsets = 1 << 7,
  /// Allocations that stay out of pools take less than 1,024 bytes each (kStackLimit), and
  /// vectorized or thread-bound loops contain no larger ones. No Block allocates.
  kSmallStack = 1 << 8,
};

/// A set of forms.
class FormSet {
 public:
  constexpr FormSet() = default;
  constexpr FormSet(ModuleForm form) : bits_(static_cast<uint16_t>(form)) {}

  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool Has(ModuleForm form) const { return (bits_ & static_cast<uint16_t>(form)) != 0; }
  constexpr void Add(ModuleForm form) { bits_ |= static_cast<uint16_t>(form); }
  constexpr void Remove(FormSet others) { bits_ &= static_cast<uint16_t>(~others.bits_); }
  friend constexpr FormSet operator|(FormSet a, FormSet b) {
    a.bits_ |= b.bits_;
    return a;
  }
  friend constexpr bool operator==(FormSet a, FormSet b) = default;

 private:
  uint16_t bits_ = 0;
};
constexpr FormSet operator|(ModuleForm a, ModuleForm b) { return FormSet(a) | FormSet(b); }

/// The forms that every pass keeps, if the module has them before it.
inline constexpr FormSet kKeptForms = ModuleForm::kSmallStack;

/// All forms, in the order of their bits.
std::vector<ModuleForm> AllForms();
/// The name for --list-passes: `no-blocks`, `flat`, ...
std::string_view FormName(ModuleForm form);
/// The names of all forms of a set, separated by ", ".
std::string FormNames(FormSet forms);

/// A form that a module lacks, and a place that shows it.
struct FormGap {
  ModuleForm form;
  SourceRange range;
  /// A description of that place: "a block", "an access with 2 indices", ...
  std::string_view what;
};

/// The forms of `wanted` that the module lacks, without duplicates, in the order of their bits.
/// Takes one walk over the module, which ends as soon as every form has a gap.
std::vector<FormGap> FindGaps(const IRModule& module, FormSet wanted);

}  // namespace tenon

#endif  // TENON_PASSES_PIPELINE_FORM_H_
