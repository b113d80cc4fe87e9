// Both back ends match the same products, for which x86 and others have instructions. A factor that
// is the same in all lanes comes second, whatever the order in the text.

#include "lowering/short_products.h"

#include <utility>

namespace tenon {

namespace {

/// The 8-bit or 16-bit integers that `expr` extends, as lanes or as one number; null for others.
const Expr* ShortFactor(const Expr* expr) {
  if (const auto* all = dyn_cast<Broadcast>(expr)) expr = all->value;
  const auto* extended = dyn_cast<Cast>(expr);
  if (extended == nullptr || extended->dtype.element() != DataType::Int(32)) return nullptr;
  const DataType from = extended->value->dtype;
  const bool is_byte = from.is_integer() && from.bits() == 8;
  return is_byte || from.element() == DataType::Int(16) ? extended->value : nullptr;
}

}  // namespace

std::optional<ShortProduct> AsShortProduct(const Expr* expr) {
  const auto* product = dyn_cast<Mul>(expr);
  if (product == nullptr) return std::nullopt;
  ShortProduct found = {ShortFactor(product->a), ShortFactor(product->b)};
  if (found.vector == nullptr || found.other == nullptr) return std::nullopt;
  if (found.vector->dtype.is_scalar()) std::swap(found.vector, found.other);
  if (found.vector->dtype.is_scalar()) return std::nullopt;
  return found;
}

}  // namespace tenon
