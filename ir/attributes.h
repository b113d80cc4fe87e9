#ifndef TENON_IR_ATTRIBUTES_H_
#define TENON_IR_ATTRIBUTES_H_

#include <optional>
#include <string_view>
#include <vector>

#include "ir/function.h"

// The keys of the attributes that Tenon writes or reads, and readers of the simple ones. Structured
// attributes have their own headers: ir/memory_pools.h, ir/mapped_tensors.h, ir/loaded_constants.h,
// ir/linked_params.h, ir/tensor_scales.h, passes/constants/lifted_params.h.

namespace tenon {

namespace attr_key {

// For example, attr_key::kPoolArgs is "pool_args".
#define TENON_ATTRIBUTE(Name, key, where, type, written, read, meaning) \
  inline constexpr std::string_view k##Name = key;
#include "ir/attributes.def"

}  // namespace attr_key

/// True if the function takes memory pools: its memory is planned.
bool IsPlanned(const PrimFunc& function);
inline bool IsPlanned(const Function& function) { return IsPlanned(*function.func); }

/// True if the function promises that the storage of its pointer parameters does not overlap.
bool IsNoAlias(const PrimFunc& function);

/// The parameters that the function declares as outputs; nullopt without a declaration.
std::optional<std::vector<std::string_view>> DeclaredOutputs(const PrimFunc& function);

/// The outputs that the function declares as its states between runs.
std::vector<std::string_view> DeclaredStates(const PrimFunc& function);

}  // namespace tenon

#endif  // TENON_IR_ATTRIBUTES_H_
