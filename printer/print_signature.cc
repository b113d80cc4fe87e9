#include <algorithm>

#include "ir/visitor.h"
#include "printer/script_printer.h"
#include "printer/type_vars.h"

// Parameters in the dialect `tirx`, whose annotations describe their buffers completely.

namespace tenon {

void ScriptPrinter::DefineTypeVars(const PrimFunc& func) {
  shape_lines_.clear();
  type_vars_.clear();
  if (rules_.has_type_vars) type_vars_ = TypeVarsOf(func);
  for (const Var* var : type_vars_) scope_.Define(var, var->name);
  // Scalars are named before the buffers, whose extents may refer to them.
  for (size_t i = 0; i < func.params.size(); ++i) {
    if (!printing_ || annotated_[i]) continue;
    scope_.Define(func.params[i], func.params[i]->name);
  }
}

void ScriptPrinter::PrintFullParam(const Buffer* buffer) {
  const auto define = [&](const Expr* field, Definition::Part part, int stride) {
    if (!isa<Var>(field) || scope_.IsLive(field)) return;
    DefineBufferField(buffer, field, part, stride, /*implicit=*/false);
  };
  define(buffer->data, Definition::Part::kData, 0);
  for (size_t i = 0; i < buffer->strides.size(); ++i) {
    define(buffer->strides[i], Definition::Part::kStride, static_cast<int>(i));
  }
  define(buffer->elem_offset, Definition::Part::kElemOffset, 0);
  Put(": ");
  PutT("Buffer((");
  std::vector<const Var*> line;
  for (size_t i = 0; i < buffer->shape.size(); ++i) {
    if (i > 0) Put(", ");
    PrintExtent(buffer->shape[i], &line);
  }
  shape_lines_.push_back(std::move(line));
  Put(buffer->shape.size() == 1 ? ",), " : "), ");
  PutQuotedDType(buffer->dtype);
  PrintBufferKeywords(buffer);
  Put(')');
}

/// Puts the extent in quotes if it mentions a variable that is not yet defined, which it then
/// defines, or if it computes with a `TypeVar`. TVM declares such a variable again in the body: in
/// the line of the buffer, or in a line of its own before that if the extent is a computation.
void ScriptPrinter::PrintExtent(const Expr* extent, std::vector<const Var*>* line) {
  bool quoted = false;
  if (!isa<IntImm>(extent)) {
    Walk(extent, [&](const Node* node) {
      const auto* var = dyn_cast<Var>(node);
      if (var == nullptr) return true;
      const bool is_type_var =
          std::find(type_vars_.begin(), type_vars_.end(), var) != type_vars_.end();
      if (is_type_var) {
        quoted |= var != extent;
      } else if (!bound_.contains(var)) {
        quoted = true;
        bound_.insert(var);
        if (!scope_.IsLive(var)) {
          var == extent ? line->push_back(var) : shape_lines_.push_back({var});
          scope_.Define(var, var->name);
        }
      }
      return true;
    });
  }
  if (quoted) Put('"');
  PrintExpr(extent);
  if (quoted) Put('"');
}

}  // namespace tenon
