#include "ir/function.h"

#include "ir/attributes.h"

namespace tenon {

const Buffer* PrimFunc::BufferOf(const Var* param) const {
  for (size_t i = 0; i < params.size(); ++i) {
    if (params[i] == param) return buffers[i];
  }
  return nullptr;
}

Storage::Storage(std::shared_ptr<const Storage> base) : base_(std::move(base)) {}

Storage::~Storage() = default;

std::string_view Function::global_symbol() const {
  const std::string_view* symbol = AsString(FindAttr(attr_key::kGlobalSymbol));
  return symbol == nullptr ? std::string_view() : *symbol;
}

}  // namespace tenon
