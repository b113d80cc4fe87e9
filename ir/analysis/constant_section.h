#ifndef TENON_IR_ANALYSIS_CONSTANT_SECTION_H_
#define TENON_IR_ANALYSIS_CONSTANT_SECTION_H_

#include <string>
#include <string_view>

#include "ir/constant.h"
#include "ir/memory_pools.h"

// The section in which a constant is stored. A section that the constant names (`section=`) comes
// before the section of a pool: only a pool in the same section may hold the constant.

namespace tenon {

/// The section that a constant names. A slice without a section has the section of its base. Empty:
/// the constant may be stored in any section.
std::string_view SectionOf(const Constant& constant);

/// Whether the generated code puts the pool's storage into that section.
bool IsInSection(const PoolInfo& pool, std::string_view section);

/// An error text if the pool cannot hold the constant `name` because the constant names a section
/// that the pool is not in. Empty: the pool can hold the constant.
std::string SectionError(const Constant& constant, std::string_view name, const PoolInfo& pool);
/// As above, for the constants of a planned pool: the error of the first constant that has one.
std::string SectionError(const PoolInfo& pool);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_CONSTANT_SECTION_H_
