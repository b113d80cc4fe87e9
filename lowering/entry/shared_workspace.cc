// An arena is as large as the largest need and aligned for the strictest, which is right only
// because models run in turn. So a constant that stays loaded between runs is refused.

#include "lowering/entry/shared_workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "absl/status/status.h"
#include "lowering/symbol_names.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// The combined requirements of all models for a caller-owned pool.
struct PoolNeed {
  int64_t bytes = 0;
  int64_t alignment = 1;
  /// A model needs its address at an offset from a multiple of the alignment, which no array has.
  bool is_beside = false;
  std::string section;
  /// `64000 bytes of tvmgen_kws`, for each model.
  std::string needs;
};

absl::Status CheckPrefixes(std::span<const SharingModel> models, const std::string& shared) {
  std::map<std::string, std::string> source_of = {{shared, "the shared workspace"}};
  for (const SharingModel& model : models) {
    const auto [found, is_new] = source_of.try_emplace(model.abi->prefix, model.source);
    if (is_new) continue;
    return absl::InvalidArgumentError(fmt::format(
        "the names of both {} and {} would begin with `{}`; give each module its own with "
        "--module-name=NAME, once for each in their order",
        found->second, model.source, model.abi->prefix));
  }
  return absl::OkStatus();
}

/// Checks that no model loads constants into the workspace, since other models overwrite it.
absl::Status CheckLoaded(std::span<const SharingModel> models) {
  for (const SharingModel& model : models) {
    if (!model.abi->has_init) continue;
    return absl::InvalidArgumentError(
        fmt::format("{} loads constants into the workspace, which the other models would overwrite",
                    model.source));
  }
  return absl::OkStatus();
}

std::map<std::string, PoolNeed> ArenasOf(std::span<const SharingModel> models) {
  std::map<std::string, PoolNeed> arenas;
  for (const SharingModel& model : models) {
    for (const EntryPool& pool : model.abi->pools) {
      if (pool.is_constant) continue;
      PoolNeed& arena = arenas[pool.name];
      arena.bytes = std::max(arena.bytes, pool.size_bytes);
      arena.alignment = std::max(arena.alignment, pool.alignment);
      arena.is_beside |= pool.beside > 0;
      if (arena.section.empty()) arena.section = pool.section;
      arena.needs += fmt::format("{}{} bytes of {}", arena.needs.empty() ? "" : ", ",
                                 pool.size_bytes, model.abi->prefix);
    }
  }
  return arenas;
}

/// Initializers of the models' pool structs, for models whose pools are all arenas.
std::string Initialisers(std::span<const SharingModel> models, const std::string& prefix,
                         const std::map<std::string, PoolNeed>& arenas) {
  std::string out;
  for (const SharingModel& model : models) {
    std::string fields;
    bool all = !model.abi->pools.empty();
    for (const EntryPool& pool : model.abi->pools) {
      all &= !pool.is_constant && !arenas.at(pool.name).is_beside;
      fields += fmt::format("{}{}_{}", fields.empty() ? "" : ", ", prefix, pool.name);
    }
    if (!all) continue;
    out += fmt::format("#define {}_SHARED_POOLS {{{}}}\n", Upper(model.abi->prefix), fields);
  }
  if (out.empty()) return out;
  return "\n/* struct <model>_workspace_pools pools = <MODEL>_SHARED_POOLS; */\n" + out;
}

std::string Header(std::span<const SharingModel> models, const std::string& prefix,
                   const std::map<std::string, PoolNeed>& arenas) {
  const std::string macro = Upper(prefix);
  std::string out = fmt::format(
      "/* Made by Tenon. Workspace of models that run in turn: a run of one model overwrites the\n"
      " * values of the others, also their outputs. */\n"
      "#ifndef {0}_H_\n#define {0}_H_\n\n#include <stdint.h>\n\n"
      "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n",
      macro);
  for (const auto& [name, arena] : arenas) {
    const std::string pool = fmt::format("{}_{}", macro, Upper(name));
    out += fmt::format("\n/* Pool `{}`: {}. */\n#define {}_SIZE {}\n#define {}_ALIGNMENT {}\n",
                       name, arena.needs, pool, arena.bytes, pool, arena.alignment);
    if (arena.is_beside) {
      out += "/* The application chooses its address: see the headers of the models. */\n";
    } else {
      out += fmt::format("extern uint8_t {}_{}[{}];\n", prefix, name,
                         std::max<int64_t>(arena.bytes, 1));
    }
  }
  out += Initialisers(models, prefix, arenas);
  return out + fmt::format(
                   "\n#ifdef __cplusplus\n}}  /* extern \"C\" */\n#endif\n\n#endif /* {}_H_ "
                   "*/\n",
                   macro);
}

std::string Source(const std::string& prefix, const std::map<std::string, PoolNeed>& arenas) {
  std::string out = fmt::format(
      "/* Made by Tenon. */\n\n#include \"{}.h\"\n\n#include \"tenon_runtime.h\"\n", prefix);
  for (const auto& [name, arena] : arenas) {
    if (arena.is_beside) continue;
    out += fmt::format("\nuint8_t {}_{}[{}] TENON_SECTION(\"{}\") TENON_ALIGNED({});\n", prefix,
                       name, std::max<int64_t>(arena.bytes, 1), arena.section, arena.alignment);
  }
  return out;
}

}  // namespace

absl::StatusOr<SharedWorkspace> ShareWorkspace(std::span<const SharingModel> models,
                                               std::string_view name) {
  const std::string prefix = EmittedPrefix(name);
  TENON_TRY(CheckPrefixes(models, prefix));
  TENON_TRY(CheckLoaded(models));
  const std::map<std::string, PoolNeed> arenas = ArenasOf(models);
  SharedWorkspace shared;
  for (const auto& [pool, arena] : arenas) {
    if (arena.is_beside) continue;
    shared.arenas.push_back(
        {fmt::format("{}_{}", prefix, pool), arena.bytes, arena.alignment, arena.section});
  }
  shared.header = {prefix + ".h", Header(models, prefix, arenas)};
  shared.source = {prefix + ".c", Source(prefix, arenas)};
  return shared;
}

}  // namespace tenon
