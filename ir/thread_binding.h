#ifndef TENON_IR_THREAD_BINDING_H_
#define TENON_IR_THREAD_BINDING_H_

#include <string_view>

#include "ir/attributes.h"
#include "ir/attrs.h"
#include "ir/buffer.h"
#include "ir/stmt.h"

namespace tenon {

/// Whether an attribute launches threads: its body runs once for each value of a thread variable.
inline bool BindsThread(const AttrStmt* attr) {
  return attr->key == attr_key::kThreadExtent || attr->key == attr_key::kVirtualThread;
}

/// The key of the attribute that `T.launch_thread` with a tag gives.
inline std::string_view LaunchKey(std::string_view tag) {
  return tag == "vthread" || tag.starts_with("vthread.") ? attr_key::kVirtualThread
                                                         : attr_key::kThreadExtent;
}

/// The thread variable, which counts from 0 to the attribute's value minus one; null for other
/// attributes. If an enclosing attribute binds the same variable, its current value holds.
inline const Var* ThreadVar(const AttrStmt* attr) {
  const auto* node = dyn_cast_or_null<IterVarAttr>(attr->node);
  return node == nullptr || !BindsThread(attr) ? nullptr : node->value->var;
}

}  // namespace tenon

#endif  // TENON_IR_THREAD_BINDING_H_
