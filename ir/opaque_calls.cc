#include "ir/opaque_calls.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "ir/attributes.h"
#include "ir/builtins.h"

namespace tenon {

namespace {

/// The dtype of a call if the text does not write one.
enum class Implied : uint8_t { kVoid, kHandle, kInt32, kUInt32, kFloat32, kArg0, kArg1, kCallForm };

struct OpaqueCall {
  Op op;
  Implied dtype;
};

constexpr OpaqueCall kCalls[] = {
#define TENON_OPAQUE_CALL(text, place, dtype)                                                  \
  OpaqueCall{                                                                                  \
      {OpKind::kUnknown, text, DTypePlace::place, DTypeRule::kNone, 0, -1, OpEffect::kOpaque}, \
      Implied::dtype},
#include "ir/opaque_calls.def"
};

constexpr bool IsBefore(const OpaqueCall& call, std::string_view text) {
  return call.op.text < text;
}

static_assert(std::is_sorted(std::begin(kCalls), std::end(kCalls),
                             [](const OpaqueCall& a, const OpaqueCall& b) {
                               return a.op.text < b.op.text;
                             }));

const OpaqueCall* Find(std::string_view text) {
  const auto* found = std::lower_bound(std::begin(kCalls), std::end(kCalls), text, IsBefore);
  return found != std::end(kCalls) && found->op.text == text ? found : nullptr;
}

}  // namespace

const Op* FindOpaqueCall(std::string_view text) {
  const OpaqueCall* call = Find(text);
  return call == nullptr ? nullptr : &call->op;
}

bool IsInTargetNamespace(std::string_view text) {
  constexpr std::string_view kNamespaces[] = {"cuda", "metal",      "nki",
                                              "ptx",  "ptx_legacy", attr_key::kSTir};
  const size_t dot = text.find('.');
  const std::string_view first = text.substr(0, dot);
  return dot != std::string_view::npos &&
         std::find(std::begin(kNamespaces), std::end(kNamespaces), first) != std::end(kNamespaces);
}

bool IsOpaqueCall(const Op& op) { return op.kind == OpKind::kUnknown && Find(op.text) != nullptr; }

std::optional<DataType> ImpliedDType(const Op& op, Span<const Expr*> args) {
  const OpaqueCall* call = Find(op.text);
  const auto of_arg = [&](size_t i) { return i < args.size() ? args[i]->dtype : DataType::Void(); };
  switch (call == nullptr ? Implied::kVoid : call->dtype) {
    case Implied::kVoid:
      return DataType::Void();
    case Implied::kHandle:
      return DataType::Handle();
    case Implied::kInt32:
      return DataType::Int(32);
    case Implied::kUInt32:
      return DataType::UInt(32);
    case Implied::kFloat32:
      return DataType::Float(32);
    case Implied::kArg0:
      return of_arg(0);
    case Implied::kArg1:
      return of_arg(1);
    case Implied::kCallForm:
      break;
  }
  return std::nullopt;
}

}  // namespace tenon
