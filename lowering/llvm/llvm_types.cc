#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>

#include <algorithm>

#include "fmt/format.h"
#include "lowering/llvm/llvm_internal.h"

namespace tenon::llvm_lowering {

namespace {

llvm::Type* ElementValueType(llvm::LLVMContext& context, DataType dtype) {
  if (dtype.is_handle()) return llvm::PointerType::get(context, 0);
  if (dtype == DataType::Float(32)) return llvm::Type::getFloatTy(context);
  if (dtype == DataType::Float(64)) return llvm::Type::getDoubleTy(context);
  const int bits = dtype.bits();
  const bool known = bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
  return known ? llvm::IntegerType::get(context, static_cast<unsigned>(bits)) : nullptr;
}

}  // namespace

llvm::Type* ValueType(llvm::LLVMContext& context, DataType dtype) {
  if (dtype.is_void()) return llvm::Type::getVoidTy(context);
  llvm::Type* element = ElementValueType(context, dtype.element());
  if (element == nullptr || dtype.is_scalable() || dtype.lanes() < 1) return nullptr;
  if (dtype.is_scalar()) return element;
  return llvm::FixedVectorType::get(element, static_cast<unsigned>(dtype.lanes()));
}

llvm::Type* MemoryType(llvm::LLVMContext& context, DataType dtype) {
  return ValueType(context, dtype.is_bool() ? DataType::UInt(8, dtype.lanes()) : dtype);
}

llvm::Attribute::AttrKind Extension(DataType dtype) {
  if (!dtype.is_integer() || !dtype.is_scalar() || dtype.bits() >= 32) return llvm::Attribute::None;
  return dtype.is_int() ? llvm::Attribute::SExt : llvm::Attribute::ZExt;
}

llvm::IntegerType* ModuleState::WordType() const { return layout().getIntPtrType(context()); }

void SetSection(ModuleState& state, llvm::GlobalObject& global, const std::string& section) {
  const llvm::Triple triple(state.out.getTargetTriple());
  // Names such as .rodata.x are those of ELF.
  if (!section.empty() && triple.isOSBinFormatELF()) global.setSection(section);
}

llvm::GlobalVariable* DefineConstant(ModuleState& state, std::string_view name, DataType dtype,
                                     std::span<const uint8_t> bytes, int64_t alignment,
                                     const std::string& section) {
  const auto width = static_cast<size_t>(std::max<int64_t>(dtype.element_bytes(), 1));
  llvm::Type* element = MemoryType(state.context(), dtype.element());
  llvm::Constant* data = nullptr;
  if (bytes.empty()) {
    data = llvm::ConstantAggregateZero::get(llvm::ArrayType::get(element, 1));
  } else {
    // LLVM has numbers as this machine does, and writes them as the target wants them.
    data = llvm::ConstantDataArray::getRaw(
        llvm::StringRef(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
        bytes.size() / width, element);
  }
  auto* global =
      new llvm::GlobalVariable(state.out, data->getType(), /*isConstant=*/true,
                               llvm::GlobalValue::PrivateLinkage, data, llvm::StringRef(name));
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  global->setAlignment(llvm::Align(static_cast<uint64_t>(alignment)));
  SetSection(state, *global, section.empty() ? state.options.constant_section : section);
  return global;
}

void LayOutConstantsOf(ModuleState& state, const std::vector<const Function*>& functions) {
  std::vector<ConstantUse> uses;
  for (const Function* function : functions) {
    Walk(function->func->body, [&](const Node* node) {
      const auto* allocate = dyn_cast<AllocateConst>(node);
      if (allocate != nullptr && allocate->data != nullptr && allocate->data->has_bytes() &&
          state.constant_index.try_emplace(allocate, uses.size()).second) {
        state.constant_uses.push_back(allocate);
        uses.push_back(
            {allocate->data, AlignmentOf(*allocate->data, state.options.constant_alignment)});
      }
      return Stmt::ClassOf(node);
    });
  }
  state.constant_layout = LayOutConstants(uses);
  state.blocks.resize(state.constant_layout.blocks.size());
}

llvm::Constant* PlaceConstant(ModuleState& state, const AllocateConst& allocate) {
  const ConstantLayout::Place place =
      state.constant_layout.places[state.constant_index.at(&allocate)];
  const ConstantBlock& block = state.constant_layout.blocks[place.block];
  llvm::GlobalVariable*& global = state.blocks[place.block];
  if (global == nullptr) {
    // The largest that lies in it lends the array its type and name if it is all of it.
    const AllocateConst& largest = *state.constant_uses[block.largest_use];
    const bool is_all = largest.data->size_bytes() == block.size_bytes();
    const Constant& data = is_all ? *largest.data : *block.data;
    const int64_t width = data.dtype().element_bytes();
    const bool is_whole = width > 0 && block.begin % width == 0 && block.end % width == 0;
    const DataType dtype = is_all || is_whole ? data.dtype().element() : DataType::UInt(8);
    const std::string_view own = data.name().view();
    const std::string name =
        fmt::format("{}_{}", state.options.prefix,
                    SanitizeName(own.empty() ? largest.buffer_var->name.view() : own));
    global = DefineConstant(state, name, dtype,
                            data.Bytes()->subspan(static_cast<size_t>(is_all ? 0 : block.begin),
                                                  static_cast<size_t>(block.size_bytes())),
                            std::max(block.alignment, state.options.constant_alignment),
                            block.data->placement().section);
  }
  if (place.offset == 0) return global;
  return llvm::ConstantExpr::getInBoundsGetElementPtr(
      llvm::Type::getInt8Ty(state.context()), global,
      llvm::ConstantInt::get(state.WordType(), static_cast<uint64_t>(place.offset)));
}

}  // namespace tenon::llvm_lowering
