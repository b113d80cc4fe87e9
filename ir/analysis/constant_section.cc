#include "ir/analysis/constant_section.h"

#include <fmt/format.h>

namespace tenon {

std::string_view SectionOf(const Constant& constant) {
  const Constant* of = &constant;
  while (of->placement().section.empty() && of->source().kind == ConstantSource::Kind::kSlice)
    of = of->source().base;
  return of->placement().section;
}

bool IsInSection(const PoolInfo& pool, std::string_view section) {
  return pool.is_internal && pool.section == section;
}

std::string SectionError(const Constant& constant, std::string_view name, const PoolInfo& pool) {
  const std::string_view section = SectionOf(constant);
  if (section.empty() || IsInSection(pool, section)) return {};
  const std::string what = fmt::format(
      "constant `{}` must be stored in section `{}`, but pool "
      "`{}`",
      name, section, pool.name);
  if (!pool.is_internal) {
    return fmt::format(
        "{} belongs to the caller, who decides where it is: remove the section or the pool from "
        "the constant",
        what);
  }
  const std::string where =
      pool.section.empty() ? "has no section" : fmt::format("has section `{}`", pool.section);
  return fmt::format("{} {}: give both the same section, or remove the pool from the constant",
                     what, where);
}

std::string SectionError(const PoolInfo& pool) {
  for (const PooledConstant& constant : pool.constants) {
    if (constant.data == nullptr) continue;
    std::string error = SectionError(*constant.data, constant.name, pool);
    if (!error.empty()) return error;
  }
  return {};
}

}  // namespace tenon
