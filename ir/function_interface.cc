#include "ir/function_interface.h"

#include "ir/types.h"
#include "ir/visitor.h"
#include "support/check.h"

namespace tenon {

namespace {

template <class T>
Span<T> WithMore(Arena& arena, Span<T> old, size_t index, Span<T> added) {
  std::vector<T> all(old.begin(), old.end());
  all.insert(all.begin() + static_cast<ptrdiff_t>(index), added.begin(), added.end());
  return arena.Copy(all);
}

}  // namespace

std::string_view SymbolOf(const Function& function) {
  const std::string_view symbol = function.global_symbol();
  return symbol.empty() ? function.name.view() : symbol;
}

size_t NewParamIndex(const PrimFunc& function) {
  const size_t count = function.params.size();
  if (count == 0 || function.buffers[count - 1] != nullptr) return count;
  const Type& last = *function.params[count - 1]->type;
  return last.kind == Type::Kind::kPrim && last.dtype.is_handle() ? count - 1 : count;
}

void AddParams(Arena& arena, PrimFunc& function, size_t index, Span<const Var*> params,
               Span<const Buffer*> buffers) {
  TENON_CHECK(params.size() == buffers.size() && index <= function.params.size());
  function.params = WithMore(arena, function.params, index, params);
  function.buffers = WithMore(arena, function.buffers, index, buffers);
}

std::vector<const AllocateConst*> ConstantsOf(const PrimFunc& function) {
  std::vector<const AllocateConst*> constants;
  Walk(function.body, [&](const Node* node) {
    if (const auto* constant = dyn_cast<AllocateConst>(node)) constants.push_back(constant);
    return true;
  });
  return constants;
}

}  // namespace tenon
