#include "compile/share_constants.h"

#include <fmt/format.h>

#include <algorithm>

#include "lowering/big_endian.h"
#include "lowering/c/emit_c.h"
#include "lowering/image/emit_image.h"
#include "lowering/symbol_names.h"
#include "support/check.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

/// A pool in the form that the emission of constants takes.
absl::StatusOr<Blob> BlobOf(const SharedConstantPool& pool) {
  const InterfaceOptions defaults;
  Blob blob;
  blob.name = pool.name;
  blob.size_bytes = pool.size_bytes;
  blob.alignment = pool.alignment;
  blob.section = pool.section.empty() ? defaults.constant_section : pool.section;
  blob.comment = fmt::format("Constants of {} bytes that several models use.", pool.size_bytes);
  for (const SharedConstantBlock& block : pool.blocks) {
    TENON_CHECK(block.data != nullptr && !block.uses.empty());
    TENON_ASSIGN_OR(BlobPart whole, PartOf(*block.data, 0));
    if (whole.name.empty()) whole.name = block.uses[0].name;
    BlobPart part = SubPart(whole, block.begin, block.size_bytes);
    part.offset = block.offset;
    blob.parts.push_back(std::move(part));
  }
  TENON_TRY(Settle(blob));
  return blob;
}

/// True if models read the same bytes with elements of different types, whose byte order differs on
/// a big-endian machine.
bool HasClash(const SharedConstantPool& pool) {
  std::vector<BlobPart> parts;
  for (const SharedConstantBlock& block : pool.blocks) {
    const absl::StatusOr<BlobPart> whole = PartOf(*block.data, 0);
    if (!whole.ok()) continue;
    for (const SharedConstantBlock::Use& use : block.uses) {
      BlobPart& part = parts.emplace_back(
          SubPart(*whole, block.begin + use.offset - block.offset, use.size_bytes));
      // CheckSharedBytes does not view a repeated element as elements of another width: refuse it
      // here.
      if (part.element != 0 && part.is_splat() &&
          part.dtype.element_bytes() != use.dtype.element_bytes())
        return true;
      part.offset = use.offset;
      part.dtype = use.dtype;
    }
  }
  return !CheckSharedBytes(parts, pool.size_bytes).ok();
}

/// The header that declares the shared constants of `tvmgen_<name>`: `tvmgen_<name>_constants.h`.
std::string SharedConstantsHeader(std::string_view name) {
  return EmittedPrefix(name) + "_constants.h";
}

}  // namespace

absl::StatusOr<std::vector<SharedConstantPool>> ShareConstantsOf(
    std::span<PreparedModule* const> models, const CompileOptions& options, std::string_view name) {
  ShareConstantsOptions sharing;
  sharing.level = MergeLevel(options);
  sharing.alignment = options.constant_alignment;
  sharing.prefix = EmittedPrefix(name);
  sharing.header = SharedConstantsHeader(name);
  if (sharing.level == "off" || options.constant_storage == ConstantStorage::kFile)
    return std::vector<SharedConstantPool>();
  std::vector<IRModule*> modules;
  std::vector<size_t> index;
  for (size_t i = 0; i < models.size(); ++i) {
    if (models[i]->as_given) continue;
    modules.push_back(&models[i]->module);
    index.push_back(i);
  }
  TENON_ASSIGN_OR(std::vector<SharedConstantPool> pools, ShareConstants(modules, sharing));
  for (SharedConstantPool& pool : pools) {
    for (SharedConstantBlock& block : pool.blocks) {
      for (SharedConstantBlock::Use& use : block.uses) {
        TENON_CHECK(use.module < index.size());
        use.module = index[use.module];
      }
    }
  }
  return pools;
}

absl::StatusOr<EmittedSharedConstants> EmitSharedConstants(
    std::span<const SharedConstantPool> pools, const CompileOptions& options,
    std::string_view name) {
  EmittedSharedConstants result;
  if (pools.empty()) return result;
  const std::string prefix = EmittedPrefix(name);
  std::vector<Blob> blobs;
  for (const SharedConstantPool& pool : pools) {
    TENON_ASSIGN_OR(Blob blob, BlobOf(pool));
    blobs.push_back(std::move(blob));
  }
  AutoStorage choice = AutoStorageOf(options);
  // A file belongs to one model. Assembler source is also for any machine.
  if (choice.large == ConstantStorage::kFile) choice.large = ConstantStorage::kIncbin;
  result.storage = ChooseStorage(options.constant_storage, choice, TotalBytes(blobs));
  if (result.storage == ConstantStorage::kCArray) {
    result.files =
        EmitConstantArrays(prefix, blobs, std::any_of(pools.begin(), pools.end(), HasClash));
    result.use = fmt::format("compile and link {}_constants.c with the models", prefix);
    return result;
  }
  TENON_ASSIGN_OR(EmittedImage image,
                  EmitImage(prefix, std::move(blobs),
                            {result.storage, options.target.triple, options.target.abi}));
  result.files = std::move(image.files);
  result.use = std::move(image.use);
  return result;
}

}  // namespace tenon
