#ifndef TENON_FRONTENDS_GRAPH_LAYOUT_RULES_H_
#define TENON_FRONTENDS_GRAPH_LAYOUT_RULES_H_

#include <string_view>

#include "frontends/graph/layouts.h"

namespace tenon::graph {

/// Adds the operator to the new graph in an order that it chooses. False, with nothing added, if
/// all tensors of the operator must be in order.
using LayoutRule = bool (*)(Layouts& layouts, const Operator& op);

/// The rule of a kind of plain_operators.def, or null.
LayoutRule FindLayoutRule(std::string_view kind);

/// Whether operators of this kind are the reason for channels last: convolutions.
bool LeadsLayout(std::string_view kind);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_LAYOUT_RULES_H_
