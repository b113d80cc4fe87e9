// The data of an entry: its pools, and constants that are copied or decompressed into RAM before
// the first run. Its names are taken before all others, so that new code never renames it. Pools
// whose constants are only copied need no type, and may be in memory that code cannot read
// directly.

#include <fmt/format.h>

#include <algorithm>

#include "ir/analysis/constant_section.h"
#include "ir/attributes.h"
#include "lowering/big_endian.h"
#include "lowering/c/c_internal.h"
#include "support/check.h"

namespace tenon::c_lowering {

EntryEmitter::EntryEmitter(ModuleState& state, const Function& entry,
                           const ModelInterface& interface)
    : state_(state),
      entry_(entry),
      interface_(interface),
      args_(interface.signature().pools),
      loads_(interface.model().loads),
      pools_(interface.pools().size()),
      stored_(loads_.size()) {
  for (const std::string_view suffix : OwnSuffixes())
    state.globals.Reserve(state.prefix + std::string(suffix));
  for (size_t i = 0; i < pools_.size(); ++i) {
    const InterfacePool& pool = interface.pools()[i];
    if (!pool.header.empty()) {
      pools_[i].object = args_[i].pool.name;
    } else if (pool.is_internal) {
      pools_[i].object = ConstantName(state, fmt::format("{}_{}", state.prefix, pool.field));
    } else if (pool.is_constant) {
      const absl::StatusOr<std::vector<BlobPart>> parts = PartsOf(args_[i]);
      state.is_little_endian |= parts.ok() && !IsSameInBigEndian(*parts);
    }
  }
}

/// Whether the pool holds constants of the emitted source.
bool EntryEmitter::IsDefinedHere(size_t pool) const {
  const InterfacePool& of = interface_.pools()[pool];
  return of.is_internal && of.is_constant && of.header.empty();
}

void EntryEmitter::AddConstantPool(size_t index) {
  const InterfacePool& pool = interface_.pools()[index];
  const PoolArg& arg = args_[index];
  Blob blob;
  blob.name = pools_[index].object;
  blob.size_bytes = std::max<int64_t>(arg.size_bytes, 0);
  blob.alignment = pool.alignment;
  blob.section = arg.pool.section;
  blob.comment = fmt::format("Constants of {} bytes: pool `{}`.", blob.size_bytes, pool.field);
  absl::StatusOr<std::vector<BlobPart>> parts = PartsOf(arg);
  if (!parts.ok()) return state_.Error(entry_.func->range, std::string(parts.status().message()));
  blob.parts = *std::move(parts);
  pools_[index].blob = static_cast<int>(state_.blobs.size());
  AddBlob(state_, std::move(blob), entry_.func->range, fmt::format("pool `{}`", arg.pool.name));
}

void EntryEmitter::AddCheckedPools(const std::vector<const Function*>& order) {
  AddConstantPools();
  std::vector<ConstantPoolMap::Pool> pools;
  for (size_t i = 0; i < pools_.size(); ++i) {
    if (pools_[i].blob < 0) continue;
    pools.push_back({interface_.signature().pool_params[i], static_cast<size_t>(pools_[i].blob),
                     &args_[i].pool});
  }
  state_.constant_pools = std::make_unique<const ConstantPoolMap>(state_, entry_, pools, order);
}

void EntryEmitter::AddConstantPools() {
  for (size_t i = 0; i < pools_.size(); ++i) {
    if (IsDefinedHere(i)) AddConstantPool(i);
  }
}

std::set<std::string> EntryEmitter::PoolHeaders() const {
  std::set<std::string> headers;
  for (const InterfacePool& pool : interface_.pools()) {
    if (!pool.header.empty()) headers.insert(pool.header);
  }
  return headers;
}

std::string EntryEmitter::Pools() const {
  std::string out;
  for (size_t i = 0; i < pools_.size(); ++i) {
    const InterfacePool& pool = interface_.pools()[i];
    if (!pool.is_internal || pool.is_constant) continue;
    out += fmt::format("/* Scratch memory of {} bytes: pool `{}`. */\n", pool.bytes, pool.field);
    out += fmt::format("static tenon_uint8 {}[{}] TENON_SECTION(\"{}\") TENON_ALIGNED({});\n\n",
                       pools_[i].object, std::max<int64_t>(pool.bytes, 1), pool.section,
                       pool.alignment);
  }
  return out;
}

void EntryEmitter::CheckLoads() const {
  for (const PlacedLoad& load : loads_) {
    const LoadedConstant& constant = load.constant;
    if (constant.codec == "zstd" && !state_.options.hosted) {
      state_.Error(constant.stored->range(),
                   fmt::format("constant `{}` is compressed by zstd, but the target has no "
                               "operating system and so no zstd library; compress by lz4",
                               constant.name));
    }
    // Decompressed bytes are little-endian.
    state_.is_little_endian |= !constant.codec.empty();
  }
}

void EntryEmitter::MarkCopiedPools() {
  // Decoders read the bytes in place, and files are also in memory.
  if (state_.options.constant_storage == ConstantStorage::kFile) return;
  for (size_t i = 0; i < pools_.size(); ++i) {
    if (!interface_.pools()[i].is_constant) continue;
    absl::flat_hash_set<int64_t> copied;
    for (const PlacedLoad& load : loads_) {
      if (load.stored_pool == i && load.constant.codec.empty())
        copied.insert(load.constant.stored_offset);
    }
    const std::vector<PooledConstant>& constants = args_[i].pool.constants;
    OwnedPool& pool = pools_[i];
    pool.is_copied = !constants.empty() &&
                     std::all_of(constants.begin(), constants.end(), [&](const PooledConstant& c) {
                       return copied.contains(c.byte_offset);
                     });
    if (pool.blob >= 0) state_.blobs[static_cast<size_t>(pool.blob)].is_copied = pool.is_copied;
  }
}

void EntryEmitter::AddStoredConstants() {
  CheckLoads();
  MarkCopiedPools();
  for (size_t i = 0; i < loads_.size(); ++i) {
    if (loads_[i].stored_pool) continue;
    const LoadedConstant& constant = loads_[i].constant;
    absl::StatusOr<BlobPart> part = PartOf(*constant.stored, 0);
    if (!part.ok()) return state_.Error(entry_.func->range, std::string(part.status().message()));
    Blob blob;
    blob.name = ConstantName(state_, fmt::format("{}_{}_stored", state_.prefix, constant.name));
    blob.dtype = part->dtype.element();
    blob.size_bytes = part->size_bytes;
    blob.section = SectionOf(*constant.stored);
    blob.is_copied =
        constant.codec.empty() && state_.options.constant_storage != ConstantStorage::kFile;
    blob.parts.push_back(*std::move(part));
    stored_[i] = {blob.name, static_cast<int>(state_.blobs.size())};
    AddBlob(state_, std::move(blob), constant.stored->range(),
            fmt::format("constant `{}`", constant.name));
  }
}

std::vector<std::string> EntryEmitter::CheckStored(size_t load) const {
  if (state_.constant_pools == nullptr) return {};
  const LoadedConstant& constant = loads_[load].constant;
  const std::optional<size_t> pool = loads_[load].stored_pool;
  const int blob = pool ? pools_[*pool].blob : stored_[load].blob;
  if (blob < 0) return {};
  const int64_t begin = pool ? constant.stored_offset : 0;
  return ConstantChecks(state_, PartsBetween(state_, static_cast<size_t>(blob), begin,
                                             begin + constant.stored->size_bytes()));
}

std::string EntryEmitter::Flags() const {
  std::string out;
  if (!interface_.model().inits.empty()) {
    out += fmt::format(
        "/* External functions: 0 before they are initialised, 1 meanwhile, 2 from then on. */\n"
        "static int32_t {}_{} = 0;\n\n",
        state_.prefix, entry_data::kExternalsState);
  }
  if (!loads_.empty()) {
    out += fmt::format(
        "/* Not 0: the constants are in RAM. */\n"
        "static int32_t {}_{} = 0;\n\n",
        state_.prefix, entry_data::kIsLoaded);
  }
  if (interface_.model().feed) {
    out += fmt::format(
        "/* The rows that were fed. */\n"
        "static int32_t {}_{} = 0;\n\n",
        state_.prefix, entry_data::kFedRows);
  }
  return out;
}

EntryText EntryEmitter::Entry() const {
  EntryText entry{.abi = &interface_.abi()};
  for (size_t i = 0; i < pools_.size(); ++i) {
    const InterfacePool& pool = interface_.pools()[i];
    if (!pool.is_internal) continue;
    const std::string& object = pools_[i].object;
    entry.pools[args_[i].pool.name] = {
        pool.is_constant ? fmt::format("(const void*)&{}", object) : object, pool.is_constant};
  }
  for (size_t i = 0; i < loads_.size(); ++i) {
    const LoadedConstant& constant = loads_[i].constant;
    const std::optional<size_t> pool = loads_[i].stored_pool;
    const bool is_copied = pool ? pools_[*pool].is_copied
                                : state_.blobs[static_cast<size_t>(stored_[i].blob)].is_copied;
    entry.loads.push_back({fmt::format("{}: {} bytes", constant.name, constant.size_bytes),
                           stored_[i].name, is_copied, CheckStored(i)});
  }
  return entry;
}

}  // namespace tenon::c_lowering
