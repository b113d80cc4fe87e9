#include "ir/visitor.h"

namespace tenon {

// Walks are compiled only here: a switch over every kind and its fields in each caller was half of
// the passes' code.

void ForEachChild(const Node* node, absl::FunctionRef<void(const Node*, FieldRole)> f) {
  Dispatch(node, [&](const auto* n) {
    ForEachField(*n, [&](const char*, const auto& value, FieldRole role) {
      using T = std::remove_cvref_t<decltype(value)>;
      if constexpr (kIsNodePointer<T>) {
        if (value != nullptr) f(value, role);
      } else if constexpr (kIsNodeSpan<T>) {
        for (const auto* child : value) {
          if (child != nullptr) f(child, role);
        }
      } else {
        (void)role;
      }
    });
  });
}

void Walk(const Node* root, absl::FunctionRef<bool(const Node*)> f) {
  if (root == nullptr) return;
  WithStack([&] {
    if (!f(root)) return;
    ForEachChild(root, [&](const Node* child, FieldRole) { Walk(child, f); });
  });
}

}  // namespace tenon
