#ifndef TENON_BYOC_CLAIM_ATTRS_H_
#define TENON_BYOC_CLAIM_ATTRS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/attrs.h"
#include "ir/builder.h"

namespace tenon {

/// The base of classes that write the members of a claim (`tenon.op`) as attributes.
class ClaimAttrs {
 protected:
  explicit ClaimAttrs(NodeBuilder& builder) : builder_(builder), map_(builder.Map({})) {}

  void Put(std::string_view key, const Attr* value) { map_ = builder_.With(map_, key, value); }
  const Attr* Text(std::string_view text) { return builder_.StringValue(text); }
  /// A number in the form in which the parser reads it.
  const Attr* Int(int64_t value) {
    if (value == static_cast<int32_t>(value)) return builder_.New<IntAttr>({}, value);
    return builder_.ExprValue(builder_.Int(DataType::Int(64), value));
  }
  const Attr* List(const std::vector<const Attr*>& items) {
    return builder_.Array({items.data(), items.size()});
  }
  /// The list of the results of `f` for each value.
  template <class Values, class F>
  const Attr* Each(const Values& values, F&& f) {
    std::vector<const Attr*> items;
    items.reserve(values.size());
    for (const auto& value : values) items.push_back(f(value));
    return List(items);
  }
  const Attr* Ints(const std::vector<int64_t>& values) {
    return Each(values, [&](int64_t value) { return Int(value); });
  }

  NodeBuilder& builder_;
  /// The members so far.
  const MapAttr* map_;
};

}  // namespace tenon

#endif  // TENON_BYOC_CLAIM_ATTRS_H_
