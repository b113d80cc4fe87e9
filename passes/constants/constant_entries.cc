// The number of each new name is where the last search for that name stopped. So a thousand
// constants of one name take linear time.

#include "passes/constants/constant_entries.h"

#include <fmt/format.h>

#include "ir/visitor.h"

namespace tenon {

void FreeNames::TakeAll(const PrimFunc& function) {
  Walk(&function, [&](const Node* node) {
    if (const auto* var = dyn_cast<Var>(node)) Take(var->name);
    if (const auto* buffer = dyn_cast<Buffer>(node)) Take(buffer->name);
    return true;
  });
}

Symbol FreeNames::Make(Symbol base) {
  for (int64_t& number = next_[base];; ++number) {
    const Symbol name =
        number == 0 ? base : context_.Intern(fmt::format("{}_{}", base.view(), number));
    if (taken_.insert(name).second) return name;
  }
}

ConstantEntries::ConstantEntries(const IRModule& module)
    : context_(module.context()), names_(context_) {
  for (const Constant* constant : module.constants) Add(constant);
}

void ConstantEntries::Add(const Constant* constant) {
  constants_.push_back(constant);
  entry_of_.emplace(constant, constant);
  names_.Take(constant->name());
}

const Constant* ConstantEntries::EntryOf(const Constant* constant, Symbol base) {
  if (const auto found = entry_of_.find(constant); found != entry_of_.end()) return found->second;
  const Symbol name = names_.Make(constant->name().empty() ? base : constant->name());
  const Constant* entry =
      context_.AddConstant(name, constant->dtype(), constant->shape(), constant->source(),
                           constant->placement(), constant->range());
  entry_of_.emplace(constant, entry);
  Add(entry);
  return entry;
}

}  // namespace tenon
