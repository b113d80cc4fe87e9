#include "ir/node.h"

namespace tenon {

std::string_view NodeKindName(NodeKind kind) {
  static constexpr std::string_view kNames[] = {
#define TENON_EXPR(Name) #Name,
#define TENON_STMT(Name) #Name,
#define TENON_ATTR(Name) #Name,
#define TENON_PART(Name) #Name,
#include "ir/nodes.def"
  };
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace tenon
