#include "report/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/container/flat_hash_set.h"

namespace tenon {

namespace {

/// Digits of a hash that a label keeps.
constexpr size_t kHashDigits = 4;
constexpr size_t kLeastHash = 12;

/// The labels' common prefix, up to an underscore. It carries no information.
std::string_view CommonPrefix(const std::vector<ReportStep>& steps) {
  if (steps.empty()) return {};
  std::string_view common = steps[0].label;
  bool differ = false;
  for (const ReportStep& step : steps) {
    const auto [end, other] =
        std::mismatch(common.begin(), common.end(), step.label.begin(), step.label.end());
    differ |= step.label != steps[0].label;
    common = common.substr(0, static_cast<size_t>(end - common.begin()));
  }
  const size_t underscore = common.rfind('_');
  if (!differ || underscore == std::string_view::npos) return {};
  return common.substr(0, underscore + 1);
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }
/// A byte of a UTF-8 character after its first one.
bool IsInner(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Code points, which are columns for all texts that modules usually contain.
size_t Columns(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), std::not_fn(IsInner)));
}

/// At most `most` bytes from the start; whole characters, and whole words if half of it remains.
std::string_view Start(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && IsInner(text[most])) --most;
  const bool is_word = text[most] == '_';
  text = text.substr(0, most);
  if (is_word) return text;
  const size_t word = text.rfind('_');
  return word != std::string_view::npos && 2 * word >= most ? text.substr(0, word) : text;
}

/// At most `most` bytes from the end; whole characters, and whole words if half of it remains.
std::string_view End(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  size_t from = text.size() - most;
  while (from < text.size() && IsInner(text[from])) ++from;
  if (from > 0 && text[from - 1] == '_') return text.substr(from);
  const size_t word = text.find('_', from);
  if (word != std::string_view::npos && 2 * (text.size() - word - 1) >= most) from = word + 1;
  return text.substr(from);
}

/// A name, and the number or the hash at its end.
struct Parts {
  std::string_view stem;
  std::string number;
};

Parts PartsOf(std::string_view name) {
  while (name.size() > 1 && name.back() == '_') name.remove_suffix(1);
  const size_t underscore = name.rfind('_');
  if (underscore == std::string_view::npos || underscore == 0) return {name, ""};
  const std::string_view last = name.substr(underscore + 1);
  std::string_view stem = name.substr(0, underscore);
  while (stem.size() > 1 && stem.back() == '_') stem.remove_suffix(1);
  if (last.empty()) return {name, ""};
  if (last.size() <= 6 && std::all_of(last.begin(), last.end(), IsDigit))
    return {stem, fmt::format(" #{}", last)};
  if (last.size() >= kLeastHash && std::all_of(last.begin(), last.end(), IsHexDigit))
    return {stem, fmt::format(" #{}", last.substr(0, kHashDigits))};
  return {name, ""};
}

/// The first and the last words, and the number.
std::string Shorten(std::string_view name, const LabelForm& form) {
  const Parts parts = PartsOf(name);
  const size_t taken = parts.number.size() + Columns(form.gap);
  const size_t room = form.most > taken + 8 ? form.most - taken : 8;
  // A statement is not a name: its first words say most.
  if (name.find(' ') != std::string_view::npos)
    return fmt::format("{}{}", Start(name, form.most - Columns(form.gap)), form.gap);
  if (parts.stem.size() <= room) return fmt::format("{}{}", parts.stem, parts.number);
  const std::string_view start = Start(parts.stem, room / 2);
  const std::string_view end = End(parts.stem.substr(start.size()), room - start.size());
  return fmt::format("{}{}{}{}", start, form.gap, end, parts.number);
}

/// The first words, and the part that begins where `name` differs from `other`.
std::string FromDifference(std::string_view name, std::string_view other, const LabelForm& form) {
  const auto differs = std::mismatch(name.begin(), name.end(), other.begin(), other.end()).first;
  auto at = static_cast<size_t>(differs - name.begin());
  while (at > 0 && at < name.size() && IsInner(name[at])) --at;
  const size_t room = form.most > 2 * Columns(form.gap) ? form.most - 2 * Columns(form.gap) : 0;
  const std::string_view start = Start(name.substr(0, at), room / 3);
  const std::string_view rest = name.substr(at);
  const std::string_view part = Start(rest, room - start.size());
  return fmt::format("{}{}{}{}", start, form.gap, part, part.size() < rest.size() ? form.gap : "");
}

}  // namespace

ShortLabels::ShortLabels(const std::vector<ReportStep>& steps, const LabelForm& form)
    : form_(form), prefix_(form.most == SIZE_MAX ? "" : CommonPrefix(steps)) {
  // Names that stay as they are come first, so that no shortened name takes their form.
  absl::flat_hash_set<std::string> taken;
  std::vector<std::string> names;
  for (const ReportStep& step : steps) {
    if (!forms_.try_emplace(step.label).second) continue;
    names.push_back(step.label);
    const std::string_view name = WithoutPrefix(step.label);
    if (Columns(name) > form.most) continue;
    forms_[step.label] = name;
    taken.insert(std::string(name));
  }
  absl::flat_hash_map<std::string, std::string> first_with;
  for (const std::string& label : names) {
    std::string& shown = forms_[label];
    if (!shown.empty()) continue;
    const std::string_view name = WithoutPrefix(label);
    shown = Shorten(name, form);
    const auto [first, is_new] = first_with.try_emplace(shown, std::string(name));
    if (!is_new) shown = FromDifference(name, first->second, form);
    for (size_t number = 2; !taken.insert(shown).second; ++number)
      shown = fmt::format("{} ({})", Start(Shorten(name, form), form.most - 5), number);
  }
  for (const std::string& label : names) {
    if (forms_[label] != label) changed_.emplace_back(label, forms_[label]);
  }
}

std::string_view ShortLabels::WithoutPrefix(std::string_view label) const {
  if (label.starts_with(prefix_) && label.size() > prefix_.size())
    label.remove_prefix(prefix_.size());
  return label;
}

std::string ShortLabels::Of(std::string_view label) const {
  const auto found = forms_.find(std::string(label));
  if (found != forms_.end()) return found->second;
  label = WithoutPrefix(label);
  return Columns(label) <= form_.most ? std::string(label) : Shorten(label, form_);
}

}  // namespace tenon
