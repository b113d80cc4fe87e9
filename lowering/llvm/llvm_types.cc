// Types in registers and in memory, which differ for bools, and constants as globals. Large
// constants become declarations, since LLVM needs far more time and memory for bytes than a copy.

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>

#include <algorithm>

#include "fmt/format.h"
#include "ir/loaded_constants.h"
#include "ir/memory_pools.h"
#include "lowering/big_endian.h"
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

namespace {

/// Whether the target has ELF section names such as .rodata.x.
bool HasSections(const ModuleState& state) {
  return llvm::Triple(state.out.getTargetTriple()).isOSBinFormatELF();
}

}  // namespace

std::string SectionFor(ModuleState& state, const std::string& asked, const std::string& otherwise,
                       SourceRange range) {
  if (asked.empty()) return otherwise;
  // JIT code has no sections on any target.
  if (!HasSections(state) && state.outside.is_near) {
    state.Error(range, fmt::format("section `{}` is asked for, but the target `{}` is not ELF and "
                                   "has no such sections: remove the section",
                                   asked, llvm::Triple(state.out.getTargetTriple()).str()));
  }
  return asked;
}

void SetSection(ModuleState& state, llvm::GlobalObject& global, const std::string& section) {
  if (!section.empty() && HasSections(state)) global.setSection(section);
}

namespace {

/// The initializer of a blob. `uses` are its parts before Settle.
llvm::Constant* DataOf(ModuleState& state, Blob blob, std::vector<BlobPart> uses) {
  llvm::Type* element = MemoryType(state.context(), blob.dtype.element());
  if (blob.size_bytes == 0)
    return llvm::ConstantAggregateZero::get(llvm::ArrayType::get(element, 1));
  const auto raw = [&](std::span<const uint8_t> bytes, llvm::Type* type) {
    const auto width = static_cast<size_t>(type->getPrimitiveSizeInBits() / 8);
    return llvm::ConstantDataArray::getRaw(
        llvm::StringRef(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
        bytes.size() / width, type);
  };
  const BlobPart* whole = blob.parts.empty() ? nullptr : blob.parts.data();
  if (whole != nullptr && whole->size_bytes == blob.size_bytes &&
      (uses.size() < 2 || state.layout().isLittleEndian()) &&
      whole->dtype.element() == blob.dtype.element()) {
    // LLVM takes numbers in host byte order and writes them in the target's.
    return whole->is_splat() ? raw(BlobBytes(blob), element) : raw(whole->bytes, element);
  }
  llvm::Type* byte = llvm::Type::getInt8Ty(state.context());
  if (state.layout().isLittleEndian()) return raw(BlobBytes(blob), byte);
  blob.parts = std::move(uses);
  const absl::StatusOr<std::vector<uint8_t>> bytes = BigEndianBytes(blob);
  if (bytes.ok()) return raw(*bytes, byte);
  state.Error({}, std::string(bytes.status().message()));
  blob.parts.clear();
  return raw(BlobBytes(blob), byte);
}

/// Declares the blob with the name, size and alignment that it has in its object.
llvm::GlobalVariable* DeclareOutside(ModuleState& state, Blob blob) {
  llvm::Type* type = llvm::ArrayType::get(
      MemoryType(state.context(), blob.dtype.element()),
      static_cast<uint64_t>(std::max<int64_t>(blob.size_bytes / blob.dtype.element_bytes(), 1)));
  auto* global = new llvm::GlobalVariable(state.out, type, /*isConstant=*/true,
                                          llvm::GlobalValue::ExternalLinkage, nullptr, blob.name);
  global->setAlignment(llvm::Align(static_cast<uint64_t>(blob.alignment)));
  if (state.outside.is_near) {
    global->setVisibility(llvm::GlobalValue::HiddenVisibility);
    // lowering/image places data of this size outside the reach of 32-bit offsets.
    constexpr int64_t kFar = int64_t{1} << 30;
    if (state.constant_bytes > kFar &&
        llvm::Triple(state.out.getTargetTriple()).getArch() == llvm::Triple::x86_64)
      global->setCodeModel(llvm::CodeModel::Large);
  }
  blob.name = global->getName();
  state.outside.blobs.push_back(std::move(blob));
  return global;
}

}  // namespace

llvm::GlobalVariable* DefineConstant(ModuleState& state, Blob blob, SourceRange range) {
  blob.alignment = std::max({blob.alignment, state.options.constant_alignment, int64_t{1}});
  blob.section = SectionFor(state, blob.section, state.options.constant_section, range);
  std::vector<BlobPart> uses = blob.parts;
  const absl::Status settled = Settle(blob);
  if (!settled.ok()) {
    state.Error(range, std::string(settled.message()));
    blob.parts.clear();
    uses.clear();
  }
  if (blob.size_bytes > state.inside_bytes) return DeclareOutside(state, std::move(blob));
  llvm::Constant* data = DataOf(state, blob, std::move(uses));
  auto* global = new llvm::GlobalVariable(state.out, data->getType(), /*isConstant=*/true,
                                          llvm::GlobalValue::PrivateLinkage, data, blob.name);
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  global->setAlignment(llvm::Align(static_cast<uint64_t>(blob.alignment)));
  SetSection(state, *global, blob.section);
  return global;
}

namespace {

/// Decides which constants become external symbols.
void DivideConstants(ModuleState& state) {
  for (const ConstantBlock& block : state.constants.blocks())
    state.constant_bytes += block.size_bytes();
  if (const Function* main = state.module.Main()) {
    for (const PoolArg& arg : ReadPoolArgs(*main->func)) {
      if (arg.pool.is_internal && arg.pool.is_constant) state.constant_bytes += arg.size_bytes;
    }
    for (const LoadedConstant& constant : ReadLoadedConstants(*main->func)) {
      if (constant.stored_pool.empty()) state.constant_bytes += constant.stored->size_bytes();
    }
  }
  const int64_t limit = state.outside.limit;
  if (state.constant_bytes > limit) state.inside_bytes = limit < 0 ? 0 : kSmallConstant;
}

}  // namespace

void LayOutConstantsOf(ModuleState& state, const std::vector<const Function*>& functions) {
  state.constants = ModuleConstants(functions, state.options.constant_alignment);
  state.blocks.resize(state.constants.blocks().size());
  DivideConstants(state);
}

llvm::Constant* PlaceConstant(ModuleState& state, const AllocateConst& allocate) {
  const ConstantLayout::Place place = state.constants.PlaceOf(allocate);
  llvm::GlobalVariable*& global = state.blocks[place.block];
  if (global == nullptr) {
    absl::StatusOr<Blob> blob = state.constants.BlobOf(place.block);
    // On a big-endian target bytes are reordered, so every constant needs its own element type.
    if (blob.ok() && !state.layout().isLittleEndian()) {
      absl::StatusOr<std::vector<BlobPart>> parts = state.constants.PartsIn(place.block);
      if (parts.ok()) {
        blob->parts = *std::move(parts);
      } else {
        blob = parts.status();
      }
    }
    if (!blob.ok()) {
      state.Error(allocate.range, std::string(blob.status().message()));
      blob.emplace();
    }
    blob->name = fmt::format("{}_{}", state.options.prefix, SanitizeName(blob->name));
    global = DefineConstant(state, *std::move(blob), allocate.range);
  }
  if (place.offset == 0) return global;
  return llvm::ConstantExpr::getInBoundsGetElementPtr(
      llvm::Type::getInt8Ty(state.context()), global,
      llvm::ConstantInt::get(state.WordType(), static_cast<uint64_t>(place.offset)));
}

}  // namespace tenon::llvm_lowering
