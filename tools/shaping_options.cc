#include "tools/shaping_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace tenon {

namespace {

/// Options that choose where output goes, what is printed, how fast the command is, or what is
/// checked. The prefix of all names shows --module-name.
constexpr std::array<std::string_view, 26> kOthers = {"--output",
                                                      "--module-name",
                                                      "--report",
                                                      "--html",
                                                      "--quiet",
                                                      "--help",
                                                      "--help-all",
                                                      "--version",
                                                      "--threads",
                                                      "--header",
                                                      "--cc",
                                                      "--list-targets",
                                                      "--print-machine",
                                                      "--print-merged",
                                                      "--print-schedules",
                                                      "--verify-plan",
                                                      "--verify-schedules",
                                                      "--update-of",
                                                      "--generator",
                                                      "--generator-timeout",
                                                      "--generator-record",
                                                      "--on-generator-error",
                                                      "--byoc-report",
                                                      "--color",
                                                      "--diagnostics",
                                                      "--timing"};

/// `NAME=folder/file` as `NAME=file`.
std::string WithoutFolders(std::string_view value) {
  std::string out;
  size_t word = 0;
  for (const char c : value) {
    if (c == '/') {
      out.resize(word);
      continue;
    }
    out += c;
    if (c == '=' || c == ';' || c == ',' || c == ' ') word = out.size();
  }
  return out;
}

}  // namespace

std::string ShapingOptions(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    const std::string& name = option->get_name();
    const bool is_other = std::find(kOthers.begin(), kOthers.end(), name) != kOthers.end();
    if (option->count() == 0 || is_other || name.empty() || name[0] != '-' ||
        option->get_group() == "Messages")
      continue;
    if (option->get_items_expected_max() == 0) {
      words.push_back(name);
      continue;
    }
    for (const std::string& value : option->results())
      words.push_back(
          fmt::format("{}{}{}", name, name.starts_with("--") ? "=" : "", WithoutFolders(value)));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace tenon
