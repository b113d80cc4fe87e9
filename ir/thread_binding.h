#ifndef TENON_IR_THREAD_BINDING_H_
#define TENON_IR_THREAD_BINDING_H_

#include "ir/attributes.h"
#include "ir/attrs.h"
#include "ir/buffer.h"
#include "ir/stmt.h"

namespace tenon {

/// Whether an attribute launches threads: its body runs once for each value of a variable.
inline bool BindsThread(const AttrStmt* attr) {
  return attr->key == attr_key::kThreadExtent || attr->key == attr_key::kVirtualThread;
}

/// The variable that has these values, from 0 to the attribute's value; null for other attributes.
/// Where one around it has the same variable, it has its value.
inline const Var* ThreadVar(const AttrStmt* attr) {
  const auto* node = dyn_cast_or_null<IterVarAttr>(attr->node);
  return node == nullptr || !BindsThread(attr) ? nullptr : node->value->var;
}

}  // namespace tenon

#endif  // TENON_IR_THREAD_BINDING_H_
