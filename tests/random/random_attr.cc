#include "random/generator.h"

namespace tenon::random_ir {
namespace {

constexpr NodeKind kAttrKinds[] = {
#define TENON_ATTR(Name) NodeKind::k##Name,
#include "ir/nodes.def"
};

}  // namespace

const Attr* Generator::Attribute(int depth) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    const Attr* made = nullptr;
    switch (dice_.Pick(kAttrKinds)) {
#define TENON_ATTR(Name)      \
  case NodeKind::k##Name:     \
    made = Make##Name(depth); \
    break;
#include "ir/nodes.def"
      default:
        break;
    }
    if (made != nullptr) return made;
  }
  return MakeNoneAttr(0);
}

const Attr* Generator::MakeNoneAttr(int) { return b_.New<NoneAttr>({}); }
/// A bare bool or float is an expression in texts of TVM 0.15, and nothing here marks the text as a
/// later release's.
const Attr* Generator::MakeBoolAttr(int) {
  return any_node_ ? b_.New<BoolAttr>({}, dice_.Percent(50)) : nullptr;
}
const Attr* Generator::MakeIntAttr(int) {
  return any_node_ ? b_.New<IntAttr>({}, dice_.Between(-9, 99)) : nullptr;
}
const Attr* Generator::MakeFloatAttr(int) {
  if (!any_node_) return nullptr;
  return b_.New<FloatAttr>({}, static_cast<double>(dice_.Between(-90, 90)) / 8);
}
const Attr* Generator::MakeStringAttr(int) {
  static constexpr std::string_view kTexts[] = {
      "", "a", "two words", "q\"uote", "back\\slash", "line\nend", "\xc3\xa4"};
  return b_.StringValue(dice_.Pick(kTexts));
}
const Attr* Generator::MakeExprAttr(int) { return b_.ExprValue(Literal(AnyScalar())); }

const Attr* Generator::MakeBufferAttr(int) {
  if (!any_node_ || tensors_.empty()) return nullptr;
  return b_.New<BufferAttr>({}, dice_.Pick(tensors_).buffer);
}
const Attr* Generator::MakeIterVarAttr(int) {
  if (!any_node_) return nullptr;
  const Var* var = b_.NewVar("threadIdx_z", DataType::Int(32));
  return b_.New<IterVarAttr>(
      {}, b_.New<IterVar>({}, nullptr, var, IterVarKind::kThreadIndex, "threadIdx.z"));
}

const Attr* Generator::MakeArrayAttr(int depth) {
  if (depth <= 0) return nullptr;
  std::vector<const Attr*> items;
  for (int64_t i = dice_.Below(4); i > 0; --i) items.push_back(Attribute(depth - 1));
  return b_.New<ArrayAttr>({}, Copy(items));
}

const Attr* Generator::MakeMapAttr(int depth) { return depth > 0 ? Annotations(depth) : nullptr; }

const MapAttr* Generator::Annotations(int depth) {
  const MapAttr* map = b_.Map({});
  static constexpr std::string_view kKeys[] = {"alpha", "beta", "gamma.delta"};
  for (const std::string_view key : kKeys) {
    if (dice_.Percent(40)) map = b_.With(map, key, Attribute(depth - 1));
  }
  return map->items.empty() ? nullptr : map;
}

const Attr* Generator::MakeTargetAttr(int) {
  return b_.New<TargetAttr>({},
                            b_.Map({{"kind", b_.StringValue("c")},
                                    {"tag", b_.StringValue("")},
                                    {"keys", b_.Array(b_.List<Attr>({b_.StringValue("cpu")}))}}));
}

const Attr* Generator::MakeGlobalVarAttr(int) {
  return any_node_ ? b_.New<GlobalVarAttr>({}, context_.Intern("main")) : nullptr;
}

const Attr* Generator::MakeConstantAttr(int) {
  return any_node_ ? b_.New<ConstantAttr>({}, NewConstant(DataType::Int(8), {4})) : nullptr;
}

const Attr* Generator::MakeObjectAttr(int depth) {
  if (!any_node_) return nullptr;
  const MapAttr* fields = b_.Map({});
  fields = b_.With(fields, "name", Attribute(depth - 1));
  return b_.New<ObjectAttr>({}, context_.Intern("ir.Random"), fields);
}

}  // namespace tenon::random_ir
