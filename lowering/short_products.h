#ifndef TENON_LOWERING_SHORT_PRODUCTS_H_
#define TENON_LOWERING_SHORT_PRODUCTS_H_

#include <optional>

#include "ir/expr.h"

// Internal to lowering: products that back ends compute in pairs, with one instruction.

namespace tenon {

/// A product of 8-bit or 16-bit integers that are extended to 32 bits. The factors are not extended
/// yet. `other` may be one number for all lanes.
struct ShortProduct {
  const Expr* vector = nullptr;
  const Expr* other = nullptr;
};

/// `expr` as a product with lanes; nullopt for other expressions.
std::optional<ShortProduct> AsShortProduct(const Expr* expr);

}  // namespace tenon

#endif  // TENON_LOWERING_SHORT_PRODUCTS_H_
