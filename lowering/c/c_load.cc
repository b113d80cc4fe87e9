// Constants that are copied or decompressed into RAM before the first run. Pools whose constants
// are only copied need no type, and may be in memory that code cannot read directly.

#include <fmt/format.h>

#include <algorithm>

#include "ir/analysis/constant_section.h"
#include "lowering/c/c_internal.h"
#include "support/check.h"

namespace tenon::c_lowering {

void InterfaceEmitter::CollectLoaded() {
  for (const PlacedLoad& load : model_.loads) {
    const LoadedConstant& constant = load.constant;
    if (constant.codec == "zstd" && !state_.options.hosted) {
      state_.Error(constant.stored->range(),
                   fmt::format("constant `{}` is compressed by zstd, but the target has no "
                               "operating system and so no zstd library; compress by lz4",
                               constant.name));
    }
    result_.needs.lz4 |= constant.codec == "lz4";
    result_.needs.zstd |= constant.codec == "zstd";
    // Decompressed bytes are little-endian.
    state_.is_little_endian |= !constant.codec.empty();
    loaded_.push_back({load, {}, -1});
  }
  for (const ExternalInit& init : model_.inits) {
    if (const std::string error = ExternNameError(state_.prefix, init.symbol); !error.empty())
      state_.Error(entry_.func->range, error);
  }
  result_.abi.has_init = model_.HasInit();
  result_.abi.needs_init = model_.NeedsInit();
}

void InterfaceEmitter::MarkCopiedPools() {
  // Decoders read the bytes in place, and files are also in memory.
  if (state_.options.constant_storage == ConstantStorage::kFile) return;
  for (size_t i = 0; i < pools_.size(); ++i) {
    PoolParam& pool = pools_[i];
    if (!pool.is_constant) continue;
    absl::flat_hash_set<int64_t> copied;
    for (const Loaded& loaded : loaded_) {
      if (loaded.stored_pool == i && loaded.constant.codec.empty())
        copied.insert(loaded.constant.stored_offset);
    }
    const std::vector<PooledConstant>& constants = signature_.pools[i].pool.constants;
    pool.is_copied = !constants.empty() &&
                     std::all_of(constants.begin(), constants.end(), [&](const PooledConstant& c) {
                       return copied.contains(c.byte_offset);
                     });
    if (pool.blob >= 0) state_.blobs[static_cast<size_t>(pool.blob)].is_copied = pool.is_copied;
  }
}

void InterfaceEmitter::AddStoredConstants() {
  CollectLoaded();
  MarkCopiedPools();
  for (Loaded& loaded : loaded_) {
    if (loaded.stored_pool) continue;
    absl::StatusOr<BlobPart> part = PartOf(*loaded.constant.stored, 0);
    if (!part.ok()) return state_.Error(entry_.func->range, std::string(part.status().message()));
    Blob blob;
    loaded.stored_name =
        ConstantName(state_, fmt::format("{}_{}_stored", state_.prefix, loaded.constant.name));
    blob.name = loaded.stored_name;
    blob.dtype = part->dtype.element();
    blob.size_bytes = part->size_bytes;
    blob.section = SectionOf(*loaded.constant.stored);
    blob.is_copied =
        loaded.constant.codec.empty() && state_.options.constant_storage != ConstantStorage::kFile;
    blob.parts.push_back(*std::move(part));
    loaded.blob = static_cast<int>(state_.blobs.size());
    AddBlob(state_, std::move(blob), loaded.constant.stored->range(),
            fmt::format("constant `{}`", loaded.constant.name));
  }
}

std::vector<std::string> InterfaceEmitter::CheckStored(const Loaded& loaded) const {
  if (state_.constant_pools == nullptr) return {};
  const LoadedConstant& constant = loaded.constant;
  int64_t begin = 0;
  int blob = loaded.blob;
  if (loaded.stored_pool) {
    blob = pools_[*loaded.stored_pool].blob;
    begin = constant.stored_offset;
  }
  if (blob < 0) return {};
  return ConstantChecks(state_, PartsBetween(state_, static_cast<size_t>(blob), begin,
                                             begin + constant.stored->size_bytes()));
}

std::string InterfaceEmitter::Flags() const {
  std::string out;
  if (!model_.inits.empty()) {
    out += fmt::format(
        "/* External functions: 0 before they are initialised, 1 meanwhile, 2 from then on. */\n"
        "static int32_t {}_{} = 0;\n\n",
        state_.prefix, entry_data::kExternalsState);
  }
  if (!loaded_.empty()) {
    out += fmt::format(
        "/* Not 0: the constants are in RAM. */\n"
        "static int32_t {}_{} = 0;\n\n",
        state_.prefix, entry_data::kIsLoaded);
  }
  return out;
}

EntryText InterfaceEmitter::Entry() const {
  EntryText entry{.abi = &result_.abi};
  for (size_t i = 0; i < pools_.size(); ++i) {
    const PoolParam& pool = pools_[i];
    if (!pool.is_internal) continue;
    entry.pools[signature_.pools[i].pool.name] = {
        pool.is_constant ? fmt::format("(const void*)&{}", pool.object) : pool.object,
        pool.is_constant};
  }
  for (const Loaded& loaded : loaded_) {
    const bool is_copied = loaded.stored_pool
                               ? pools_[*loaded.stored_pool].is_copied
                               : state_.blobs[static_cast<size_t>(loaded.blob)].is_copied;
    entry.loads.push_back(
        {fmt::format("{}: {} bytes", loaded.constant.name, loaded.constant.size_bytes),
         loaded.stored_name, is_copied, CheckStored(loaded)});
  }
  return entry;
}

std::string InterfaceEmitter::InitHeader() const {
  if (loaded_.empty()) {
    if (model_.inits.empty()) return {};
    return fmt::format(
        "\n/* Initialises external functions once, in the first thread that calls it. Without a\n"
        " * call, the first run does it. Returns 0, or the status of a function that failed. */\n"
        "{};\n",
        EntryDeclaration(result_.abi, entry_function::kInit));
  }
  const std::string macro = MacroName(state_.prefix);
  int64_t bytes = 0;
  int64_t stored = 0;
  for (const Loaded& loaded : loaded_) {
    bytes += loaded.constant.size_bytes;
    stored += loaded.constant.stored->size_bytes();
  }
  return fmt::format(
      "\n/* Brings {} bytes of constants into RAM, from {} stored bytes. {}\n"
      " * Call it again if the memory was lost. Returns 0, or an error below. */\n"
      "{};\n"
      "/* The run function was called before {}_init. */\n"
      "#define {}_ERROR_NOT_LOADED ({})\n"
      "/* The stored bytes of a constant cannot be decompressed. */\n"
      "#define {}_ERROR_DAMAGED_CONSTANT ({})\n",
      bytes, stored,
      result_.abi.needs_init ? "Call it before the first run."
                             : "The first run does it, unless the program did.",
      EntryDeclaration(result_.abi, entry_function::kInit), state_.prefix, macro, kStatusNotLoaded,
      macro, kStatusDamagedConstant);
}

}  // namespace tenon::c_lowering
