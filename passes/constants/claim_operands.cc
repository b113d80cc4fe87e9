// A claim names operands by position, so positions become variables in the old function, and
// positions again in the new one. A lost operand makes the whole claim `unknown`: a wrong claim is
// worse than none.

#include "passes/constants/claim_operands.h"

#include <optional>

#include "ir/attributes.h"
#include "ir/function_attrs.h"
#include "ir/function_interface.h"

namespace tenon {

namespace {

constexpr std::string_view kParam = "param";
constexpr std::string_view kConstant = "constant";

/// A constant or a parameter of a function, as a claim names it.
struct Place {
  bool is_constant = false;
  int64_t index = 0;
};

/// The place that an operand of a claim begins with; nullopt for anything else.
std::optional<Place> PlaceOf(const Attr* operand) {
  const auto* items = dyn_cast_or_null<ArrayAttr>(operand);
  if (items == nullptr || items->items.size() < 2) return std::nullopt;
  const std::string_view* where = AsString(items->items[0]);
  const int64_t* index = AsInt(items->items[1]);
  if (where == nullptr || index == nullptr || (*where != kParam && *where != kConstant))
    return std::nullopt;
  return Place{*where == kConstant, *index};
}

/// The variables of a function's parameters and constants.
class Places {
 public:
  explicit Places(const PrimFunc& function) : function_(function) {
    for (const AllocateConst* constant : ConstantsOf(function))
      constants_.push_back(constant->buffer_var);
  }

  /// Null if the function does not have the place.
  const Var* VarAt(Place place) const {
    const auto index = static_cast<size_t>(place.index);
    if (index >= (place.is_constant ? constants_.size() : function_.params.size())) return nullptr;
    return place.is_constant ? constants_[index] : ParamVar(index);
  }

  std::optional<Place> Find(const Var* var) const {
    for (size_t i = 0; i < function_.params.size(); ++i) {
      if (ParamVar(i) == var || function_.params[i] == var)
        return Place{false, static_cast<int64_t>(i)};
    }
    for (size_t i = 0; i < constants_.size(); ++i) {
      if (constants_[i] == var) return Place{true, static_cast<int64_t>(i)};
    }
    return std::nullopt;
  }

 private:
  const Var* ParamVar(size_t index) const {
    const Buffer* buffer = function_.buffers[index];
    return buffer == nullptr ? function_.params[index] : buffer->data;
  }

  const PrimFunc& function_;
  std::vector<const Var*> constants_;
};

/// The operand with another place.
const Attr* WithPlace(NodeBuilder& builder, const ArrayAttr& operand, Place place) {
  std::vector<const Attr*> items(operand.items.begin(), operand.items.end());
  items[0] = builder.StringValue(place.is_constant ? kConstant : kParam);
  items[1] = builder.New<IntAttr>(SourceRange(), place.index);
  return builder.Array(Span<const Attr*>(items));
}

const MapAttr* UnknownClaim(NodeBuilder& builder) {
  return builder.Map({{"because", builder.StringValue("one of its operands was removed")},
                      {"kind", builder.StringValue("unknown")}});
}

}  // namespace

Function WithMovedOperands(Context& context, const PrimFunc& before, const Function& after,
                           const RenamedVars& renamed) {
  const auto* claim = dyn_cast_or_null<MapAttr>(after.FindAttr(attr_key::kOp));
  const auto* operands =
      claim == nullptr ? nullptr : dyn_cast_or_null<ArrayAttr>(claim->Find("operands"));
  if (operands == nullptr) return after;
  const Places old(before);
  const Places now(*after.func);
  return WithAttrs(context, after, [&](NodeBuilder& builder, const MapAttr* attrs) {
    std::vector<const Attr*> moved;
    for (const Attr* operand : operands->items) {
      // A text can have any claim; the reader of claims reports those that are wrong.
      const std::optional<Place> place = PlaceOf(operand);
      const Var* var = place ? old.VarAt(*place) : nullptr;
      if (var == nullptr) return attrs;
      const auto found = renamed.find(var);
      const std::optional<Place> target = now.Find(found == renamed.end() ? var : found->second);
      if (!target) return builder.With(attrs, attr_key::kOp, UnknownClaim(builder));
      moved.push_back(WithPlace(builder, *cast<ArrayAttr>(operand), *target));
    }
    const Attr* list = builder.Array(Span<const Attr*>(moved));
    return builder.With(attrs, attr_key::kOp, builder.With(claim, "operands", list));
  });
}

Function WithoutConstantFacts(Context& context, const Function& function) {
  constexpr std::string_view kRequantise = "requantise";
  const auto* claim = dyn_cast_or_null<MapAttr>(function.FindAttr(attr_key::kOp));
  if (claim == nullptr || claim->Find(kRequantise) == nullptr) return function;
  return WithAttrs(context, function, [&](NodeBuilder& builder, const MapAttr* attrs) {
    return builder.With(attrs, attr_key::kOp, builder.With(claim, kRequantise, nullptr));
  });
}

}  // namespace tenon
