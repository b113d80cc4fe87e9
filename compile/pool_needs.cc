#include "compile/pool_needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "ir/memory_pools.h"
#include "support/checked.h"

namespace tenon {

namespace {

std::string_view KindText(bool is_constant) { return is_constant ? "read-only" : "read-write"; }

/// Constants in a pool with a header are defined once for all models.
bool IsCommon(const PoolInfo& pool, bool shares_workspace) {
  return pool.is_constant ? !pool.header.empty() : shares_workspace;
}

/// The bytes of all parts together.
int64_t SizeOf(const PoolNeed& need) {
  int64_t size = 0;
  for (const PoolNeed::Part& part : need.parts) {
    if (need.is_common) {
      size = std::max(size, part.size_bytes);
      continue;
    }
    const int64_t alignment = need.capacity_bytes < 0 ? 1 : part.alignment;
    const int64_t begin = CheckedAlignUp(size, alignment).value_or(INT64_MAX);
    size = CheckedAdd(begin, part.size_bytes).value_or(INT64_MAX);
  }
  return size;
}

std::vector<PoolArg> PoolArgsOf(const IRModule& model) {
  const Function* const entry = model.Main();
  return entry == nullptr ? std::vector<PoolArg>() : ReadPoolArgs(*entry->func);
}

SourceRange PlaceOf(const IRModule& model) {
  const Function* const entry = model.Main();
  return entry == nullptr ? SourceRange() : entry->func->range;
}

class NeedsChecker {
 public:
  NeedsChecker(std::span<const IRModule* const> models, std::span<const std::string> names,
               Diagnostics& diagnostics)
      : models_(models), names_(names), diagnostics_(diagnostics) {}

  /// Models that describe a pool differently mean different memory, so no sum is right for it.
  bool Agree() {
    struct Known {
      size_t model = 0;
      PoolInfo pool;
    };
    std::map<std::string, Known> known;
    bool agree = true;
    for (size_t i = 0; i < models_.size(); ++i) {
      for (const PoolArg& arg : PoolArgsOf(*models_[i])) {
        const auto [found, is_new] = known.try_emplace(arg.pool.name, Known{i, arg.pool});
        PoolInfo& first = found->second.pool;
        if (is_new) continue;
        if (first.is_constant != arg.pool.is_constant) {
          agree = false;
          Contradict(arg.pool.name, found->second.model, KindText(first.is_constant), i,
                     KindText(arg.pool.is_constant), "kind");
        } else if (first.size_hint_bytes < 0) {
          found->second = {i, arg.pool};
        } else if (arg.pool.size_hint_bytes >= 0 &&
                   first.size_hint_bytes != arg.pool.size_hint_bytes) {
          agree = false;
          Contradict(arg.pool.name, found->second.model,
                     fmt::format("{} bytes", first.size_hint_bytes), i,
                     fmt::format("{} bytes", arg.pool.size_hint_bytes), "size");
        }
      }
    }
    return agree;
  }

  bool Fits(const PoolNeed& need) {
    if (need.capacity_bytes < 0 || need.size_bytes <= need.capacity_bytes) return true;
    int64_t padding = need.size_bytes;
    for (const PoolNeed::Part& part : need.parts) padding -= part.size_bytes;
    const bool is_padded = !need.is_common && need.size_bytes < INT64_MAX && padding > 0;
    Diagnostic& error = diagnostics_.Error(
        DiagnosticKind::kArguments, {},
        fmt::format(
            "pool `{}` has {} bytes, but the {} of all models {} {}, {} more{}", need.name,
            need.capacity_bytes, need.is_constant ? "constants" : "workspaces",
            need.is_common ? "needs" : "need", need.size_bytes,
            need.size_bytes - need.capacity_bytes,
            is_padded ? fmt::format(", including {} of padding between models", padding) : ""));
    for (const PoolNeed::Part& part : need.parts) {
      Diagnostics::AddNote(
          error, PlaceOf(*models_[part.model]),
          fmt::format("`{}` needs {} bytes of the pool", names_[part.model], part.size_bytes));
    }
    if (!need.is_constant && !need.is_common) {
      Diagnostics::AddNote(error, {},
                           "models that run in turn need only the largest workspace: pass "
                           "--share-workspace");
    }
    return false;
  }

 private:
  void Contradict(std::string_view pool, size_t first, std::string_view before, size_t second,
                  std::string_view now, std::string_view what) {
    Diagnostic& error = diagnostics_.Error(
        DiagnosticKind::kArguments, PlaceOf(*models_[second]),
        fmt::format("pool `{}` is {} in `{}`, but {} in `{}`: give it one {}, or two names", pool,
                    before, names_[first], now, names_[second], what));
    Diagnostics::AddNote(error, PlaceOf(*models_[first]),
                         fmt::format("`{}` is here", names_[first]));
  }

  std::span<const IRModule* const> models_;
  std::span<const std::string> names_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::vector<PoolNeed> PoolNeedsOf(std::span<const IRModule* const> models, bool shares_workspace) {
  std::map<std::string, PoolNeed> needs;
  for (size_t i = 0; i < models.size(); ++i) {
    for (const PoolArg& arg : PoolArgsOf(*models[i])) {
      PoolNeed& need = needs[arg.pool.name];
      need.name = arg.pool.name;
      need.is_constant = arg.pool.is_constant;
      need.is_common = IsCommon(arg.pool, shares_workspace);
      need.capacity_bytes = std::max(need.capacity_bytes, arg.pool.size_hint_bytes);
      need.parts.push_back({i, arg.size_bytes, arg.alignment});
    }
  }
  std::vector<PoolNeed> list;
  for (auto& [name, need] : needs) {
    need.size_bytes = SizeOf(need);
    list.push_back(std::move(need));
  }
  return list;
}

bool CheckPoolNeeds(std::span<const IRModule* const> models, std::span<const std::string> names,
                    bool shares_workspace, Diagnostics& diagnostics) {
  if (models.size() < 2) return true;
  NeedsChecker checker(models, names, diagnostics);
  if (!checker.Agree()) return false;
  bool fits = true;
  for (const PoolNeed& need : PoolNeedsOf(models, shares_workspace)) fits &= checker.Fits(need);
  return fits;
}

}  // namespace tenon
