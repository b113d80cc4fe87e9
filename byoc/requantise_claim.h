#ifndef TENON_BYOC_REQUANTISE_CLAIM_H_
#define TENON_BYOC_REQUANTISE_CLAIM_H_

#include <optional>
#include <string>

#include "analysis/computation.h"
#include "byoc/requantise.h"
#include "ir/builder.h"

// The member `requantise` of a claim as an attribute.

namespace tenon {

/// `all` is the computation of the claim, with one store.
const MapAttr* WriteRequantise(NodeBuilder& builder, const Computation& all,
                               const Requantise& requantise);
/// Nullopt, and `problem` has the reason, unless all numbers are in range and lists have one number
/// or one for each channel.
std::optional<Requantise> ReadRequantise(const Attr* attr, const Computation& all,
                                         std::string& problem);

}  // namespace tenon

#endif  // TENON_BYOC_REQUANTISE_CLAIM_H_
