#include "ir/module.h"

#include "ir/attributes.h"
#include "support/check.h"

namespace tenon {

IRModule::IRModule(Context& context) : name(context.Intern("Module")), context_(&context) {
  auto storage = std::make_shared<Storage>();
  attrs_ = storage->arena().New<MapAttr>(Span<const MapItem*>());
  storage_.push_back(std::move(storage));
}

IRModule::IRModule(const IRModule&) = default;
IRModule::IRModule(IRModule&&) noexcept = default;
IRModule& IRModule::operator=(const IRModule&) = default;
IRModule& IRModule::operator=(IRModule&&) noexcept = default;
IRModule::~IRModule() = default;

const Function* IRModule::Find(Symbol function_name) const {
  const auto found = index_.find(function_name);
  return found == index_.end() ? nullptr : &functions_[found->second];
}

const Function* IRModule::FindCallee(std::string_view text) const {
  const Symbol symbol = context_->Intern(text);
  if (const Function* function = Find(symbol)) return function;
  const auto found = symbol_index_.find(symbol);
  return found == symbol_index_.end() ? nullptr : &functions_[found->second];
}

void IRModule::IndexSymbol(size_t position) {
  const std::string_view symbol = functions_[position].global_symbol();
  if (!symbol.empty()) symbol_index_.emplace(context_->Intern(symbol), position);
}

void IRModule::Add(Function function) {
  const bool added = index_.emplace(function.name, functions_.size()).second;
  TENON_CHECK(added);
  functions_.push_back(std::move(function));
  IndexSymbol(functions_.size() - 1);
}

void IRModule::Update(Function function) {
  const auto found = index_.find(function.name);
  TENON_CHECK(found != index_.end());
  Function& old = functions_[found->second];
  const bool same_symbol = old.global_symbol() == function.global_symbol();
  old = std::move(function);
  if (same_symbol) return;
  symbol_index_.clear();
  for (size_t i = 0; i < functions_.size(); ++i) IndexSymbol(i);
}

void IRModule::Remove(Symbol function_name) {
  const auto found = index_.find(function_name);
  TENON_CHECK(found != index_.end());
  functions_.erase(functions_.begin() + static_cast<std::ptrdiff_t>(found->second));
  index_.clear();
  symbol_index_.clear();
  for (size_t i = 0; i < functions_.size(); ++i) {
    index_.emplace(functions_[i].name, i);
    IndexSymbol(i);
  }
}

const Function* IRModule::Main() const {
  if (const Function* main = Find(context_->Intern("__tvm_main__"))) return main;
  for (const std::string_view key : {attr_key::kRunnerFunction, attr_key::kIsEntryFunc}) {
    for (const Function& function : functions_) {
      if (IsTrue(function.FindAttr(key))) return &function;
    }
  }
  if (const Function* main = Find(context_->Intern("main"))) return main;
  const Function* only = nullptr;
  for (const Function& function : functions_) {
    if (function.FindAttr(attr_key::kEntryFunction) != nullptr) continue;
    if (only != nullptr) return nullptr;
    only = &function;
  }
  return only;
}

void IRModule::SetAttrs(const MapAttr* attrs, std::shared_ptr<const Storage> storage) {
  TENON_CHECK(attrs != nullptr);
  attrs_ = attrs;
  storage_.push_back(std::move(storage));
}

void IRModule::SetGlobalInfos(const MapAttr* infos, std::shared_ptr<const Storage> storage) {
  global_infos_ = infos;
  storage_.push_back(std::move(storage));
}

}  // namespace tenon
