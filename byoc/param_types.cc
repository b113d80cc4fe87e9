// Types with variables are equal up to a renaming, so the comparison keeps a bijection of variables
// over all parameters.

#include "byoc/param_types.h"

#include <fmt/format.h>

#include "ir/extents.h"
#include "ir/visitor.h"
#include "support/checked.h"

namespace tenon {

namespace {

std::string ExtentText(const Expr* extent) {
  if (const int64_t* number = AsIntImm(extent)) return std::to_string(*number);
  const auto* var = dyn_cast<Var>(extent);
  return var == nullptr ? "..." : std::string(var->name.view());
}

std::string ListText(Span<const Expr*> extents) {
  std::string text;
  for (const Expr* extent : extents) text += (text.empty() ? "" : ", ") + ExtentText(extent);
  return text;
}

}  // namespace

bool ParamTypes::ArePaired(const Var* a, const Var* b) {
  return of_a_.try_emplace(a, b).first->second == b && of_b_.try_emplace(b, a).first->second == a;
}

bool ParamTypes::AreSame(const Expr* a, const Expr* b) {
  if (a == nullptr || b == nullptr) return a == b;
  const int64_t* number = AsIntImm(a);
  const int64_t* other = AsIntImm(b);
  if (number != nullptr || other != nullptr)
    return number != nullptr && other != nullptr && *number == *other;
  return isa<Var>(a) && isa<Var>(b) && ArePaired(cast<Var>(a), cast<Var>(b));
}

bool ParamTypes::AreSame(Span<const Expr*> a, Span<const Expr*> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!AreSame(a[i], b[i])) return false;
  return true;
}

bool ParamTypes::AreSame(size_t in_a, size_t in_b) {
  const Var* var = a_.params[in_a];
  const Var* other_var = b_.params[in_b];
  if (var->dtype != other_var->dtype || !ArePaired(var, other_var)) return false;
  const Buffer* buffer = a_.buffers[in_a];
  const Buffer* other = b_.buffers[in_b];
  if (buffer == nullptr || other == nullptr) return buffer == other;
  return buffer->dtype == other->dtype && AreSame(buffer->shape, other->shape) &&
         AreSame(buffer->strides, other->strides) &&
         AreSame(buffer->elem_offset, other->elem_offset);
}

std::string ParamTypeText(const PrimFunc& func, size_t param) {
  const Buffer* buffer = func.buffers[param];
  if (buffer == nullptr) return func.params[param]->dtype.ToString();
  std::string text = fmt::format("{}[{}]", buffer->dtype.ToString(), ListText(buffer->shape));
  if (!buffer->strides.empty()) text += fmt::format(", strides [{}]", ListText(buffer->strides));
  const int64_t* offset = AsIntImm(buffer->elem_offset);
  if (offset == nullptr || *offset != 0)
    text += fmt::format(", offset {}", ExtentText(buffer->elem_offset));
  return text;
}

std::optional<int64_t> BytesUpTo(const Buffer& buffer) {
  const std::optional<int64_t> bytes = StaticBytes(buffer.dtype, buffer.shape);
  const int64_t* offset = AsIntImm(buffer.elem_offset);
  if (!bytes || offset == nullptr || !buffer.strides.empty()) return std::nullopt;
  const std::optional<int64_t> before = CheckedMul(*offset, buffer.dtype.element_bytes());
  return before ? CheckedAdd(*before, *bytes) : std::nullopt;
}

std::optional<LongView> FindLongView(const PrimFunc& func) {
  absl::flat_hash_map<const Var*, size_t> params;
  for (size_t i = 0; i < func.params.size(); ++i)
    if (func.buffers[i] != nullptr) params.emplace(func.buffers[i]->data, i);
  std::optional<LongView> found;
  Walk(func.body, [&](const Node* node) {
    const auto* buffer = dyn_cast<Buffer>(node);
    const auto param = buffer == nullptr ? params.end() : params.find(buffer->data);
    if (found || param == params.end()) return !found.has_value();
    const std::optional<int64_t> end = BytesUpTo(*buffer);
    const std::optional<int64_t> most = BytesUpTo(*func.buffers[param->second]);
    if (end && most && *end > *most) found = LongView{buffer, param->second};
    return true;
  });
  return found;
}

}  // namespace tenon
