#include "tools/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon {

namespace {

constexpr size_t kColumns = 90;
/// The column in which descriptions begin.
constexpr size_t kTextColumn = 28;

/// Appends `text` from column `begin` on, and breaks it at blanks.
void AppendWrapped(std::string& out, std::string_view text, size_t begin) {
  size_t column = begin;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (column > begin && column + 1 + end > kColumns) {
      out += fmt::format("\n{:{}}", "", begin);
      column = begin;
    }
    if (column > begin) {
      out += ' ';
      ++column;
    }
    out += text.substr(0, end);
    column += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += '\n';
}

void AppendEntry(std::string& out, const std::string& name, std::string_view text) {
  out += "  " + name;
  const size_t column = name.size() + 2;
  if (column + 2 <= kTextColumn)
    out += std::string(kTextColumn - column, ' ');
  else
    out += fmt::format("\n{:{}}", "", kTextColumn);
  AppendWrapped(out, text, kTextColumn);
}

/// The value that an option takes, as help shows it: ` FILE`, `[=FILE]`, or nothing for a flag.
std::string ValueText(const CLI::Option& option) {
  if (option.get_expected_max() == 0) return "";
  std::string text =
      option.get_option_text().empty() ? option.get_type_name() : option.get_option_text();
  if (!option.get_default_str().empty())
    text += fmt::format(" (default: {})", option.get_default_str());
  return text.starts_with("[=") ? text : " " + text;
}

/// `-o, --output PATH`.
std::string OptionText(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return fmt::format("{}{}", fmt::join(names, ", "), ValueText(option));
}

std::string PositionalText(const CLI::Option& option) {
  std::string text = option.get_type_name();
  if (option.get_expected_max() > 1) text += "...";
  return option.get_required() ? text : fmt::format("[{}]", text);
}

bool IsHelp(const CLI::App& app, const CLI::Option* option) {
  return option == app.get_help_ptr() || option == app.get_help_all_ptr() ||
         option == app.get_version_ptr();
}

/// The options of a group. The common ones end with those that print help or the version.
std::vector<const CLI::Option*> OptionsOf(const CLI::App& app, const std::string& group) {
  std::vector<const CLI::Option*> options = app.get_options([&](const CLI::Option* option) {
    return option->nonpositional() && option->get_group() == group && !IsHelp(app, option);
  });
  if (group == kCommonOptions) {
    for (const CLI::Option* option :
         {app.get_help_ptr(), app.get_help_all_ptr(), app.get_version_ptr()}) {
      if (option != nullptr) options.push_back(option);
    }
  }
  return options;
}

/// The groups, the common one first.
std::vector<std::string> GroupsOf(const CLI::App& app) {
  std::vector<std::string> groups = {kCommonOptions};
  for (std::string& group : app.get_groups()) {
    if (group != kCommonOptions && !OptionsOf(app, group).empty())
      groups.push_back(std::move(group));
  }
  return groups;
}

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string out = Usage(*app, name);
    out += fmt::format("\n{}\n", app->get_description());
    AppendArguments(*app, out);
    AppendCommands(*app, name, out);
    AppendGroups(*app, name, mode == CLI::AppFormatMode::All, out);
    return out;
  }

 private:
  static std::vector<const CLI::Option*> Positionals(const CLI::App& app) {
    return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
  }

  static std::string Usage(const CLI::App& app, const std::string& name) {
    std::string out = "Usage: " + name;
    out += app.get_subcommands(nullptr).empty() ? " [OPTION]..." : " COMMAND [OPTION]...";
    for (const CLI::Option* option : Positionals(app)) out += " " + PositionalText(*option);
    return out + "\n";
  }

  static void AppendArguments(const CLI::App& app, std::string& out) {
    const std::vector<const CLI::Option*> arguments = Positionals(app);
    if (arguments.empty()) return;
    out += "\nArguments:\n";
    for (const CLI::Option* option : arguments)
      AppendEntry(out, option->get_type_name(), option->get_description());
  }

  static void AppendCommands(const CLI::App& app, const std::string& name, std::string& out) {
    const std::vector<const CLI::App*> commands = app.get_subcommands(nullptr);
    if (commands.empty()) return;
    out += "\nCommands:\n";
    for (const CLI::App* command : commands) {
      const std::string text = command->get_description();
      AppendEntry(out, command->get_name(), text.substr(0, text.find('\n')));
    }
    AppendEntry(out, "help [COMMAND]", fmt::format("The help of a command: {} help run.", name));
  }

  /// The options; without `all` the common ones, and the names of the other groups.
  static void AppendGroups(const CLI::App& app, const std::string& name, bool all,
                           std::string& out) {
    std::vector<std::string> others;
    for (const std::string& group : GroupsOf(app)) {
      if (!all && group != kCommonOptions) {
        others.push_back(group);
        continue;
      }
      out += fmt::format("\n{}:\n", group);
      for (const CLI::Option* option : OptionsOf(app, group))
        AppendEntry(out, OptionText(*option), option->get_description());
    }
    if (others.empty()) return;
    out += "\nMore options: ";
    AppendWrapped(out, fmt::format("{}. All: {} --help-all", fmt::join(others, ", "), name), 14);
  }
};

}  // namespace

void SetHelp(CLI::App& app) {
  app.formatter(std::make_shared<HelpFormatter>());
  app.option_defaults()->group(kCommonOptions);
  app.set_help_flag("-h,--help", "print this help and stop");
  app.set_help_all_flag("--help-all", "print all options and stop");
}

}  // namespace tenon
