#include "ir/context.h"

#include <set>

#include "ir/opaque_calls.h"

namespace tenon {

size_t Context::bytes_held() const {
  size_t bytes = data_->sources.bytes_held() + data_->interner.bytes_held();
  for (const Constant& constant : data_->constants) {
    if (!constant.is_mapped()) bytes += sizeof(Constant) + constant.source().bytes.size();
  }
  return bytes;
}

std::vector<std::string> Context::ConstantFiles(size_t first) const {
  std::set<std::string> files;
  for (size_t i = first; i < data_->constants.size(); ++i) {
    const ConstantSource& source = data_->constants[i].source();
    const std::string& file = source.tensor != nullptr ? source.tensor->path : source.file;
    if (!file.empty()) files.insert(file);
  }
  return {files.begin(), files.end()};
}

const Type* Context::Unique(const Type& type) {
  const std::lock_guard<std::mutex> lock(data_->mutex);
  for (const Type& known : data_->types) {  // a handful of types in any program
    if (known.kind == type.kind && known.dtype == type.dtype && known.scope == type.scope)
      return &known;
  }
  return &data_->types.emplace_back(type);
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
  const std::lock_guard<std::mutex> lock(data_->mutex);
  for (const Op& op : data_->unknown_ops) {
    if (op.text == name) return &op;
  }
  Op& made = data_->unknown_ops.emplace_back();
  made.text = name;
  return &made;
}

const Constant* Context::AddConstant(Symbol name, DataType dtype, std::vector<int64_t> shape,
                                     ConstantSource source, ConstantPlacement placement,
                                     SourceRange range) {
  const std::lock_guard<std::mutex> lock(data_->mutex);
  return &data_->constants.emplace_back(name, dtype, std::move(shape), std::move(source),
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
