#ifndef TENON_REPORT_MEMBER_H_
#define TENON_REPORT_MEMBER_H_

#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>

// The members of a report's structs. Each struct lists them once, in the order of the JSON. Writing
// and reading JSON, the data of the HTML page, merged reports and diffs follow from the lists.
//
//   struct ReportStep {
//     std::string label;
//     int64_t line = 0;
//
//     static void Members(const auto& list) {
//       list.Required("label", &ReportStep::label);
//       list.Optional("line", &ReportStep::line);
//     }
//   };

namespace tenon {

/// The rule by which a member of several reports becomes one.
enum class MergeRule : uint8_t {
  /// The value of the first report.
  kFirst,
  /// For numbers.
  kLargest,
  kSum,
  /// For texts: the different ones, separated by commas.
  kJoined,
};

struct MemberRules {
  MergeRule merge = MergeRule::kFirst;
  /// The name in diffs. For a member of the report or of a pool: the title of a row, where `{}` is
  /// the pool. For a member of a buffer: the kind of change. Empty: the tables do not show it.
  std::string_view diff = {};
  /// Whether the JSON of a diff has the member without a name.
  bool in_diff = false;
};

enum class Presence : uint8_t { kRequired, kOptional, kIfSet, kOrNull };

/// `Field` is a pointer to a field, or a function of the object.
template <class Struct, class Field, bool is_read>
struct ReportMember {
  std::string_view key;
  Field field;
  Presence presence = Presence::kRequired;
  MemberRules rules = {};
  /// Null for members that all objects have.
  bool (*when)(const Struct&) = nullptr;

  decltype(auto) Get(const Struct& object) const { return std::invoke(field, object); }
  /// Whether JSON has the member of this object.
  bool IsIn(const Struct& object) const {
    if (when != nullptr && !when(object)) return false;
    if (presence != Presence::kIfSet) return true;
    const auto& value = Get(object);
    if constexpr (requires { value.has_value(); }) {
      return value.has_value();
    } else if constexpr (requires { value.empty(); }) {
      return !value.empty();
    } else if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
      // Made once: a report has very many objects.
      static const Struct& none = *new Struct();
      return value != Get(none);
    }
    return true;
  }
};

/// A flag that is one of two texts in JSON.
template <class Struct>
struct KindField {
  bool Struct::*flag;
  std::string_view no;
  std::string_view yes;

  std::string_view operator()(const Struct& object) const { return object.*flag ? yes : no; }
};

/// Passes each member that a struct lists to `visit`. Fields are numbers, texts, structs with
/// members, and lists of these.
template <class Struct, class Visit>
class MemberList {
 public:
  using Condition = bool (*)(const Struct&);
  explicit MemberList(const Visit& visit, Condition when = nullptr) : visit_(visit), when_(when) {}

  /// A member that every report has.
  void Required(std::string_view key, auto field, MemberRules rules = {}) const {
    Add<true>(key, field, Presence::kRequired, rules);
  }
  /// A member that older reports lack.
  void Optional(std::string_view key, auto field, MemberRules rules = {}) const {
    Add<true>(key, field, Presence::kOptional, rules);
  }
  /// A member that is absent if it is empty, or if a number equals its default.
  void IfSet(std::string_view key, auto field, MemberRules rules = {}) const {
    Add<true>(key, field, Presence::kIfSet, rules);
  }
  /// A required text that is null if it is empty.
  void OrNull(std::string_view key, auto field, MemberRules rules = {}) const {
    Add<true>(key, field, Presence::kOrNull, rules);
  }
  /// A required flag, which is the text `no` or `yes`.
  void Kind(bool Struct::*flag, std::string_view no, std::string_view yes) const {
    Add<true>("kind", KindField<Struct>{flag, no, yes}, Presence::kRequired, {});
  }
  /// A member that is written but not read, since it follows from others.
  void Derived(std::string_view key, auto field, MemberRules rules = {}) const {
    Add<false>(key, field, Presence::kRequired, rules);
  }
  void DerivedIfSet(std::string_view key, auto field) const {
    Add<false>(key, field, Presence::kIfSet, {});
  }
  /// The list of members that only these objects have. The condition may depend on members that
  /// precede them.
  MemberList When(Condition condition) const { return MemberList(visit_, condition); }

 private:
  template <bool is_read, class Field>
  void Add(std::string_view key, Field field, Presence presence, MemberRules rules) const {
    visit_(ReportMember<Struct, Field, is_read>{key, field, presence, rules, when_});
  }

  const Visit& visit_;
  Condition when_;
};

/// Whether a struct lists its members.
template <class T>
concept HasMembers = requires(int list) {
  T::Members(list);
};

/// Structs with a name. In JSON, a list of them is an object with the names as keys.
template <class T>
concept IsNamed = HasMembers<T> && T::kIsNamed;

/// Calls `visit` with each member of a struct, in order.
template <HasMembers Struct, class Visit>
void ForEachMember(const Visit& visit) {
  Struct::Members(MemberList<Struct, Visit>(visit));
}

}  // namespace tenon

#endif  // TENON_REPORT_MEMBER_H_
