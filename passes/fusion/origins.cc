// Names of fused operators are for people, who look for the layers of their model in a report. A
// name that would be long ends in a hash, so that it stays unique.

#include "passes/fusion/origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "ir/attributes.h"
#include "ir/visitor.h"
#include "support/hash.h"

namespace tenon {

namespace {

/// Longer names of several origins are cut, and end in a hash.
constexpr size_t kLongestName = 100;

bool Has(const Origins& origins, std::string_view name) {
  return std::find(origins.begin(), origins.end(), name) != origins.end();
}

void AddAll(const Attr* list, Origins& origins) {
  const auto* names = dyn_cast_or_null<ArrayAttr>(list);
  if (names == nullptr) return;
  for (const Attr* item : names->items) {
    const std::string_view* name = AsString(item);
    if (name != nullptr && !Has(origins, *name)) origins.emplace_back(*name);
  }
}

/// The length of the longest prefix of `other` that `name` also begins with, up to an underscore.
size_t CommonPrefix(std::string_view name, std::string_view other) {
  const auto [end, unused] = std::mismatch(name.begin(), name.end(), other.begin(), other.end());
  const std::string_view common = name.substr(0, static_cast<size_t>(end - name.begin()));
  const size_t last = common.rfind('_');
  return last == std::string_view::npos ? 0 : last + 1;
}

}  // namespace

Origins OriginsOf(const Stmt* stmt) {
  Origins origins;
  Walk(stmt, [&](const Node* node) {
    const auto* loop = dyn_cast<For>(node);
    if (loop != nullptr && loop->annotations != nullptr)
      AddAll(loop->annotations->Find(attr_key::kOrigins), origins);
    return !isa<Expr>(node);
  });
  return origins;
}

Origins Joined(Origins a, const Origins& b) {
  for (const std::string& name : b) {
    if (!Has(a, name)) a.push_back(name);
  }
  return a;
}

bool AreOfOneCall(const Origins& a, const Origins& b) {
  if (a.empty() || b.empty()) return false;
  const auto has_all = [](const Origins& all, const Origins& some) {
    return std::all_of(some.begin(), some.end(),
                       [&](const std::string& name) { return Has(all, name); });
  };
  return has_all(a, b) || has_all(b, a);
}

Origins Plain(const Origins& calls) {
  Origins functions;
  for (const std::string& call : calls) {
    const std::string name = call.substr(0, call.find('@'));
    if (!Has(functions, name)) functions.push_back(name);
  }
  return functions;
}

std::string NameOfOrigins(const Origins& calls) {
  const Origins functions = Plain(calls);
  std::string name = functions.front();
  if (functions.size() == 1) return name;
  for (size_t i = 1; i < functions.size(); ++i) {
    const std::string_view next = functions[i];
    const std::string_view rest = next.substr(CommonPrefix(functions.front(), next));
    name += fmt::format("_{}", rest.empty() ? next : rest);
  }
  if (name.size() <= kLongestName) return name;
  const Hash128 hash = HashBytes(name);
  return fmt::format("{}_{:016x}", name.substr(0, kLongestName - 17), hash.lo);
}

const Attr* OriginsAttr(NodeBuilder& builder, const Origins& origins) {
  std::vector<const Attr*> names;
  for (const std::string& name : origins) names.push_back(builder.StringValue(name));
  return builder.Array(Span<const Attr*>(names.data(), names.size()));
}

bool HasOnlyOrigins(const For* loop) {
  if (loop->annotations == nullptr) return true;
  return std::all_of(loop->annotations->items.begin(), loop->annotations->items.end(),
                     [](const MapItem* item) {
                       const std::string_view* key = AsString(item->key);
                       return key != nullptr && *key == attr_key::kOrigins;
                     });
}

const For* WithOrigins(NodeBuilder& builder, const For* loop, const Origins& origins) {
  For copy = *loop;
  copy.annotations =
      builder.With(loop->annotations, attr_key::kOrigins, OriginsAttr(builder, origins));
  return builder.arena().New<For>(copy);
}

const For* WithoutOrigins(NodeBuilder& builder, const For* loop) {
  if (loop->annotations == nullptr || loop->annotations->Find(attr_key::kOrigins) == nullptr)
    return loop;
  For copy = *loop;
  copy.annotations = builder.With(loop->annotations, attr_key::kOrigins, nullptr);
  if (copy.annotations->items.empty()) copy.annotations = nullptr;
  return builder.arena().New<For>(copy);
}

}  // namespace tenon
