#include "compile/share_workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "absl/status/status.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// A pool of the caller as all models together need it.
struct PoolNeed {
  int64_t bytes = 0;
  int64_t alignment = 1;
  /// A model wants it at this many bytes behind a multiple of the alignment: no array is there.
  bool is_beside = false;
  std::string section;
  /// `64000 bytes of tvmgen_kws`, of each.
  std::string needs;
};

absl::Status CheckPrefixes(const std::vector<SharingModel>& models, const std::string& shared) {
  std::map<std::string, std::string> source_of = {{shared, "the shared workspace"}};
  for (const SharingModel& model : models) {
    const auto [found, is_new] = source_of.try_emplace(model.c.prefix, model.source);
    if (is_new) continue;
    return absl::InvalidArgumentError(fmt::format(
        "the names of both {} and {} would begin with `{}`; give each module its own with "
        "--module-name=NAME, once for each in their order",
        found->second, model.source, model.c.prefix));
  }
  return absl::OkStatus();
}

/// Constants are there all the time, whichever model runs.
absl::Status CheckConstants(const std::vector<SharingModel>& models) {
  std::map<std::string, std::pair<int64_t, int64_t>> sums;
  for (const SharingModel& model : models) {
    for (const EmittedPool& pool : model.c.caller_pools) {
      if (!pool.is_constant || pool.capacity < 0) continue;
      auto& [bytes, capacity] = sums[pool.field];
      if (__builtin_add_overflow(bytes, pool.bytes, &bytes)) bytes = INT64_MAX;
      capacity = pool.capacity;
    }
  }
  for (const auto& [name, sum] : sums) {
    if (sum.first <= sum.second) continue;
    return absl::ResourceExhaustedError(
        fmt::format("pool `{}` has {} bytes, but the constants of all models need {}, {} more",
                    name, sum.second, sum.first, sum.first - sum.second));
  }
  return absl::OkStatus();
}

/// What was loaded into the workspace is gone once another model runs.
absl::Status CheckLoaded(const std::vector<SharingModel>& models) {
  for (const SharingModel& model : models) {
    if (!model.c.has_init) continue;
    return absl::InvalidArgumentError(
        fmt::format("{} loads constants into the workspace, which the other models would overwrite",
                    model.source));
  }
  return absl::OkStatus();
}

std::map<std::string, PoolNeed> ArenasOf(const std::vector<SharingModel>& models) {
  std::map<std::string, PoolNeed> arenas;
  for (const SharingModel& model : models) {
    for (const EmittedPool& pool : model.c.caller_pools) {
      if (pool.is_constant) continue;
      PoolNeed& arena = arenas[pool.field];
      arena.bytes = std::max(arena.bytes, pool.bytes);
      arena.alignment = std::max(arena.alignment, pool.alignment);
      arena.is_beside |= pool.beside > 0;
      if (arena.section.empty()) arena.section = pool.section;
      arena.needs += fmt::format("{}{} bytes of {}", arena.needs.empty() ? "" : ", ", pool.bytes,
                                 model.c.prefix);
    }
  }
  return arenas;
}

/// What to initialise the models' structs of pools with, where all their pools are arenas.
std::string Initialisers(const std::vector<SharingModel>& models, const std::string& prefix,
                         const std::map<std::string, PoolNeed>& arenas) {
  std::string out;
  for (const SharingModel& model : models) {
    std::string fields;
    bool all = !model.c.caller_pools.empty();
    for (const EmittedPool& pool : model.c.caller_pools) {
      all &= !pool.is_constant && !arenas.at(pool.field).is_beside;
      fields += fmt::format("{}{}_{}", fields.empty() ? "" : ", ", prefix, pool.field);
    }
    if (!all) continue;
    out += fmt::format("#define {}_SHARED_POOLS {{{}}}\n", Upper(model.c.prefix), fields);
  }
  if (out.empty()) return out;
  return "\n/* struct <model>_workspace_pools pools = <MODEL>_SHARED_POOLS; */\n" + out;
}

std::string Header(const std::vector<SharingModel>& models, const std::string& prefix,
                   const std::map<std::string, PoolNeed>& arenas) {
  const std::string macro = Upper(prefix);
  std::string out = fmt::format(
      "/* Made by Tenon. Workspace of models that run in turn: what a run leaves in it, outputs\n"
      " * included, is gone when another model runs. */\n"
      "#ifndef {0}_H_\n#define {0}_H_\n\n#include <stdint.h>\n\n"
      "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n",
      macro);
  for (const auto& [name, arena] : arenas) {
    const std::string pool = fmt::format("{}_{}", macro, Upper(name));
    out += fmt::format("\n/* Pool `{}`: {}. */\n#define {}_SIZE {}\n#define {}_ALIGNMENT {}\n",
                       name, arena.needs, pool, arena.bytes, pool, arena.alignment);
    if (arena.is_beside) {
      out += "/* Its address is the application's to choose: see the headers of the models. */\n";
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

absl::StatusOr<std::vector<SharedArena>> SharedArenas(const std::vector<SharingModel>& models,
                                                      const std::string& name) {
  const std::string prefix = EmittedPrefix(name);
  TENON_TRY(CheckPrefixes(models, prefix));
  TENON_TRY(CheckConstants(models));
  TENON_TRY(CheckLoaded(models));
  std::vector<SharedArena> shared;
  for (const auto& [pool, arena] : ArenasOf(models)) {
    if (!arena.is_beside)
      shared.push_back(
          {fmt::format("{}_{}", prefix, pool), arena.bytes, arena.alignment, arena.section});
  }
  return shared;
}

absl::StatusOr<std::vector<EmittedFile>> ShareWorkspace(const std::vector<SharingModel>& models,
                                                        const std::string& name) {
  const std::string prefix = EmittedPrefix(name);
  TENON_TRY(CheckPrefixes(models, prefix));
  TENON_TRY(CheckConstants(models));
  TENON_TRY(CheckLoaded(models));
  const std::map<std::string, PoolNeed> arenas = ArenasOf(models);
  std::vector<EmittedFile> files;
  for (const SharingModel& model : models) {
    for (const EmittedFile& file : model.c.files) {
      const bool known = std::any_of(files.begin(), files.end(), [&](const EmittedFile& other) {
        return other.name == file.name;
      });
      if (!known) files.push_back(file);
    }
  }
  files.push_back({prefix + ".h", Header(models, prefix, arenas)});
  files.push_back({prefix + ".c", Source(prefix, arenas)});
  return files;
}

}  // namespace tenon
