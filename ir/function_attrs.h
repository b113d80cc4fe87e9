#ifndef TENON_IR_FUNCTION_ATTRS_H_
#define TENON_IR_FUNCTION_ATTRS_H_

#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>

#include "ir/builder.h"
#include "ir/function.h"

namespace tenon {

/// The function with other attributes. `change(builder, attrs)` makes them from the old ones, in
/// the storage of the new function.
template <class F>
Function WithAttrs(Context& context, const Function& function, F&& change) {
  auto storage = std::make_shared<Storage>(function.storage);
  NodeBuilder builder(context, storage->arena());
  PrimFunc copy = *function.func;
  copy.attrs = change(builder, copy.attrs);
  const PrimFunc* now = storage->arena().New<PrimFunc>(copy);
  return {function.name, now, std::move(storage)};
}

/// The function without the attributes `keys`.
inline Function WithoutAttrs(Context& context, const Function& function,
                             std::initializer_list<std::string_view> keys) {
  return WithAttrs(context, function, [&](NodeBuilder& builder, const MapAttr* attrs) {
    for (const std::string_view key : keys) attrs = builder.With(attrs, key, nullptr);
    return attrs;
  });
}

}  // namespace tenon

#endif  // TENON_IR_FUNCTION_ATTRS_H_
