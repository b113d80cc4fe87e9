#include "passes/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "passes/all_passes.h"

namespace tenon {

namespace {

/// Values of options as text, by type.
struct OptionText {
  static bool Parse(std::string_view text, std::string& value) {
    value = text;
    return true;
  }
  static bool Parse(std::string_view text, bool& value) {
    value = text == "true" || text == "1" || text == "on";
    return value || text == "false" || text == "0" || text == "off";
  }
  template <class Number>
  static bool Parse(std::string_view text, Number& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  }

  static std::string_view Kind(const std::string&) { return "text"; }
  static std::string_view Kind(const bool&) { return "true or false"; }
  static std::string_view Kind(const int64_t&) { return "an integer"; }
  static std::string_view Kind(const double&) { return "a number"; }

  static std::string Show(const std::string& value) { return value; }
  static std::string Show(bool value) { return value ? "true" : "false"; }
  static std::string Show(int64_t value) { return fmt::format("{}", value); }
  static std::string Show(double value) { return fmt::format("{}", value); }
};

template <class Options>
std::vector<OptionInfo> OptionsOf() {
  std::vector<OptionInfo> infos;
  const Options defaults;
  std::apply(
      [&](const auto&... option) {
        (infos.push_back({option.name, OptionText::Show(defaults.*option.member), option.help}),
         ...);
      },
      Options::List());
  return infos;
}

/// Sets one option by name; nullopt when it is set, else what is wrong.
template <class Options>
std::optional<std::string> SetOption(Options& options, std::string_view name,
                                     std::string_view text) {
  std::optional<std::string> error = fmt::format("unknown option `{}`", name);
  const auto try_one = [&](const auto& option) {
    if (name != option.name) return;
    auto& value = options.*option.member;
    error.reset();
    if (!OptionText::Parse(text, value)) {
      error =
          fmt::format("value `{}` of option `{}` is not {}", text, name, OptionText::Kind(value));
    }
  };
  std::apply([&](const auto&... option) { (try_one(option), ...); }, Options::List());
  return error;
}

template <class Options,
          absl::StatusOr<IRModule> (*Run)(const IRModule&, const Options&, PassContext&)>
std::optional<BoundPass> Bind(std::string_view name, const OptionValues& values, std::string* error,
                              size_t* at) {
  Options options;
  BoundPass pass{std::string(name), nullptr};
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::optional<std::string> wrong = SetOption(options, values[i].first, values[i].second)) {
      *error = *std::move(wrong);
      *at = i;
      return std::nullopt;
    }
  }
  pass.run = [options](const IRModule& module, PassContext& context) {
    return Run(module, options, context);
  };
  return pass;
}

constexpr PassInfo kPasses[] = {
#define TENON_PASS(name, Function, Options, summary)                \
  {name, summary,                                                   \
   [](const OptionValues& values, std::string* error, size_t* at) { \
     return Bind<Options, &Function>(name, values, error, at);      \
   },                                                               \
   &OptionsOf<Options>},
#include "passes/pass_list.def"
};

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::span<const PassInfo> AllPasses() { return kPasses; }

const PassInfo* FindPass(std::string_view name) {
  const auto* found = std::find_if(std::begin(kPasses), std::end(kPasses),
                                   [&](const PassInfo& pass) { return pass.name == name; });
  return found == std::end(kPasses) ? nullptr : found;
}

std::string_view NearestName(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view best;
  size_t best_distance = std::max<size_t>(2, name.size() / 3) + 1;
  for (std::string_view candidate : candidates) {
    const size_t distance = EditDistance(name.substr(0, 100), candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace tenon
