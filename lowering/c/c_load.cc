#include <fmt/format.h>

#include <algorithm>

#include "ir/analysis/constant_section.h"
#include "lowering/c/c_internal.h"
#include "support/check.h"

// Constants that are copied or decompressed into RAM before the first run.

namespace tenon::c_lowering {

void InterfaceEmitter::CollectLoaded() {
  std::vector<PlacedLoad> loads = ReadPlacedLoads(signature_, [&](std::string message) {
    state_.Error(entry_.func->range, std::move(message));
  });
  for (PlacedLoad& load : loads) {
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
    TENON_CHECK(load.pool < pools_.size());
    result_.abi.needs_init |= !pools_[load.pool].is_internal;
    loaded_.push_back({std::move(load), {}, -1});
  }
  CollectInits();
  result_.abi.has_init = !loaded_.empty() || !inits_.empty();
}

void InterfaceEmitter::CollectInits() {
  inits_ = ReadExternalInits(*entry_.func);
  state_pool_ = signature_.PoolNamed(kStatePool);
  for (const ExternalInit& init : inits_) {
    if (const std::string error = ExternNameError(state_.prefix, init.symbol); !error.empty())
      state_.Error(entry_.func->range, error);
    const int64_t size = state_pool_ ? pools_[*state_pool_].bytes : 0;
    if (init.bytes <= size && init.offset <= size - init.bytes) continue;
    state_.Error(entry_.func->range,
                 fmt::format("the state that `{}` fills has {} bytes from {} on, and its pool `{}` "
                             "has {}",
                             init.symbol, init.bytes, init.offset, kStatePool, size));
  }
}

std::string InterfaceEmitter::InitExternals() {
  if (inits_.empty()) return {};
  std::string calls;
  for (const ExternalInit& init : inits_) {
    const std::string state =
        init.bytes == 0
            ? std::string("NULL")
            : fmt::format("(void*)({} + {})", PoolAddress(pools_[*state_pool_]), init.offset);
    calls +=
        fmt::format("  if (result == 0) result = {}({}, {});\n", init.symbol, state, init.bytes);
    const bool is_new = state_.extern_index.emplace(init.symbol, state_.externs.size()).second;
    if (is_new) state_.externs.push_back({init.symbol, "int32_t", {{"void*"}, {"int64_t"}}});
  }
  return fmt::format(
      R"(/* External functions: 0 before they are initialised, 1 meanwhile, 2 from then on. */
static int32_t {0}_externals_state = 0;

static int32_t {0}_init_externals(void) {{
  int32_t result = 0;
#if defined(__GNUC__) && __GCC_ATOMIC_INT_LOCK_FREE == 2
  int32_t seen = 0;
  while (!__atomic_compare_exchange_n(&{0}_externals_state, &seen, 1, 0, __ATOMIC_ACQUIRE,
                                      __ATOMIC_ACQUIRE)) {{
    if (seen == 2) return 0;
    seen = 0;
  }}
#else
  if ({0}_externals_state == 2) return 0;
#endif
{1}#if defined(__GNUC__) && __GCC_ATOMIC_INT_LOCK_FREE == 2
  __atomic_store_n(&{0}_externals_state, result == 0 ? 2 : 0, __ATOMIC_RELEASE);
#else
  {0}_externals_state = result == 0 ? 2 : 0;
#endif
  return result;
}}

)",
      state_.prefix, calls);
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

std::string InterfaceEmitter::InitSignature() const {
  const std::string params =
      result_.abi.pools.empty()
          ? "void"
          : fmt::format("struct {}_workspace_pools* workspace_pools", state_.prefix);
  return fmt::format("int32_t {}_init({})", state_.prefix, params);
}

std::string InterfaceEmitter::CheckStored(const Loaded& loaded) const {
  if (state_.constant_pools == nullptr) return {};
  const LoadedConstant& constant = loaded.constant;
  int64_t begin = 0;
  int blob = loaded.blob;
  if (loaded.stored_pool) {
    blob = pools_[*loaded.stored_pool].blob;
    begin = constant.stored_offset;
  }
  std::string out;
  if (blob < 0) return out;
  const ConstantNumbers numbers =
      PartsBetween(state_, static_cast<size_t>(blob), begin, begin + constant.stored->size_bytes());
  for (const std::string& check : ConstantChecks(state_, numbers))
    out += fmt::format("  if ({}) return TENON_CONSTANTS_DAMAGED;\n", check);
  return out;
}

std::string InterfaceEmitter::LoadStatement(const Loaded& loaded) const {
  const LoadedConstant& constant = loaded.constant;
  const std::string to =
      fmt::format("(uint8_t*){} + {}", PoolAddress(pools_[loaded.pool]), constant.offset);
  std::string from = fmt::format("(const uint8_t*){}", loaded.stored_name);
  if (loaded.stored_pool) {
    from = fmt::format("(const uint8_t*){} + {}", PoolAddress(pools_[*loaded.stored_pool]),
                       constant.stored_offset);
  }
  const std::string what =
      fmt::format("  /* {}: {} bytes */\n", constant.name, constant.size_bytes);
  const bool is_copied = loaded.stored_pool
                             ? pools_[*loaded.stored_pool].is_copied
                             : state_.blobs[static_cast<size_t>(loaded.blob)].is_copied;
  const std::string_view copy = is_copied ? "TENON_CONST_COPY" : "memcpy";
  if (constant.codec.empty())
    return what + fmt::format("  {}({}, {}, {});\n", copy, to, from, constant.size_bytes);
  const int64_t stored = constant.stored->size_bytes();
  const std::string failed =
      constant.codec == "lz4" ? fmt::format("tenon_lz4_decompress({}, {}, {}, {}) != 0", from,
                                            stored, to, constant.size_bytes)
                              : fmt::format("ZSTD_decompress({}, {}, {}, {}) != {}", to,
                                            constant.size_bytes, from, stored, constant.size_bytes);
  return what + fmt::format("  if ({}) return {}_ERROR_DAMAGED_CONSTANT;\n", failed,
                            MacroName(state_.prefix));
}

std::string InterfaceEmitter::Init() {
  const std::string externals = InitExternals();
  const std::string last = inits_.empty() ? "0" : fmt::format("{}_init_externals()", state_.prefix);
  if (loaded_.empty()) {
    if (inits_.empty()) return {};
    return fmt::format("{}{} {{\n{}  return {};\n}}\n\n", externals, InitSignature(),
                       result_.abi.pools.empty() ? "" : "  (void)workspace_pools;\n", last);
  }
  std::string out =
      externals +
      fmt::format(
          "/* Constants have been brought into RAM. */\nstatic int32_t {}_is_loaded = 0;\n\n"
          "{} {{\n",
          state_.prefix, InitSignature());
  bool uses_pools = false;
  std::string body;
  for (const Loaded& loaded : loaded_) {
    body += CheckStored(loaded) + LoadStatement(loaded);
    uses_pools |= !pools_[loaded.pool].is_internal;
    if (loaded.stored_pool) uses_pools |= !pools_[*loaded.stored_pool].is_internal;
  }
  if (!uses_pools && !result_.abi.pools.empty()) out += "  (void)workspace_pools;\n";
  return out + ReadyConstants() + body +
         fmt::format("  {}_is_loaded = 1;\n  return {};\n}}\n\n", state_.prefix, last);
}

std::string InterfaceEmitter::InitHeader() const {
  if (loaded_.empty()) {
    if (inits_.empty()) return {};
    return fmt::format(
        "\n/* Initialises external functions, once, whichever thread is first. The first run does "
        "it,\n * unless it was called before. Returns 0, or what they return. */\n{};\n",
        InitSignature());
  }
  const std::string macro = MacroName(state_.prefix);
  int64_t bytes = 0;
  int64_t stored = 0;
  for (const Loaded& loaded : loaded_) {
    bytes += loaded.constant.size_bytes;
    stored += loaded.constant.stored->size_bytes();
  }
  return fmt::format(
      "\n/* Brings {} bytes of constants into RAM, from {} bytes where they are stored. {}\n"
      " * Call it again when that memory was lost. Returns 0, or an error below. */\n{};\n"
      "/* The run function was called before {}_init. */\n#define {}_ERROR_NOT_LOADED (-2)\n"
      "/* The stored bytes of a constant cannot be decompressed. */\n"
      "#define {}_ERROR_DAMAGED_CONSTANT (-3)\n",
      bytes, stored,
      result_.abi.needs_init ? "Call it before the first run."
                             : "The first run does it unless the program did.",
      InitSignature(), state_.prefix, macro, macro);
}

std::string InterfaceEmitter::BeforeRun() const {
  const std::string externals = inits_.empty()
                                    ? std::string()
                                    : fmt::format(
                                          "  const int32_t externals = {}_init_externals();\n"
                                          "  if (externals != 0) return externals;\n",
                                          state_.prefix);
  if (loaded_.empty()) return externals;
  if (result_.abi.needs_init) {
    return fmt::format("  if (!{}_is_loaded) return {}_ERROR_NOT_LOADED;\n", state_.prefix,
                       MacroName(state_.prefix)) +
           externals;
  }
  return externals + fmt::format(
                         "  if (!{0}_is_loaded) {{\n    const int32_t result = {0}_init({1});\n"
                         "    if (result != 0) return result;\n  }}\n",
                         state_.prefix, result_.abi.pools.empty() ? "" : "workspace_pools");
}

}  // namespace tenon::c_lowering
