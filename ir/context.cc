#include "ir/context.h"

#include "ir/opaque_calls.h"

namespace tenon {

const Type* Context::Unique(const Type& type) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const Type& known : types_) {  // a handful of types in any program
    if (known.kind == type.kind && known.dtype == type.dtype && known.scope == type.scope)
      return &known;
  }
  return &types_.emplace_back(type);
}

const Type* Context::PrimType(DataType dtype) {
  return Unique({Type::Kind::kPrim, dtype, Symbol()});
}

const Type* Context::PointerType(DataType element, Symbol scope) {
  return Unique({Type::Kind::kPointer, element, scope});
}

const Op* Context::OpNamed(std::string_view text) {
  if (const Op* known = Op::Find(text)) return known;
  if (const Op* known = FindOpaqueCall(text)) return known;
  const std::string_view name = Intern(text).view();
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const Op& op : unknown_ops_) {
    if (op.text == name) return &op;
  }
  Op& made = unknown_ops_.emplace_back();
  made.text = name;
  return &made;
}

const Constant* Context::AddConstant(Symbol name, DataType dtype, std::vector<int64_t> shape,
                                     ConstantSource source, ConstantPlacement placement,
                                     SourceRange range) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return &constants_.emplace_back(name, dtype, std::move(shape), std::move(source),
                                  std::move(placement), range);
}

const Constant* Context::AddConstant(Symbol name, DataType dtype, std::vector<int64_t> shape,
                                     std::vector<uint8_t> bytes, ConstantPlacement placement,
                                     SourceRange range) {
  auto owner = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  ConstantSource source;
  source.bytes = *owner;
  source.owner = std::move(owner);
  return AddConstant(name, dtype, std::move(shape), std::move(source), std::move(placement), range);
}

}  // namespace tenon
